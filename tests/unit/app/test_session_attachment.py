"""Attaching: what a bot is told first, and what becomes of an older attachment."""

import asyncio

import pytest
from tests.unit.app.listener import (
    FAR,
    World,
    attached,
    play,
    two,
)

from ginref.app.caller import Caller, Role
from ginref.app.error import Reason, RefusedError
from ginref.app.match_store import EVERYTHING
from ginref.app.message import (
    LISTED_MOST,
    Fenced,
    MatchOver,
    Offer,
    Prepare,
    Problem,
    Started,
    Turn,
    Welcome,
)
from ginref.app.session import Session
from ginref.engine.move import PASS
from ginref.engine.seat import Seat
from ginref.record.lifecycle import Stage


async def test_a_bot_plays_itself_on_one_attachment(world: World) -> None:
    ear = await world.attach("careful")
    await world.create(bots=("careful", "careful"))

    await play(world, ear)
    await ear.until(MatchOver)

    seats = [one.seat for one in ear.heard if isinstance(one, MatchOver)]
    assert seats == [Seat.NORTH, Seat.SOUTH]


async def test_a_new_match_is_offered_to_whoever_is_attached(world: World) -> None:
    ears = await two(world)
    other = await world.replica()

    facts = await other.desk.create_match(world.host, world.new())

    for ear, seat in zip(ears, (Seat.NORTH, Seat.SOUTH), strict=True):
        offer = await ear.next()
        assert isinstance(offer, Offer)
        assert (offer.facts, offer.seat) == (facts, seat)
        assert offer.deadline_ms == world.time.ms + facts.clock.start_ms


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


async def test_what_happens_while_a_bot_attaches_is_told_after_the_welcome(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    playing = await world.start()
    slow = await world.create()
    turn = await world.turn(playing)
    waits, read, known = asyncio.Event(), asyncio.Event(), world.one.keeper.load

    async def load(match_id: str) -> object:
        if match_id == slow.match_id:
            waits.set()
            await read.wait()
        return await known(match_id)

    monkeypatch.setattr(world.one.keeper, "load", load)
    bot = playing.bots[1 - turn.view.seat]
    attaching = asyncio.create_task(world.attach(bot))
    await waits.wait()
    await world.submit(world.submission(turn, PASS), playing)
    read.set()
    ear = await attaching
    told = [await ear.next() for _ in range(4)]

    assert isinstance(told[0], Welcome)
    rest = sorted(type(one).__name__ for one in told[1:])
    assert rest == ["Offer", "Started", "Turn"]


async def test_a_welcome_is_bounded_and_every_match_is_told(world: World) -> None:
    made = [(await world.create()).match_id for _ in range(LISTED_MOST + 3)]
    cursors = dict.fromkeys(made[-3:], 1)

    ear = await world.attach("careful", cursors=cursors)
    welcome = await ear.next()
    offers = [await ear.until(Offer) for _ in made]

    listed = [facts.match_id for facts in welcome.live]
    assert len(listed) == LISTED_MOST
    assert listed[:3] == made[-3:]
    assert listed[3:] == made[: LISTED_MOST - 3]
    assert welcome.live_count == len(made)
    assert sorted(offer.facts.match_id for offer in offers) == sorted(made)


async def test_attaching_again_tells_where_each_match_stands_now(
    world: World,
) -> None:
    facts = await world.create()
    for seat, step in world.steps(facts)[:3]:
        facts = await world.step(facts, seat, step)
    first = await attached(world, facts, Seat.SOUTH)
    asked = await first.until(Prepare)
    await first.session.close()

    second = await attached(world, facts, Seat.SOUTH)
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
    first = await attached(world, facts, turn.view.seat)
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
    first = await attached(world, facts, turn.view.seat)
    await first.until(Turn)

    first.session.submit(world.submission(turn, PASS), 0.0)
    second = await world.attach(facts.bots[turn.view.seat])
    await first.session.close()

    await second.until(Started)
    assert world.tally.seen["pass", "accepted"] == 1


async def test_other_bots_fence_nobody(world: World) -> None:
    ears = await two(world)
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
    ear = await attached(world, facts, idle)
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
    ear = await attached(world, facts, Seat(1 - turn.view.seat))
    await ear.until(Started)
    world.listeners[0].cancel()
    await asyncio.sleep(0)

    await world.submit(world.submission(turn, PASS), facts)

    assert isinstance(await ear.next(), Turn)


async def test_sync_tells_again_where_a_match_stands(world: World) -> None:
    facts, other = await world.start(), await world.replica()
    turn = await world.turn(facts)
    ear = await attached(world, facts, turn.view.seat)
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
    ear = await attached(world, await world.create(), Seat.NORTH)
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
    ear = await attached(world, facts, turn.view.seat)
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
    session = Session(world.desk, world.one.tools, caller)
    world.sessions.append(session)

    await session.hello({})

    welcome, offer = await session.next_message(), await session.next_message()
    session.hang_up()
    assert isinstance(welcome, Welcome)
    assert welcome.live == (facts,)
    assert isinstance(offer, Offer)
    assert offer.facts == facts
    assert await session.next_message() is None


async def test_only_bots_attach(world: World) -> None:
    with pytest.raises(RefusedError) as refused:
        Session(world.desk, world.one.tools, world.host)

    assert refused.value.reason is Reason.ROLE_NOT_ALLOWED


async def test_hello_is_said_once(world: World) -> None:
    ear = await world.attach("careful")
    await ear.until(Welcome)

    await ear.session.hello({})

    problem = await ear.next()
    assert problem.error.reason is Reason.STEP_OUT_OF_ORDER
    assert world.tally.seen["attached"] == 1


async def test_a_store_that_is_away_ends_the_stream_with_the_outcome_unknown(
    world: World,
) -> None:
    facts = await world.start()
    turn = await world.turn(facts)
    ear = await attached(world, facts, turn.view.seat)
    await ear.until(Turn)
    world.store.away = True

    ear.session.submit(world.submission(turn, PASS), 0.0)

    await ear.rest()
    assert ear.session.error.reason is Reason.STORE_UNAVAILABLE
