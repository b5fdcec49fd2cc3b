"""What every store of matches promises, asked of each of them."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, replace

import pytest
import pytest_asyncio
from redis.asyncio import Redis

from ginref.adapters.memory_store import MemoryStore
from ginref.adapters.redis_script import match_keys, shard_keys, shard_of
from ginref.adapters.redis_store import open_store
from ginref.app.match_store import (
    EVERYTHING,
    Applied,
    Change,
    Creation,
    Duplicate,
    EntryId,
    MatchStore,
    Refusal,
    Seen,
    Stale,
    StoredMatch,
    SubmissionKey,
    Wake,
)
from ginref.record.clock import ClockPolicy, StoredClock

CLOCK = ClockPolicy(
    name="custom",
    start_ms=60_000,
    free_ms=1_000,
    bank_ms=120_000,
    cap_ms=30_000,
    grace_ms=250,
)
LATE_MS = 500_000

BINARY = bytes(range(256))


@dataclass
class Table:
    """A store, a second view of the same matches, and a hand on their clocks."""

    store: MatchStore
    second: MatchStore
    age: Callable[[str, int], Awaitable[None]]

    async def held(self, match_id: str = "m1") -> StoredMatch:
        held = await self.store.read(match_id)
        assert held is not None
        return held


@asynccontextmanager
async def memory_table() -> AsyncIterator[Table]:
    now = itertools.count(1_700_000_000_000)
    passed = 0

    async def age(_: str, by_ms: int) -> None:
        nonlocal passed
        passed += by_ms

    store = MemoryStore(lambda: next(now) + passed)
    yield Table(store, store, age)
    await store.aclose()


@asynccontextmanager
async def redis_table(url: str) -> AsyncIterator[Table]:
    store, second, hand = open_store(url), open_store(url), Redis.from_url(url)

    async def age(match_id: str, by_ms: int) -> None:
        """Move the match into the past, which is the same as waiting."""
        match = match_keys(match_id).match
        await hand.hincrby(match, "started", -by_ms)
        await hand.hincrby(match, "deadline", -by_ms)
        deadlines = shard_keys(shard_of(match_id)).deadline
        if await hand.zscore(deadlines, match_id) is not None:
            await hand.zincrby(deadlines, -by_ms, match_id)

    yield Table(store, second, age)
    await store.aclose()
    await second.aclose()
    await hand.aclose()


@pytest_asyncio.fixture(
    params=[
        "memory",
        pytest.param("valkey", marks=pytest.mark.redis),
        pytest.param("redis", marks=pytest.mark.redis),
    ]
)
async def table(request: pytest.FixtureRequest) -> AsyncIterator[Table]:
    if request.param == "memory":
        place = memory_table()
    else:
        place = redis_table(request.getfixturevalue(f"{request.param}_url"))
    async with place as made:
        yield made


def creation(match_id: str = "m1", **facts: object) -> Creation:
    made = Creation(
        match_id=match_id,
        request_hash=b"creation",
        setup=BINARY,
        state=b"state 1",
        entry=b"created",
        clock=CLOCK,
        seat_count=2,
        bots=("north", "south"),
    )
    return replace(made, **facts)  # type: ignore[arg-type]


def key(name: str, request: str = "request") -> SubmissionKey:
    return SubmissionKey(
        digest=name.encode().ljust(10)[:10], request_hash=request.encode().ljust(8)[:8]
    )


def move(version: int, **facts: object) -> Change:
    """Make the move from a version on, by turns: odd versions are seat 0's."""
    made = Change(
        match_id="m1",
        expected_version=version,
        expected_refusals=0,
        entry=f"entry {version + 1}".encode(),
        state=f"state {version + 1}".encode(),
        to_act=(version + 1) % 2,
    )
    return replace(made, **facts)  # type: ignore[arg-type]


def refusal(version: int, refusals: int = 0, **facts: object) -> Change:
    made = Change(
        match_id="m1",
        expected_version=version,
        expected_refusals=refusals,
        entry=f"refused {version}-{refusals + 1}".encode(),
        refusal=True,
    )
    return replace(made, **facts)  # type: ignore[arg-type]


