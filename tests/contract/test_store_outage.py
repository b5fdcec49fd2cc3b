"""What every store promises of time in which nobody acted on deadlines."""

import itertools
from contextlib import aclosing
from dataclasses import replace

import pytest
from tests.contract.store_table import (
    CLOCK,
    LATE_MS,
    Table,
    applied,
    creation,
    ending,
    key,
    move,
    refusal,
)

from ginref.adapters.redis_script import shard_of
from ginref.app.match_store import EntryId, Refusal, Wake

SLACK_MS = 1_500
"""What a test itself may take; less than what makes an outage."""

PAUSE_MS = 1_000
HOURS_MS = 2 * 3_600_000


def about(time_ms: int) -> object:
    """Compare with times that a slow test makes a little longer or shorter."""
    return pytest.approx(time_ms, abs=SLACK_MS)


async def playing(table: Table) -> None:
    """Make a match in which seat 0 is to act."""
    await table.store.create(creation())
    await applied(table.store.apply(move(1, to_act=0)))


@pytest.mark.parametrize("settled", [True, False], ids=["after a beat", "before one"])
async def test_an_outage_costs_no_time_and_stands_in_the_log(
    table: Table, *, settled: bool
) -> None:
    await playing(table)
    await table.age("m1", 5_000)
    await table.jump("m1", LATE_MS)
    if settled:
        assert await table.second.beat() == about(LATE_MS)

    moved = await applied(table.store.apply(move(2, mover=0, to_act=1, key=key("k"))))

    assert moved.credit_ms == about(LATE_MS)
    assert moved.clock.elapsed_ms == about(5_000)
    paid_ms = moved.clock.elapsed_ms - CLOCK.free_ms
    assert moved.clock.banks_ms == (CLOCK.bank_ms - paid_ms, CLOCK.bank_ms)
    assert (moved.clock.credit_ms, moved.clock.to_act) == (0, 1)
    assert moved.clock.deadline_ms == moved.now_ms + CLOCK.cap_ms
    log = await table.second.log("m1")
    assert [entry.credit_ms for entry in log] == [0, 0, moved.credit_ms]


async def test_a_pause_that_is_none_is_charged(table: Table) -> None:
    await playing(table)
    await table.jump("m1", PAUSE_MS)

    assert await table.store.beat() == 0
    moved = await applied(table.store.apply(move(2, mover=0, to_act=1)))

    assert moved.credit_ms == 0
    assert moved.clock.elapsed_ms == about(PAUSE_MS)


async def test_an_outage_is_told_of_once_and_wakes_every_live_match(
    table: Table,
) -> None:
    await table.store.create(creation("m1", bots=()))
    await table.store.create(creation("m2", bots=()))
    await table.store.create(creation("m3", bots=()))
    await applied(table.store.apply(ending(1, match_id="m3")))
    async with aclosing(table.second.wakes()) as wakes:
        await anext(wakes)
        for match_id in ("m1", "m2", "m3"):
            await table.jump(match_id, LATE_MS)

        outages = [await table.store.beat(), await table.second.beat()]
        woken = {await anext(wakes), await anext(wakes)}
        await table.store.apply(move(1, match_id="m2"))
        after = await anext(wakes)

    assert outages[0] >= LATE_MS
    assert outages[1] == 0
    assert woken == {Wake("m1"), Wake("m2")}
    assert after == Wake("m2", EntryId(2))


async def test_a_reader_sees_the_credit_grow_before_the_outage_is_over(
    table: Table,
) -> None:
    await playing(table)
    before = await table.held()
    await table.jump("m1", LATE_MS)
    during = await table.held()
    await table.jump("m1", LATE_MS)
    await table.store.beat()
    after = await table.held()

    assert before.clock.credit_ms == 0
    assert during.clock.credit_ms == about(LATE_MS)
    assert after.clock.credit_ms == about(2 * LATE_MS)
    for held in (before, during, after):
        assert held.clock.due_ms - held.now_ms == pytest.approx(
            CLOCK.cap_ms, abs=SLACK_MS
        )


async def test_what_was_late_before_an_outage_stays_late(table: Table) -> None:
    await playing(table)
    await table.age("m1", CLOCK.cap_ms + CLOCK.grace_ms + SLACK_MS)
    await table.jump("m1", LATE_MS)

    assert await table.store.apply(move(2, mover=0)) is Refusal.LATE
    timed_out = await applied(table.store.apply(ending(2, mover=0, due_only=True)))

    assert timed_out.credit_ms == about(LATE_MS)
    assert timed_out.clock.deadline_ms == timed_out.clock.credit_ms == 0


async def test_what_comes_too_late_after_an_outage_is_late(table: Table) -> None:
    await playing(table)
    await table.jump("m1", LATE_MS)
    await table.store.beat()
    await table.age("m1", CLOCK.cap_ms + CLOCK.grace_ms + SLACK_MS)

    assert await table.store.apply(move(2, mover=0)) is Refusal.LATE
    assert await table.store.apply(refusal(2)) is Refusal.LATE


async def test_a_match_that_only_seems_to_be_due_is_put_off(table: Table) -> None:
    await playing(table)
    await table.jump("m1", LATE_MS)
    await table.store.beat()
    assert await table.store.due(5) == ("m1",)

    assert await table.store.apply(ending(2, due_only=True)) is Refusal.NOT_DUE

    assert await table.store.due(5) == ()
    assert len(await table.store.log("m1")) == 2
    await table.age("m1", CLOCK.cap_ms + CLOCK.grace_ms + SLACK_MS)
    assert await table.store.due(5) == ("m1",)
    await applied(table.store.apply(ending(2, due_only=True)))


