import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from typing import Any

import grpc
import grpc.aio
import pytest
from google.rpc import error_details_pb2, status_pb2

from ginref.engine.seat import Seat
from ginref.record.share import commit_seat
from ginref.v1 import (
    bot_service_pb2,
    match_pb2,
    move_pb2,
    ruleset_pb2,
    seat_pb2,
    session_pb2,
    view_pb2,
)
from ginref.v1 import error_reason_pb2 as reason_pb
from ginref.v1 import referee_service_pb2 as referee_pb

Served = Any
"""The running referee of `conftest`, whose class cannot be imported."""

Stream = Any
"""A generated call."""

Serve = Callable[..., AbstractAsyncContextManager[Served]]

HELLO = bot_service_pb2.ConnectRequest(hello=session_pb2.Hello(protocol=1))


class Bot:
    """A bot that handles Offer, Prepare, Turn and Ping, and ignores the rest."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self.heard: list[str] = []
        self.over: session_pb2.MatchOver | None = None

    async def say(self, **message: object) -> None:
        request = bot_service_pb2.ConnectRequest(**message)  # type: ignore[arg-type]
        await self.stream.write(request.SerializeToString())

    async def play(self) -> None:
        """Play until a match is over."""
        await self.stream.write(HELLO.SerializeToString())
        while (said := await self.stream.read()) is not grpc.aio.EOF:
            kind = said.WhichOneof("message")
            self.heard.append(kind)
            match kind:
                case "offer":
                    match_id, seat = said.offer.match.match_id, said.offer.seat
                    await self.say(
                        accept=session_pb2.Accept(match_id=match_id, seat=seat)
                    )
                case "prepare":
                    await self.prepare(said.prepare)
                case "turn":
                    await self.move(said.turn.view)
                case "ping":
                    await self.say(pong=session_pb2.Pong(number=said.ping.number))
                case "match_over":
                    self.over = said.match_over
                    await self.stream.done_writing()
                case _:
                    pass

    async def prepare(self, asked: session_pb2.Prepare) -> None:
        share = bytes([asked.seat]) * 32
        answer: dict[str, bytes] = {"nonce": share}
        if asked.kind == session_pb2.PREPARE_KIND_COMMITMENT:
            seat = Seat(asked.seat - 1)
            answer = {"commitment": commit_seat(asked.match_id, seat, share)}
        await self.say(
            preparation=session_pb2.Preparation(
                match_id=asked.match_id,
                seat=asked.seat,
                **answer,  # type: ignore[arg-type]
            )
        )

    async def move(self, view: view_pb2.SeatView) -> None:
        # The last option knocks when a knock is legal.
        await self.say(
            move=session_pb2.MoveSubmission(
                match_id=view.match_id,
                seat=view.seat,
                expected_version=view.version,
                request_id=f"v{view.version}",
                move=move_pb2.Move(text=view.legal_moves[-1].text),
            )
        )


async def _create(served: Served, *bots: str, seeded: bool = False) -> str:
    request = referee_pb.CreateMatchRequest(
        request_id="r1",
        ruleset=ruleset_pb2.RulesetChoice(
            preset="gin", changes=ruleset_pb2.RulesetOptions(game_target=1)
        ),
        bots=bots,
    )
    if seeded:
        request.deal_source = match_pb2.DEAL_SOURCE_SEEDED
        request.seed = "7"
    async with served.channel(served.operator) as channel:
        made = await channel.referee().CreateMatch(request, metadata=channel.metadata)
    match_id: str = made.match.match_id
    return match_id


@pytest.fixture
async def bot_stream(served: Served) -> AsyncIterator[Stream]:
    """A bot's stream that can be given any bytes, after the welcome."""
    token = await served.token("bot", "one")
    async with served.channel(token) as channel:
        stream = channel.connect()
        await stream.write(HELLO.SerializeToString())
        welcome = await stream.read()
        assert welcome.welcome.bot == "one"
        assert welcome.welcome.limits.message_bytes == 16384
        yield stream


async def _status(stream: Stream) -> tuple[str, str, dict[str, str]]:
    """How a stream ended: code, reason and facts."""
    code = await stream.code()
    for key, value in await stream.trailing_metadata() or ():
        if key == "grpc-status-details-bin":
            info = error_details_pb2.ErrorInfo()
            status_pb2.Status.FromString(value).details[0].Unpack(info)
            return code.name, info.reason, dict(info.metadata)
    return code.name, "", {}