def ending(version: int, **facts: object) -> Change:
    return move(version, **{"to_act": None, "ending": True, **facts})


async def applied(result: Awaitable[object]) -> Applied:
    """Wait for a change that must have been stored."""
    made = await result
    assert isinstance(made, Applied)
    return made


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


async def test_a_move_is_paid_from_the_movers_bank(table: Table) -> None:
    await table.store.create(creation())
    await table.store.apply(move(1))
    await table.age("m1", 7_000)
    before = await table.held()

    moved = await applied(table.store.apply(move(2, mover=0)))

    elapsed_ms = moved.now_ms - before.clock.started_ms
    assert elapsed_ms >= 7_000
    left_ms = CLOCK.bank_ms - (elapsed_ms - CLOCK.free_ms)
    assert moved.clock.elapsed_ms == elapsed_ms
    assert moved.clock.banks_ms == (left_ms, CLOCK.bank_ms)
    assert moved.clock.started_ms == moved.now_ms
    assert moved.clock.to_act == 1
    assert moved.clock.deadline_ms == moved.now_ms + CLOCK.cap_ms
    assert (await table.held()).clock == moved.clock


async def test_a_step_without_a_mover_costs_nobody(table: Table) -> None:
    await table.store.create(creation())
    await table.store.apply(move(1))
    await table.age("m1", 7_000)

    moved = await applied(table.store.apply(move(2)))

    assert moved.clock.banks_ms == (CLOCK.bank_ms, CLOCK.bank_ms)
    assert moved.clock.elapsed_ms == 0


async def test_a_deadline_is_free_time_and_what_is_left_of_the_bank(
    table: Table,
) -> None:
    await table.store.create(creation(clock=replace(CLOCK, bank_ms=9_000)))

    moved = await applied(table.store.apply(move(1)))

    assert moved.clock.deadline_ms == moved.now_ms + 10_000


async def test_a_window_is_a_deadline_of_its_own(table: Table) -> None:
    await table.store.create(creation())

    moved = await applied(table.store.apply(move(1, to_act=None, window_ms=1234)))

    assert moved.clock.to_act is None
    assert moved.clock.started_ms == moved.now_ms
    assert moved.clock.deadline_ms == moved.now_ms + 1234


async def test_a_step_with_neither_seat_nor_window_keeps_the_deadline(
    table: Table,
) -> None:
    made = await applied(table.store.create(creation()))

    moved = await applied(table.store.apply(move(1, to_act=None)))

    assert moved.clock.deadline_ms == made.clock.deadline_ms
    assert await table.store.due(5) == ()
    await table.age("m1", LATE_MS)
    assert await table.store.due(5) == ("m1",)


async def test_matches_are_due_in_order_of_their_deadlines(table: Table) -> None:
    ids = [f"m{number}" for number in range(9)]
    for number, match_id in enumerate(ids):
        start_ms = 1_000 * (9 - number)
        clock = replace(CLOCK, start_ms=start_ms, grace_ms=60_000)
        await table.store.create(creation(match_id, clock=clock))
    assert await table.store.due(20) == ()

    for match_id in ids:
        await table.age(match_id, LATE_MS)
    await table.store.create(creation("new"))

    assert await table.store.due(20) == tuple(reversed(ids))
    assert await table.store.due(3) == ("m8", "m7", "m6")


async def test_a_step_moves_the_match_out_of_what_is_due(table: Table) -> None:
    await table.store.create(creation())
    await table.age("m1", LATE_MS)
    assert await table.store.due(5) == ("m1",)

    await table.store.apply(move(1, judge_time=False))

    assert await table.store.due(5) == ()


async def test_an_ended_match_has_no_deadline_and_awaits_its_record(
    table: Table,
) -> None:
    await table.store.create(creation())

    ended = await applied(table.store.apply(ending(1, key=key("k"))))
    await table.age("m1", LATE_MS)

    held = await table.held()
    assert (held.over, held.version, held.state) == (True, 2, b"state 2")
    assert (ended.clock.to_act, ended.clock.deadline_ms) == (None, 0)
    assert await table.store.due(5) == ()
    assert await table.store.finished(5) == ("m1",)


