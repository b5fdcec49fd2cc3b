"""Deadlines that pass without the help of any bot."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from ginref.app import sweep as sweep_module
from ginref.app.match_store import EntryId
from ginref.app.port import StoreUnavailableError
from ginref.app.sweep import Sweeper
from ginref.engine.seat import Seat
from ginref.record.lifecycle import EndingKind
from ginref.record.setup import DealSource

World = Any
"""The referee of `conftest`, whose class cannot be imported."""


async def test_whoever_lets_the_deadline_pass_loses(world: World) -> None:
    facts = await world.start()
    turn = await world.turn(facts)
    world.time.ms = turn.clock.deadline_ms + facts.clock.grace_ms
    assert await world.one.sweeper.sweep() == 0
    world.time.ms += 1

    assert await world.one.sweeper.sweep() == 1

    after = (await world.report(facts, Seat.NORTH)).facts
    assert after.ending.kind is EndingKind.TIMED_OUT
    assert after.ending.seats_at_fault == (turn.view.seat,)
    assert after.ending.winner is Seat(1 - turn.view.seat)
    assert await world.one.sweeper.sweep() == 0


async def test_it_is_told_how_late_a_deadline_is_acted_on(world: World) -> None:
    facts = await world.start()
    turn = await world.turn(facts)
    world.time.ms = turn.clock.deadline_ms + facts.clock.grace_ms + 700

    await world.one.sweeper.sweep()

    assert world.tally.seen["timeout", 700] == 1
    assert world.tally.seen["fault", "seat"] == 1


async def test_a_sweeper_tells_when_it_looked_and_what_is_live(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: asyncio.Queue[int] = asyncio.Queue()
    monkeypatch.setattr(world.tally, "live", told.put_nowait)
    for _ in range(3):
        await world.start()

    sweeping = asyncio.create_task(world.one.sweeper.run())
    assert await told.get() == 3
    sweeping.cancel()

    assert world.tally.seen["swept"] == 1


async def test_1000_matches_due_at_once_are_each_timed_out_once_by_two_sweepers(
    world: World,
) -> None:
    other = await world.replica()
    for number in range(1000):
        await world.create(deal_source=DealSource.SEEDED, seed=f"{number}")
    world.time.ms += 1_000_000

    while sum(await asyncio.gather(world.one.sweeper.sweep(), other.sweeper.sweep())):
        pass

    assert world.tally.seen["timeout"] == 1000
    assert world.tally.seen["match_over", "no_show"] == 1000
    assert len(await world.store.finished(2000)) == 1000
    assert await world.store.due(10) == ()


async def test_a_match_that_cannot_be_timed_out_stops_no_other_clock(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    facts = [await world.start() for _ in range(3)]
    read = world.store.read

    async def broken(match_id: str, key: Any = None) -> Any:  # noqa: ANN401
        if match_id == facts[0].match_id:
            raise ValueError(match_id)
        return await read(match_id, key)

    world.store.read = broken
    world.time.ms += 1_000_000

    assert await world.one.sweeper.sweep() == 2
    assert await world.one.sweeper.sweep() == 0
    assert caplog.text.count("cannot be timed out") == 1

    world.store.read = read
    assert await world.one.sweeper.sweep() == 1
    assert world.tally.seen["timeout"] == 3


async def test_a_store_that_is_away_is_not_the_fault_of_a_match(world: World) -> None:
    await world.start()
    world.time.ms += 1_000_000
    world.store.away = True

    with pytest.raises(StoreUnavailableError):
        await world.one.sweeper.sweep()

    world.store.away = False
    assert await world.one.sweeper.sweep() == 1


async def test_a_sweeper_goes_on_by_itself_whatever_the_store_does(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(sweep_module, "_INTERVAL", 0.001)
    facts = await world.start()
    world.time.ms += 1_000_000
    due, failures = world.store.due, [StoreUnavailableError(), ValueError()]

    async def fail(limit: int) -> Sequence[str]:
        if failures:
            raise failures.pop()
        found: Sequence[str] = await due(limit)
        return found

    world.store.due = fail
    with world.one.hub.subscribe() as follower:
        follower.follow(facts.match_id)
        sweeping = asyncio.create_task(world.one.sweeper.run())
        async with asyncio.timeout(10):
            await follower.changes()
    sweeping.cancel()

    await world.one.keeper.latest(facts.match_id, EntryId(facts.version + 1))
    assert world.tally.seen["timeout"] == 1
    assert caplog.text.count("sweep failed") == 1


async def test_heartbeats_go_on_whatever_the_store_does(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(sweep_module, "_INTERVAL", 0.001)
    beat, beats = world.store.beat, asyncio.Semaphore(0)
    failures = [StoreUnavailableError(), ValueError()]

    async def heard() -> int:
        beats.release()
        if failures:
            raise failures.pop()
        outage_ms: int = await beat()
        return outage_ms

    world.store.beat = heard
    beating = asyncio.create_task(world.one.sweeper.keep_beating())
    async with asyncio.timeout(10):
        for _ in range(9):
            await beats.acquire()
    beating.cancel()

    assert world.store.asked["beat"] >= 6
    assert caplog.text.count("heartbeat failed") == 1


async def test_two_sweepers_with_much_to_do_begin_in_different_places(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweep_module, "_BATCH", 100)
    facts = [
        await world.create(deal_source=DealSource.SEEDED, seed=f"{number}")
        for number in range(400)
    ]
    world.time.ms += 1_000_000
    tried: list[set[str]] = []

    for name in ("one", "two"):
        mine: set[str] = set()
        tried.append(mine)

        async def note(match_id: str, mine: set[str] = mine) -> bool:
            mine.add(match_id)
            return True

        sweeper = Sweeper(world.store, world.desk, world.tally, name)
        monkeypatch.setattr(world.desk, "time_out", note)
        assert await sweeper.sweep() == 100

    assert [len(mine) for mine in tried] == [100, 100]
    assert len(tried[0] & tried[1]) < 60
    assert tried[0] | tried[1] <= {one.match_id for one in facts}
