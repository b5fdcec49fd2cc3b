"""Matches that the referee has damaged: resumed where possible, void where not."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from tests.unit.app.listener import attached

from ginref.app.error import Reason, RefusedError
from ginref.app.message import MatchOver, MoveResult
from ginref.app.salvage import PATIENCE_MS
from ginref.engine.seat import Seat
from ginref.record.clock import FAST
from ginref.record.entry import Voided
from ginref.record.lifecycle import EndingKind, Fault
from ginref.record.verify import Finding, Verdict, verify_record

World = Any
"""The referee of `world`."""

MOVES = 12
JUNK = b"\x00no seal opens this"


async def _played(world: World) -> Any:  # noqa: ANN401
    """Make a match with some moves and two strikes behind it."""
    facts = await world.start()
    for number in range(MOVES):
        if number in (4, 9):
            turn = await world.turn(facts)
            with pytest.raises(RefusedError):
                await world.submit(world.wrong(turn), facts)
        await world.move(facts)
    return facts


def _held(world: World, match_id: str) -> Any:  # noqa: ANN401
    """What the store holds of a match, to be damaged."""
    return world.store._matches[match_id]  # noqa: SLF001


def _damage(world: World, match_id: str, place: int, entry: bytes = JUNK) -> None:
    held = _held(world, match_id)
    held.log[place] = replace(held.log[place], entry=entry)


async def _give_up(world: World, replica: Any) -> None:  # noqa: ANN401
    """Let deadline and patience pass, with somebody sweeping."""
    world.time.ms += FAST.start_ms
    await replica.sweeper.sweep()
    world.time.ms += PATIENCE_MS
    await replica.sweeper.sweep()


def _verdict(world: World, match_id: str) -> Verdict:
    keys = {world.signer.key_id: world.signer.public_key}
    return verify_record(world.archive.records[match_id], keys)


async def test_a_match_whose_snapshot_is_damaged_goes_on_from_its_log(
    world: World,
) -> None:
    facts = await _played(world)
    before = await world.turn(facts)
    _held(world, facts.match_id).state = JUNK
    other = await world.replica()

    resumed = await other.keeper.load(facts.match_id)
    known = await world.one.keeper.load(facts.match_id)
    made = await world.submit(world.submission(before), facts, other.desk)

    # The same cards, strikes and clocks: nothing was dealt or played again.
    assert (resumed.state, resumed.clock) == (known.state, known.clock)
    assert made.version == before.facts.version + 1
    await world.play_out(facts)
    await world.one.signing.sign_finished()
    assert _verdict(world, facts.match_id).finding is Finding.VALID


async def test_a_damaged_snapshot_does_not_stop_the_clock(world: World) -> None:
    facts = await _played(world)
    turn = await world.turn(facts)
    _held(world, facts.match_id).state = JUNK
    other = await world.replica()
    world.time.ms += FAST.cap_ms + 1

    await other.sweeper.sweep()

    after = (await world.report(facts, Seat.NORTH)).facts
    assert after.ending.kind is EndingKind.TIMED_OUT
    assert after.ending.seats_at_fault == (turn.view.seat,)


@pytest.mark.parametrize(
    ("place", "lost"),
    [
        pytest.param(-1, 1, id="the last step"),
        pytest.param(-4, 4, id="a step before it"),
        pytest.param(11, 9, id="a strike, and its version with it"),
        pytest.param(1, 18, id="all but the creation"),
        pytest.param(0, 0, id="the creation, which says nothing"),
    ],
)
async def test_what_can_be_read_no_more_is_void_by_the_referees_fault(
    world: World, place: int, lost: int
) -> None:
    facts = await _played(world)
    match_id, held = facts.match_id, _held(world, facts.match_id)
    version = held.version
    _damage(world, match_id, place)
    if place == 11:
        assert held.log[place].id.refusal
    held.state = JUNK
    other = await world.replica()

    await _give_up(world, other)

    ending = (await world.desk.get_match(world.host, match_id)).public.facts.ending
    if not lost:
        assert ending.kind is EndingKind.TIMED_OUT
        return
    assert (ending.kind, ending.fault) == (EndingKind.VOID, Fault.REFEREE)
    assert (ending.winner, ending.seats_at_fault) == (None, ())
    assert await world.store.due(5) == ()
    assert await other.signing.sign_finished() == 1
    verdict = _verdict(world, match_id)
    assert verdict.problem is None
    assert verdict.record is not None
    assert verdict.record.entries[-1].entry == Voided(lost)
    assert verdict.record.entries[-1].version == version + 1
    assert f"has lost {lost} versions" in verdict.notes[-1]


async def test_a_log_that_lost_its_end_is_void(world: World) -> None:
    facts = await _played(world)
    held = _held(world, facts.match_id)
    del held.log[-3:]
    held.state = JUNK
    other = await world.replica()

    await _give_up(world, other)
    await other.signing.sign_finished()

    verdict = _verdict(world, facts.match_id)
    assert verdict.finding is Finding.VALID
    assert verdict.record is not None
    assert verdict.record.entries[-1].entry == Voided(3)


async def test_a_log_that_nobody_could_have_written_is_void(world: World) -> None:
    facts = await _played(world)
    held = _held(world, facts.match_id)
    _damage(world, facts.match_id, 9, held.log[8].entry)
    held.state = JUNK
    other = await world.replica()

    await _give_up(world, other)

    state = (await other.keeper.load(facts.match_id)).state
    assert state.ending is not None
    assert state.ending.kind is EndingKind.VOID
    assert state.version == held.version


async def test_a_match_is_void_only_after_others_have_had_time_to_read_it(
    world: World,
) -> None:
    facts = await _played(world)
    held = _held(world, facts.match_id)
    state, entry = held.state, held.log[-2]
    held.state = JUNK
    _damage(world, facts.match_id, -2)
    other = await world.replica()
    world.time.ms += FAST.cap_ms + PATIENCE_MS - 1
    assert await other.sweeper.sweep() == 0
    assert await world.store.due(5) == (facts.match_id,)

    held.state, held.log[-2] = state, entry
    assert await other.sweeper.sweep() == 1

    after = (await world.report(facts, Seat.NORTH)).facts
    assert after.ending.kind is EndingKind.TIMED_OUT


async def test_an_outage_is_no_reason_to_give_a_match_up(world: World) -> None:
    facts = await _played(world)
    _held(world, facts.match_id).state = JUNK
    _damage(world, facts.match_id, -2)
    other = await world.replica()
    world.time.jump(10 * PATIENCE_MS)

    await other.sweeper.sweep()

    assert not _held(world, facts.match_id).ended_ms


async def test_a_match_that_stays_readable_here_is_not_void(world: World) -> None:
    # This process remembers what the store has lost.
    facts = await _played(world)
    await world.turn(facts)
    _held(world, facts.match_id).state = JUNK
    _damage(world, facts.match_id, -2)

    world.time.ms += FAST.cap_ms + 1
    await world.one.sweeper.sweep()

    after = (await world.report(facts, Seat.NORTH)).facts
    assert after.ending.kind is EndingKind.TIMED_OUT


async def test_a_match_without_a_readable_setup_is_over_and_has_no_record(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    facts = await _played(world)
    held = _held(world, facts.match_id)
    held.creation = replace(held.creation, setup=JUNK)
    sound = await world.start()
    other = await world.replica()

    await _give_up(world, other)

    assert held.ended_ms
    assert await world.store.due(5) == ()
    assert b"void" in held.log[-1].entry
    assert await other.signing.sign_finished() == 1
    assert world.archive.records.keys() == {sound.match_id}
    listed = await other.desk.list_matches(world.host, None, 9, None)
    assert [one.match_id for one in listed.matches] == [sound.match_id]
    assert "its setup cannot be read" in caplog.text


async def test_a_damaged_match_harms_no_other_one_of_its_bots(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    damaged, sound = await _played(world), await world.start()
    turns = [await world.turn(facts) for facts in (damaged, sound)]
    _held(world, damaged.match_id).state = JUNK
    _damage(world, damaged.match_id, -2)
    other = await world.replica()
    ear = await attached(world, damaged, Seat.NORTH, replica=other)

    mine = [replace(turn, view=replace(turn.view, seat=Seat.NORTH)) for turn in turns]
    ear.session.submit(world.submission(mine[0]), 0.0)
    refused = await ear.until(MoveResult)
    ear.session.submit(world.submission(mine[1]), 0.0)
    answered = await ear.until(MoveResult)
    for _ in range(2):
        world.time.ms += PATIENCE_MS
        await other.sweeper.sweep()
    over = [await ear.until(MatchOver) for _ in range(2)]

    assert refused.result.reason is Reason.INTERNAL_FAULT
    assert refused.result.facts["fault_id"] in caplog.text
    assert answered.match_id == sound.match_id
    endings = {one.match_id: one.ending.kind for one in over}
    assert endings[damaged.match_id] is EndingKind.VOID
    assert endings[sound.match_id] is EndingKind.TIMED_OUT


async def test_a_move_that_is_lost_with_a_void_has_no_other_answer(
    world: World,
) -> None:
    facts = await world.start()
    early = world.submission(await world.turn(facts))
    first = await world.submit(early, facts)
    for _ in range(6):
        await world.move(facts)
    late = world.submission(await world.turn(facts))
    await world.submit(late, facts)
    _held(world, facts.match_id).state = JUNK
    _damage(world, facts.match_id, -1)
    other = await world.replica()
    await _give_up(world, other)

    again = await world.submit(early, facts, other.desk)
    with pytest.raises(RefusedError) as refused:
        await world.submit(late, facts, other.desk)

    assert again.version == first.version
    assert refused.value.reason is Reason.MATCH_OVER
    assert refused.value.facts["ending"] == "void"


async def test_sweepers_that_give_up_at_once_make_one_void(world: World) -> None:
    facts = await _played(world)
    held = _held(world, facts.match_id)
    held.state = JUNK
    _damage(world, facts.match_id, -2)
    two = [await world.replica() for _ in range(2)]
    world.time.ms += FAST.cap_ms + PATIENCE_MS + 1

    await asyncio.gather(*(one.sweeper.sweep() for one in two))

    assert sum(b"void" in entry.entry for entry in held.log) == 1
    assert world.tally.seen["match_over", "void"] == 1
