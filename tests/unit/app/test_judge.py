"""What becomes of a submitted move."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from ginref.adapters.memory_store import MemoryStore
from ginref.app.error import Reason, RefusedError
from ginref.app.match_store import EntryId
from ginref.app.report import MoveReport, SeatReport
from ginref.engine.deadwood import deadwood
from ginref.engine.move import DRAW_STOCK, DRAW_UPCARD, PASS, Discard, Knock
from ginref.engine.seat import Seat
from ginref.record.lifecycle import EndingKind, Fault
from ginref.record.submission import Submission

World = Any
"""The referee of `conftest`, whose class cannot be imported."""


async def _refusal(world: World, submission: Submission, **how: Any) -> RefusedError:  # noqa: ANN401
    facts = how.pop("facts")
    with pytest.raises(RefusedError) as refused:
        await world.submit(submission, facts, **how)
    error: RefusedError = refused.value
    return error


async def _stored(world: World, match_id: str) -> object:
    """All that the store holds of a match, the time of reading aside."""
    stored = await MemoryStore.read(world.store, match_id)
    assert stored is not None
    return replace(stored, now_ms=0), await world.store.log(match_id)


async def _throwing(world: World, facts: Any) -> SeatReport:  # noqa: ANN401
    """Play until somebody has drawn from the stock, and is to throw a card."""
    while True:
        turn: SeatReport = await world.turn(facts)
        if turn.view.drawn:
            return turn
        await world.move(facts)


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
    before = await _stored(world, facts.match_id)
    world.time.ms += 1_000_000

    for submission, report in made[:3] + made[-3:]:
        assert await world.submit(submission, facts) == report
        assert await world.submit(submission, facts, other.desk) == report
    for submission, report in made[3:-3:7]:
        assert await world.submit(submission, facts, other.desk) == report

    assert await _stored(world, facts.match_id) == before
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


async def test_a_request_id_of_another_move_is_refused(world: World) -> None:
    facts = await world.start()
    first = world.submission(await world.turn(facts), PASS)
    report = await world.submit(first, facts)
    others = [
        replace(first, move=DRAW_UPCARD),
        replace(first, expected_version=report.version),
    ]

    for other in others:
        error = await _refusal(world, other, facts=facts)
        assert error.reason is Reason.REQUEST_ID_REUSED
        assert error.facts == {"request_id": first.request_id}


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
        error = await _refusal(world, stale, facts=facts)
        assert error.reason is Reason.VERSION_STALE
        assert error.facts == {
            "version": str(facts.version),
            "expected_version": str(wrong),
        }


async def test_a_move_out_of_turn_costs_nothing(world: World) -> None:
    facts = await world.start()
    turn = await world.turn(facts)
    idle = Seat.SOUTH if turn.view.seat is Seat.NORTH else Seat.NORTH
    before = await _stored(world, facts.match_id)

    error = await _refusal(world, world.submission(turn, seat=idle), facts=facts)

    assert error.reason is Reason.NOT_YOUR_TURN
    assert error.facts == {"to_act": str(turn.view.seat)}
    assert await _stored(world, facts.match_id) == before
    assert (await world.report(facts, idle)).clock.strikes == (0, 0)


async def test_a_move_before_play_is_refused(world: World) -> None:
    facts = await world.create()
    early = Submission(
        match_id=facts.match_id,
        seat=Seat.NORTH,
        expected_version=1,
        request_id="early",
        move=PASS,
    )

    error = await _refusal(world, early, facts=facts)

    assert error.reason is Reason.MATCH_NOT_PLAYING
    assert error.facts == {"stage": "forming"}


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


@pytest.mark.parametrize("allowed", [0, 1, 3])
async def test_the_strike_over_the_allowance_ends_the_match(
    world: World, allowed: int
) -> None:
    facts = await world.start(strikes_allowed=allowed)
    turn = await world.turn(facts)
    mover = turn.view.seat

    for used in range(allowed + 1):
        wrong = world.wrong(turn)
        error = await _refusal(world, wrong, facts=facts)
        assert error.reason is Reason.WRONG_PHASE
        assert error.facts["strikes_left"] == str(max(0, allowed - used - 1))

    after = await world.report(facts, mover)
    assert after.clock.strikes[mover] == allowed + 1
    assert after.facts.version == facts.version + 1
    assert after.facts.ending.kind is EndingKind.STRIKES
    assert after.facts.ending.fault is Fault.SEAT
    assert after.facts.ending.seats_at_fault == (mover,)
    assert world.tally.seen["match_over", "strikes"] == 1
    error = await _refusal(world, world.submission(turn), facts=facts)
    assert error.reason is Reason.MATCH_OVER
    assert error.facts == {"ending": "strikes"}


async def test_a_retried_illegal_move_costs_one_strike(
    world: World,
) -> None:
    facts, other = await world.start(), await world.replica()
    turn = await world.turn(facts)
    wrong = world.wrong(turn)
    first = await _refusal(world, wrong, facts=facts)
    second = world.wrong(turn)
    await _refusal(world, second, facts=facts, desk=other.desk)
    before = await _stored(world, facts.match_id)

    for desk in (world.desk, other.desk, (await world.replica()).desk):
        again = await _refusal(world, wrong, facts=facts, desk=desk)
        assert (again.reason, again.message) == (first.reason, first.message)
        assert again.facts == first.facts

    assert await _stored(world, facts.match_id) == before
    strikes = (await world.report(facts, turn.view.seat)).clock.strikes
    assert strikes[turn.view.seat] == 2


async def test_the_strike_that_ended_the_match_is_told_again_the_same(
    world: World,
) -> None:
    facts = await world.start(strikes_allowed=0)
    turn = await world.turn(facts)
    wrong = world.wrong(turn)
    first = await _refusal(world, wrong, facts=facts)
    other = await world.replica()

    again = await _refusal(world, wrong, facts=facts, desk=other.desk)

    assert (again.reason, again.facts) == (first.reason, first.facts)


async def test_a_good_move_may_follow_a_strike_at_the_same_version(
    world: World,
) -> None:
    facts = await world.start()
    turn = await world.turn(facts)
    await _refusal(world, world.wrong(turn), facts=facts)

    report = await world.submit(world.submission(turn), facts)

    assert report.version == turn.facts.version + 1


async def test_a_knock_is_refused_with_what_the_mover_may_know(world: World) -> None:
    facts = await world.start()
    turn = await _throwing(world, facts)
    while any(isinstance(move, Knock) for move in turn.view.legal):
        await world.move(facts, Discard(turn.view.discards[0].card))
        turn = await _throwing(world, facts)
    worst = turn.view.discards[-1]
    before = turn.facts.version

    error = await _refusal(
        world, world.submission(turn, Knock(worst.card)), facts=facts
    )

    assert error.reason is Reason.KNOCK_ABOVE_LIMIT
    assert error.facts["strikes_left"] == "2"
    assert int(error.facts["deadwood"]) == worst.deadwood
    assert deadwood(turn.view.hand) > 10
    assert (await world.turn(facts)).facts.version == before


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

        late = await _refusal(world, submissions[kind], facts=facts)
        over = await _refusal(world, submissions[kind], facts=facts)

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

    error = await _refusal(world, world.submission(turn), facts=facts)

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


async def test_racing_illegal_moves_are_all_counted(
    world: World,
) -> None:
    facts, other = await world.start(strikes_allowed=20), await world.replica()
    turn = await world.turn(facts)
    racing = [world.wrong(turn) for _ in range(6)]

    await asyncio.gather(
        *(
            _refusal(world, submission, facts=facts, desk=desk)
            for submission in racing
            for desk in (world.desk, other.desk)
        )
    )

    strikes = (await world.report(facts, turn.view.seat)).clock.strikes
    assert strikes[turn.view.seat] == len(racing)


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
        await _refusal(world, wrong, facts=facts, desk=desk)

    report = await world.submit(world.submission(turn), facts)

    assert report.version == turn.facts.version + 1
    after = await world.report(facts, turn.view.seat)
    assert after.clock.strikes[turn.view.seat] == 3


async def test_a_refused_move_changes_nothing_that_a_seat_can_see(
    world: World,
) -> None:
    facts = await world.start()
    turn = await _throwing(world, facts)
    before = await world.report(facts, turn.view.seat)

    await _refusal(world, world.wrong(turn), facts=facts)

    after = await world.report(facts, turn.view.seat)
    assert after.view == before.view
    assert after.facts == before.facts
    assert after.clock.banks_ms == before.clock.banks_ms
    assert after.clock.deadline_ms == before.clock.deadline_ms


async def test_refused_moves_are_counted(world: World) -> None:
    facts = await world.start()
    turn = await world.turn(facts)

    await _refusal(world, world.wrong(turn), facts=facts)
    await _refusal(world, world.submission(turn, expected_version=1), facts=facts)

    assert world.tally.seen["refused"] == 2


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


async def test_a_move_whose_caller_has_gone_is_stored_counted_and_told(
    world: World,
) -> None:
    facts = await world.start()
    turn = await world.turn(facts)
    match_id = facts.match_id
    world.store.answers = asyncio.Event()
    with world.one.hub.subscribe() as follower:
        follower.follow(match_id)
        calling = asyncio.create_task(world.submit(world.submission(turn), facts))
        # The store has told of the move, but not yet answered.
        await follower.changes()
        calling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await calling
    assert world.tally.seen["accepted"] == 0

    world.store.answers.set()
    live = await world.one.keeper.latest(match_id, EntryId(facts.version + 1))

    assert world.tally.seen["accepted"] == 1
    assert live.state.version == turn.facts.version + 1
    assert live is world.one.keeper.hint(match_id)
