"""Requests over HTTP, as they are read into messages."""

import contextlib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ginref.app.error import RefusedError
from ginref.transport.rest_read import read_request
from ginref.transport.rest_route import Routes
from ginref.transport.server import DESCRIBED
from ginref.v1 import referee_service_pb2 as referee_pb
from ginref.v1 import seat_pb2

ROUTES = Routes(DESCRIBED)


def read(verb: str, target: str, body: bytes = b"") -> object:
    """The message that a request stands for."""
    path, _, query = target.partition("?")
    found = ROUTES.find(path)
    assert found is not None
    return read_request(found.routes[verb], found.values, query, body)


def refused(verb: str, target: str, body: bytes = b"") -> tuple[str, str | None]:
    """Why a request is refused: the reason, and the field at fault."""
    with pytest.raises(RefusedError) as error:
        read(verb, target, body)
    return error.value.reason, error.value.facts.get("field")


BAD_BODIES = [
    pytest.param(b"{", "MESSAGE_UNREADABLE", None, id="no JSON"),
    pytest.param(b"[]", "MESSAGE_UNREADABLE", None, id="a list"),
    pytest.param(b"\xff{}", "MESSAGE_UNREADABLE", None, id="no UTF-8"),
    pytest.param(b'{"seed":NaN}', "MESSAGE_UNREADABLE", None, id="no number"),
    pytest.param(b"[" * 9000, "MESSAGE_UNREADABLE", None, id="very deep"),
    pytest.param(
        b'{"ruleset":{"changes":' + b'{"a":' * 15 + b"1" + b"}" * 17,
        "MESSAGE_UNREADABLE",
        None,
        id="deeper than 16",
    ),
    pytest.param(b'{"seed":"\\ud800"}', "FIELD_INVALID", "seed", id="half a character"),
    pytest.param(b'{"nonce":1}', "FIELD_INVALID", "nonce", id="an unknown field"),
    pytest.param(
        b'{"seed\\u0000x":"7"}', "FIELD_INVALID", "seed\0x", id="a field and more"
    ),
    pytest.param(
        b'{"deal_source":"DEAL_SOURCE_SEEDED\\u0000"}',
        "ENUM_UNKNOWN",
        "deal_source",
        id="a name and more",
    ),
    pytest.param(
        b'{"deal_source":"\\ud800"}', "ENUM_UNKNOWN", "deal_source", id="half a value"
    ),
    pytest.param(
        b'{"ruleset":{"presets":"gin"}}',
        "FIELD_INVALID",
        "ruleset.presets",
        id="an unknown field further in",
    ),
    pytest.param(b'{"seed":"a","seed":"b"}', "FIELD_INVALID", "seed", id="twice"),
    pytest.param(
        b'{"ruleset":{"preset":"a","preset":"b"}}',
        "FIELD_INVALID",
        "ruleset.preset",
        id="twice further in",
    ),
    pytest.param(
        b'{"request_id":"a","requestId":"b"}',
        "FIELD_INVALID",
        "request_id",
        id="by both of its names",
    ),
    pytest.param(b'{"\\ud800":1}', "FIELD_INVALID", "\ud800", id="half a name"),
    pytest.param(
        b'{"clock":{"\\udfff":1}}',
        "FIELD_INVALID",
        "clock.\udfff",
        id="half a name further in",
    ),
    pytest.param(b'{"bots":"one"}', "FIELD_INVALID", "bots", id="no list"),
    pytest.param(b'{"bots":["a",7]}', "FIELD_INVALID", "bots[1]", id="no text"),
    pytest.param(b'{"bots":null}', "FIELD_INVALID", "bots", id="null"),
    pytest.param(b'{"receipts":1}', "FIELD_INVALID", "receipts", id="no boolean"),
    pytest.param(
        b'{"strikes_allowed":"3"}', "FIELD_INVALID", "strikes_allowed", id="a text"
    ),
    pytest.param(
        b'{"strikes_allowed":3.5}', "FIELD_INVALID", "strikes_allowed", id="a half"
    ),
    pytest.param(
        b'{"strikes_allowed":1e999}', "FIELD_INVALID", "strikes_allowed", id="endless"
    ),
    pytest.param(
        b'{"strikes_allowed":2147483648}',
        "FIELD_INVALID",
        "strikes_allowed",
        id="a large number",
    ),
    pytest.param(
        b'{"deal_source":"DEAL_SOURCE_MAGIC"}',
        "ENUM_UNKNOWN",
        "deal_source",
        id="an unknown name",
    ),
    pytest.param(
        b'{"clock":{"start_ms":true}}', "FIELD_INVALID", "clock.start_ms", id="a switch"
    ),
]


@pytest.mark.parametrize(("body", "reason", "field"), BAD_BODIES)
def test_a_bad_body_is_refused_by_the_field_at_fault(
    body: bytes, reason: str, field: str | None
) -> None:
    assert refused("POST", "/v1/matches", body) == (reason, field)


