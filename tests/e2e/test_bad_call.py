"""Bad calls to a real referee, moves apart; and callers that it does not know."""

import asyncio
from dataclasses import dataclass
from typing import Any

import grpc
import grpc.aio
import pytest
from google.protobuf.message import Message
from tests.e2e.answer import Answer, of_error, of_refusal
from tests.e2e.bad_call import CALLS, BadCall
from tests.e2e.bad_step import ACCEPT
from tests.e2e.bad_tournament_call import TOURNAMENTS
from tests.e2e.host import OPERATOR, SEATED, SPECTATOR, Room, Sight
from tests.e2e.token_case import TOKENS, BadToken
from tests.e2e.way import attach, reply, say

from ginref.v1 import referee_service_pb2 as referee_pb
from ginref.v1 import seat_pb2, session_pb2

GET = "/ginref.v1.RefereeService/GetMatch"
SUBMIT = "/ginref.v1.RefereeService/SubmitMove"
WATCH = "/ginref.v1.RefereeService/WatchMatch"
RECORD = "/ginref.v1.RefereeService/GetMatchRecord"
CONNECT = "/ginref.v1.BotService/Connect"

HUGE_BYTES = 16 * 1024
"""More metadata than a call may have."""


@dataclass(frozen=True)
class World:
    """What a referee keeps, as its operator sees it, and one match in full."""

    lists: tuple[Message, ...]
    live: Sight


async def _live(room: Room, request_id: str = "") -> str:
    """Create a match as the operator, and begin to play it."""
    match_id = await room.create(by=OPERATOR, request_id=request_id, seed="live")
    await room.prepare(match_id, **ACCEPT)
    return match_id


async def _world(room: Room, live: str) -> World:
    return World(await room.lists(), await room.sight(live))


async def _refused(call: Any) -> Answer:  # noqa: ANN401 - a call of any kind
    """Return the refusal of a call, or of a stream at its first message."""
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await (call.read() if hasattr(call, "read") else call)
    return of_error(refused.value)


@pytest.mark.parametrize(
    "bad", [pytest.param(bad, id=bad.name) for bad in (*CALLS, *TOURNAMENTS)]
)
async def test_a_bad_call_is_refused_and_changes_nothing(
    room: Room, bad: BadCall
) -> None:
    request_id = f"used for {bad.name}"
    live = await _live(room, request_id)
    call = bad.filled(live, request_id)
    before = await _world(room, live)

    answer = await _refused(
        room.send(call.by, call.method, call.request.SerializeToString())
    )

    assert (answer.reason, answer.code) == (call.reason, call.code)
    assert answer.facts == dict(call.facts)
    assert await _world(room, live) == before
    assert not answer.leaks, answer.text
    assert not answer.cards


@pytest.mark.parametrize("method", [GET, SUBMIT, WATCH, CONNECT])
@pytest.mark.parametrize("bad", [pytest.param(bad, id=bad.name) for bad in TOKENS])
async def test_a_caller_with_a_bad_token_gets_nowhere(
    room: Room, bad: BadToken, method: str
) -> None:
    header = await bad.header(room)
    metadata = () if header is None else (("authorization", header),)
    live = await _live(room)
    before = await _world(room, live)

    answer = await _refused(_opened(room.channel, method, live, metadata))

    assert (answer.reason, answer.code) == (bad.reason, "UNAUTHENTICATED")
    assert set(answer.facts) == ({bad.fact} if bad.fact else set())
    assert await _world(room, live) == before
    assert not answer.leaks, answer.text
    for secret in room.host.tokens.values():
        assert secret not in answer.text


def _opened(
    channel: Any,  # noqa: ANN401 - of the library
    method: str,
    match_id: str,
    metadata: tuple[tuple[str, str], ...],
) -> Any:  # noqa: ANN401 - a call of any kind
    """Call a method about a match."""
    data = referee_pb.GetMatchRequest(match_id=match_id).SerializeToString()
    if method == CONNECT:
        return channel.stream_stream(method)(metadata=metadata)
    if method == WATCH:
        return channel.unary_stream(method)(data, metadata=metadata)
    return channel.unary_unary(method)(data, metadata=metadata)


async def test_a_token_for_another_match_opens_no_other(room: Room) -> None:
    live, other = await _live(room), await _live(room)
    secret = await room.token(bot=SEATED[0], match_ids=[other])
    metadata = (("authorization", f"Bearer {secret}"),)

    refused = [
        await _refused(_opened(room.channel, method, live, metadata))
        for method in (GET, WATCH, RECORD)
    ]
    seen = await _opened(room.channel, GET, other, metadata)
    room.host.tokens["limited"] = secret
    page = await room.referee("limited", "ListMatches")
    stream = await attach(room, "limited")
    await say(stream, sync=session_pb2.Sync(match_id=live, seat=seat_pb2.SEAT_NORTH))
    told = of_refusal((await reply(stream)).problem.refusal)

    assert {(answer.reason, answer.code) for answer in refused} == {
        ("SEAT_NOT_YOURS", "PERMISSION_DENIED")
    }
    assert referee_pb.GetMatchResponse.FromString(seen).match.match_id == other
    assert [match.match_id for match in page.matches] == [other]
    assert told.reason == "SEAT_NOT_YOURS"


@pytest.mark.parametrize("cursor", ["here", "1", "1-", "-1-0", "9999-0", "1" * 600])
async def test_a_watch_goes_on_from_no_cursor_of_ones_own(
    room: Room, cursor: str
) -> None:
    live = await _live(room)

    answer = await _refused(room.watch(SPECTATOR, live, cursor))

    assert (answer.reason, answer.code) == ("FIELD_INVALID", "INVALID_ARGUMENT")
    assert answer.facts == {"field": "cursor"}
    assert not answer.leaks


@pytest.mark.parametrize(
    "method",
    [
        "/ginref.v1.RefereeService/DealMeAces",
        "/ginref.v2.RefereeService/GetMatch",
        "/ginref.v1.RefereeService/getmatch",
        "/Nothing",
        "/",
    ],
)
async def test_an_unknown_method_is_not_implemented(room: Room, method: str) -> None:
    call: Any = room.channel.unary_unary(method)
    answer = await _refused(call(b"", metadata=room.metadata(OPERATOR)))

    assert (answer.reason, answer.code) == ("", "UNIMPLEMENTED")
    assert not answer.leaks


async def test_metadata_of_any_size_do_no_harm(room: Room) -> None:
    live = await _live(room)
    huge = (*room.metadata(OPERATOR), ("x-huge", "x" * HUGE_BYTES))

    answer = await _refused(_opened(room.channel, GET, live, huge))

    assert (answer.reason, answer.code) == ("", "RESOURCE_EXHAUSTED")
    assert await room.sight(live) == await room.sight(live)


async def test_many_bad_calls_at_once_are_all_answered(room: Room) -> None:
    live = await _live(room)
    before = await room.sight(live)
    calls = [
        room.send(SEATED[0], "RefereeService/SubmitMove", b"\xff" * 9)
        for _ in range(200)
    ]

    answers = await asyncio.gather(*map(_refused, calls))

    # Of too many of them it is said that they are too many.
    reasons = {answer.reason for answer in answers}
    assert "MESSAGE_UNREADABLE" in reasons
    assert reasons <= {"MESSAGE_UNREADABLE", "RATE_LIMITED"}
    assert await room.sight(live) == before
