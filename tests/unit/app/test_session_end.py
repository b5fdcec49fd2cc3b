"""How an attachment ends: dropped, drained, left, or by a fault."""

import asyncio

import pytest
from tests.unit.app.listener import World, attached, play, two

from ginref.app.announcer import Announcer
from ginref.app.error import Reason, RefusedError
from ginref.app.live_match import LiveMatch
from ginref.app.message import (
    Drain,
    MatchOver,
    MoveResult,
    Offer,
    Ping,
    Started,
    Turn,
    Welcome,
)
from ginref.app.report import MoveReport
from ginref.app.session_policy import SessionPolicy
from ginref.app.told import Answer
from ginref.engine.move import PASS
from ginref.engine.seat import Seat


async def test_a_bot_that_does_not_read_is_dropped_and_holds_up_nobody(
    world: World,
) -> None:
    deaf, ear = await two(world)
    for _ in range(1_100):
        deaf.session.complain(RefusedError(Reason.FIELD_MISSING, "move"))
    facts = await world.create()
    for seat, step in world.steps(facts):
        await world.step(facts, seat, step)
    last = await world.play_out(facts)

    over = await ear.until(MatchOver)

    assert over.ending == last.ending
    assert deaf.session.error.reason is Reason.LIMIT_EXCEEDED
    assert deaf.session.error.facts == {"limit": "unread"}
    assert await deaf.rest() == []


async def test_a_bot_that_says_too_much_at_once_is_dropped(world: World) -> None:
    ear = await world.attach("careful")
    for _ in range(5_000):
        ear.session.sync("m1", Seat.NORTH)

    await ear.rest()

    assert ear.session.error.reason is Reason.LIMIT_EXCEEDED
    assert ear.session.error.facts == {"limit": "pending"}


async def test_pings_go_out_and_silence_ends_the_stream(world: World) -> None:
    policy = SessionPolicy(ping_interval_ms=5, silence_ms=40)
    replica = await world.replica(monotonic=world.time.seconds)
    ear = await world.attach("careful", replica=replica, policy=policy)
    welcome = await ear.until(Welcome)
    numbers = []
    for _ in range(12):
        world.time.jump(policy.silence_ms - 1)
        numbers.append((await ear.until(Ping)).number)
        ear.session.heard()
    ended = ear.session.error
    assert ended is None

    world.time.jump(policy.silence_ms + 1)
    await ear.rest()

    assert welcome.ping_interval_ms == policy.ping_interval_ms
    assert welcome.silence_ms == policy.silence_ms
    assert numbers == list(range(1, 13))
    assert ear.session.error.reason is Reason.LIMIT_EXCEEDED
    assert ear.session.error.facts == {"limit": "silence"}


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
    ear = await attached(world, facts, turn.view.seat, policy=policy)
    await ear.until(Turn)
    world.one.hub.drain()
    await ear.until(Drain)

    ear.session.submit(world.submission(turn, PASS), 0.0)

    assert isinstance(await ear.next(), MoveResult)


async def test_a_fault_ends_the_stream_and_is_found_in_the_log_by_its_id(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    facts = await world.start()
    turn = await world.turn(facts)
    ear = await attached(world, facts, turn.view.seat)
    await ear.until(Turn)
    secret = "nobody may read this"
    monkeypatch.setattr(world.desk, "judge_move", lambda *_: 1 / len(secret[:0]))

    ear.session.submit(world.submission(turn, PASS), 0.0)

    await ear.rest()
    error = ear.session.error
    assert error.reason is Reason.INTERNAL_FAULT
    assert error.facts["fault_id"] in caplog.text
    assert "division" not in error.message


async def test_a_fault_in_telling_one_bot_is_no_fault_of_the_move_it_is_told_of(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = await world.start()
    turn = await world.turn(facts)
    mover = await attached(world, facts, turn.view.seat)
    other = await attached(world, facts, Seat(1 - turn.view.seat))
    await mover.until(Turn)
    await other.until(Started)
    tell = Announcer.tell

    def faulty(self: Announcer, live: LiveMatch, answer: Answer | None = None) -> bool:
        # Only the bot that moves has an answer.
        assert answer
        return tell(self, live, answer)

    monkeypatch.setattr(Announcer, "tell", faulty)

    mover.session.submit(world.submission(turn, PASS), 0.0)

    result = await mover.until(MoveResult)
    assert isinstance(result.result, MoveReport)
    await other.rest()
    assert other.session.error.reason is Reason.INTERNAL_FAULT
    assert mover.session.error is None


async def test_a_bot_that_leaves_has_its_last_move_judged(world: World) -> None:
    facts = await world.start()
    turn = await world.turn(facts)
    ear = await attached(world, facts, turn.view.seat)
    await ear.until(Turn)

    ear.session.submit(world.submission(turn, PASS), 0.0)
    await ear.session.close()

    assert world.tally.seen["pass", "accepted"] == 1
    assert world.tally.seen["attached"] == 0


async def test_after_the_end_nothing_of_a_session_is_left(world: World) -> None:
    ears = await two(world)
    facts = await world.create()
    await play(world, *ears)

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
    ears = await two(world)
    await world.create()
    await play(world, *ears, until=Started)
    world.store.asked.clear()
    moved = world.tally.seen["accepted"]

    await play(world, *ears)

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


async def test_questions_about_a_match_are_answered_one_after_the_other(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = await world.start()
    await world.desk.abort_match(world.host, facts.match_id)
    ear = await attached(world, facts, Seat.NORTH)
    load, at_work, most = world.one.keeper.load, 0, 0

    async def count(match_id: str) -> object:
        nonlocal at_work, most
        at_work += 1
        most = max(most, at_work)
        for _ in range(9):
            await asyncio.sleep(0)
        at_work -= 1
        return await load(match_id)

    monkeypatch.setattr(world.one.keeper, "load", count)
    for _ in range(3):
        ear.session.sync(facts.match_id, Seat.NORTH)
    for _ in range(3):
        # Each time it is over for the bot, which then asks again.
        await ear.until(MatchOver)
        ear.session.sync(facts.match_id, Seat.NORTH)
    for _ in range(3):
        await ear.until(MatchOver)

    assert most == 1
