"""The log in the form that programs read: one line an event, and known fields alone."""

import base64
import hashlib
import io
import json
import logging
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from ginref.adapters.masked_log import JsonFormatter
from ginref.app.trace import ABOUT, TRACE_ID, About

SECRET = hashlib.sha256(b"a secret").digest()
TOKEN = "gr_" + base64.b32encode(SECRET).decode().lower().rstrip("=")
SHARE = base64.urlsafe_b64encode(SECRET).decode().rstrip("=")
TRACE = "0af7651916cd43dd8448eb211c80319c"


class Book:
    """A logger that takes everything."""

    def __init__(self) -> None:
        self.written = io.StringIO()
        self.handler = logging.StreamHandler(self.written)
        self.handler.setFormatter(JsonFormatter())
        self.log = logging.getLogger("ginref.test")
        self.log.setLevel(logging.DEBUG)
        self.log.addHandler(self.handler)

    def fields(self) -> dict[str, Any]:
        """Return the only line."""
        (line,) = self.written.getvalue().splitlines()
        found: dict[str, Any] = json.loads(line)
        return found


@pytest.fixture
def book() -> Iterator[Book]:
    made = Book()
    yield made
    made.log.removeHandler(made.handler)


@pytest.fixture
def under_way() -> Iterator[None]:
    """A call that names a match, in a trace."""
    trace = TRACE_ID.set(TRACE)
    about = ABOUT.set(About("m5x2abcdefghijk2", "", "my-1"))
    yield
    ABOUT.reset(about)
    TRACE_ID.reset(trace)


def test_an_event_is_one_line_with_its_time_and_place(book: Book) -> None:
    book.log.warning("nobody swept for %s ms\nor more", 2500)

    fields = book.fields()
    assert fields.pop("time").endswith("Z")
    assert fields == {
        "level": "warning",
        "logger": "ginref.test",
        "message": "nobody swept for 2500 ms\nor more",
    }


@pytest.mark.usefixtures("under_way")
def test_a_line_says_what_the_call_under_way_is_about(book: Book) -> None:
    book.log.error("something is wrong")

    fields = book.fields()
    assert fields["trace_id"] == TRACE
    assert fields["match_id"] == "m5x2abcdefghijk2"
    assert fields["request_id"] == "my-1"


@pytest.mark.parametrize(
    ("template", "values", "named"),
    [
        ("match %s is void: %s versions are lost", ("m1", 4), {"match_id": "m1"}),
        ("100%% of match %s", ("m1",), {"match_id": "m1"}),
        (
            "fault %s: %s",
            ("9c4d1a7be2f03a58", "KeyError"),
            {"fault_id": "9c4d1a7be2f03a58"},
        ),
        ("bot %s attaches with %r", ("ace", "x"), {"bot": "ace"}),
        ("tournament %s has to wait: %s", ("t1", "no"), {"tournament_id": "t1"}),
        ("worker %s ended with status %d", ("w", 1), {}),
    ],
)
def test_what_a_sentence_names_is_a_field(
    book: Book, template: str, values: tuple[object, ...], named: dict[str, str]
) -> None:
    book.log.info(template, *values)

    fields = book.fields()
    for name in ("time", "level", "logger", "message"):
        del fields[name]
    assert fields == named


def test_no_other_field_gets_in(book: Book) -> None:
    book.log.info(
        "call %s is answered",
        "/x.Y/Z",
        extra={"code": "OK", "duration_ms": 3, "hand": "As", "token": TOKEN},
    )

    fields = book.fields()
    assert {"method", "code", "duration_ms"} == set(fields) - {
        *("time", "level", "logger", "message")
    }
    assert fields["duration_ms"] == 3


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        pytest.param("discard Kd", "discard ??", id="a card"),
        pytest.param("7s-7h", "??-??", id="cards"),
        pytest.param(TOKEN, "??", id="a token"),
        pytest.param(f"x {TOKEN}", "x ??", id="a token in a text"),
        pytest.param(SECRET.hex(), "??", id="a share"),
        pytest.param(TRACE, TRACE, id="an identity as usual"),
        pytest.param(
            "2f1e8a34-5c7d-4e21-9b0a-6d3c8f5e7a19",
            "2f1e8a34-5c7d-4e21-9b0a-6d3c8f5e7a19",
            id="another one",
        ),
    ],
)
def test_what_a_caller_calls_a_request_is_masked(
    book: Book, written: str, shown: str
) -> None:
    about = ABOUT.set(About(TOKEN, "As", written))
    book.log.error("something is wrong")
    ABOUT.reset(about)

    fields = book.fields()
    assert fields["request_id"] == shown
    assert fields["match_id"] == "??"
    assert fields["tournament_id"] == "??"


@pytest.mark.parametrize(
    ("template", "named", "message"),
    [
        pytest.param("call %s is answered", f"/v1/{TOKEN}", "call /v1/??", id="a path"),
        pytest.param("call %s", f"/{SHARE}", "call ??", id="a share in a path"),
        pytest.param("bot jack attaches with %r", TOKEN, "with '??'", id="a program"),
    ],
)
def test_what_a_caller_names_is_masked_in_the_sentence(
    book: Book, template: str, named: str, message: str
) -> None:
    book.log.debug(template, named)

    assert message in book.fields()["message"]


@pytest.mark.parametrize("match_id", ["", "a b", "x" * 65, '"', "m1\n"])
def test_what_cannot_be_a_match_is_no_field(book: Book, match_id: str) -> None:
    about = ABOUT.set(About(match_id))
    book.log.error("something is wrong")
    ABOUT.reset(about)

    assert "match_id" not in book.fields()


def test_an_exception_is_part_of_the_line(book: Book) -> None:
    try:
        raise KeyError(f"Kd\nQs {TOKEN}")  # noqa: TRY301 - it is caught to be told
    except KeyError:
        book.log.exception("fault %s: %s", "9c4d1a7be2f03a58", "KeyError")

    fields = book.fields()
    assert fields["error"] == "KeyError"
    assert fields["exception"].endswith("KeyError: '??\\n?? ??'")
    assert "test_json_log.py" in fields["exception"]


def test_a_line_that_cannot_be_written_shows_nothing() -> None:
    program = """
from ginref.adapters.masked_log import log_to_stderr
import logging
log_to_stderr(as_json=True, level="debug")
logging.getLogger("ginref.any").debug("the stock is %s %s", "Kd Qs 2h")
logging.getLogger("other").debug("nobody hears this")
logging.getLogger("other").info("hello")
"""
    ran = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )

    failed, said = ran.stderr.splitlines()
    assert failed == "ginref.any: a line could not be logged"
    assert json.loads(said)["message"] == "hello"
