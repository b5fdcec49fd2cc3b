"""Time in which no referee was there: it costs no seat anything, and is told."""

import asyncio
from typing import Any

import pytest
from tests.unit.app.listener import attached

from ginref.app.error import Reason, RefusedError
from ginref.app.message import CreditGiven, Turn
from ginref.app.report import CreditFacts
from ginref.engine.move import PASS
from ginref.engine.seat import Seat
from ginref.record.clock import FAST
from ginref.record.heartbeat import OUTAGE_MS
from ginref.record.lifecycle import EndingKind, Stage
from ginref.record.verify import Verdict, verify_record

World = Any
"""The referee of `world`."""

OUTAGE = 3_600_000


def _verdict(world: World, match_id: str) -> Verdict:
    keys = {world.signer.key_id: world.signer.public_key}
    return verify_record(world.archive.records[match_id], keys)


@pytest.mark.parametrize("first", ["a sweep", "a move"])
async def test_an_outage_longer_than_every_deadline_flags_nobody(
    world: World, first: str
) -> None:
    facts = await world.start()
    turn = await world.turn(facts)
    world.time.ms += 900
    world.time.jump(OUTAGE)
    if first == "a sweep":
        assert await world.one.sweeper.sweep() == 1

    made = await world.submit(world.submission(turn), facts)

    assert made.ending is None
    assert made.elapsed_ms == 900
    await world.play_out(facts)
    await world.one.signing.sign_finished()
    verdict = _verdict(world, facts.match_id)
    assert verdict.problem is None
    assert verdict.replayed is not None
    assert verdict.replayed.credit_ms == OUTAGE
    assert verdict.record is not None
    assert [one.credit_ms for one in verdict.record.entries if one.credit_ms] == [
        OUTAGE
    ]
    assert f"credits {OUTAGE} ms" in verdict.notes[0]


async def test_after_an_outage_the_rest_of_the_time_runs_out(world: World) -> None:
    facts = await world.start()
    turn = await world.turn(facts)
    world.time.ms += 900
    world.time.jump(OUTAGE)
    assert await world.one.sweeper.sweep() == 1
    assert await world.store.due(5) == ()
    world.time.ms += FAST.cap_ms - 900
    assert await world.one.sweeper.sweep() == 0
    world.time.ms += 1

    assert await world.one.sweeper.sweep() == 1

    after = (await world.report(facts, Seat.NORTH)).facts
    assert after.ending.kind is EndingKind.TIMED_OUT
    assert after.ending.seats_at_fault == (turn.view.seat,)
    assert world.tally.seen["timeout"] == 1
    await world.one.signing.sign_finished()
    assert _verdict(world, facts.match_id).problem is None


async def test_a_pause_that_any_sweeper_fills_is_charged(world: World) -> None:
    other = await world.replica()
    facts = await world.start()
    turn = await world.turn(facts)
    for _ in range(4):
        world.time.jump(OUTAGE_MS)
        await other.sweeper.sweep()

    with pytest.raises(RefusedError) as refused:
        await world.submit(world.submission(turn), facts)

    assert refused.value.reason is Reason.MATCH_OVER
    assert not [name for name in world.tally.seen if "outage" in str(name)]


