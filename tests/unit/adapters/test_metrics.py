"""What a referee counts: bounded, named as Prometheus asks for, and documented."""

import re
from collections.abc import Callable, Iterable
from itertools import product
from typing import Any, Final

import pytest
from deploy.metrics_page import PLACE, page
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from ginref.adapters import (
    redis_apply,
    redis_expiry,
    redis_script,
    redis_store,
    redis_tournament,
)
from ginref.adapters.memory_registry import MemoryRegistry
from ginref.adapters.metric_family import CODES, OPERATIONS, OTHER
from ginref.adapters.metrics import PrometheusObserver
from ginref.adapters.redis_script import TOUCH, Script
from ginref.app.error import Reason, RefusedError
from ginref.app.gate import Gate
from ginref.app.session_policy import UNREAD, over_limit
from ginref.app.trace import TRACE_ID
from ginref.transport.admission import Admission
from ginref.transport.server import METHODS

OPENMETRICS = "application/openmetrics-text;version=1.0.0,text/plain;q=0.5"
TEXT = "text/plain;version=0.0.4"
MOST_BYTES = 256 * 1024
GET_MATCH = "/ginref.v1.RefereeService/GetMatch"
READ: Final[Callable[[str], Iterable[Any]]] = text_string_to_metric_families
TRACE = "0af7651916cd43dd8448eb211c80319c"


class NoChance:
    """Makes the same secret every time."""

    def token(self, size: int) -> bytes:
        return bytes(size)


@pytest.fixture
def observer() -> PrometheusObserver:
    return PrometheusObserver(version="1.0", store="local/always", methods=METHODS)


@pytest.fixture
def admission(observer: PrometheusObserver) -> Admission:
    return Admission(Gate(MemoryRegistry(), NoChance(), lambda: 0), observer)


def series(observer: PrometheusObserver) -> set[bytes]:
    """Return what is told, without the values."""
    lines = observer.render().splitlines()
    return {line.rpartition(b" ")[0] for line in lines if not line.startswith(b"#")}


async def send_odd_calls(admission: Admission, first: int, count: int) -> None:
    """Call methods that there are not, and methods that there are, by strangers.

    No two calls have a name in common.
    """

    async def find_nothing() -> None:
        message = "there is none"
        raise RefusedError(Reason.MATCH_NOT_FOUND, message, bot=f"bot-{number}")

    for number in range(first, first + count):
        admission.count(f"/odd.v{number}/Call{number}", "UNIMPLEMENTED", 0.001)
        if number % 50 == 0:
            for method in (GET_MATCH, f"/grpc.health.v1.Health/Kill{number}"):
                with pytest.raises(RefusedError):
                    await admission.answer(method, f"agent-{number}", find_nothing)


async def test_100000_callers_with_names_of_their_own_make_no_series_of_their_own(
    observer: PrometheusObserver, admission: Admission
) -> None:
    await send_odd_calls(admission, 0, 1)
    before, size = series(observer), len(observer.render())
    await send_odd_calls(admission, 1, 100_000)

    assert series(observer) == before
    # What has changed are numbers.
    assert len(observer.render()) - size < 1000
    assert len(observer.render()) < MOST_BYTES


def test_all_series_that_there_can_be_are_told_in_less_than_256_kib(
    observer: PrometheusObserver,
) -> None:
    methods = [*(f"/{method}" for method in METHODS), "/none"]
    for method, code in product(methods, [*CODES, "a code of nobody's"]):
        observer.call(method, code, 0.123456789)

    told = series(observer)
    codes = {line for line in told if line.startswith(b"ginref_calls_total{")}
    assert len(codes) == len(methods) * len(CODES)
    for accept in (TEXT, OPENMETRICS):
        body, _ = observer.negotiated(accept)
        assert len(body) < MOST_BYTES


