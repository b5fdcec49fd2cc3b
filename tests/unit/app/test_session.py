"""A bot on its stream: what it is told, and in which order."""

import asyncio

import pytest
from tests.unit.app.listener import (
    Ear,
    World,
    answer,
    attached,
    kinds_told,
    play,
    two,
    version,
)

from ginref.app.error import Reason, RefusedError
from ginref.app.message import (
    Events,
    MatchOver,
    MoveResult,
    Offer,
    Prepare,
    Problem,
    RoundOver,
    Started,
    Turn,
    Welcome,
)
from ginref.app.report import MoveReport
from ginref.app.request import Commit, Decline, SeatStep
from ginref.engine.move import DRAW_STOCK, PASS
from ginref.engine.seat import Seat
from ginref.record.lifecycle import EndingKind


async def test_two_bots_play_a_match_to_its_end(world: World) -> None:
    ears = await two(world)
    facts = await world.create()

    await play(world, *ears)

    for ear, seat in zip(ears, (Seat.NORTH, Seat.SOUTH), strict=True):
        kinds = kinds_told(ear)
        assert kinds[:5] == [Welcome, Offer, Prepare, Prepare, Started]
        assert kinds[-2:] == [RoundOver, MatchOver]
        over = ear.heard[-1]
        assert (over.match_id, over.seat) == (facts.match_id, seat)
        assert over.ending.kind is EndingKind.COMPLETED
        assert over.sheet.winner is over.ending.winner
        assert kinds.count(RoundOver) == world.tally.seen["round_over"]
        assert Problem not in kinds
    assert await world.one.signing.sign_finished() == 1
    assert await world.store.live_matches("careful") == ()


async def test_bots_on_two_replicas_play_a_match_to_its_end(world: World) -> None:
    other = await world.replica()
    ears = await world.attach("careful"), await world.attach("greedy", replica=other)
    await world.create()

    await play(world, *ears)

    assert world.tally.seen["match_over", "completed"] == 1
    for ear in ears:
        results = [one for one in ear.heard if isinstance(one, MoveResult)]
        assert all(isinstance(one.result, MoveReport) for one in results)
        assert kinds_told(ear).count(RoundOver) == world.tally.seen["round_over"]


async def test_a_bot_plays_many_matches_at_once(world: World) -> None:
    ears = await two(world)
    made = [await world.create() for _ in range(5)]

    async def play(ear: Ear) -> set[str]:
        over: set[str] = set()
        while len(over) < len(made):
            message = await ear.next()
            answer(world, ear, message)
            if isinstance(message, MatchOver):
                over.add(message.match_id)
        return over

    ends = await asyncio.gather(*map(play, ears))

    assert ends == [{facts.match_id for facts in made}] * 2


async def test_results_come_before_the_turns_that_follow_from_them(
    world: World,
) -> None:
    ears = await two(world)
    await world.create()

    await play(world, *ears)

    for ear in ears:
        told = [version(one) for one in ear.heard if version(one)]
        assert told == sorted(told)
        assert len(told) > 20


async def test_the_turn_after_a_draw_follows_its_result_at_once(world: World) -> None:
    facts = await world.start()
    while DRAW_STOCK not in (turn := await world.turn(facts)).view.legal:
        await world.move(facts)
    ear = await attached(world, facts, turn.view.seat)
    assert (await ear.until(Turn)).report == turn
    world.store.asked.clear()

    ear.session.submit(world.submission(turn, DRAW_STOCK), 0.0)
    result, again = await ear.next(), await ear.next()

    assert isinstance(result, MoveResult)
    assert result.version == turn.facts.version + 1
    assert isinstance(again, Turn)
    assert again.report == await world.report(facts, turn.view.seat)
    assert again.report.view.drawn


async def test_a_bot_is_not_told_of_the_move_it_was_just_answered(
    world: World,
) -> None:
    facts = await world.start()
    turn = await world.turn(facts)
    ear = await attached(world, facts, turn.view.seat)
    await ear.until(Turn)

    ear.session.submit(world.submission(turn, PASS), 0.0)
    await ear.until(MoveResult)
    await world.move(facts, PASS)
    after = await ear.next()

    assert isinstance(after, Turn)
    assert [event.move for event in after.report.events] == ["pass"]


