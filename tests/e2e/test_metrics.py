"""What a referee counts, read where Prometheus reads it."""

import base64
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import grpc
import grpc.aio
import httpx
import pytest
from prometheus_client.metrics_core import Metric
from prometheus_client.parser import text_string_to_metric_families
from tests.e2e.host import OPERATOR, SEATED, STRANGER, Host, Room, hosting
from tests.e2e.table import Table, play

from ginref.adapters.metric_family import CODES, FATES, HTTP_STATUSES, OPERATIONS
from ginref.app.error import Reason
from ginref.record.document import Record, parse_record
from ginref.record.entry import Moved
from ginref.transport.server import METHODS
from ginref_client.bots.careful import Careful
from ginref_client.bots.simple import Simple
from ginref_client.session import Session

Counts = Mapping[tuple[str, frozenset[tuple[str, str]]], float]
"""Values by name and labels."""

LABELS: dict[str, set[str]] = {
    "kind": {"pass", "draw_upcard", "draw_stock", "discard", "knock"},
    "verdict": {"accepted", "refused"},
    "reason": set(Reason),
    "outcome": {"knock", "gin", "big_gin", "undercut", "tie", "wall", "turn_cap"},
    "ending": {
        *("completed", "round_cap", "resigned", "timed_out"),
        *("strikes", "no_show", "aborted", "void"),
    },
    "state": {
        *("draft", "registration", "check_in", "seeding", "running", "paused"),
        *("finishing", "finished", "archived", "cancelled"),
        *("blocked", "ready", "playing", "stopped", "final", "not_needed"),
    },
    "fault": {"nobody", "seat", "referee", "organizer"},
    "method": {*METHODS, "other"},
    "code": {*CODES},
    "status": {*HTTP_STATUSES},
    "result": {"ok", "refused"},
    "stream": {"bot", "watcher"},
    "operation": {*OPERATIONS},
    "log": {"match", "tournament"},
    "fate": {*FATES},
}
"""Every value that a label may have."""


@pytest.fixture(scope="module")
def counted() -> Iterator[Host]:
    """Return a referee that counts nothing but what these tests do."""
    with hosting("--dev") as started:
        yield started


def _families(host: Host) -> list[Metric]:
    answer = httpx.get(f"http://{host.process.admin}/metrics", trust_env=False)
    assert answer.status_code == httpx.codes.OK
    return [*text_string_to_metric_families(answer.text)]


def _counts(host: Host) -> Counts:
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in _families(host)
        for sample in family.samples
    }


def _read(counts: Counts, name: str, **labels: str) -> float:
    return counts.get((name, frozenset(labels.items())), 0)


def _sum(counts: Counts, name: str, **labels: str) -> float:
    wanted = labels.items()
    return sum(
        value
        for (found, has), value in counts.items()
        if found == name and wanted <= has
    )


async def _play(host: Host) -> Record:
    """Play a match of one game, and return its record."""
    table = Table(host.process.address, host.tokens[OPERATOR])
    match_id = await table.create_match("gin", bots=SEATED)
    await play(
        [
            Session(host.process.address, host.tokens[SEATED[0]], Careful),
            Session(host.process.address, host.tokens[SEATED[1]], Simple),
        ]
    )
    envelope = json.loads(await table.record(match_id))
    return parse_record(base64.b64decode(envelope["payload"]))


async def test_the_numbers_of_a_match_are_those_of_its_record(counted: Host) -> None:
    before = _counts(counted)

    record = await _play(counted)

    after = _counts(counted)

    def grown(name: str, **labels: str) -> float:
        return _read(after, name, **labels) - _read(before, name, **labels)

    moves = [stamped.entry for stamped in record.entries]
    accepted = [move for move in moves if isinstance(move, Moved)]
    kinds = Counter(str(move.move).split()[0] for move in accepted)
    outcomes = Counter(played["outcome"] for played in record.document["rounds"])
    assert len(accepted) > 20
    for kind in LABELS["kind"]:
        moved = grown("ginref_moves_total", kind=kind, verdict="accepted")
        assert moved == kinds[kind]
    assert _sum(after, "ginref_moves_total", verdict="refused") == 0
    # The record was asked for until it was there; nothing else went wrong.
    early = _read(after, "ginref_refusals_total", reason="RECORD_NOT_READY")
    assert _sum(after, "ginref_refusals_total") == early
    for outcome in LABELS["outcome"]:
        assert grown("ginref_rounds_total", outcome=outcome) == outcomes[outcome]
    assert grown("ginref_matches_created_total") == 1
    ended = {"ending": "completed", "fault": "nobody"}
    assert grown("ginref_matches_ended_total", **ended) == 1
    assert _sum(after, "ginref_matches_ended_total") == 1
    assert grown("ginref_records_signed_total") == 1
    assert grown("ginref_timeouts_total") == 0
    create = {"method": "ginref.v1.RefereeService/CreateMatch"}
    record_ = {"method": "ginref.v1.RefereeService/GetMatchRecord"}
    assert grown("ginref_calls_total", **create, code="OK") == 1
    assert grown("ginref_calls_total", **record_, code="OK") == 1
    assert grown("ginref_call_seconds_count", **create, result="ok") == 1
    assert 0 < grown("ginref_call_seconds_sum", **create, result="ok") < 60
    # Every move was stored once, by one question to the store or more.
    assert grown("ginref_move_referee_seconds_count") == len(accepted)
    assert grown("ginref_turn_seconds_count") == len(accepted)
    assert grown("ginref_store_call_seconds_count", operation="apply") >= len(accepted)
    assert grown("ginref_store_batch_commands_count") > 0
    assert grown("ginref_store_failures_total") == 0


