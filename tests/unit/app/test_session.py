"""A bot's attachment: what it is told, in which order, and how it ends."""

import asyncio
from typing import Any

import pytest

from ginref.app.caller import Caller, Role
from ginref.app.error import Reason, RefusedError
from ginref.app.match_store import EVERYTHING
from ginref.app.message import (
    Drain,
    Events,
    Fenced,
    MatchOver,
    Message,
    MoveResult,
    Offer,
    Ping,
    Prepare,
    Problem,
    RoundOver,
    Started,
    Turn,
    Welcome,
)
from ginref.app.report import MoveReport
from ginref.app.request import Accept, Commit, Decline, Reveal, SeatStep
from ginref.app.session import Session, SessionPolicy
from ginref.engine.move import DRAW_STOCK, PASS
from ginref.engine.seat import Seat
from ginref.record.lifecycle import EndingKind, Stage
from ginref.record.share import commit_seat

World = Any
Ear = Any
"""The referee and the reader of `conftest`, whose classes cannot be imported."""

FAR = 10**9


def _answer(world: World, ear: Ear, message: Message) -> None:
    """Do what every bot does: take the seat, prepare, and move in its turns."""
    session: Session = ear.session
    match message:
        case Offer(facts=facts, seat=seat):
            step = SeatStep(match_id=facts.match_id, seat=seat, step=Accept())
            session.prepare(step)
        case Prepare(facts=facts, seat=seat, reveal=True):
            reveal = Reveal(world.share(seat))
            session.prepare(SeatStep(match_id=facts.match_id, seat=seat, step=reveal))
        case Prepare(facts=facts, seat=seat):
            commitment = commit_seat(facts.match_id, seat, world.share(seat))
            commit = Commit(commitment)
            session.prepare(SeatStep(match_id=facts.match_id, seat=seat, step=commit))
        case Turn(report):
            session.submit(world.submission(report), 0.0)
        case _:
            session.heard()


async def _play(world: World, *ears: Ear, until: type[Message] = MatchOver) -> None:
    """Let bots play until each of them has heard a message of a kind."""

    async def play(ear: Ear) -> None:
        while True:
            message = await ear.next()
            if isinstance(message, until):
                return
            _answer(world, ear, message)

    await asyncio.gather(*map(play, ears))


def _version(message: Message) -> int:
    """Version of the match that a message of a playing match tells of."""
    match message:
        case Turn(report):
            return report.facts.version
        case MoveResult() | Events():
            return message.version
        case _:
            return 0


async def _two(world: World) -> tuple[Ear, Ear]:
    ears = await world.attach("careful"), await world.attach("greedy")
    for ear in ears:
        assert isinstance(await ear.next(), Welcome)
    return ears


def _kinds(ear: Ear) -> list[type[Message]]:
    return [type(message) for message in ear.heard]


async def _attached(world: World, facts: Any, seat: Seat, **how: Any) -> Ear:  # noqa: ANN401
    ear = await world.attach(facts.bots[seat], **how)
    await ear.until(Welcome)
    return ear


async def test_two_bots_play_a_match_to_its_end(world: World) -> None:
    ears = await _two(world)
    facts = await world.create()

    await _play(world, *ears)

    for ear, seat in zip(ears, (Seat.NORTH, Seat.SOUTH), strict=True):
        kinds = _kinds(ear)
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

    await _play(world, *ears)

    assert world.tally.seen["match_over", "completed"] == 1
    for ear in ears:
        results = [one for one in ear.heard if isinstance(one, MoveResult)]
        assert all(isinstance(one.result, MoveReport) for one in results)
        assert _kinds(ear).count(RoundOver) == world.tally.seen["round_over"]


async def test_a_bot_plays_itself_on_one_attachment(world: World) -> None:
    ear = await world.attach("careful")
    await world.create(bots=("careful", "careful"))

    await _play(world, ear)
    await ear.until(MatchOver)

    seats = [one.seat for one in ear.heard if isinstance(one, MatchOver)]
    assert seats == [Seat.NORTH, Seat.SOUTH]


async def test_a_bot_plays_many_matches_at_once(world: World) -> None:
    ears = await _two(world)
    made = [await world.create() for _ in range(5)]

    async def play(ear: Ear) -> set[str]:
        over: set[str] = set()
        while len(over) < len(made):
            message = await ear.next()
            _answer(world, ear, message)
            if isinstance(message, MatchOver):
                over.add(message.match_id)
        return over

    ends = await asyncio.gather(*map(play, ears))

    assert ends == [{facts.match_id for facts in made}] * 2