async def test_a_sweeper_that_ends_an_outage_says_so(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    await world.start()
    world.time.jump(OUTAGE)

    await asyncio.gather(*(one.sweeper.sweep() for one in [world.one] * 3))

    assert world.tally.seen["outage", OUTAGE] == 1
    assert caplog.text.count(f"nobody swept for {OUTAGE} ms") == 1


async def test_a_turn_shows_what_was_credited_and_the_deadline_with_it(
    world: World,
) -> None:
    facts = await world.start()
    before = await world.turn(facts)
    world.time.jump(OUTAGE)
    await world.one.sweeper.sweep()

    after = await world.turn(facts)

    seat, version = before.view.seat, before.facts.version
    assert before.clock.credits == ()
    assert after.clock.credits == (CreditFacts(version, seat, OUTAGE),)
    assert after.clock.deadline_ms == before.clock.deadline_ms + OUTAGE
    assert after.clock.now_ms == before.clock.now_ms + OUTAGE
    await world.submit(world.submission(after), facts)
    assert (await world.turn(facts)).clock.credits == ()


async def test_before_play_everyone_who_owes_something_is_credited(
    world: World,
) -> None:
    facts = await world.create()
    public = (await world.desk.get_match(world.host, facts.match_id)).public
    world.time.jump(OUTAGE)
    await world.one.sweeper.sweep()

    after = (await world.desk.get_match(world.host, facts.match_id)).public

    assert [credit.seat for credit in after.clock.credits] == [Seat.NORTH, Seat.SOUTH]
    assert after.clock.deadline_ms == public.clock.deadline_ms + OUTAGE
    for seat, step in world.steps(facts):
        facts = await world.step(facts, seat, step)
    assert facts.stage is Stage.PLAYING


async def test_bots_are_told_of_a_credit_on_their_streams(world: World) -> None:
    facts = await world.start()
    turn = await world.turn(facts)
    seat = turn.view.seat
    mover = await attached(world, facts, seat)
    waiter = await attached(world, facts, Seat(1 - seat))
    await mover.until(Turn)
    world.time.jump(OUTAGE)
    await world.one.sweeper.sweep()

    told = [await ear.until(CreditGiven) for ear in (mover, waiter)]
    world.time.jump(OUTAGE)
    await world.one.sweeper.sweep()
    more = [await ear.until(CreditGiven) for ear in (mover, waiter)]

    credit = CreditFacts(facts.version, seat, OUTAGE)
    deadline_ms = turn.clock.deadline_ms + OUTAGE
    assert [(one.credit, one.deadline_ms) for one in told] == [
        (credit, deadline_ms)
    ] * 2
    assert {one.credit.credit_ms for one in more} == {2 * OUTAGE}
    mover.session.submit(world.submission(turn, PASS), 0.0)
    await waiter.until(Turn)
    heard = [type(one) for one in (*mover.heard, *waiter.heard)]
    assert heard.count(CreditGiven) == 4


async def test_a_bot_that_attaches_after_an_outage_is_told_in_its_turn(
    world: World,
) -> None:
    facts = await world.start()
    seat = (await world.turn(facts)).view.seat
    world.time.jump(OUTAGE)
    await world.one.sweeper.sweep()

    ear = await attached(world, facts, seat)
    turn = await ear.until(Turn)

    assert [one.credit_ms for one in turn.report.clock.credits] == [OUTAGE]
    assert CreditGiven not in {type(one) for one in ear.heard}


async def test_a_watcher_is_told_of_a_credit(world: World) -> None:
    facts = await world.start()
    seat = (await world.turn(facts)).view.seat
    caller = world.player(facts, seat)
    watch = world.one.watcher.watch(caller, facts.match_id, "")
    first = await anext(watch)
    world.time.jump(OUTAGE)
    await world.one.sweeper.sweep()

    second = await anext(watch)
    await watch.aclose()

    assert second.cursor == first.cursor
    assert second.events == ()
    assert second.turns[0].clock.credits == (CreditFacts(facts.version, seat, OUTAGE),)


async def test_an_event_tells_what_a_move_took_without_the_outage(
    world: World,
) -> None:
    facts = await world.start()
    turn = await world.turn(facts)
    world.time.ms += 300
    world.time.jump(OUTAGE)
    await world.submit(world.submission(turn), facts)

    after = await world.turn(facts)

    played = next(one for one in after.events if one.kind == "played")
    assert played.elapsed_ms == 300
    assert after.clock.elapsed_ms == 300


async def test_what_seems_late_and_is_not_is_judged_like_any_move(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = await world.start()
    turn = await world.turn(facts)
    # The last heartbeat is just not too old when the match is read, and is too old
    # when the deadline is asked for.
    world.time.ms += 100
    world.time.jump(OUTAGE_MS)
    read = world.store.read

    async def slow(*asked: Any) -> Any:  # noqa: ANN401
        found = await read(*asked)
        world.time.jump(1)
        return found

    monkeypatch.setattr(world.store, "read", slow)
    late = world.submission(turn, expected_version=facts.version - 1)
    with pytest.raises(RefusedError) as stale:
        await world.submit(late, facts)
    made = await world.submit(world.submission(turn), facts)

    assert stale.value.reason is Reason.VERSION_STALE
    assert made.version == facts.version + 1
