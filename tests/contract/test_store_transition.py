"""What every store of matches promises of a change: it is stored whole, or not."""

from dataclasses import replace

from tests.contract.store_table import (
    BINARY,
    CLOCK,
    Table,
    applied,
    creation,
    key,
    move,
    refusal,
)

from ginref.app.match_store import Duplicate, EntryId, Refusal, Seen, Stale
from ginref.record.clock import StoredClock


async def test_a_created_match_is_at_version_one(table: Table) -> None:
    made = await applied(table.store.create(creation()))

    held = await table.held()
    assert made.entry_id == EntryId(1)
    assert (held.version, held.refusals, held.over) == (1, 0, False)
    assert (held.setup, held.state) == (BINARY, b"state 1")
    assert held.created_ms == made.now_ms <= held.now_ms
    assert held.seen is None
    assert held.clock == made.clock
    assert held.clock == StoredClock(
        to_act=None,
        started_ms=made.now_ms,
        deadline_ms=made.now_ms + CLOCK.start_ms,
        banks_ms=(CLOCK.bank_ms, CLOCK.bank_ms),
    )


async def test_a_match_of_three_seats_has_three_banks(table: Table) -> None:
    made = await applied(table.store.create(creation(seat_count=3)))
    moved = await applied(table.store.apply(move(1, to_act=2)))

    assert made.clock.banks_ms == moved.clock.banks_ms == (CLOCK.bank_ms,) * 3
    assert (await table.held()).clock == moved.clock


async def test_a_second_creation_of_the_same_match_writes_nothing(
    table: Table,
) -> None:
    await table.store.create(creation())
    before = await table.held()

    again = await table.second.create(creation())
    other = await table.store.create(
        creation(request_hash=b"another!", state=b"other", bots=("east", "south"))
    )

    after = await table.held()
    assert again == Duplicate(Seen(entry_id=EntryId(1), same_request=True))
    assert other == Duplicate(Seen(entry_id=EntryId(1), same_request=False))
    assert replace(after, now_ms=0) == replace(before, now_ms=0)
    assert len(await table.store.log("m1")) == 1
    page = await table.store.list_matches(bot="east", limit=5, cursor=None)
    assert page.match_ids == ()
    assert await table.store.live_matches("east") == ()


async def test_a_match_that_nobody_made_is_missing(table: Table) -> None:
    assert await table.store.read("m1") is None
    assert await table.store.read("m1", key("k")) is None
    assert await table.store.apply(move(1, key=key("k"))) is Refusal.MISSING
    assert await table.store.apply(refusal(1)) is Refusal.MISSING
    assert await table.store.log("m1") == ()
    await table.store.acknowledge("m1")
    assert await table.store.finished(5) == ()


async def test_a_transition_is_stored_with_its_entry_and_state(table: Table) -> None:
    await table.store.create(creation())

    moved = await applied(table.store.apply(move(1, entry=BINARY, state=BINARY)))

    held = await table.held()
    assert moved.entry_id == EntryId(2)
    assert (held.version, held.refusals, held.state) == (2, 0, BINARY)
    assert held.clock == moved.clock
    first, second = await table.store.log("m1")
    assert (first.id, first.entry) == (EntryId(1), b"created")
    assert (second.id, second.entry) == (EntryId(2), BINARY)
    assert (first.time_ms, second.time_ms) == (held.created_ms, moved.now_ms)


async def test_a_change_for_another_version_is_stale(table: Table) -> None:
    await table.store.create(creation())
    await table.store.apply(move(1))

    for version in (0, 1, 3):
        assert await table.store.apply(move(version)) == Stale(2, 0)
        assert await table.store.apply(refusal(version)) == Stale(2, 0)
    assert len(await table.store.log("m1")) == 2


async def test_a_change_for_another_refusal_count_is_stale(table: Table) -> None:
    await table.store.create(creation())
    await table.store.apply(refusal(1))

    assert await table.store.apply(move(1)) == Stale(1, 1)
    assert await table.store.apply(refusal(1)) == Stale(1, 1)
    await applied(table.store.apply(move(1, expected_refusals=1)))


async def test_a_stale_submission_is_not_remembered(table: Table) -> None:
    await table.store.create(creation())

    assert await table.store.apply(move(7, key=key("k"))) == Stale(1, 0)

    held = await table.store.read("m1", key("k"))
    assert held is not None
    assert held.seen is None
    await applied(table.store.apply(move(1, key=key("k"))))


async def test_refusals_are_counted_and_change_nothing_else(table: Table) -> None:
    await table.store.create(creation())
    await table.store.apply(move(1))
    before = await table.held()
    await table.age("m1", 5_000)

    first = await applied(table.store.apply(refusal(2)))
    second = await applied(table.store.apply(refusal(2, 1)))

    held = await table.held()
    assert (first.entry_id, second.entry_id) == (EntryId(2, 1), EntryId(2, 2))
    assert (held.version, held.refusals, held.state) == (2, 2, b"state 2")
    assert held.clock == first.clock == second.clock
    assert held.clock.banks_ms == before.clock.banks_ms
    thinking_ms = before.clock.deadline_ms - before.clock.started_ms
    assert held.clock.deadline_ms - held.clock.started_ms == thinking_ms


async def test_a_transition_starts_the_refusals_anew(table: Table) -> None:
    await table.store.create(creation())
    await table.store.apply(refusal(1))
    await table.store.apply(move(1, expected_refusals=1))

    assert (await table.held()).refusals == 0
    later = await applied(table.store.apply(refusal(2)))
    assert later.entry_id == EntryId(2, 1)
    ids = [entry.id for entry in await table.store.log("m1")]
    assert ids == [EntryId(1), EntryId(1, 1), EntryId(2), EntryId(2, 1)]
