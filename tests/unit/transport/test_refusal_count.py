"""Every refusal is counted once, whichever way it was told."""

from collections.abc import Awaitable, Callable
from typing import Any

import grpc.aio
import pytest
from tests.unit.transport.call import CREATE, GET, new_match, refusal

from ginref.v1 import bot_service_pb2, move_pb2, seat_pb2, session_pb2
from ginref.v1 import referee_service_pb2 as referee_pb

Served = Any
"""The running referee of `conftest`, whose class cannot be imported."""

Channel = Any
"""A connection to it, likewise."""

NORTH = seat_pb2.SEAT_NORTH

HELLO = bot_service_pb2.ConnectRequest(hello=session_pb2.Hello(protocol=1))

MOVE = referee_pb.SubmitMoveRequest(
    match_id="m1",
    seat=NORTH,
    expected_version=1,
    request_id="r",
    move=move_pb2.Move(text="pass"),
)


def _watch(channel: Channel) -> Awaitable[object]:
    call = channel.referee().WatchMatch(
        referee_pb.WatchMatchRequest(match_id="m1"), metadata=channel.metadata
    )
    reading: Awaitable[object] = call.read()
    return reading


CALLS = [
    pytest.param(
        lambda channel: channel.raw.unary_unary(GET)(b""),
        "TOKEN_MISSING",
        id="a stranger",
    ),
    pytest.param(
        lambda channel: channel.send(CREATE, b"\xff\xff\xff"),
        "MESSAGE_UNREADABLE",
        id="a message that is none",
    ),
    pytest.param(
        lambda channel: channel.send(
            CREATE, new_match(bots=["?", "two"]).SerializeToString()
        ),
        "NAME_INVALID",
        id="a field",
    ),
    pytest.param(
        lambda channel: channel.referee().SubmitMove(MOVE, metadata=channel.metadata),
        "MATCH_NOT_FOUND",
        id="a move",
    ),
    pytest.param(_watch, "MATCH_NOT_FOUND", id="a watch"),
]


@pytest.mark.parametrize(("call", "reason"), CALLS)
async def test_a_refused_call_is_counted_once(
    served: Served,
    call: Callable[[Channel], Awaitable[object]],
    reason: str,
) -> None:
    token = await served.token("bot", "one")
    async with served.channel(token) as channel:
        _, told, _ = await refusal(call(channel))

    assert served.refusals == [told] == [reason]


SAID = [
    pytest.param(
        {"sync": session_pb2.Sync(match_id="m1")}, "FIELD_MISSING", id="a message"
    ),
    pytest.param(
        {"sync": session_pb2.Sync(match_id="m1", seat=NORTH)},
        "MATCH_NOT_FOUND",
        id="a sync",
    ),
    pytest.param(
        {"accept": session_pb2.Accept(match_id="m1", seat=NORTH)},
        "MATCH_NOT_FOUND",
        id="a step",
    ),
    pytest.param(
        {"resign": session_pb2.Resign(match_id="m1", seat=NORTH)},
        "MATCH_NOT_FOUND",
        id="a resignation",
    ),
    pytest.param(
        {
            "move": session_pb2.MoveSubmission.FromString(MOVE.SerializeToString()),
        },
        "MATCH_NOT_FOUND",
        id="a move",
    ),
    pytest.param(
        {"hello": session_pb2.Hello(protocol=1)}, "STEP_OUT_OF_ORDER", id="a hello"
    ),
]


@pytest.mark.parametrize(("said", "reason"), SAID)
async def test_what_is_refused_on_a_stream_is_counted_once(
    served: Served, said: dict[str, Any], reason: str
) -> None:
    token = await served.token("bot", "one")
    async with served.channel(token) as channel:
        stream = channel.connect()
        await stream.write(HELLO.SerializeToString())
        assert (await stream.read()).HasField("welcome")
        request = bot_service_pb2.ConnectRequest(**said)
        await stream.write(request.SerializeToString())
        answer = await stream.read()
        await stream.done_writing()
        assert await stream.read() is grpc.aio.EOF

    assert answer.WhichOneof("message") in {"problem", "move_result"}
    assert served.refusals == [reason]
