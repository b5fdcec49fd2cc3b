"""Reads that followers of a match share."""

import asyncio
from typing import Any

from ginref.app.match_store import EVERYTHING
from ginref.app.shared_read import SharedReads

World = Any
"""The referee of `conftest`, whose class cannot be imported."""

FOLLOWERS = 20


async def test_followers_that_are_woken_together_read_together(world: World) -> None:
    facts = await world.start()
    hub, reads = world.one.hub, SharedReads(world.one.keeper, world.one.hub)
    followers = [hub.subscribe() for _ in range(FOLLOWERS)]
    hub.notify(EVERYTHING)
    before = world.store.asked["read"]

    found = await asyncio.gather(
        *(reads.read(facts.match_id, one) for one in followers)
    )

    assert world.store.asked["read"] == before + 1
    assert [live.state.version for live in found] == [facts.version] * FOLLOWERS


async def test_who_is_woken_during_a_read_is_told_of_what_came_later(
    world: World,
) -> None:
    facts, other = await world.start(), await world.replica()
    hub, reads = world.one.hub, SharedReads(world.one.keeper, world.one.hub)
    early, late = hub.subscribe(), hub.subscribe()
    hub.notify(EVERYTHING)
    reading = asyncio.create_task(reads.read(facts.match_id, early))
    await asyncio.sleep(0)
    await world.move(facts, desk=other.desk)
    hub.notify(EVERYTHING)

    live = await reads.read(facts.match_id, late)

    assert live.state.version == facts.version + 1
    assert (await reading).state.version >= facts.version


async def test_a_read_that_fails_fails_for_all_who_wait_and_for_nobody_later(
    world: World,
) -> None:
    facts = await world.start()
    hub, reads = world.one.hub, SharedReads(world.one.keeper, world.one.hub)
    followers = [hub.subscribe() for _ in range(FOLLOWERS)]
    world.store.away = True

    failures = await asyncio.gather(
        *(reads.read(facts.match_id, one) for one in followers),
        return_exceptions=True,
    )

    assert all(isinstance(failure, Exception) for failure in failures)
    world.store.away = False
    live = await reads.read(facts.match_id, followers[0])
    assert live.state.version == facts.version
