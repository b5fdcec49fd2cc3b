"""Moves that race: with the clock, with each other, and over replicas."""

import asyncio

import pytest
from tests.unit.app.judgment import World, refusal

from ginref.app.error import Reason, RefusedError
from ginref.app.live_match import place_of
from ginref.app.match_store import EntryId, Wake
from ginref.app.report import MoveReport
from ginref.engine.move import PASS
from ginref.engine.seat import Seat
from ginref.record.lifecycle import EndingKind


async def test_after_the_deadline_everything_is_late_and_then_over(
    world: World,
) -> None:
    kinds = ("good", "illegal", "stale", "out of turn")
    for kind in kinds:
        facts = await world.start()
        turn = await world.turn(facts)
        submissions = {
            "good": world.submission(turn),
            "illegal": world.wrong(turn),
            "stale": world.submission(turn, expected_version=2),
            "out of turn": world.submission(turn, seat=Seat(1 - turn.view.seat)),
        }
        deadline_ms = turn.clock.deadline_ms
        assert deadline_ms is not None
        world.time.ms = deadline_ms + facts.clock.grace_ms + 1

        late = await refusal(world, submissions[kind], facts=facts)
        over = await refusal(world, submissions[kind], facts=facts)

        assert (kind, late.reason) == (kind, Reason.MOVE_LATE)
        assert late.facts.keys() == {"deadline"}
        assert (kind, over.reason) == (kind, Reason.MATCH_OVER)
        assert over.facts == {"ending": "timed_out"}
        after = (await world.report(facts, turn.view.seat)).facts
        assert after.ending.seats_at_fault == (turn.view.seat,)
    assert world.tally.seen["timeout"] == len(kinds)


async def test_a_late_move_by_an_old_hint_ends_the_match_too(world: World) -> None:
    facts, other = await world.start(), await world.replica()
    turn = await world.turn(facts)
    await world.submit(world.submission(turn, PASS), facts, other.desk)
    world.time.ms += 1_000_000

    error = await refusal(world, world.submission(turn), facts=facts)

    assert error.reason is Reason.MOVE_LATE
    after = (await world.report(facts, turn.view.seat)).facts
    assert after.ending.kind is EndingKind.TIMED_OUT
    assert after.ending.winner is turn.view.seat


async def test_a_move_at_the_last_moment_is_in_time(world: World) -> None:
    facts = await world.start()
    turn = await world.turn(facts)
    world.time.ms = turn.clock.deadline_ms + facts.clock.grace_ms

    report = await world.submit(world.submission(turn), facts)

    assert report.version == turn.facts.version + 1


async def test_a_bank_pays_for_what_is_over_the_free_time(world: World) -> None:
    facts = await world.start()
    turn = await world.turn(facts)
    world.time.ms += 1_100

    await world.submit(world.submission(turn, PASS), facts)

    after = await world.report(facts, turn.view.seat)
    assert after.clock.elapsed_ms == 1_100
    assert after.clock.banks_ms[turn.view.seat] == facts.clock.bank_ms - 1_000