def test_the_name_that_stands_twice_is_soon_found_among_very_many() -> None:
    names = [f'"{number}":0' for number in range(200_000)]

    # What looks through all names for each of them would take minutes.
    body = f"{{{','.join([*names, names[-1]])}}}".encode()

    assert refused("POST", "/v1/matches", body) == ("FIELD_INVALID", "199999")


@pytest.mark.parametrize(
    ("target", "body", "field"),
    [
        ("/v1/tokens", b'{"lifetime":"soon"}', "lifetime"),
        ("/v1/tokens", b'{"lifetime":5}', "lifetime"),
        ("/v1/tokens", b'{"lifetime":null}', "lifetime"),
        ("/v1/matches/m1:prepareSeat", b'{"nonce":"!!!!"}', "nonce"),
        ("/v1/matches/m1:prepareSeat", b'{"nonce":"AAAAA"}', "nonce"),
        ("/v1/matches/m1:prepareSeat", b'{"nonce":"A A="}', "nonce"),
        ("/v1/matches/m1:prepareSeat", b'{"nonce":7}', "nonce"),
        ("/v1/matches/m1:prepareSeat", b'{"accept":{},"decline":{}}', "decline"),
        ("/v1/matches/m1:prepareSeat", b'{"accept":[]}', "accept"),
        ("/v1/matches/m1:prepareSeat", b'{"match_id":"m2"}', "match_id"),
        ("/v1/matches/m1:prepareSeat?seat=1", b"{}", "seat"),
        ("/v1/tournaments", b'{"configuration":[]}', "configuration"),
        ("/v1/tournaments", b'{"configuration":{"a":"\\ud800"}}', "configuration"),
        ("/v1/tournaments", b'{"configuration":{"\\ud800":1}}', "configuration"),
    ],
)
def test_a_field_holds_what_it_can(target: str, body: bytes, field: str) -> None:
    assert refused("POST", target, body) == ("FIELD_INVALID", field)


@pytest.mark.parametrize(
    ("target", "field"),
    [
        ("/v1/matches?page_size=1&page_size=2", "page_size"),
        ("/v1/matches?page_size=1&pageSize=2", "page_size"),
        ("/v1/matches?page_size=1_0", "page_size"),
        ("/v1/matches?page_size=%D9%A3", "page_size"),
        ("/v1/matches?page_size=", "page_size"),
        ("/v1/matches?pages=1", "pages"),
        ("/v1/matches?bot.name=a", "bot.name"),
        ("/v1/matches?bot%00=a", "bot\0"),
        ("/v1/matches?bot=%ff", "bot"),
        ("/v1/matches?bot=%zz", "bot"),
        ("/v1/matches/m1?match_id=m2", "match_id"),
        ("/v1/matches/%ff", "match_id"),
        ("/v1/tournaments/cup:watch?cursor=x", "cursor"),
    ],
)
def test_a_bad_path_or_query_is_refused_by_the_field_at_fault(
    target: str, field: str
) -> None:
    assert refused("GET", target) == ("FIELD_INVALID", field)


def test_a_body_may_say_what_the_path_says() -> None:
    body = b'{"matchId":"m1","seat":"SEAT_SOUTH","accept":{}}'

    message = read("POST", "/v1/matches/m1:prepareSeat", body)

    assert message == referee_pb.PrepareSeatRequest(
        match_id="m1", seat=seat_pb2.SEAT_SOUTH, accept=referee_pb.AcceptSeat()
    )


def test_what_a_path_escapes_is_one_value() -> None:
    assert read("GET", "/v1/matches/a%2Fb%3Ac") == referee_pb.GetMatchRequest(
        match_id="a/b:c"
    )


@pytest.mark.parametrize(
    "path", ["/v1/matches/m1:fly", "/v1/matches/m1/record/", "/v1/matches:watch", "v1"]
)
def test_another_path_is_nothing(path: str) -> None:
    assert ROUTES.find(path) is None


@given(
    st.sampled_from(["/v1/matches", "/v1/matches/m:submitMove", "/v1/tournaments"]),
    st.recursive(
        st.one_of(
            st.none(),
            st.booleans(),
            st.integers().map(str),
            st.floats().map(str),
            st.text().map(repr),
            st.sampled_from(['"\\ud800"', '"AAAA"', "1e400", '"1s"', "{}", "[]"]),
        ).map(str),
        lambda inner: st.one_of(
            st.lists(inner).map(lambda parts: f"[{','.join(parts)}]"),
            st.lists(
                st.tuples(
                    st.sampled_from(["seat", "move", "bots", "clock", "configuration"]),
                    inner,
                )
            ).map(lambda pairs: "{" + ",".join(f'"{k}":{v}' for k, v in pairs) + "}"),
        ),
    ),
)
@example("/v1/matches", '{"clock":' * 500)
def test_no_body_is_a_fault_of_the_referee(target: str, body: str) -> None:
    with contextlib.suppress(RefusedError):
        read("POST", target, body.encode(errors="surrogatepass"))
