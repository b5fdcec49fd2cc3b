"""Many follow a tournament, and each sees what it may, once and in order."""

import asyncio
from contextlib import aclosing

import pytest
from tests.unit.app.cup import Cup
from tests.unit.app.world import SECONDS, World

from ginref.app.caller import Caller, Role
from ginref.app.error import Reason, RefusedError
from ginref.app.tournament_watch import TournamentWatcher
from ginref.tournament.lifecycle import Lifecycle
from ginref.tournament.log import LogEntry

CROWD = 50


async def _cup(world: World) -> tuple[Cup, TournamentWatcher]:
    cup = Cup(world=world)
    await cup.process()
    await cup.declare({"format": "single_elimination"})
    watcher = TournamentWatcher(cup.one.desk, world.replicas[-1].hub, world.tally)
    return cup, watcher


async def test_a_crowd_sees_every_entry_once_with_few_reads(world: World) -> None:
    cup, watcher = await _cup(world)
    seen: list[list[LogEntry]] = [[] for _ in range(CROWD)]

    async def follow(at: int) -> None:
        caller = Caller(token_id=f"t-{at}", role=Role.SPECTATOR)
        async with aclosing(watcher.watch(caller, cup.name, 0)) as watch:
            async for entry in watch:
                seen[at].append(entry)

    async def all_see(length: int) -> None:
        async with asyncio.timeout(SECONDS):
            while any(len(entries) < length for entries in seen):  # noqa: ASYNC110 - in other tasks
                await asyncio.sleep(0)

    following = [asyncio.create_task(follow(at)) for at in range(CROWD)]
    await all_see(1)
    cup.store.reads = 0
    opened = await cup.to(Lifecycle.REGISTRATION)
    await all_see(opened.version)
    reads = cup.store.reads
    await cup.to(Lifecycle.CANCELLED)
    await asyncio.gather(*following)

    whole = await cup.one.desk.entries(world.host, cup.name, 0)
    assert all(tuple(entries) == whole for entries in seen)
    assert reads < CROWD


async def test_a_cursor_beyond_the_log_is_refused(world: World) -> None:
    cup, watcher = await _cup(world)

    with pytest.raises(RefusedError) as refused:
        await anext(watcher.watch(world.host, cup.name, 2))

    assert refused.value.reason is Reason.FIELD_INVALID
