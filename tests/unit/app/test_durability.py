"""What records say of the store."""

import asyncio
from typing import Any

import pytest

from ginref.app.match_store import Durability

World = Any
"""The referee of `conftest`, whose class cannot be imported."""


async def test_a_match_says_what_the_store_promised_when_it_was_created(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def weaker() -> Durability:
        return Durability(mode="local/everysec", problems=())

    seconds = iter((0.0, 2.0))
    desk = (await world.replica(monotonic=lambda: next(seconds))).desk

    before = await desk.create_match(world.host, world.new())
    monkeypatch.setattr(world.store, "durability", weaker)
    after = await desk.create_match(world.host, world.new())

    for facts, mode in ((before, "memory"), (after, "local/everysec")):
        live = await world.one.keeper.load(facts.match_id)
        assert live.state.setup.durability == mode


async def test_matches_that_are_created_together_ask_the_store_once(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = 0

    async def counted() -> Durability:
        nonlocal asked
        asked += 1
        await asyncio.sleep(0)
        return Durability(mode="local/always", problems=())

    monkeypatch.setattr(world.store, "durability", counted)
    await asyncio.gather(*(world.create() for _ in range(8)))

    assert asked == 1