async def test_a_refused_move_is_followed_by_the_turn_as_it_stands(
    world: World,
) -> None:
    facts = await world.start()
    turn = await world.turn(facts)
    ear = await attached(world, facts, turn.view.seat)
    await ear.until(Turn)
    stale = world.submission(turn, expected_version=2)
    for wrong, reason, strikes in [
        (world.wrong(turn), Reason.WRONG_PHASE, 1),
        (stale, Reason.VERSION_STALE, 1),
        (world.wrong(turn), Reason.WRONG_PHASE, 2),
    ]:
        ear.session.submit(wrong, 0.0)
        result, again = await ear.next(), await ear.next()

        assert isinstance(result, MoveResult)
        assert result.request_id == wrong.request_id
        assert isinstance(result.result, RefusedError)
        assert result.result.reason is reason
        assert result.version == facts.version
        assert isinstance(again, Turn)
        assert again.report.clock.strikes[turn.view.seat] == strikes


async def test_a_refused_move_out_of_turn_is_followed_by_nothing(world: World) -> None:
    facts = await world.start()
    turn = await world.turn(facts)
    idle = Seat(1 - turn.view.seat)
    ear = await attached(world, facts, idle)
    assert isinstance(await ear.next(), Started)

    ear.session.submit(world.submission(turn, seat=idle), 0.0)
    result = await ear.next()
    ear.session.hang_up()

    assert result.result.reason is Reason.NOT_YOUR_TURN
    assert await ear.rest() == []


async def test_a_retry_on_the_stream_is_answered_alike_and_moves_nothing(
    world: World,
) -> None:
    facts = await world.start()
    turn = await world.turn(facts)
    ear = await attached(world, facts, turn.view.seat)
    await ear.until(Turn)
    submission = world.submission(turn, PASS)
    ear.session.submit(submission, 0.0)
    ear.session.submit(submission, 0.0)

    first, second = await ear.until(MoveResult), await ear.until(MoveResult)

    assert first == second
    assert world.tally.seen["accepted"] == 1


async def test_the_other_seat_is_told_of_strikes_and_moves(world: World) -> None:
    facts = await world.start()
    turn = await world.turn(facts)
    ear = await attached(world, facts, Seat(1 - turn.view.seat), events=True)
    await ear.until(Started)

    with pytest.raises(RefusedError):
        await world.submit(world.wrong(turn), facts)
    events = await ear.until(Events)
    await world.submit(world.submission(turn, PASS), facts)
    mine = await ear.until(Turn)

    assert [event.kind for event in events.events] == ["struck"]
    assert events.version == facts.version
    assert [event.kind for event in mine.report.events] == ["struck", "played"]


async def test_who_does_not_ask_for_events_is_told_of_them_with_its_turn(
    world: World,
) -> None:
    facts = await world.start()
    turn = await world.turn(facts)
    ear = await attached(world, facts, Seat(1 - turn.view.seat))

    with pytest.raises(RefusedError):
        await world.submit(world.wrong(turn), facts)
    await world.submit(world.submission(turn, PASS), facts)
    mine = await ear.until(Turn)

    assert [event.kind for event in mine.report.events] == ["struck", "played"]
    assert Events not in kinds_told(ear)


async def test_a_seat_that_declines_ends_the_match_for_both(world: World) -> None:
    ears = await two(world)
    await world.create()
    offer = await ears[0].until(Offer)
    step = SeatStep(match_id=offer.facts.match_id, seat=offer.seat, step=Decline())

    ears[0].session.prepare(step)

    for ear in ears:
        over = await ear.until(MatchOver)
        assert over.ending.seats_at_fault == (Seat.NORTH,)
        assert over.sheet is None


async def test_a_step_that_is_refused_is_a_problem_and_the_stream_goes_on(
    world: World,
) -> None:
    ears = await two(world)
    facts = await world.create()
    offer = await ears[0].until(Offer)
    early = SeatStep(match_id=facts.match_id, seat=Seat.NORTH, step=Commit(None))

    ears[0].session.prepare(early)

    problem = await ears[0].next()
    assert isinstance(problem, Problem)
    assert problem.error.reason is Reason.STEP_OUT_OF_ORDER
    assert problem.match_id == facts.match_id
    answer(world, ears[0], offer)
    await play(world, *ears, until=Started)


async def test_a_bot_resigns(world: World) -> None:
    facts = await world.start()
    ears = [await attached(world, facts, seat) for seat in (Seat.NORTH, Seat.SOUTH)]

    ears[0].session.resign(facts.match_id, Seat.NORTH)

    for ear in ears:
        over = await ear.until(MatchOver)
        assert over.ending.kind is EndingKind.RESIGNED
        assert over.sheet is not None
