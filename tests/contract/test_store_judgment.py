"""What every store judges before it writes, and in which order."""

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

from ginref.app.match_store import (
    Change,
    Duplicate,
    EntryId,
    Refusal,
    Seen,
    Stale,
    SubmissionKey,
)


@pytest.mark.parametrize(
    ("made", "entry_id"),
    [
        pytest.param(move(1, key=key("k")), EntryId(2), id="a move"),
        pytest.param(refusal(1, key=key("k")), EntryId(1, 1), id="a counted refusal"),
        pytest.param(ending(1, key=key("k")), EntryId(2), id="the last move"),
    ],
)
async def test_a_retry_is_answered_by_its_entry(
    table: Table, made: Change, entry_id: EntryId
) -> None:
    await table.store.create(creation())
    await applied(table.store.apply(made))
    before = await table.held()

    again = await table.second.apply(made)
    other = await table.second.apply(replace(made, key=key("k", "else")))

    assert again == Duplicate(Seen(entry_id=entry_id, same_request=True))
    assert other == Duplicate(Seen(entry_id=entry_id, same_request=False))
    assert replace(await table.held(), now_ms=0) == replace(before, now_ms=0)
    assert len(await table.store.log("m1")) == 2
    held = await table.second.read("m1", key("k"))
    assert held is not None
    assert held.seen == Seen(entry_id=entry_id, same_request=True)
    held = await table.second.read("m1", key("k", "else"))
    assert held is not None
    assert held.seen == Seen(entry_id=entry_id, same_request=False)


async def test_every_earlier_submission_stays_known(table: Table) -> None:
    await table.store.create(creation())
    # Digests that share buckets, and that overlap where their records meet.
    names = [
        bytes([first, *([second] * 9)]) for first in (0, 1, 255) for second in (0, 1)
    ]
    keys = [SubmissionKey(digest=name, request_hash=bytes(8)) for name in names]
    for version, submitted in enumerate(keys, start=1):
        await applied(table.store.apply(move(version, key=submitted)))

    for version, submitted in enumerate(keys, start=1):
        seen = Seen(entry_id=EntryId(version + 1), same_request=True)
        assert await table.store.apply(move(99, key=submitted)) == Duplicate(seen)
        held = await table.store.read("m1", submitted)
        assert held is not None
        assert held.seen == seen


async def test_a_known_key_is_judged_before_all_else(table: Table) -> None:
    await table.store.create(creation())
    await table.store.apply(move(1, key=key("k")))
    await table.store.apply(ending(2))

    result = await table.store.apply(move(9, key=key("k"), due_only=True))

    assert isinstance(result, Duplicate)


async def test_over_is_judged_before_time_and_version(table: Table) -> None:
    await table.store.create(creation())
    await table.store.apply(ending(1))
    await table.age("m1", LATE_MS)

    assert await table.store.apply(move(2)) is Refusal.OVER
    assert await table.store.apply(move(9)) is Refusal.OVER
    assert await table.store.apply(refusal(2)) is Refusal.OVER
    assert await table.store.apply(move(2, due_only=True)) is Refusal.OVER


async def test_time_is_judged_before_version(table: Table) -> None:
    await table.store.create(creation())
    assert await table.store.apply(move(9, due_only=True)) is Refusal.NOT_DUE
    await table.age("m1", LATE_MS)

    assert await table.store.apply(move(9)) is Refusal.LATE
    assert await table.store.apply(refusal(9)) is Refusal.LATE
    assert await table.store.apply(move(9, due_only=True)) == Stale(1, 0)
    assert await table.store.apply(move(9, judge_time=False)) == Stale(1, 0)


async def test_a_late_change_writes_nothing(table: Table) -> None:
    await table.store.create(creation())
    await table.age("m1", LATE_MS)
    before = await table.held()

    assert await table.store.apply(move(1, key=key("k"))) is Refusal.LATE
    assert await table.store.apply(refusal(1, key=key("k"))) is Refusal.LATE

    after = await table.store.read("m1", key("k"))
    assert after is not None
    assert replace(after, now_ms=0) == replace(before, now_ms=0)
    assert len(await table.store.log("m1")) == 1


async def test_a_change_within_grace_is_in_time(table: Table) -> None:
    clock = replace(CLOCK, start_ms=0, grace_ms=60_000)
    await table.store.create(creation(clock=clock))
    await table.age("m1", 50_000)

    assert await table.store.apply(move(9, due_only=True)) is Refusal.NOT_DUE
    assert await table.store.due(5) == ()
    await applied(table.store.apply(move(1, to_act=None, window_ms=0)))
    await table.age("m1", 50_000)

    assert await table.store.apply(move(9, due_only=True)) is Refusal.NOT_DUE
    assert await table.store.due(5) == ()
    await applied(table.store.apply(refusal(2)))


async def test_a_late_change_may_be_stored_on_demand(table: Table) -> None:
    await table.store.create(creation())
    await table.age("m1", LATE_MS)
    await applied(table.store.apply(move(1, judge_time=False)))
    await table.age("m1", LATE_MS)

    timed_out = await applied(table.store.apply(ending(2, mover=0, due_only=True)))

    assert timed_out.clock.banks_ms == (0, CLOCK.bank_ms)