async def test_two_bots_that_know_four_messages_play_a_match(served: Served) -> None:
    async with AsyncExitStack() as stack:
        bots = []
        for name in ("one", "two"):
            token = await served.token("bot", name)
            channel = await stack.enter_async_context(served.channel(token))
            bots.append(Bot(channel.connect()))
        playing = [asyncio.create_task(bot.play()) for bot in bots]
        await _create(served, "one", "two")
        await asyncio.gather(*playing)

    for bot in bots:
        assert bot.over is not None
        assert bot.over.ending.kind == match_pb2.ENDING_KIND_COMPLETED
        assert bot.over.sheet.game_target == 1
        assert bot.heard[:2] == ["welcome", "offer"]
        assert "round_over" in bot.heard
        assert await _status(bot.stream) == ("OK", "", {})


async def test_a_message_that_is_none_is_a_problem_and_the_stream_goes_on(
    bot_stream: Stream,
) -> None:
    await bot_stream.write(b"\xff\xff\xff")
    unreadable = await bot_stream.read()
    await bot_stream.write(b"")
    empty = await bot_stream.read()
    await bot_stream.write(b"\x0a\x00" + b"\x00" * 20_000)
    large = await bot_stream.read()
    await bot_stream.done_writing()
    end = await bot_stream.read()

    assert [said.problem.refusal.reason for said in (unreadable, empty, large)] == [
        reason_pb.ERROR_REASON_MESSAGE_UNREADABLE,
        reason_pb.ERROR_REASON_FIELD_MISSING,
        reason_pb.ERROR_REASON_MESSAGE_TOO_LARGE,
    ]
    assert end is grpc.aio.EOF
    assert await _status(bot_stream) == ("OK", "", {})


PROBLEMS = [
    pytest.param(
        {"move": session_pb2.MoveSubmission(match_id="m1", seat=seat_pb2.SEAT_NORTH)},
        "FIELD_MISSING",
        "move.expected_version",
        id="a move without a version",
    ),
    pytest.param(
        {
            "move": session_pb2.MoveSubmission(
                match_id="m1",
                seat=seat_pb2.SEAT_NORTH,
                expected_version=1,
                request_id="r",
                move=move_pb2.Move(text="knock hard"),
            )
        },
        "MOVE_UNREADABLE",
        "move.move.text",
        id="a move of no sense",
    ),
    pytest.param(
        {"accept": session_pb2.Accept(match_id="m1")},
        "FIELD_MISSING",
        "accept.seat",
        id="no seat",
    ),
    pytest.param(
        {
            "preparation": session_pb2.Preparation(
                match_id="m1", seat=seat_pb2.SEAT_NORTH
            )
        },
        "FIELD_MISSING",
        "preparation.answer",
        id="no answer",
    ),
    pytest.param(
        {
            "preparation": session_pb2.Preparation(
                match_id="m1", seat=seat_pb2.SEAT_NORTH, no_share=False
            )
        },
        "FIELD_INVALID",
        "preparation.no_share",
        id="no answer either",
    ),
    pytest.param(
        {
            "preparation": session_pb2.Preparation(
                match_id="m1", seat=seat_pb2.SEAT_NORTH, nonce=b"short"
            )
        },
        "FIELD_INVALID",
        "preparation.nonce",
        id="a short share",
    ),
    pytest.param(
        {"ready": session_pb2.Ready(capacity=-1)},
        "FIELD_INVALID",
        "ready.capacity",
        id="less than no match at once",
    ),
]


@pytest.mark.parametrize(("message", "reason", "field"), PROBLEMS)
async def test_a_malformed_message_is_a_problem_that_names_its_field(
    bot_stream: Stream, message: dict[str, Any], reason: str, field: str
) -> None:
    request = bot_service_pb2.ConnectRequest(**message)

    await bot_stream.write(request.SerializeToString())
    answer = await bot_stream.read()

    refusal = answer.problem.refusal
    assert reason_pb.ErrorReason.Name(refusal.reason) == f"ERROR_REASON_{reason}"
    assert refusal.facts["field"] == field
    assert answer.problem.match_id == ("m1" if "ready" not in message else "")


