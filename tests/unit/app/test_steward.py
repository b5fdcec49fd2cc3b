"""Whole tournaments, run by processes that race, are late, and die."""

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest
from tests.unit.app.cup import SHORT_MATCH, Cup
from tests.unit.app.world import World

from ginref.app.packing import DamageError
from ginref.record.lifecycle import EndingKind
from ginref.record.verify import Finding
from ginref.tournament.event import (
    Cascade,
    MatchCreated,
    MatchEnded,
    SecretOpened,
)
from ginref.tournament.export_match import read_match_record
from ginref.tournament.export_verify import verify_export
from ginref.tournament.fixture import Fixture, FixtureState
from ginref.tournament.lifecycle import Lifecycle
from ginref.tournament.operation import Correct, Withdraw
from ginref.tournament.plan import plan_ledger
from ginref.tournament.result import Won

Fresh = Callable[[], AbstractAsyncContextManager[World]]

SINGLE = {"format": "single_elimination"}
DOUBLE = {"format": "double_elimination"}
SWISS = {"format": "swiss", "rounds": 4}

POINTS = (
    "before append",
    "after append",
    "before creation",
    "after creation",
    "before archiving",
    "before acknowledging",
    "before wake",
    "before leaving",
)
"""Where a process may die; most are met many times in a tournament."""


async def start(world: World, processes: int, count: int, stage: Any) -> Cup:  # noqa: ANN401 - as in a file
    cup = Cup(world=world)
    for _ in range(processes):
        await cup.process()
    await cup.start(count, stage)
    return cup


async def fixtures(cup: Cup) -> list[Fixture]:
    live = await cup.now()
    return [*plan_ledger(live.ledger, live.now_ms).fixtures()]


async def test_a_tournament_is_played_to_its_end(world: World) -> None:
    cup = Cup(world=world, plays=True)
    await cup.process()
    bots = await cup.start(3, SINGLE)

    live = await cup.run()

    seen = await cup.check()
    assert seen.is_open
    assert isinstance(live.entries[-1].event, SecretOpened)
    assert set().union(*(who for _, who in await cup.places())) == set(bots)
    endings = [e.event for e in live.entries if isinstance(e.event, MatchEnded)]
    assert {one.outcome.ending for one in endings} == {EndingKind.COMPLETED}
    assert all(one.outcome.luck for one in endings)
    keys = {world.signer.key_id: world.signer.public_key}  # type: ignore[attr-defined] # the referee of tests has one
    records = [
        read_match_record(name, envelope, keys)
        for name, envelope in world.archive.records.items()
    ]
    verdict = verify_export(await cup.one.desk.export(world.host, "cup"), keys, records)
    assert verdict.finding is Finding.VALID, verdict.problem
    assert verdict.records == len(records)


@pytest.mark.parametrize(
    ("stage", "count"), [(DOUBLE, 8), (SWISS, 11)], ids=["double", "swiss"]
)
async def test_whoever_dies_wherever_the_standings_are_the_same(
    fresh: Fresh, stage: Mapping[str, Any], count: int
) -> None:
    async with fresh() as world:
        cup = await start(world, 1, count, stage)
        await cup.run()
        await cup.check()
        standings = await cup.places()

    async with fresh() as world:
        cup = await start(world, 3, count, stage)
        cup.fate.odds = 0.03
        await cup.run()

        await cup.check()
        assert await cup.places() == standings
        assert len(cup.fate.deaths) > 2


@pytest.mark.parametrize("point", POINTS)
async def test_a_process_may_die_at_every_point(fresh: Fresh, point: str) -> None:
    """Each time that a point is met is tried once."""
    for times in range(100):
        async with fresh() as world:
            cup = await start(world, 1, 3, SINGLE)
            cup.fate.at = point, times + cup.fate.seen[point]
            await cup.run()

            await cup.check()
            assert await cup.store.live() == ()
            if not cup.fate.deaths:
                assert times
                return


async def test_a_match_is_in_the_log_before_it_is_made(world: World) -> None:
    cup = await start(world, 1, 4, SINGLE)

    cup.fate.at = "before creation", 0
    await cup.carry_on()

    assert cup.fate.deaths
    live = await cup.now()
    first = [entry for entry in live.entries if isinstance(entry.event, MatchCreated)]
    assert len(first) == len(await cup.going_on()) == 2
    for entry in first:
        assert isinstance(entry.event, MatchCreated)
        made = await cup.one.match_desk.get_match(world.host, entry.event.match)
        assert made.public.facts.commitment.hex() == entry.event.commitment


async def test_processes_that_race_make_each_match_once(world: World) -> None:
    cup = await start(world, 4, 8, DOUBLE)

    await cup.run()

    await cup.check()
    created = world.tally.seen["match_created"]
    assert created == len(world.archive.records)


