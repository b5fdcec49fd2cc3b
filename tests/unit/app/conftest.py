"""Fixtures of the use cases: a referee without a wire."""

import random
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest
from tests.unit.app.tool import CountedStore, MemoryArchive, SameChance, Tally, Time
from tests.unit.app.world import World

from ginref.adapters.memory_registry import MemoryRegistry
from ginref.adapters.sealing import AesSealer
from ginref.app.caller import Caller, Role
from ginref.app.gate import Gate
from ginref.app.port import (
    Signer,
)
from ginref.engine.seat import Seat


@asynccontextmanager
async def _world(signer: Signer) -> AsyncIterator[World]:
    time, registry, chance = Time(), MemoryRegistry(), SameChance()
    gate = Gate(registry, chance, time)
    made = World(
        time=time,
        store=CountedStore(time),
        registry=registry,
        archive=MemoryArchive(),
        signer=signer,
        tally=Tally(),
        chance=chance,
        sealer=AesSealer(random.Random(1).randbytes(32)),
        gate=gate,
        host=Caller(token_id="t-host", role=Role.ORGANIZER),
    )
    time.tick = made.store.tick
    await gate.create_owner(made.host, "ada")
    for name in ("careful", "greedy", "third"):
        await gate.create_bot(made.host, name, "ada", house=False)
    await made.replica()
    try:
        yield made
    finally:
        await made.close()


@pytest.fixture
async def world(referee: Callable[[], Signer]) -> AsyncIterator[World]:
    """A referee with two bots that are known to it."""
    async with _world(referee()) as made:
        yield made


@pytest.fixture
def fresh(
    referee: Callable[[], Signer],
) -> Callable[[], AbstractAsyncContextManager[World]]:
    """Makes a world of its own, like every other one."""
    return lambda: _world(referee())


@pytest.fixture(params=[Seat.NORTH, Seat.SOUTH], ids=str)
def seat(request: pytest.FixtureRequest) -> Seat:
    """Each seat."""
    chosen: Seat = request.param
    return chosen
