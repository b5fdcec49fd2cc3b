"""Limits as callers meet them, by single calls and on the bots' stream."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import grpc
import grpc.aio
import pytest
from tests.unit.transport.call import CREATE, GET, new_match, reason_of, refusal

from ginref.app.allowance import Allowance
from ginref.app.limit import Cap, Kind, Limits, Rate
from ginref.transport.limiter import KINDS
from ginref.transport.server import METHODS
from ginref.v1 import bot_service_pb2, error_reason_pb2, move_pb2, seat_pb2, session_pb2
from ginref.v1 import referee_service_pb2 as referee_pb

Serve = Callable[..., AbstractAsyncContextManager[Any]]
"""Serves a referee with some options, for the length of a context."""

SUBMIT = "/ginref.v1.RefereeService/SubmitMove"
REDEEM = "/ginref.v1.RegistryService/RedeemInvitation"

BURST = 3


def _allowance(**limits: int) -> Allowance:
    """Allow bursts, and no more as long as the clock stands still."""
    rates = {
        Kind(name): Rate(1, burst) for name, burst in limits.items() if name in {*Kind}
    }
    caps = {Cap(name): most for name, most in limits.items() if name in {*Cap}}
    return Allowance(Limits(rates, caps), lambda: 0.0)


HELLO = bot_service_pb2.ConnectRequest(hello=session_pb2.Hello(protocol=1))
SYNC = bot_service_pb2.ConnectRequest(
    sync=session_pb2.Sync(match_id="m1", seat=seat_pb2.SEAT_NORTH)
)
RESIGN = bot_service_pb2.ConnectRequest(
    resign=session_pb2.Resign(match_id="m1", seat=seat_pb2.SEAT_NORTH)
)
NOTHING = bot_service_pb2.ConnectRequest()
PONG = bot_service_pb2.ConnectRequest(pong=session_pb2.Pong())
MOVE = bot_service_pb2.ConnectRequest(
    move=session_pb2.MoveSubmission(
        match_id="m1",
        seat=seat_pb2.SEAT_NORTH,
        expected_version=1,
        request_id="r",
        move=move_pb2.Move(text="pass"),
    )
)


def test_every_method_counts_as_something_but_moves_and_what_is_for_everyone() -> None:
    served = {f"/{method}" for method in METHODS if method.startswith("ginref.")}

    assert served - {SUBMIT, REDEEM} == {*KINDS}


async def test_a_token_that_asks_too_often_is_told_how_long_to_wait(
    serve: Serve,
) -> None:
    async with serve(allowance=_allowance(reads=BURST)) as served:
        ada, bob = await served.token("bot", "ada"), await served.token("bot", "bob")
        async with served.channel(ada) as channel, served.channel(bob) as other:
            seen = [await refusal(channel.send(GET, b"")) for _ in range(BURST + 2)]
            (_, others, _) = await refusal(other.send(GET, b""))

    code, _, facts = seen[-1]
    reasons = [reason for _, reason, _ in seen]
    assert reasons == ["FIELD_MISSING"] * BURST + ["RATE_LIMITED"] * 2
    assert code is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert facts == {"limit": "reads", "resets_ms": "1000"}
    assert others == "FIELD_MISSING"
    assert served.refusals == [*reasons, others]


@pytest.mark.parametrize("data", [b"", b"\xff\xff"], ids=["a field", "garbage"])
async def test_what_is_no_move_is_limited_like_one(serve: Serve, data: bytes) -> None:
    async with serve(allowance=_allowance(moves=BURST)) as served:
        token = await served.token("bot", "ada")
        async with served.channel(token) as channel:
            seen = [await refusal(channel.send(SUBMIT, data)) for _ in range(BURST + 1)]

    assert [code for code, _, _ in seen] == [
        *[grpc.StatusCode.INVALID_ARGUMENT] * BURST,
        grpc.StatusCode.RESOURCE_EXHAUSTED,
    ]
    assert seen[-1][2]["limit"] == "moves"


async def test_a_stream_too_many_is_refused_until_another_has_ended(
    serve: Serve,
) -> None:
    async with serve(allowance=_allowance(watches=1)) as served:
        for bot in ("one", "two"):
            await served.token("bot", bot)
        async with served.channel(served.operator) as channel:
            made = await channel.referee().CreateMatch(
                new_match(), metadata=channel.metadata
            )
        request = referee_pb.WatchMatchRequest(match_id=made.match.match_id)
        async with served.channel(await served.token("spectator")) as channel:

            def watch() -> Any:  # noqa: ANN401 - a stream
                return channel.referee().WatchMatch(request, metadata=channel.metadata)

            first = watch()
            await first.read()
            code, reason, facts = await refusal(watch().read())
            first.cancel()
            while True:
                last = watch()
                try:
                    await last.read()
                except grpc.aio.AioRpcError as error:
                    assert reason_of(error)[0] == "LIMIT_EXCEEDED"  # noqa: PT017
                else:
                    break
            last.cancel()

    assert (code.name, reason) == ("RESOURCE_EXHAUSTED", "LIMIT_EXCEEDED")
    assert facts == {"limit": "watches", "most": "1"}


@pytest.mark.parametrize(
    ("said", "reason", "limit"),
    [
        pytest.param(SYNC, "MATCH_NOT_FOUND", "reads", id="syncs"),
        pytest.param(RESIGN, "MATCH_NOT_FOUND", "steps", id="resignations"),
        pytest.param(NOTHING, "FIELD_MISSING", "moves", id="nothing"),
        pytest.param(None, "MESSAGE_UNREADABLE", "moves", id="garbage"),
        pytest.param(MOVE, "MATCH_NOT_FOUND", "moves", id="moves"),
    ],
)
async def test_a_stream_on_which_too_much_is_said_is_told_so_and_goes_on(
    serve: Serve, said: bot_service_pb2.ConnectRequest | None, reason: str, limit: str
) -> None:
    data = b"\xff\xff" if said is None else said.SerializeToString()
    async with serve(allowance=_allowance(**{limit: BURST})) as served:
        token = await served.token("bot", "ada")
        async with served.channel(token) as channel:
            stream = channel.connect()
            await stream.write(HELLO.SerializeToString())
            assert (await stream.read()).HasField("welcome")
            told = []
            for _ in range(BURST + 1):
                await stream.write(data)
                told.append(_refusal(await stream.read()))
            await stream.write(PONG.SerializeToString())
            await stream.done_writing()
            assert await stream.read() is grpc.aio.EOF
            assert await stream.code() is grpc.StatusCode.OK

    names = [error_reason_pb2.ErrorReason.Name(one.reason) for one in told]
    assert names == [
        *[f"ERROR_REASON_{reason}"] * BURST,
        "ERROR_REASON_RATE_LIMITED",
    ]
    assert dict(told[-1].facts) == {"limit": limit, "resets_ms": "1000"}


def _refusal(said: Any) -> session_pb2.Refusal:  # noqa: ANN401 - of a stream
    refusal: session_pb2.Refusal = (
        said.problem.refusal if said.HasField("problem") else said.move_result.refused
    )
    return refusal


async def test_a_match_too_many_is_refused(serve: Serve) -> None:
    allowance = _allowance(matches=1, creates=2)
    async with serve(allowance=allowance) as served:
        for bot in ("one", "two"):
            await served.token("bot", bot)
        async with served.channel(await served.token("organizer")) as channel:
            asked = new_match().SerializeToString()
            await channel.send(CREATE, asked)
            other = new_match(request_id="other").SerializeToString()
            _, too_many, facts = await refusal(channel.send(CREATE, other))
            _, too_often, _ = await refusal(channel.send(CREATE, asked))

    assert (too_many, facts) == ("LIMIT_EXCEEDED", {"limit": "matches", "most": "1"})
    assert too_often == "RATE_LIMITED"
