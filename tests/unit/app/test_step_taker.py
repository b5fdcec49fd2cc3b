"""Preparing seats: accept, decline, commit, reveal."""

import asyncio
from itertools import pairwise
from typing import Any

import pytest

from ginref.app.caller import Caller
from ginref.app.error import Reason, RefusedError
from ginref.app.request import Accept, Commit, Decline, Reveal, SeatStep, Step
from ginref.engine.seat import Seat
from ginref.record.lifecycle import EndingKind, Stage
from ginref.record.setup import DealSource
from ginref.record.share import commit_seat

World = Any
"""The referee of `conftest`, whose class cannot be imported."""

STAGES = [
    Stage.FORMING,
    Stage.COMMITTING,
    Stage.COMMITTING,
    Stage.REVEALING,
    Stage.REVEALING,
    Stage.PLAYING,
]


def _awaited(world: World, facts: Any) -> tuple[Seat, ...]:  # noqa: ANN401
    """Seats that owe something now."""
    owing: tuple[Seat, ...] = world.one.keeper.hint(facts.match_id).state.awaited
    return owing


async def test_each_step_leads_on_until_play_begins(world: World) -> None:
    facts = await world.create()
    versions, stages = [facts.version], []
    for seat, step in world.steps(facts):
        facts = await world.step(facts, seat, step)
        versions.append(facts.version)
        stages.append(facts.stage)

    assert stages == STAGES
    assert all(after == before + 1 for before, after in pairwise(versions))


async def test_every_step_may_be_taken_again_at_any_time(world: World) -> None:
    facts, other = await world.create(), await world.replica()
    taken: list[tuple[Seat, Step]] = []
    for seat, step in world.steps(facts):
        facts = await world.step(facts, seat, step)
        taken.append((seat, step))
        for earlier, again in taken:
            assert await world.step(facts, earlier, again) == facts
            same = await world.step(facts, earlier, again, desk=other.desk)
            assert same == facts


async def test_steps_of_all_seats_at_once_are_all_taken(world: World) -> None:
    facts, other = await world.create(), await world.replica()
    steps = world.steps(facts)
    for two in (steps[:2], steps[2:4], steps[4:]):
        await asyncio.gather(
            *(
                world.step(facts, seat, step, desk=desk)
                for seat, step in two
                for desk in (world.desk, other.desk)
            )
        )

    after = (await world.desk.get_match(world.host, facts.match_id)).public.facts
    assert after.stage is Stage.PLAYING
    assert after.version == 1 + len(steps)


async def test_whoever_begins_play_and_is_to_act_gets_the_turn_at_once(
    world: World,
) -> None:
    facts = await world.create()
    steps = world.steps(facts)
    for seat, step in steps[:-1]:
        await world.step(facts, seat, step)
    asked = [
        SeatStep(match_id=facts.match_id, seat=seat, step=step)
        for seat, step in steps[-2:]
    ]

    turns = {}
    for one in reversed(asked):
        caller = world.player(facts, one.seat)
        _, turns[one.seat] = await world.desk.prepare_seat(caller, one)

    to_act = (await world.turn(facts)).view.seat
    assert [seat for seat, turn in turns.items() if turn] == [to_act]
    assert turns[to_act] == await world.report(facts, to_act)


async def test_a_seeded_match_asks_for_no_shares(world: World) -> None:
    facts = await world.create(deal_source=DealSource.SEEDED, seed="x")
    await world.step(facts, Seat.NORTH, Accept())

    after = await world.step(facts, Seat.SOUTH, Accept())

    assert after.stage is Stage.PLAYING


@pytest.mark.parametrize(
    ("shares", "stage"),
    [
        pytest.param((True, False), Stage.REVEALING, id="one without"),
        pytest.param((False, False), Stage.PLAYING, id="both without"),
    ],
)
async def test_a_seat_without_a_share_need_not_reveal_one(
    world: World, shares: tuple[bool, bool], stage: Stage
) -> None:
    facts = await world.create()
    for seat, step in world.steps(facts)[:4]:
        without = isinstance(step, Commit) and not shares[seat]
        facts = await world.step(facts, seat, Commit(None) if without else step)

    assert facts.stage is stage
    if stage is Stage.REVEALING:
        assert _awaited(world, facts) == (Seat.NORTH,)
        share = Reveal(world.share(Seat.NORTH))
        facts = await world.step(facts, Seat.NORTH, share)
    assert facts.stage is Stage.PLAYING
    assert (await world.turn(facts)).view.hand