async def test_a_stage_keeps_its_deadline_and_what_was_credited(table: Table) -> None:
    made = await applied(table.store.create(creation()))
    await table.jump("m1", LATE_MS)
    moved = await applied(table.store.apply(move(1, to_act=None)))
    left_ms = moved.clock.deadline_ms - moved.now_ms
    await table.jump("m1", LATE_MS)
    again = await applied(table.store.apply(move(2, to_act=None)))

    assert made.clock.deadline_ms - made.now_ms == CLOCK.start_ms
    assert left_ms == pytest.approx(CLOCK.start_ms, abs=SLACK_MS)
    assert (moved.credit_ms, again.credit_ms) == (about(LATE_MS), about(LATE_MS))
    assert again.clock.deadline_ms - again.now_ms == pytest.approx(
        CLOCK.start_ms, abs=2 * SLACK_MS
    )


async def test_a_refusal_tells_the_credit_and_uses_none_of_it_up(table: Table) -> None:
    await playing(table)
    await table.jump("m1", LATE_MS)
    refused = await applied(table.store.apply(refusal(2)))
    await table.jump("m1", LATE_MS)
    moved = await applied(table.store.apply(move(2, mover=0, expected_refusals=1)))

    assert refused.credit_ms == refused.clock.credit_ms == about(LATE_MS)
    assert moved.credit_ms == about(2 * LATE_MS)
    assert moved.clock.elapsed_ms <= 2 * SLACK_MS
    log = await table.store.log("m1")
    assert [one.credit_ms for one in log][2:] == [refused.credit_ms, moved.credit_ms]


async def test_a_match_that_is_created_after_an_outage_ends_it(table: Table) -> None:
    await table.store.create(creation())
    await table.jump("m1", HOURS_MS)
    names = (f"m{number}" for number in itertools.count(2))
    neighbour = next(name for name in names if shard_of(name) == shard_of("m1"))

    made = await applied(table.store.create(creation(neighbour)))

    # Or else a clock that goes back by the same would leave its deadline far away.
    assert await table.second.beat() == 0
    assert (await table.held()).clock.credit_ms == about(HOURS_MS)
    assert (await table.held(neighbour)).clock.credit_ms == 0
    assert made.clock.deadline_ms == made.now_ms + CLOCK.start_ms


async def test_an_outage_before_a_match_is_not_its_own(table: Table) -> None:
    await table.store.create(creation())
    await table.jump("m1", LATE_MS)
    await table.store.beat()
    await applied(table.store.apply(move(1, to_act=0, judge_time=False)))

    moved = await applied(table.store.apply(move(2, mover=0)))

    assert moved.credit_ms == 0


async def test_a_match_that_is_over_is_credited_nothing(table: Table) -> None:
    await table.store.create(creation())
    await applied(table.store.apply(ending(1)))
    await table.jump("m1", LATE_MS)
    during = await table.held()
    await table.store.beat()
    after = await table.held()

    assert replace(during, now_ms=0) == replace(after, now_ms=0)
    assert after.clock.credit_ms == 0


async def test_a_retry_is_answered_whatever_time_it_is(table: Table) -> None:
    await table.store.create(creation())
    made = await applied(table.store.apply(move(1, key=key("k"))))
    await table.jump("m1", LATE_MS)

    held = await table.second.read("m1", key("k"))

    assert held is not None
    assert held.seen is not None
    assert held.seen.entry_id == made.entry_id
    assert len(await table.store.log("m1")) == 2


async def test_after_a_step_back_of_the_clock_time_goes_on(table: Table) -> None:
    await playing(table)
    await table.jump("m1", -HOURS_MS)
    assert await table.store.beat() == 0
    moved = await applied(table.store.apply(move(2, mover=0, to_act=1)))

    assert (moved.credit_ms, moved.clock.elapsed_ms) == (0, about(0))
    await table.age("m1", CLOCK.cap_ms + CLOCK.grace_ms + SLACK_MS)
    assert await table.store.due(5) == ("m1",)
    await applied(table.store.apply(ending(3, mover=1, due_only=True)))


async def test_a_step_back_that_is_put_right_is_no_outage(table: Table) -> None:
    await playing(table)
    await table.jump("m1", -HOURS_MS)
    await table.store.beat()
    await table.jump("m1", HOURS_MS)

    assert await table.store.beat() == 0
    moved = await applied(table.store.apply(move(2, mover=0, to_act=1)))
    assert (moved.credit_ms, moved.clock.elapsed_ms) == (0, about(0))


async def test_a_step_forward_of_the_clock_flags_nobody(table: Table) -> None:
    await playing(table)
    await table.jump("m1", HOURS_MS)

    assert await table.store.apply(ending(2, due_only=True)) is Refusal.NOT_DUE
    moved = await applied(table.store.apply(move(2, mover=0, to_act=1)))
    assert (moved.credit_ms, moved.clock.elapsed_ms) == (about(HOURS_MS), about(0))


async def test_a_deadline_before_the_first_heartbeat_is_judged(table: Table) -> None:
    await playing(table)
    await table.age("m1", LATE_MS)

    await applied(table.store.apply(ending(2, due_only=True)))
