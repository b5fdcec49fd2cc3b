"""Judging moves: accepted ones, retries, and those of the wrong seat or version."""

import asyncio
import threading
from collections.abc import Sequence

import pytest
from tests.unit.app.judgment import World, refusal, stored

from ginref.app import keeper
from ginref.app.error import Reason, RefusedError
from ginref.app.live_match import LiveMatch, fold
from ginref.app.report import MoveReport
from ginref.engine.move import DRAW_STOCK, PASS
from ginref.engine.seat import Seat
from ginref.record.entry import StampedEntry
from ginref.record.setup import Setup
from ginref.record.submission import Submission


async def test_an_accepted_move_is_reported_with_its_time(world: World) -> None:
    facts = await world.start()
    submission = world.submission(await world.turn(facts), PASS)
    world.time.ms += 42

    report = await world.submit(submission, facts)

    assert report == MoveReport(
        version=facts.version + 1,
        time_ms=world.time.ms,
        elapsed_ms=42,
        referee_ms=report.referee_ms,
        turn=None,
        ending=None,
    )
    assert world.tally.seen["pass", "accepted"] == 1


async def test_times_of_the_bot_and_of_the_referee_are_counted_apart(
    world: World,
) -> None:
    facts = await world.start()
    submission = world.submission(await world.turn(facts), PASS)
    player = world.player(facts, submission.seat)
    await world.desk.get_match(player, facts.match_id)
    received = asyncio.get_running_loop().time() - 5

    await world.desk.submit_move(player, submission, received)

    ((waited_ms, referee_s),) = world.tally.times
    # The turn was sent after the move is said to have come.
    assert waited_ms == 0
    assert referee_s >= 5


async def test_the_referee_tells_what_it_spent_on_a_move(world: World) -> None:
    facts = await world.start()
    submission = world.submission(await world.turn(facts), PASS)
    loop = asyncio.get_running_loop()

    report = await world.desk.submit_move(
        world.player(facts, submission.seat), submission, loop.time() - 5
    )

    assert report.referee_ms >= 5000


async def test_a_draw_is_answered_with_the_turn_that_follows(world: World) -> None:
    facts = await world.start()
    while True:
        turn = await world.turn(facts)
        report = await world.move(facts)
        if report.turn:
            break

    assert DRAW_STOCK in turn.view.legal
    assert report.turn == await world.report(facts, turn.view.seat)
    assert report.turn.view.drawn
    assert report.turn.facts.version == report.version


async def test_a_retry_is_answered_like_the_first_time_whatever_came_after(
    world: World,
) -> None:
    facts = await world.start()
    made: list[tuple[Submission, MoveReport]] = []
    while not made or not made[-1][1].ending:
        submission = world.submission(await world.turn(facts))
        world.time.ms += 11
        made.append((submission, await world.submit(submission, facts)))
    other = await world.replica()
    before = await stored(world, facts.match_id)
    world.time.ms += 1_000_000

    for submission, report in made[:3] + made[-3:]:
        assert await world.submit(submission, facts) == report
        assert await world.submit(submission, facts, other.desk) == report
    for submission, report in made[3:-3:7]:
        assert await world.submit(submission, facts, other.desk) == report

    assert await stored(world, facts.match_id) == before
    assert world.tally.seen["accepted"] == len(made)


async def test_a_retry_is_recognised_by_a_replica_that_takes_it_for_new(
    world: World,
) -> None:
    facts, other = await world.start(), await world.replica()
    turn = await world.turn(facts)
    submission = world.submission(turn, PASS)
    await other.keeper.load(facts.match_id)
    report = await world.submit(submission, facts)
    hint = other.keeper.hint(facts.match_id)
    assert hint.state.version == submission.expected_version

    assert await world.submit(submission, facts, other.desk) == report

    assert world.tally.seen["accepted"] == 1


async def test_a_retry_at_once_is_answered_from_memory_as_if_no_time_had_passed(
    world: World,
) -> None:
    facts = await world.start()
    while DRAW_STOCK not in (await world.turn(facts)).view.legal:
        await world.move(facts)
    submission = world.submission(await world.turn(facts), DRAW_STOCK)
    made = await world.submit(submission, facts)
    assert made.turn
    world.time.jump(5000)
    await world.store.beat()
    # This learns of the credit and the time, which the first answer did not know.
    assert (await world.turn(facts)).clock.credits
    read = world.store.asked["log"]

    assert await world.submit(submission, facts) == made

    assert world.store.asked["log"] == read


async def test_moves_go_on_while_the_answer_to_an_old_one_is_found(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts, other = await world.start(), await world.start()
    submission = world.submission(await world.turn(facts), PASS)
    made = await world.submit(submission, facts)
    await world.move(facts)
    has_moved = threading.Event()

    def slow(setup: Setup, log: Sequence[StampedEntry]) -> LiveMatch:
        assert has_moved.wait(10)
        return fold(setup, log)

    monkeypatch.setattr(keeper, "fold", slow)
    retries = [
        asyncio.create_task(world.submit(submission, facts, one.desk))
        for one in (world.one, await world.replica(), world.one)
    ]
    await world.move(other)
    has_moved.set()

    assert await asyncio.gather(*retries) == [made] * 3


async def test_both_seats_may_use_the_same_request_id(world: World) -> None:
    facts = await world.start()
    first = world.submission(await world.turn(facts), PASS, request_id="same")
    await world.submit(first, facts)
    second = world.submission(await world.turn(facts), PASS, request_id="same")

    report = await world.submit(second, facts)

    assert second.seat is not first.seat
    assert report.version == second.expected_version + 1


async def test_a_move_for_another_version_is_stale(world: World) -> None:
    facts = await world.start()
    turn = await world.turn(facts)
    for wrong in (facts.version - 1, facts.version + 1):
        stale = world.submission(turn, expected_version=wrong)
        error = await refusal(world, stale, facts=facts)
        assert error.reason is Reason.VERSION_STALE
        assert error.facts == {
            "version": str(facts.version),
            "expected_version": str(wrong),
        }


async def test_a_move_out_of_turn_costs_nothing(world: World) -> None:
    facts = await world.start()
    turn = await world.turn(facts)
    idle = Seat.SOUTH if turn.view.seat is Seat.NORTH else Seat.NORTH
    before = await stored(world, facts.match_id)

    error = await refusal(world, world.submission(turn, seat=idle), facts=facts)

    assert error.reason is Reason.NOT_YOUR_TURN
    assert error.facts == {"to_act": str(turn.view.seat)}
    assert await stored(world, facts.match_id) == before
    assert (await world.report(facts, idle)).clock.strikes == (0, 0)


async def test_nobody_moves_for_another(world: World) -> None:
    facts = await world.start()
    turn = await world.turn(facts)
    rival = world.player(
        facts, Seat.SOUTH if turn.view.seat is Seat.NORTH else Seat.NORTH
    )
    callers = [
        (rival, Reason.SEAT_NOT_YOURS),
        (world.bot("third"), Reason.SEAT_NOT_YOURS),
        (world.host, Reason.ROLE_NOT_ALLOWED),
    ]
    for caller, reason in callers:
        with pytest.raises(RefusedError) as refused:
            await world.desk.submit_move(caller, world.submission(turn), 0.0)
        assert refused.value.reason is reason