async def test_a_second_hello_is_a_problem(bot_stream: Stream) -> None:
    await bot_stream.write(HELLO.SerializeToString())
    answer = await bot_stream.read()

    assert answer.problem.refusal.reason == reason_pb.ERROR_REASON_STEP_OUT_OF_ORDER


async def test_a_move_in_no_match_is_answered_under_its_request_id(
    bot_stream: Stream,
) -> None:
    move = session_pb2.MoveSubmission(
        match_id="nowhere",
        seat=seat_pb2.SEAT_NORTH,
        expected_version=1,
        request_id="r7",
        move=move_pb2.Move(text="pass"),
    )
    request = bot_service_pb2.ConnectRequest(move=move)

    await bot_stream.write(request.SerializeToString())
    answer = await bot_stream.read()

    result = answer.move_result
    assert (result.match_id, result.request_id) == ("nowhere", "r7")
    assert result.refused.reason == reason_pb.ERROR_REASON_MATCH_NOT_FOUND


FIRST = [
    pytest.param(b"", "FIELD_MISSING", "message", id="nothing"),
    pytest.param(
        bot_service_pb2.ConnectRequest(ready=session_pb2.Ready()).SerializeToString(),
        "FIELD_MISSING",
        "hello",
        id="something else",
    ),
    pytest.param(
        bot_service_pb2.ConnectRequest(hello=session_pb2.Hello()).SerializeToString(),
        "FIELD_MISSING",
        "hello.protocol",
        id="no protocol",
    ),
    pytest.param(
        bot_service_pb2.ConnectRequest(
            hello=session_pb2.Hello(protocol=2)
        ).SerializeToString(),
        "FIELD_INVALID",
        "hello.protocol",
        id="a later protocol",
    ),
    pytest.param(
        bot_service_pb2.ConnectRequest(
            hello=session_pb2.Hello(
                protocol=1, cursors=[session_pb2.MatchCursor(match_id="m")] * 257
            )
        ).SerializeToString(),
        "FIELD_INVALID",
        "hello.cursors",
        id="more matches than anyone plays",
    ),
]


@pytest.mark.parametrize(("data", "reason", "field"), FIRST)
async def test_a_stream_begins_with_hello(
    served: Served, data: bytes, reason: str, field: str
) -> None:
    token = await served.token("bot", "one")
    async with served.channel(token) as channel:
        stream = channel.connect()
        await stream.write(data)

        assert await _status(stream) == ("INVALID_ARGUMENT", reason, {"field": field})


async def test_a_stream_that_says_nothing_lacks_hello(served: Served) -> None:
    token = await served.token("bot", "one")
    async with served.channel(token) as channel:
        stream = channel.connect()
        await stream.done_writing()

        assert await _status(stream) == (
            "INVALID_ARGUMENT",
            "FIELD_MISSING",
            {"field": "hello"},
        )


async def test_who_is_no_bot_has_no_stream(served: Served) -> None:
    async with served.channel(served.operator) as channel:
        stream = channel.connect()

        code, reason, _ = await _status(stream)

    assert (code, reason) == ("PERMISSION_DENIED", "ROLE_NOT_ALLOWED")


async def test_a_newer_stream_fences_the_older_one(served: Served) -> None:
    token = await served.token("bot", "one")
    async with served.channel(token) as first, served.channel(token) as second:
        older, newer = first.connect(), second.connect()
        await older.write(HELLO.SerializeToString())
        await older.read()
        await newer.write(HELLO.SerializeToString())
        welcome = await newer.read()
        fenced = await older.read()

        assert fenced.fenced.attachment == welcome.welcome.attachment
        code, reason, _ = await _status(older)
        assert (code, reason) == ("ABORTED", "ATTACHMENT_FENCED")


async def test_a_stopping_referee_says_so_and_closes_the_stream(serve: Serve) -> None:
    async with AsyncExitStack() as stack:
        served = await stack.enter_async_context(serve())
        token = await served.token("bot", "one")
        async with served.channel(token) as channel:
            stream = channel.connect()
            await stream.write(HELLO.SerializeToString())
            await stream.read()
            stopping = asyncio.create_task(stack.aclose())
            said = await stream.read()
            code, reason, _ = await _status(stream)
            await stopping

    assert said.drain.grace_ms == 100
    assert (code, reason) == ("UNAVAILABLE", "REFEREE_DRAINING")