async def test_finished_matches_come_oldest_first_until_acknowledged(
    table: Table,
) -> None:
    for number in (3, 1, 2, 5, 4):
        await table.store.create(creation(f"m{number}"))
    assert await table.store.finished(9) == ()
    for number in (2, 3, 1):
        await table.store.apply(ending(1, match_id=f"m{number}"))
        await asyncio.sleep(0.002)

    assert await table.store.finished(9) == ("m2", "m3", "m1")
    assert await table.second.finished(2) == ("m2", "m3")
    for match_id in ("m3", "m3", "m4"):
        await table.store.acknowledge(match_id)
    assert await table.store.finished(9) == ("m2", "m1")
    await table.store.apply(ending(1, match_id="m4"))
    assert await table.store.finished(9) == ("m2", "m1", "m4")


async def test_the_log_is_read_from_any_place_on(table: Table) -> None:
    await table.store.create(creation())
    await table.store.apply(move(1))
    await table.store.apply(refusal(2))
    await table.store.apply(refusal(2, 1))
    await table.store.apply(move(2, expected_refusals=2))
    ids = [EntryId(1), EntryId(2), EntryId(2, 1), EntryId(2, 2), EntryId(3)]

    async def read(after: EntryId | None, count: int | None = None) -> list[EntryId]:
        entries = await table.store.log("m1", after=after, count=count)
        return [entry.id for entry in entries]

    assert await read(None) == ids
    for place, entry_id in enumerate(ids):
        assert await read(entry_id) == ids[place + 1 :]
    assert await read(EntryId(0)) == ids
    assert await read(EntryId(2, 9)) == ids[4:]
    assert await read(None, 2) == ids[:2]
    assert await read(EntryId(1), 2) == ids[1:3]
    assert await read(EntryId(9)) == []


async def pages(store: MatchStore, bot: str | None, limit: int) -> list[str]:
    """Read a whole list, page by page."""
    found: list[str] = []
    cursor: str | None = None
    while True:
        page = await store.list_matches(bot=bot, limit=limit, cursor=cursor)
        assert len(page.match_ids) <= limit
        found += page.match_ids
        cursor = page.cursor
        if cursor is None:
            return found


async def test_all_matches_are_listed_newest_first(table: Table) -> None:
    ids = [f"m{number:02}" for number in range(25)]
    # Many of them in the same millisecond.
    made = await asyncio.gather(
        *(applied(table.store.create(creation(match_id))) for match_id in ids)
    )
    places = sorted(zip([one.now_ms for one in made], ids, strict=True), reverse=True)

    for limit in (1, 4, 24, 25, 40):
        found = await pages(table.second, None, limit)
        assert found == [match_id for _, match_id in places]


async def test_the_matches_of_a_bot_are_listed_newest_first(table: Table) -> None:
    ids = [f"m{number}" for number in range(9)]
    for match_id in ids:
        await table.store.create(creation(match_id))
        await table.store.create(creation(f"{match_id}-other", bots=("east", "south")))
        await asyncio.sleep(0.002)

    for limit in (1, 4, 8, 9, 40):
        assert await pages(table.second, "north", limit) == ids[::-1]


async def test_a_bot_without_matches_has_one_empty_page(table: Table) -> None:
    for bot in (None, "north"):
        page = await table.store.list_matches(bot=bot, limit=5, cursor=None)
        assert (page.match_ids, page.cursor) == ((), None)


@pytest.mark.parametrize("cursor", ["", "x", "12", ".m1", "1e9.m1", "-5.m1"])
async def test_a_foreign_cursor_is_refused(table: Table, cursor: str) -> None:
    with pytest.raises(ValueError, match="cursor"):
        await table.store.list_matches(bot=None, limit=5, cursor=cursor)