@pytest.mark.parametrize(
    ("taken", "step"),
    [
        pytest.param(0, Commit(bytes(32)), id="commit while forming"),
        pytest.param(0, Reveal(bytes(32)), id="reveal while forming"),
        pytest.param(2, Decline(), id="decline while committing"),
        pytest.param(2, Reveal(bytes(32)), id="reveal while committing"),
        pytest.param(3, Commit(bytes(32)), id="commit twice"),
        pytest.param(4, Commit(None), id="withdraw a commitment"),
        pytest.param(5, Reveal(bytes(32)), id="reveal twice"),
        pytest.param(6, Decline(), id="decline in play"),
        pytest.param(6, Commit(bytes(32)), id="commit in play"),
    ],
)
async def test_a_step_out_of_order_is_refused_and_changes_nothing(
    world: World, taken: int, step: Step
) -> None:
    facts = await world.create()
    for seat, earlier in world.steps(facts)[:taken]:
        facts = await world.step(facts, seat, earlier)

    with pytest.raises(RefusedError) as refused:
        await world.step(facts, Seat.NORTH, step)

    assert refused.value.reason is Reason.STEP_OUT_OF_ORDER
    assert refused.value.facts["stage"] == facts.stage
    assert refused.value.facts["step"] == type(step).__name__.lower()
    now = (await world.desk.get_match(world.host, facts.match_id)).public.facts
    assert now == facts


async def test_a_share_that_was_not_committed_to_is_refused_and_may_be_mended(
    world: World,
) -> None:
    facts = await world.create()
    for seat, step in world.steps(facts)[:4]:
        facts = await world.step(facts, seat, step)

    for share in (bytes(32), world.share(Seat.SOUTH)):
        with pytest.raises(RefusedError) as refused:
            await world.step(facts, Seat.NORTH, Reveal(share))
        assert refused.value.reason is Reason.COMMITMENT_BROKEN
        assert refused.value.facts == {"seat": "north"}

    await world.step(facts, Seat.NORTH, Reveal(world.share(Seat.NORTH)))
    assert _awaited(world, facts) == (Seat.SOUTH,)


async def test_a_commitment_made_for_another_seat_does_not_open(world: World) -> None:
    facts = await world.create()
    share = world.share(Seat.SOUTH)
    copied = commit_seat(facts.match_id, Seat.SOUTH, share)
    for seat, step in world.steps(facts)[:2]:
        await world.step(facts, seat, step)
    for seat in (Seat.NORTH, Seat.SOUTH):
        await world.step(facts, seat, Commit(copied))

    with pytest.raises(RefusedError) as refused:
        await world.step(facts, Seat.NORTH, Reveal(share))

    assert refused.value.reason is Reason.COMMITMENT_BROKEN


async def test_nobody_prepares_the_seat_of_another(world: World) -> None:
    facts = await world.create()
    asked = SeatStep(match_id=facts.match_id, seat=Seat.NORTH, step=Accept())
    east = SeatStep(match_id=facts.match_id, seat=Seat.EAST, step=Accept())
    callers: list[tuple[Caller, SeatStep, Reason]] = [
        (world.bot("greedy"), asked, Reason.SEAT_NOT_YOURS),
        (world.bot("third"), asked, Reason.SEAT_NOT_YOURS),
        (world.bot("careful"), east, Reason.SEAT_NOT_YOURS),
        (world.host, asked, Reason.ROLE_NOT_ALLOWED),
    ]
    for caller, one, reason in callers:
        with pytest.raises(RefusedError) as refused:
            await world.desk.prepare_seat(caller, one)
        assert refused.value.reason is reason


async def test_a_seat_that_declines_did_not_show_up(world: World, seat: Seat) -> None:
    facts = await world.create()

    first = await world.step(facts, seat, Decline())
    again = await world.step(facts, seat, Decline())

    assert first == again
    assert first.ending.kind is EndingKind.NO_SHOW
    assert first.ending.seats_at_fault == (seat,)
    other = Seat.SOUTH if seat is Seat.NORTH else Seat.NORTH
    assert first.ending.winner is other
    with pytest.raises(RefusedError) as refused:
        await world.step(facts, other, Accept())
    assert refused.value.reason is Reason.MATCH_OVER


@pytest.mark.parametrize(
    ("taken", "at_fault"),
    [
        pytest.param(0, (Seat.NORTH, Seat.SOUTH), id="nobody accepted"),
        pytest.param(1, (Seat.SOUTH,), id="one accepted"),
        pytest.param(3, (Seat.SOUTH,), id="one committed"),
        pytest.param(5, (Seat.SOUTH,), id="one revealed"),
    ],
)
async def test_seats_that_owe_a_step_at_the_deadline_did_not_show_up(
    world: World, taken: int, at_fault: tuple[Seat, ...]
) -> None:
    facts = await world.create()
    for seat, step in world.steps(facts)[:taken]:
        await world.step(facts, seat, step)
    world.time.ms += facts.clock.start_ms
    assert await world.one.sweeper.sweep() == 0
    world.time.ms += 1

    assert await world.one.sweeper.sweep() == 1

    after = (await world.desk.get_match(world.host, facts.match_id)).public.facts
    assert after.ending.kind is EndingKind.NO_SHOW
    assert after.ending.seats_at_fault == at_fault
    assert world.tally.seen["timeout"] == 1


async def test_a_step_after_the_deadline_is_late_and_ends_the_match(
    world: World,
) -> None:
    facts = await world.create()
    world.time.ms += facts.clock.start_ms + 1

    for reason in (Reason.MOVE_LATE, Reason.MATCH_OVER):
        with pytest.raises(RefusedError) as refused:
            await world.step(facts, Seat.NORTH, Accept())
        assert refused.value.reason is reason

    assert world.tally.seen["timeout"] == 1
    assert world.tally.seen["match_over", "no_show"] == 1
