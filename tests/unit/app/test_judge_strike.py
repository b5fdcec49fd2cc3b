"""Illegal moves: what they cost, and what they change."""

import asyncio
from dataclasses import replace

import pytest
from tests.unit.app.judgment import World, refusal, stored, throwing

from ginref.app.error import Reason
from ginref.engine.deadwood import deadwood
from ginref.engine.move import DRAW_UPCARD, PASS, Discard, Knock
from ginref.engine.seat import Seat
from ginref.record.lifecycle import EndingKind, Fault
from ginref.record.submission import Submission


async def test_a_request_id_of_another_move_is_refused(world: World) -> None:
    facts = await world.start()
    first = world.submission(await world.turn(facts), PASS)
    report = await world.submit(first, facts)
    others = [
        replace(first, move=DRAW_UPCARD),
        replace(first, expected_version=report.version),
    ]

    for other in others:
        error = await refusal(world, other, facts=facts)
        assert error.reason is Reason.REQUEST_ID_REUSED
        assert error.facts == {"request_id": first.request_id}


async def test_a_move_before_play_is_refused(world: World) -> None:
    facts = await world.create()
    early = Submission(
        match_id=facts.match_id,
        seat=Seat.NORTH,
        expected_version=1,
        request_id="early",
        move=PASS,
    )

    error = await refusal(world, early, facts=facts)

    assert error.reason is Reason.MATCH_NOT_PLAYING
    assert error.facts == {"stage": "forming"}


@pytest.mark.parametrize("allowed", [0, 1, 3])
async def test_the_strike_over_the_allowance_ends_the_match(
    world: World, allowed: int
) -> None:
    facts = await world.start(strikes_allowed=allowed)
    turn = await world.turn(facts)
    mover = turn.view.seat

    for used in range(allowed + 1):
        wrong = world.wrong(turn)
        error = await refusal(world, wrong, facts=facts)
        assert error.reason is Reason.WRONG_PHASE
        assert error.facts["strikes_left"] == str(max(0, allowed - used - 1))

    after = await world.report(facts, mover)
    assert after.clock.strikes[mover] == allowed + 1
    assert after.facts.version == facts.version + 1
    assert after.facts.ending.kind is EndingKind.STRIKES
    assert after.facts.ending.fault is Fault.SEAT
    assert after.facts.ending.seats_at_fault == (mover,)
    assert world.tally.seen["match_over", "strikes"] == 1
    error = await refusal(world, world.submission(turn), facts=facts)
    assert error.reason is Reason.MATCH_OVER
    assert error.facts == {"ending": "strikes"}


async def test_a_retried_illegal_move_costs_one_strike(
    world: World,
) -> None:
    facts, other = await world.start(), await world.replica()
    turn = await world.turn(facts)
    wrong = world.wrong(turn)
    first = await refusal(world, wrong, facts=facts)
    second = world.wrong(turn)
    await refusal(world, second, facts=facts, desk=other.desk)
    before = await stored(world, facts.match_id)

    for desk in (world.desk, other.desk, (await world.replica()).desk):
        again = await refusal(world, wrong, facts=facts, desk=desk)
        assert (again.reason, again.message) == (first.reason, first.message)
        assert again.facts == first.facts

    assert await stored(world, facts.match_id) == before
    strikes = (await world.report(facts, turn.view.seat)).clock.strikes
    assert strikes[turn.view.seat] == 2


async def test_the_strike_that_ended_the_match_is_told_again_the_same(
    world: World,
) -> None:
    facts = await world.start(strikes_allowed=0)
    turn = await world.turn(facts)
    wrong = world.wrong(turn)
    first = await refusal(world, wrong, facts=facts)
    other = await world.replica()

    again = await refusal(world, wrong, facts=facts, desk=other.desk)

    assert (again.reason, again.facts) == (first.reason, first.facts)


async def test_a_good_move_may_follow_a_strike_at_the_same_version(
    world: World,
) -> None:
    facts = await world.start()
    turn = await world.turn(facts)
    await refusal(world, world.wrong(turn), facts=facts)

    report = await world.submit(world.submission(turn), facts)

    assert report.version == turn.facts.version + 1


async def test_a_knock_is_refused_with_what_the_mover_may_know(world: World) -> None:
    facts = await world.start()
    turn = await throwing(world, facts)
    while any(isinstance(move, Knock) for move in turn.view.legal):
        await world.move(facts, Discard(turn.view.discards[0].card))
        turn = await throwing(world, facts)
    worst = turn.view.discards[-1]
    before = turn.facts.version

    error = await refusal(world, world.submission(turn, Knock(worst.card)), facts=facts)

    assert error.reason is Reason.KNOCK_ABOVE_LIMIT
    assert error.facts["strikes_left"] == "2"
    assert int(error.facts["deadwood"]) == worst.deadwood
    assert deadwood(turn.view.hand) > 10
    assert (await world.turn(facts)).facts.version == before


async def test_racing_illegal_moves_are_all_counted(
    world: World,
) -> None:
    facts, other = await world.start(strikes_allowed=20), await world.replica()
    turn = await world.turn(facts)
    racing = [world.wrong(turn) for _ in range(6)]

    await asyncio.gather(
        *(
            refusal(world, submission, facts=facts, desk=desk)
            for submission in racing
            for desk in (world.desk, other.desk)
        )
    )

    strikes = (await world.report(facts, turn.view.seat)).clock.strikes
    assert strikes[turn.view.seat] == len(racing)


async def test_a_refused_move_changes_nothing_that_a_seat_can_see(
    world: World,
) -> None:
    facts = await world.start()
    turn = await throwing(world, facts)
    before = await world.report(facts, turn.view.seat)

    await refusal(world, world.wrong(turn), facts=facts)

    after = await world.report(facts, turn.view.seat)
    assert after.view == before.view
    assert after.facts == before.facts
    assert after.clock.banks_ms == before.clock.banks_ms
    assert after.clock.deadline_ms == before.clock.deadline_ms


async def test_refused_moves_are_counted(world: World) -> None:
    facts = await world.start()
    turn = await world.turn(facts)

    await refusal(world, world.wrong(turn), facts=facts)
    await refusal(world, world.submission(turn, expected_version=1), facts=facts)

    assert world.tally.seen["refused"] == 2