@pytest.mark.parametrize("same", [True, False], ids=["same id", "different ids"])
async def test_of_32_racing_submissions_exactly_one_is_stored(
    world: World,
    same: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    facts, other = await world.start(), await world.replica()
    for _ in range(6):
        turn = await world.turn(facts)
        one = world.submission(turn)
        racing = [one if same else world.submission(turn, one.move) for _ in range(32)]

        results = await asyncio.gather(
            *(
                world.submit(submission, facts, desk)
                for submission, desk in zip(
                    racing, [world.desk, other.desk] * 16, strict=True
                )
            ),
            return_exceptions=True,
        )

        made = [result for result in results if isinstance(result, MoveReport)]
        refused = [result for result in results if isinstance(result, RefusedError)]
        assert len(made) == (32 if same else 1)
        assert all(report == made[0] for report in made)
        assert len(made) + len(refused) == 32
        assert {error.reason for error in refused} <= {
            Reason.VERSION_STALE,
            Reason.NOT_YOUR_TURN,
        }
        assert (await world.turn(facts)).facts.version == turn.facts.version + 1
    assert world.tally.seen["accepted"] == 6


async def test_two_replicas_take_turns_at_one_match(world: World) -> None:
    facts, other = await world.start(), await world.replica()
    desks = [world.desk, other.desk]
    report, number = None, 0
    while report is None or not report.ending:
        # Neither has looked since its own latest move: its hint is old.
        turn = await world.turn(facts)
        submission = world.submission(turn)
        report = await world.submit(submission, facts, desks[number % 2])
        number += 1

    assert report.ending.kind is EndingKind.COMPLETED
    assert await world.one.signing.sign_finished() == 1


async def test_a_refusal_elsewhere_makes_a_hint_old_but_loses_no_move(
    world: World,
) -> None:
    facts, other = await world.start(), await world.replica()
    turn = await world.turn(facts)
    for desk in (other.desk, world.desk, other.desk):
        wrong = world.wrong(turn)
        await refusal(world, wrong, facts=facts, desk=desk)

    report = await world.submit(world.submission(turn), facts)

    assert report.version == turn.facts.version + 1
    after = await world.report(facts, turn.view.seat)
    assert after.clock.strikes[turn.view.seat] == 3


async def test_a_move_costs_one_trip_to_the_store(world: World) -> None:
    facts = await world.start()
    await world.move(facts)
    turn = await world.turn(facts)
    world.store.asked.clear()

    for _ in range(20):
        report = await world.submit(world.submission(turn), facts)
        turn = report.turn or await world.turn(facts)

    # Looking at the next turn of the other seat reads; moving does not.
    assert world.store.asked["apply"] == 20
    assert world.store.asked["log"] == 0


@pytest.mark.parametrize("kind", ["move", "step", "timeout"])
async def test_word_of_what_is_done_here_comes_once_it_is_known_here(
    world: World, kind: str
) -> None:
    facts, other = await world.start(), await world.replica()
    match_id, place = facts.match_id, EntryId(facts.version + 1)
    submission = world.submission(await world.turn(facts))
    if kind == "timeout":
        world.time.ms += 1_000_000
    calls = {
        "move": lambda: world.submit(submission, facts),
        "step": lambda: world.desk.abort_match(world.host, match_id),
        "timeout": lambda: world.desk.time_out(match_id),
    }
    world.store.answers = asyncio.Event()
    with world.one.hub.subscribe() as follower, other.hub.subscribe() as elsewhere:
        follower.follow(match_id)
        elsewhere.follow(match_id)
        calling = asyncio.create_task(calls[kind]())
        assert await elsewhere.changes() == (Wake(match_id, place),)
        hearing = asyncio.create_task(follower.changes())
        await asyncio.sleep(0)
        assert not hearing.done()
        world.store.asked.clear()

        world.store.answers.set()

        assert await hearing == (Wake(match_id, place),)
    live = await world.one.keeper.latest(match_id, place)
    assert world.store.asked["read"] == 0
    assert place_of(live) == place
    await calling


async def test_a_move_whose_caller_has_gone_is_stored_counted_and_told(
    world: World,
) -> None:
    facts = await world.start()
    turn = await world.turn(facts)
    match_id = facts.match_id
    world.store.answers = asyncio.Event()
    place = EntryId(facts.version + 1)
    other = await world.replica()
    with world.one.hub.subscribe() as follower, other.hub.subscribe() as elsewhere:
        follower.follow(match_id)
        elsewhere.follow(match_id)
        calling = asyncio.create_task(world.submit(world.submission(turn), facts))
        # The store has told of the move, but not yet answered.
        await elsewhere.changes()
        calling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await calling
        assert world.tally.seen["accepted"] == 0

        world.store.answers.set()
        told = await follower.changes()
        live = await world.one.keeper.latest(match_id, place)

    assert told == (Wake(match_id, place),)
    assert world.tally.seen["accepted"] == 1
    assert live.state.version == turn.facts.version + 1
    assert live is world.one.keeper.hint(match_id)