async def test_results_come_before_the_turns_that_follow_from_them(
    world: World,
) -> None:
    ears = await _two(world)
    await world.create()

    await _play(world, *ears)

    for ear in ears:
        told = [_version(one) for one in ear.heard if _version(one)]
        assert told == sorted(told)
        assert len(told) > 20


async def test_the_turn_after_a_draw_follows_its_result_at_once(world: World) -> None:
    facts = await world.start()
    while DRAW_STOCK not in (turn := await world.turn(facts)).view.legal:
        await world.move(facts)
    ear = await _attached(world, facts, turn.view.seat)
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
    ear = await _attached(world, facts, turn.view.seat)
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
    ear = await _attached(world, facts, turn.view.seat)
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
    ear = await _attached(world, facts, idle)
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
    ear = await _attached(world, facts, turn.view.seat)
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
    ear = await _attached(world, facts, Seat(1 - turn.view.seat))
    await ear.until(Started)

    with pytest.raises(RefusedError):
        await world.submit(world.wrong(turn), facts)
    events = await ear.until(Events)
    await world.submit(world.submission(turn, PASS), facts)
    mine = await ear.until(Turn)

    assert [event.kind for event in events.events] == ["struck"]
    assert events.version == facts.version
    assert [event.kind for event in mine.report.events] == ["struck", "played"]


async def test_a_new_match_is_offered_to_whoever_is_attached(world: World) -> None:
    ears = await _two(world)
    other = await world.replica()

    facts = await other.desk.create_match(world.host, world.new())

    for ear, seat in zip(ears, (Seat.NORTH, Seat.SOUTH), strict=True):
        offer = await ear.next()
        assert isinstance(offer, Offer)
        assert (offer.facts, offer.seat) == (facts, seat)
        assert offer.deadline_ms == world.time.ms + facts.clock.start_ms


async def test_a_seat_that_declines_ends_the_match_for_both(world: World) -> None:
    ears = await _two(world)
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
    ears = await _two(world)
    facts = await world.create()
    offer = await ears[0].until(Offer)
    early = SeatStep(match_id=facts.match_id, seat=Seat.NORTH, step=Commit(None))

    ears[0].session.prepare(early)

    problem = await ears[0].next()
    assert isinstance(problem, Problem)
    assert problem.error.reason is Reason.STEP_OUT_OF_ORDER
    assert problem.match_id == facts.match_id
    _answer(world, ears[0], offer)
    await _play(world, *ears, until=Started)


async def test_a_bot_resigns(world: World) -> None:
    facts = await world.start()
    ears = [await _attached(world, facts, seat) for seat in (Seat.NORTH, Seat.SOUTH)]

    ears[0].session.resign(facts.match_id, Seat.NORTH)

    for ear in ears:
        over = await ear.until(MatchOver)
        assert over.ending.kind is EndingKind.RESIGNED
        assert over.sheet is not None


async def test_welcome_lists_live_matches_and_their_state_follows(
    world: World,
) -> None:
    offered = await world.create()
    playing = await world.start()
    ended = await world.start()
    await world.desk.abort_match(world.host, ended.match_id)
    turn = await world.turn(playing)

    ear = await world.attach(playing.bots[turn.view.seat])
    welcome = await ear.next()
    rest = [await ear.next() for _ in range(3)]

    assert isinstance(welcome, Welcome)
    assert welcome.bot == playing.bots[turn.view.seat]
    assert set(welcome.live) == {offered, playing}
    assert sorted(type(one).__name__ for one in rest) == ["Offer", "Started", "Turn"]
    told = next(one for one in rest if isinstance(one, Turn))
    assert told.report == turn


async def test_attaching_again_tells_where_each_match_stands_now(
    world: World,
) -> None:
    facts = await world.create()
    for seat, step in world.steps(facts)[:3]:
        facts = await world.step(facts, seat, step)
    first = await _attached(world, facts, Seat.SOUTH)
    asked = await first.until(Prepare)
    await first.session.close()

    second = await _attached(world, facts, Seat.SOUTH)
    again = await second.next()

    assert again == asked
    assert again.facts.stage is Stage.COMMITTING
    assert not again.reveal