def test_what_is_outside_a_closed_set_is_other(observer: PrometheusObserver) -> None:
    observer.call('/x"} 1\nevil', "EVIL", 0.5)
    observer.store_call("evil", 0.5, failed=False)

    told = observer.render().decode()
    assert f'ginref_calls_total{{code="{OTHER}",method="{OTHER}"}} 1.0' in told
    assert f'ginref_store_call_seconds_count{{operation="{OTHER}"}} 1.0' in told
    assert "evil" not in told.lower()


@pytest.mark.parametrize(
    ("method", "limit", "counted"),
    [
        pytest.param("BotService/Connect", UNREAD, {"bot"}, id="a bot"),
        pytest.param("RefereeService/WatchMatch", UNREAD, {"watcher"}, id="a watcher"),
        pytest.param("BotService/Connect", "pending", set(), id="another limit"),
    ],
)
def test_a_stream_that_is_not_read_is_counted_as_dropped(
    observer: PrometheusObserver,
    admission: Admission,
    method: str,
    limit: str,
    counted: set[str],
) -> None:
    refusal = over_limit(limit, "it is too slow")
    path = f"/ginref.v1.{method}"
    admission.count(path, "RESOURCE_EXHAUSTED", 1.0, refusal)

    told = observer.render().decode()
    for stream in ("bot", "watcher"):
        line = f'ginref_streams_dropped_total{{stream="{stream}"}} '
        assert f"{line}{float(stream in counted)}" in told


def exemplars(observer: PrometheusObserver, accept: str) -> dict[str, list[str]]:
    """Return the traces that are named, by metric."""
    body, _ = observer.negotiated(accept)
    found: dict[str, list[str]] = {}
    for family in READ(body.decode()):
        for sample in family.samples:
            if sample.exemplar is not None:
                traces = found.setdefault(family.name, [])
                traces.append(sample.exemplar.labels["trace_id"])
    return found


def work(observer: PrometheusObserver) -> None:
    """Count a call and a move."""
    observer.call(GET_MATCH, "OK", 0.002)
    observer.move_times(40, 0.002)


def test_exemplars_name_the_trace_that_is_under_way(
    observer: PrometheusObserver,
) -> None:
    token = TRACE_ID.set(TRACE)
    try:
        work(observer)
    finally:
        TRACE_ID.reset(token)

    assert exemplars(observer, OPENMETRICS) == {
        "ginref_call_seconds": [TRACE],
        "ginref_move_referee_seconds": [TRACE],
    }


def test_there_is_no_exemplar_without_a_trace(observer: PrometheusObserver) -> None:
    work(observer)

    assert exemplars(observer, OPENMETRICS) == {}


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        pytest.param(OPENMETRICS, "application/openmetrics-text", id="OpenMetrics"),
        pytest.param(TEXT, "text/plain", id="text"),
        pytest.param("", "text/plain", id="nothing"),
        pytest.param("text/html;version=x", "text/plain", id="something else"),
    ],
)
def test_a_reader_gets_what_it_accepts(
    observer: PrometheusObserver, accept: str, kind: str
) -> None:
    body, content_type = observer.negotiated(accept)

    assert content_type.partition(";")[0] == kind
    assert body.endswith(b"# EOF\n") == (kind != "text/plain")


def test_every_script_is_an_operation_that_is_counted() -> None:
    modules = (redis_apply, redis_expiry, redis_script, redis_store, redis_tournament)
    scripts: set[Any] = {
        one
        for module in modules
        for one in vars(module).values()
        if isinstance(one, Script)
    }

    # What is only touched travels within the packet of others.
    assert {script.name for script in scripts - {TOUCH}} <= set(OPERATIONS)


def test_the_page_about_metrics_is_what_the_code_says() -> None:
    assert PLACE.read_text(encoding="utf-8") == page(), "make metrics-docs"


def test_the_page_about_metrics_has_every_metric_that_a_referee_shows(
    observer: PrometheusObserver,
) -> None:
    shown = set(re.findall(rb"^# TYPE (ginref_\w+) ", observer.render(), re.MULTILINE))
    told = re.findall(r"^\| `(ginref_\w+)` ", page(), re.MULTILINE)

    assert {name.encode() for name in told} == shown
    assert len(set(told)) == len(told)