async def test_streams_are_counted_while_they_are_open(counted: Host) -> None:
    async with counted.open() as room:
        match_id = await room.create()
        watch = room.watch(OPERATOR, match_id)
        await watch.read()
        during = _counts(counted)
        await room.clear()
        await watch.read()
        assert await watch.read() is grpc.aio.EOF
        after = _counts(counted)

    assert _read(during, "ginref_watchers") == 1
    assert _read(after, "ginref_watchers") == 0
    watched = {"method": "ginref.v1.RefereeService/WatchMatch", "code": "OK"}
    assert _read(after, "ginref_calls_total", **watched) == 1


ODD = [
    "/ginref.v1.RefereeService/DealMeAces",
    '/x"} 1\n# HELP evil',
    "/" + "m" * 2000,
    "/ginref.v1.RefereeService/GetMatch/",
    "/grpc.health.v1.Health/Kill",
]
"""Methods that nobody serves."""


async def _send_odd_things(room: Room) -> None:
    for name in ODD:
        call: Any = room.channel.unary_unary(name)
        with pytest.raises(grpc.aio.AioRpcError):
            await call(b"", metadata=room.metadata(OPERATOR))
    with pytest.raises(grpc.aio.AioRpcError):
        await room.registry(OPERATOR, "CreateBot", name='odd"name', owner="lab")
    with pytest.raises(grpc.aio.AioRpcError):
        await room.referee(STRANGER, "GetMatch", match_id="odd_match")
    move = {"match_id": "odd_match", "seat": 1, "expected_version": 1}
    with pytest.raises(grpc.aio.AioRpcError):
        await room.referee(
            STRANGER, "SubmitMove", **move, request_id="odd", move={"text": "pass"}
        )


async def test_labels_stay_in_their_sets_whatever_callers_send(counted: Host) -> None:
    async with counted.open() as room:
        before = _counts(counted)
        await _send_odd_things(room)
        after = _counts(counted)

    other = {"method": "other", "code": "UNIMPLEMENTED"}
    calls = "ginref_calls_total"
    assert _read(after, calls, **other) - _read(before, calls, **other) == len(ODD)
    refused = {"kind": "pass", "verdict": "refused"}
    assert _read(after, "ginref_moves_total", **refused) == 1
    assert _read(after, "ginref_refusals_total", reason="NAME_INVALID") == 1
    assert _read(after, "ginref_refusals_total", reason="MATCH_NOT_FOUND") == 2
    for name, labels in after:
        for label, value in labels:
            if name.startswith("ginref_") and label in LABELS:
                assert value in LABELS[label], name
            assert "odd" not in value
            assert "evil" not in value


def test_names_follow_the_customs_of_prometheus(counted: Host) -> None:
    for family in _families(counted):
        if not family.name.startswith("ginref_"):
            continue
        labels = {label for sample in family.samples for label in sample.labels}
        names = {sample.name for sample in family.samples}
        assert family.documentation.endswith(".")
        match family.type:
            case "counter":
                # What has never been has no sample, unless all labels are known.
                assert names <= {f"{family.name}_total"}
            case "histogram":
                assert family.name.endswith(("_seconds", "_commands"))
                assert names == {
                    f"{family.name}{end}" for end in ("_bucket", "_sum", "_count")
                }
            case _:
                assert family.type in {"gauge", "info"}
                assert not family.name.endswith("_total")
        if family.name != "ginref_build_info":
            assert labels <= {*LABELS, "le"}
