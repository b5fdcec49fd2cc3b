"""Very many bots and matches at one referee."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from functools import partial
from typing import Any, Final, TypeVar

import grpc
import grpc.aio
from tests.benchmarks.match_load import (
    Game,
    Line,
    Metadata,
    Pair,
    Played,
    game,
    set_up,
)
from tests.benchmarks.measured_referee import SUBMIT, Bench

from ginref.v1 import clock_pb2, registry_pb2, registry_service_pb2
from ginref.v1.registry_service_pb2_grpc import RegistryServiceStub

AT_ONCE: Final = 32
"""Calls that are under way at any moment."""

_T = TypeVar("_T")

_TRIES: Final = 100
_PAUSE_S: Final = 0.1

GAMES: Final = 8
"""Games that are worked out; they are played over and over."""

_DAY_MS: Final = 24 * 60 * 60 * 1000

ENDLESS: Final = clock_pb2.ClockPolicy(
    name="custom",
    start_ms=_DAY_MS,
    free_ms=1_000,
    bank_ms=_DAY_MS,
    cap_ms=_DAY_MS,
    grace_ms=250,
)
"""Time rules under which matches stay open."""


async def all_of(
    work: Iterable[Coroutine[Any, Any, Any]], at_once: int = AT_ONCE
) -> list[Any]:
    """Do everything, some of it at any moment; return what comes of it, in order."""
    free = asyncio.Semaphore(at_once)

    async def one(task: Coroutine[Any, Any, Any]) -> Any:  # noqa: ANN401 - whatever it returns
        async with free:
            return await task

    return await asyncio.gather(*map(one, work))


async def answered(ask: Callable[[], Awaitable[_T]]) -> _T:
    """Return the answer to a call, which is made again while there is none.

    Raises:
        AioRpcError: The call was refused.
    """
    for _ in range(_TRIES):
        try:
            return await ask()
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.UNAVAILABLE:
                raise
            await asyncio.sleep(_PAUSE_S)
    raise AssertionError("a call was never answered")


async def bots(bench: Bench, channel: grpc.aio.Channel, count: int) -> list[Pair]:
    """Register so many bots, and return them as pairs."""
    registry = RegistryServiceStub(channel)
    host = bench.table.metadata

    async def register(name: str) -> Metadata:
        bot = registry_service_pb2.CreateBotRequest(name=name, owner="lab")
        await answered(lambda: registry.CreateBot(bot, metadata=host))
        wanted = registry_service_pb2.CreateTokenRequest(
            role=registry_pb2.ROLE_BOT, bot=name
        )
        made = await answered(lambda: registry.CreateToken(wanted, metadata=host))
        return (("authorization", f"Bearer {made.secret}"),)

    names = [f"crowd-{number}" for number in range(count)]
    shown = await all_of(map(register, names))
    return [
        Pair((names[n], names[n + 1]), (shown[n], shown[n + 1]))
        for n in range(0, count, 2)
    ]


def games() -> list[Game]:
    """Return the games that are played over and over; worked out once."""
    return [game(str(number)) for number in range(GAMES)]


async def matches(
    bench: Bench, channel: grpc.aio.Channel, pairs: Sequence[Pair], count: int
) -> list[Line]:
    """Set so many matches up, for one pair after the other in turn."""
    played = games()
    made: list[Line] = await all_of(
        answered(
            partial(
                set_up,
                channel,
                bench.table.metadata,
                pairs[number % len(pairs)],
                played[number % GAMES],
                f"crowd {number}",
                clock=ENDLESS,
            )
        )
        for number in range(count)
    )
    return made


async def play_on(
    channel: grpc.aio.Channel,
    lines: Sequence[Line],
    moves: slice,
    metadata: Callable[[int], tuple[Metadata, Metadata]],
    at_once: int = AT_ONCE,
) -> Played:
    """Play some moves of every match by calls, some matches at any moment.

    A move that was not answered is sent again, as every client does.

    Args:
        channel: Where they are played.
        lines: The matches.
        moves: Which moves of each.
        metadata: What the seats of a match show, by its number.
        at_once: How many matches are played at any moment.
    """
    send: Callable[..., Awaitable[bytes]] = channel.unary_unary(SUBMIT)
    result = Played()

    async def play(number: int, line: Line) -> None:
        shown = metadata(number)
        for seat, data in zip(line.seats[moves], line.calls[moves], strict=True):
            began = time.perf_counter()
            ask = partial(send, data, metadata=shown[seat])
            result.answers.append(await answered(ask))
            result.trips.append(time.perf_counter() - began)

    began = time.perf_counter()
    await all_of((play(*one) for one in enumerate(lines)), at_once)
    result.seconds = time.perf_counter() - began
    return result