async def test_no_step_of_the_stores_clock_is_seen_in_the_log(world: World) -> None:
    cup = await start(world, 2, 4, SINGLE)
    await cup.carry_on()
    await cup.play()
    await cup.sign()
    world.time.jump(-3_600_000)

    live = await cup.run()

    await cup.check()
    times_ms = [entry.time_ms for entry in live.entries]
    assert times_ms == sorted(times_ms)


@pytest.mark.parametrize("wanted", [True, False])
async def test_matches_keep_receipts_where_the_tournament_wants_them(
    world: World, *, wanted: bool
) -> None:
    cup = Cup(world=world)
    await cup.process()
    await cup.start(2, SINGLE, match={**SHORT_MATCH, "receipts": wanted})

    await cup.carry_on()

    (match_id,) = await cup.going_on()
    report = await cup.one.match_desk.get_match(world.host, match_id)
    assert report.public.facts.receipts is wanted


async def test_nothing_begins_while_it_is_paused(world: World) -> None:
    cup = await start(world, 2, 4, SINGLE)
    await cup.carry_on()
    await cup.to(Lifecycle.PAUSED)
    await cup.play()
    await cup.sign()

    await cup.carry_on()

    assert await cup.going_on() == []
    assert [one.state for one in await fixtures(cup)] == [
        *(FixtureState.FINAL, FixtureState.FINAL),
        FixtureState.READY,
    ]
    await cup.to(Lifecycle.RUNNING)
    await cup.run()
    await cup.check()


async def test_the_match_of_whoever_leaves_is_aborted(world: World) -> None:
    cup = await start(world, 2, 4, SINGLE)
    await cup.carry_on()
    gone = (await fixtures(cup))[0].entrants[0] or ""

    await cup.do(Withdraw(bot=gone))
    await cup.carry_on()

    assert len(await cup.going_on()) == 1
    await cup.run()
    await cup.check()
    live = await cup.now()
    endings = [
        entry.event.outcome.ending
        for entry in live.entries
        if isinstance(entry.event, MatchEnded)
    ]
    assert endings.count(EndingKind.ABORTED) == 1


async def test_what_a_correction_undoes_is_played_again(world: World) -> None:
    cup = await start(world, 2, 4, SINGLE)
    await cup.carry_on()
    await cup.play()
    await cup.sign()
    await cup.carry_on()
    first, *_, final = await fixtures(cup)
    loser = next(bot for bot in first.entrants if bot != first.winner) or ""
    assert final.state is FixtureState.PLAYING

    await cup.do(
        Correct(
            fixture=first.fixture_id,
            attempt=1,
            result=Won(winner=loser),
            mode=Cascade.RESET_DEPENDENTS,
            reason="seen on tape",
        )
    )
    await cup.run()

    await cup.check()
    final = (await fixtures(cup))[-1]
    assert loser in final.entrants
    assert final.state is FixtureState.FINAL


@pytest.mark.parametrize("kept", ["of another match", "nothing that can be read"])
async def test_a_record_that_is_spoilt_holds_up_no_other_fixture(
    world: World, kept: str, caplog: pytest.LogCaptureFixture
) -> None:
    cup = await start(world, 1, 4, SINGLE)
    await cup.carry_on()
    spoilt, other = await cup.going_on()
    await cup.play()
    await cup.sign()
    records = world.archive.records
    records[spoilt] = records[other] if kept == "of another match" else b"{}"

    await cup.carry_on()
    await cup.carry_on()

    events = [entry.event for entry in (await cup.now()).entries]
    ended = {event.match for event in events if isinstance(event, MatchEnded)}
    assert ended == {other}
    assert caplog.text.count(f"the record of match {spoilt} cannot be read") == 1


async def test_a_cancelled_tournament_ends_with_its_matches(world: World) -> None:
    cup = await start(world, 1, 4, SINGLE)
    await cup.carry_on()

    await cup.to(Lifecycle.CANCELLED)
    await cup.carry_on()
    assert await cup.going_on() == []
    await cup.sign()
    await cup.carry_on()

    seen = await cup.check()
    assert seen.is_open
    standing = await cup.one.steward.carry_on("cup", look=True)
    assert standing.is_done


async def test_a_tournament_that_was_never_drawn_has_nothing_to_open(
    world: World,
) -> None:
    cup = Cup(world=world)
    await cup.process()
    await cup.declare(SINGLE)
    await cup.to(Lifecycle.CANCELLED)

    standing = await cup.one.steward.carry_on("cup", look=True)

    assert standing.is_done
    assert (await cup.now()).head.length == 2


async def test_a_share_that_is_lost_is_not_made_up(world: World) -> None:
    cup = Cup(world=world)
    await cup.process()
    await cup.declare(SINGLE)
    await cup.to(Lifecycle.REGISTRATION)
    bots = await cup.enter(2)
    await cup.to(Lifecycle.CHECK_IN)
    await cup.answer_summons(bots)
    await cup.to(Lifecycle.SEEDING)
    await cup.answer_summons(bots)
    cup.store.lose_secret("cup")

    with pytest.raises(DamageError):
        await cup.one.steward.carry_on("cup", look=True)
