"""Very many bots and matches at one referee."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import Any, Final

import grpc.aio
from tests.benchmarks.match_load import (
    Line,
    Metadata,
    Pair,
    Played,
    call,
    game,
    set_up,
)
from tests.benchmarks.measured_referee import SUBMIT, Bench

from ginref.v1 import clock_pb2, registry_pb2, registry_service_pb2
from ginref.v1.registry_service_pb2_grpc import RegistryServiceStub

AT_ONCE: Final = 32
"""Calls that are under way at any moment."""

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


async def all_of(work: Iterable[Coroutine[Any, Any, Any]]) -> list[Any]:
    """Do everything, some of it at any moment; return what comes of it, in order."""
    free = asyncio.Semaphore(AT_ONCE)

    async def one(task: Coroutine[Any, Any, Any]) -> Any:  # noqa: ANN401 - whatever it returns
        async with free:
            return await task

    return await asyncio.gather(*map(one, work))


async def bots(bench: Bench, channel: grpc.aio.Channel, count: int) -> list[Pair]:
    """Register so many bots, and return them as pairs."""
    registry = RegistryServiceStub(channel)
    host = bench.table.metadata

    async def register(name: str) -> Metadata:
        bot = registry_service_pb2.CreateBotRequest(name=name, owner="lab")
        await registry.CreateBot(bot, metadata=host)
        wanted = registry_service_pb2.CreateTokenRequest(
            role=registry_pb2.ROLE_BOT, bot=name
        )
        made = await registry.CreateToken(wanted, metadata=host)
        return (("authorization", f"Bearer {made.secret}"),)

    names = [f"crowd-{number}" for number in range(count)]
    shown = await all_of(map(register, names))
    return [
        Pair((names[n], names[n + 1]), (shown[n], shown[n + 1]))
        for n in range(0, count, 2)
    ]


async def matches(
    bench: Bench, channel: grpc.aio.Channel, pairs: Sequence[Pair], count: int
) -> list[Line]:
    """Set so many matches up, for one pair after the other in turn."""
    made: list[Line] = await all_of(
        set_up(
            channel,
            bench.table.metadata,
            pairs[number % len(pairs)],
            game(str(number % GAMES)),
            f"crowd {number}",
            clock=ENDLESS,
        )
        for number in range(count)
    )
    return made


async def play_on(
    channel: grpc.aio.Channel,
    lines: Sequence[Line],
    moves: slice,
    metadata: Callable[[int], tuple[Metadata, Metadata]],
) -> Played:
    """Play some moves of every match by calls, some matches at any moment.

    Args:
        channel: Where they are played.
        lines: The matches.
        moves: Which moves of each.
        metadata: What the seats of a match show, by its number.
    """
    whole = Played()
    loop = asyncio.get_running_loop()
    began = loop.time()
    played: list[Played] = await all_of(
        call(
            channel,
            SUBMIT,
            [Line(line.name, line.seats[moves], line.calls[moves], [])],
            metadata(number),
        )
        for number, line in enumerate(lines)
    )
    whole.seconds = loop.time() - began
    for one in played:
        whole.trips += one.trips
        whole.answers += one.answers
    return whole