async def test_a_bots_live_matches_come_oldest_first_until_dropped(
    table: Table,
) -> None:
    for match_id in ("m3", "m1", "m2"):
        await table.store.create(creation(match_id))
        await asyncio.sleep(0.002)
    await table.store.apply(ending(1, match_id="m1"))

    assert await table.second.live_matches("north") == ("m3", "m1", "m2")
    for _ in range(2):
        await table.store.drop_live("north", "m1")
    await table.store.drop_live("nobody", "m1")

    assert await table.store.live_matches("north") == ("m3", "m2")
    assert await table.store.live_matches("south") == ("m3", "m1", "m2")
    assert await table.store.live_matches("nobody") == ()
    await table.store.create(creation("m1"))
    assert await table.store.live_matches("north") == ("m3", "m2")


async def test_the_newest_attachment_of_a_bot_is_known(table: Table) -> None:
    assert await table.store.attachment("north") is None

    await table.store.attach("north", "first")
    await table.second.attach("north", "second")
    await table.store.attach("south", "third")

    assert await table.store.attachment("north") == "second"
    assert await table.second.attachment("south") == "third"


async def test_wakes_begin_empty_and_name_what_changed(table: Table) -> None:
    async with aclosing(table.second.wakes()) as topics:
        assert await anext(topics) == EVERYTHING

        await table.store.create(creation())
        created = {await anext(topics) for _ in range(3)}
        await table.store.apply(move(1))
        moved = await anext(topics)
        await table.store.apply(refusal(2))
        refused = await anext(topics)
        await table.store.apply(move(1))
        await table.store.attach("south", "first")
        attached = await anext(topics)

    assert created == {Wake("m1", EntryId(1)), Wake("bot/north"), Wake("bot/south")}
    assert moved == Wake("m1", EntryId(2))
    assert refused == Wake("m1", EntryId(2, 1))
    assert attached == Wake("bot/south")


async def test_every_listener_is_woken(table: Table) -> None:
    async with (
        aclosing(table.store.wakes()) as first,
        aclosing(table.second.wakes()) as second,
    ):
        assert [await anext(first), await anext(second)] == [EVERYTHING] * 2

        await table.store.create(creation(bots=()))

        assert [await anext(first), await anext(second)] == [Wake("m1", EntryId(1))] * 2


async def test_of_32_racing_submissions_exactly_one_is_stored(table: Table) -> None:
    await table.store.create(creation())
    for version in range(1, 9):
        racing = [
            move(version, key=key(f"{version}/{number % 16}"), entry=b"%d" % number)
            for number in range(32)
        ]

        results = await asyncio.gather(
            *(
                store.apply(one)
                for one, store in zip(
                    racing, itertools.cycle([table.store, table.second]), strict=False
                )
            )
        )

        winners = [one for one in results if isinstance(one, Applied)]
        assert [one.entry_id for one in winners] == [EntryId(version + 1)]
        assert sum(isinstance(one, Duplicate) for one in results) == 1
        assert results.count(Stale(version + 1, 0)) == 30
    ids = [entry.id for entry in await table.store.log("m1")]
    assert ids == [EntryId(version) for version in range(1, 10)]


async def test_of_racing_creations_exactly_one_is_stored(table: Table) -> None:
    results = await asyncio.gather(
        *(store.create(creation()) for store in (table.store, table.second) * 8)
    )

    assert sum(isinstance(one, Applied) for one in results) == 1
    assert len(await table.store.log("m1")) == 1


async def test_time_of_a_match_never_runs_backwards(table: Table) -> None:
    made = await applied(table.store.create(creation()))
    times = [made.now_ms]
    for version in range(1, 20):
        moved = await applied(table.store.apply(move(version)))
        times += [moved.now_ms, (await table.held()).now_ms]

    assert times == sorted(times)


async def test_the_identity_key_is_made_once(table: Table) -> None:
    first, second = await asyncio.gather(
        table.store.identity_key(), table.second.identity_key()
    )

    assert len(first) == 32
    assert first == second == await table.store.identity_key()


async def test_a_match_has_its_own_log_keys_and_clock(table: Table) -> None:
    await table.store.create(creation("m1"))
    await table.store.create(creation("m2"))
    await table.store.apply(move(1, key=key("k")))

    other = await table.store.read("m2", key("k"))

    assert other is not None
    assert (other.version, other.seen) == (1, None)
    assert len(await table.store.log("m2")) == 1