@pytest.mark.parametrize("elsewhere", [False, True], ids=["same replica", "another"])
async def test_a_newer_attachment_fences_the_older_one(
    world: World,
    elsewhere: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    facts = await world.start()
    turn = await world.turn(facts)
    first = await _attached(world, facts, turn.view.seat)
    await first.until(Turn)
    replica = await world.replica() if elsewhere else world.one

    second = await world.attach(facts.bots[turn.view.seat], replica=replica)

    welcome = await second.until(Welcome)
    fenced = await first.until(Fenced)
    assert fenced.attachment == welcome.attachment
    assert await first.rest() == []
    assert first.session.error.reason is Reason.ATTACHMENT_FENCED
    assert await second.until(Turn) == Turn(turn)
    assert second.session.error is None


async def test_a_fenced_stream_still_has_its_last_moves_judged(world: World) -> None:
    facts = await world.start()
    turn = await world.turn(facts)
    first = await _attached(world, facts, turn.view.seat)
    await first.until(Turn)

    first.session.submit(world.submission(turn, PASS), 0.0)
    second = await world.attach(facts.bots[turn.view.seat])
    await first.session.close()

    await second.until(Started)
    assert world.tally.seen["pass", "accepted"] == 1


async def test_other_bots_fence_nobody(world: World) -> None:
    ears = await _two(world)
    await world.attach("third")
    await world.create()

    assert isinstance(await ears[0].next(), Offer)


@pytest.mark.parametrize(
    ("known", "told"),
    [
        pytest.param(3, True, id="less than all"),
        pytest.param(FAR, False, id="all"),
        pytest.param(None, False, id="nothing"),
    ],
)
async def test_a_match_that_ended_while_the_bot_was_away(
    world: World,
    known: int | None,
    told: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    facts = await world.start()
    await world.play_out(facts)
    cursors = {} if known is None else {facts.match_id: known}

    ear = await world.attach("careful", cursors=cursors)
    welcome = await ear.next()
    after = await world.create()
    heard = [await ear.next() for _ in range(1 + told)]

    assert welcome.live == ()
    kinds = sorted(type(message).__name__ for message in heard)
    assert kinds == (["MatchOver", "Offer"] if told else ["Offer"])
    assert await world.store.live_matches("careful") == (after.match_id,)


async def test_cursors_of_matches_that_are_none_of_the_bots_are_ignored(
    world: World,
) -> None:
    facts = await world.start(bots=("greedy", "third"))

    ear = await world.attach("careful", cursors={facts.match_id: 1, "m1": 1})
    ear.session.hang_up()

    assert [type(message) for message in await ear.rest()] == [Welcome]


@pytest.mark.parametrize("delay", range(8))
async def test_a_match_that_changes_elsewhere_while_a_bot_attaches_is_not_missed(
    world: World, delay: int
) -> None:
    facts, other = await world.start(), await world.replica()
    turn = await world.turn(facts)
    idle = Seat(1 - turn.view.seat)
    attaching = asyncio.create_task(world.attach(facts.bots[idle]))
    for _ in range(delay):
        await asyncio.sleep(0)

    await world.submit(world.submission(turn, PASS), facts, other.desk)

    ear = await attaching
    told = await ear.until(Turn)
    assert told.report == await world.report(facts, idle)


async def test_what_happened_while_no_wake_came_through_is_told_after_the_gap(
    world: World,
) -> None:
    facts, other = await world.start(), await world.replica()
    turn = await world.turn(facts)
    idle = Seat(1 - turn.view.seat)
    ear = await _attached(world, facts, idle)
    await ear.until(Started)
    world.listeners[0].cancel()
    await asyncio.sleep(0)
    await world.submit(world.submission(turn, PASS), facts, other.desk)
    offered = await other.desk.create_match(world.host, world.new())

    world.one.hub.notify(EVERYTHING)

    heard = [await ear.next(), await ear.next()]
    told = next(one for one in heard if isinstance(one, Turn))
    offer = next(one for one in heard if isinstance(one, Offer))
    assert told.report == await world.report(facts, idle)
    assert offer.facts == offered


async def test_bots_of_one_replica_hear_of_each_other_without_the_stores_wakes(
    world: World,
) -> None:
    facts = await world.start()
    turn = await world.turn(facts)
    ear = await _attached(world, facts, Seat(1 - turn.view.seat))
    await ear.until(Started)
    world.listeners[0].cancel()
    await asyncio.sleep(0)

    await world.submit(world.submission(turn, PASS), facts)

    assert isinstance(await ear.next(), Turn)


async def test_sync_tells_again_where_a_match_stands(world: World) -> None:
    facts, other = await world.start(), await world.replica()
    turn = await world.turn(facts)
    ear = await _attached(world, facts, turn.view.seat)
    await ear.until(Turn)

    ear.session.sync(facts.match_id, turn.view.seat)

    assert isinstance(await ear.next(), Started)
    assert await ear.next() == Turn(turn)

    await other.desk.abort_match(world.host, facts.match_id)
    await ear.until(MatchOver)
    ear.session.sync(facts.match_id, turn.view.seat)
    assert isinstance(await ear.next(), MatchOver)


async def test_sync_of_a_match_that_is_not_the_bots_is_a_problem(
    world: World,
) -> None:
    facts = await world.start(bots=("greedy", "third"))
    ear = await _attached(world, await world.create(), Seat.NORTH)
    await ear.until(Offer)
    for match_id, reason in [
        (facts.match_id, Reason.SEAT_NOT_YOURS),
        ("m1", Reason.MATCH_NOT_FOUND),
    ]:
        ear.session.sync(match_id, Seat.NORTH)
        problem = await ear.next()
        assert isinstance(problem, Problem)
        assert (problem.error.reason, problem.match_id) == (reason, match_id)


async def test_a_move_in_an_unknown_match_is_refused_like_any_other(
    world: World,
) -> None:
    facts = await world.start()
    turn = await world.turn(facts)
    ear = await _attached(world, facts, turn.view.seat)
    await ear.until(Turn)

    ear.session.submit(world.submission(turn, match_id="m1"), 0.0)

    result = await ear.next()
    assert result.match_id == "m1"
    assert result.result.reason is Reason.MATCH_NOT_FOUND


async def test_a_token_for_one_match_hears_of_no_other(world: World) -> None:
    facts, _ = await world.create(), await world.create()
    caller = Caller(
        token_id="t",
        role=Role.BOT,
        bot="careful",
        match_ids=frozenset({facts.match_id}),
    )
    session = Session(world.desk, world.one.tools, world.one.hub, caller)
    world.sessions.append(session)

    await session.hello({})

    outgoing = session.outgoing()
    welcome, offer = await anext(outgoing), await anext(outgoing)
    session.hang_up()
    assert isinstance(welcome, Welcome)
    assert welcome.live == (facts,)
    assert isinstance(offer, Offer)
    assert offer.facts == facts
    assert [message async for message in outgoing] == []


async def test_only_bots_attach(world: World) -> None:
    with pytest.raises(RefusedError) as refused:
        Session(world.desk, world.one.tools, world.one.hub, world.host)

    assert refused.value.reason is Reason.ROLE_NOT_ALLOWED


async def test_hello_is_said_once(world: World) -> None:
    ear = await world.attach("careful")
    await ear.until(Welcome)

    await ear.session.hello({})

    problem = await ear.next()
    assert problem.error.reason is Reason.STEP_OUT_OF_ORDER
    assert world.tally.seen["attached"] == 1


async def test_a_bot_that_does_not_read_is_dropped_and_holds_up_nobody(
    world: World,
) -> None:
    deaf, ear = await _two(world)
    for _ in range(1_100):
        deaf.session.complain(RefusedError(Reason.FIELD_MISSING, "move"))
    facts = await world.create()
    for seat, step in world.steps(facts):
        await world.step(facts, seat, step)
    last = await world.play_out(facts)

    over = await ear.until(MatchOver)

    assert over.ending == last.ending
    assert deaf.session.error.reason is Reason.LIMIT_EXCEEDED
    assert await deaf.rest() == []


async def test_a_bot_that_says_too_much_at_once_is_dropped(world: World) -> None:
    ear = await world.attach("careful")
    for _ in range(5_000):
        ear.session.sync("m1", Seat.NORTH)

    await ear.rest()

    assert ear.session.error.reason is Reason.LIMIT_EXCEEDED


async def test_pings_go_out_and_silence_ends_the_stream(world: World) -> None:
    policy = SessionPolicy(ping_interval_ms=5, silence_ms=40)
    ear = await world.attach("careful", policy=policy)
    welcome = await ear.until(Welcome)
    numbers = []
    for _ in range(12):
        numbers.append((await ear.until(Ping)).number)
        ear.session.heard()
    ended = ear.session.error
    assert ended is None

    await ear.rest()

    assert welcome.ping_interval_ms == policy.ping_interval_ms
    assert welcome.silence_ms == policy.silence_ms
    assert numbers == list(range(1, 13))
    assert ear.session.error.reason is Reason.LIMIT_EXCEEDED


async def test_a_draining_referee_says_so_and_then_ends_the_stream(
    world: World,
) -> None:
    ear = await world.attach("careful", policy=SessionPolicy(drain_ms=5))
    await ear.until(Welcome)

    world.one.hub.drain()

    assert await ear.next() == Drain(5)
    assert await ear.rest() == []
    assert ear.session.error.reason is Reason.REFEREE_DRAINING


async def test_a_move_is_judged_while_the_referee_drains(world: World) -> None:
    facts = await world.start()
    turn = await world.turn(facts)
    policy = SessionPolicy(drain_ms=10_000)
    ear = await _attached(world, facts, turn.view.seat, policy=policy)
    await ear.until(Turn)
    world.one.hub.drain()
    await ear.until(Drain)

    ear.session.submit(world.submission(turn, PASS), 0.0)

    assert isinstance(await ear.next(), MoveResult)


async def test_a_store_that_is_away_ends_the_stream_with_the_outcome_unknown(
    world: World,
) -> None:
    facts = await world.start()
    turn = await world.turn(facts)
    ear = await _attached(world, facts, turn.view.seat)
    await ear.until(Turn)
    world.store.away = True

    ear.session.submit(world.submission(turn, PASS), 0.0)

    await ear.rest()
    assert ear.session.error.reason is Reason.STORE_UNAVAILABLE


async def test_a_fault_ends_the_stream_and_is_found_in_the_log_by_its_id(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    facts = await world.start()
    turn = await world.turn(facts)
    ear = await _attached(world, facts, turn.view.seat)
    await ear.until(Turn)
    secret = "nobody may read this"
    monkeypatch.setattr(world.desk, "submit_move", lambda *_: 1 / len(secret[:0]))

    ear.session.submit(world.submission(turn, PASS), 0.0)

    await ear.rest()
    error = ear.session.error
    assert error.reason is Reason.INTERNAL_FAULT
    assert error.facts["fault_id"] in caplog.text
    assert "division" not in error.message


async def test_a_bot_that_leaves_has_its_last_move_judged(world: World) -> None:
    facts = await world.start()
    turn = await world.turn(facts)
    ear = await _attached(world, facts, turn.view.seat)
    await ear.until(Turn)

    ear.session.submit(world.submission(turn, PASS), 0.0)
    await ear.session.close()

    assert world.tally.seen["pass", "accepted"] == 1
    assert world.tally.seen["attached"] == 0


async def test_after_the_end_nothing_of_a_session_is_left(world: World) -> None:
    ears = await _two(world)
    facts = await world.create()
    await _play(world, *ears)

    for ear in ears:
        await ear.session.close()
        await ear.session.close()

    assert world.tally.seen["attached"] == 0
    hub = world.one.hub
    with hub.subscribe() as last:
        last.follow(facts.match_id)
        assert hub.followers(facts.match_id) == 1
    assert hub.followers("bot/careful") == 0


async def test_a_move_on_a_stream_costs_one_trip_to_the_store(world: World) -> None:
    ears = await _two(world)
    await world.create()
    await _play(world, *ears, until=Started)
    world.store.asked.clear()
    moved = world.tally.seen["accepted"]

    await _play(world, *ears)

    assert world.store.asked["apply"] == world.tally.seen["accepted"] - moved
    assert world.store.asked["read"] == 0
    assert world.store.asked["log"] == 0


async def test_a_bot_with_more_matches_than_may_wait_is_told_of_all(
    world: World,
) -> None:
    made = {(await world.create()).match_id for _ in range(1100)}

    ear = await world.attach("careful")
    offers = [await ear.until(Offer) for _ in made]

    assert {offer.facts.match_id for offer in offers} == made
    assert ear.session.error is None
