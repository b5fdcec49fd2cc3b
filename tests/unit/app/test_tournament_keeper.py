"""Tournaments as a process remembers them, beside a store that may lose something."""

import asyncio
import logging

import pytest
from tests.unit.app.cup import Cup
from tests.unit.app.world import World

from ginref.app.tournament_keeper import TournamentKeeper
from ginref.tournament.error import LogError
from ginref.tournament.lifecycle import Lifecycle

SINGLE = {"format": "single_elimination"}


@pytest.fixture
async def cup(world: World) -> Cup:
    made = Cup(world=world)
    await made.process()
    await made.declare(SINGLE)
    await made.to(Lifecycle.REGISTRATION)
    await made.enter(3)
    return made


async def test_what_was_read_is_what_was_stored(cup: Cup) -> None:
    keeper = TournamentKeeper(cup.store)
    first = await keeper.load("cup")
    await cup.to(Lifecycle.CHECK_IN)

    second = await keeper.load("cup")

    assert second.entries[:-1] == first.entries
    assert second == await TournamentKeeper(cup.store).load("cup")


async def test_a_crowd_that_follows_a_tournament_has_it_read_and_planned_together(
    cup: Cup,
) -> None:
    keeper = TournamentKeeper(cup.store)
    await cup.to(Lifecycle.CHECK_IN)

    crowd = await asyncio.gather(*(keeper.load("cup") for _ in range(20)))
    plans = await asyncio.gather(*map(keeper.plan, crowd))

    assert crowd[0] == await cup.now()
    assert len({id(live) for live in crowd}) == 1
    assert len({id(planned) for planned in plans}) == 1


@pytest.mark.parametrize("lost", [1, 4], ids=["one entry", "most of them"])
async def test_a_store_that_has_lost_entries_is_believed(
    cup: Cup, lost: int, caplog: pytest.LogCaptureFixture
) -> None:
    keeper = TournamentKeeper(cup.store)
    known = await keeper.load("cup")
    cup.store.lose_entries("cup", lost)

    live = await keeper.load("cup")

    assert live.entries == known.entries[:-lost]
    assert "has lost entries of tournament cup" in caplog.text


async def test_another_story_of_the_same_length_is_noticed(
    cup: Cup, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.ERROR)
    keeper, other = TournamentKeeper(cup.store), await cup.process()
    known = await keeper.load("cup")
    cup.store.lose_entries("cup", 1)
    await other.desk.enter(cup.world.host, "cup", "careful", None, cup.asking())

    live = await keeper.load("cup")

    assert len(live.entries) == len(known.entries)
    assert "careful" in live.ledger.entrants
    assert "has lost entries of tournament cup" in caplog.text


async def test_a_log_that_somebody_has_changed_is_not_read(cup: Cup) -> None:
    cup.store.swap_entries("cup")

    with pytest.raises(LogError):
        await TournamentKeeper(cup.store).load("cup")


async def test_time_alone_makes_a_plan_old_only_where_it_counts(cup: Cup) -> None:
    keeper = TournamentKeeper(cup.store)

    async def is_planned_anew() -> bool:
        before = await keeper.plan(await keeper.load("cup"))
        cup.world.time.ms += 2_000
        return await keeper.plan(await keeper.load("cup")) is not before

    assert await is_planned_anew()
    await cup.to(Lifecycle.CANCELLED)
    assert not await is_planned_anew()
