"""The page on limits says what holds."""

from pathlib import Path

from tests.unit.test_docs import rows

from ginref.app.invitation import WRONG_MOST, WRONG_PER_SECOND
from ginref.app.limit import DEFAULTS, Limits, Rate, read_limits
from ginref.transport import server
from ginref.transport.admin import CONNECTION_LIMIT
from ginref.transport.field import LARGE_MESSAGE_BYTES, MESSAGE_BYTES
from ginref.transport.rest_json import DEPTH
from ginref.transport.rest_server import RestOptions

PAGE = Path(__file__).parents[2] / "docs/limits.md"


def _told(heading: str) -> dict[str, list[str]]:
    return {name.strip("`"): cells for name, *cells in rows(PAGE, heading)}


def test_the_tables_tell_the_limits_that_hold_by_default() -> None:
    often = _told("## How often")
    much = _told("## How much at once")

    assert (
        Limits(
            {
                kind: Rate(int(often[kind][0]), int(often[kind][1]))
                for kind in DEFAULTS.rates
            },
            {cap: int(much[cap][0]) for cap in DEFAULTS.caps},
        )
        == DEFAULTS
    )
    assert (len(often), len(much)) == (len(DEFAULTS.rates), len(DEFAULTS.caps))


def test_the_table_of_what_else_has_an_end_is_right() -> None:
    told = {name: cells[0] for name, cells in _told("## What else has an end").items()}
    options = server.ServerOptions()
    sizes = f"{MESSAGE_BYTES}; {LARGE_MESSAGE_BYTES} about tournaments"

    assert told["bytes of a message"] == sizes
    assert told["bytes that are taken in at all"] == str(server.RECEIVE_BYTES)
    assert told["bytes of metadata"] == str(server.METADATA_BYTES)
    assert told["calls at once of a process"] == str(options.call_limit)
    assert told["calls that wait to be looked at"] == str(2 * options.call_limit)
    assert told["calls at once of a connection"] == str(options.stream_limit)
    assert told["connections of a process"].startswith(f"{options.connection_limit},")
    assert told["a connection that does not begin"] == (
        f"{options.handshake_ms // 1000} s"
    )
    assert told["a connection without calls"] == f"{options.idle_ms // 60_000} min"
    assert told["a stream that is not read"] == f"{options.write_ms // 1000} s"
    assert told["wrong codes of invitations"] == (
        f"{WRONG_PER_SECOND} a second, {WRONG_MOST} at once"
    )
    web = RestOptions()
    assert told["connections of a process over HTTP"].startswith(
        f"{web.connection_limit},"
    )
    assert told["connections for probes and metrics"].startswith(f"{CONNECTION_LIMIT},")
    assert told["a connection over HTTP that does not ask"].endswith(
        f"{web.head_ms // 1000} s for the first line and headers"
    )
    assert told["depth of JSON over HTTP"] == str(DEPTH)


def test_the_settings_that_the_page_shows_are_read() -> None:
    text = PAGE.read_text(encoding="utf-8")
    shown = [
        word
        for word in text.split("## Setting them")[1].split("`")
        if "=" in word or word == "off"
    ]

    assert len(shown) == 4
    assert {str(read_limits(one)) for one in shown} >= {str(read_limits("off"))}
