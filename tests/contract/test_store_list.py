"""What every store tells of its matches: their ends, logs, pages and bots."""

import asyncio

import pytest
from tests.contract.store_table import (
    LATE_MS,
    Table,
    applied,
    creation,
    ending,
    key,
    move,
    refusal,
)

from ginref.app.match_store import EntryId, MatchStore


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


async def test_a_match_is_live_until_it_is_over(table: Table) -> None:
    assert await table.store.live_count() == 0
    for number in (1, 2):
        await table.store.create(creation(f"m{number}"))
    created = await table.second.live_count()

    await applied(table.store.apply(ending(1, match_id="m1")))

    assert created == 2
    assert await table.second.live_count() == 1


async def test_the_backlog_is_all_that_awaits_its_record_and_how_long(
    table: Table,
) -> None:
    assert await table.store.backlog() == (0, 0)
    for number in (1, 2, 3):
        await table.store.create(creation(f"m{number}"))
        if number < 3:
            await asyncio.sleep(0.05)
            await applied(table.store.apply(ending(1, match_id=f"m{number}")))

    second = await table.held("m2")
    both = await table.store.backlog()
    await table.store.acknowledge("m1")
    one = await table.store.backlog()
    await table.store.acknowledge("m2")

    assert (both.records, one.records) == (2, 1)
    # The first one had ended before the second one was made.
    assert both.age_ms >= second.now_ms - second.created_ms
    assert await table.store.backlog() == (0, 0)


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

    async def read(after: EntryId | None) -> list[EntryId]:
        entries = await table.store.log("m1", after=after)
        return [entry.id for entry in entries]

    assert await read(None) == ids
    for place, entry_id in enumerate(ids):
        assert await read(entry_id) == ids[place + 1 :]
    assert await read(EntryId(0)) == ids
    assert await read(EntryId(2, 9)) == ids[4:]
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


async def test_a_bot_with_two_seats_has_the_match_once_in_its_list(
    table: Table,
) -> None:
    await table.store.create(creation(bots=("north", "north")))
    assert await table.store.live_matches("north") == ("m1",)

    await table.store.drop_live("north", "m1")

    assert await table.store.live_matches("north") == ()


async def test_the_newest_attachment_of_a_bot_is_known(table: Table) -> None:
    assert await table.store.attachment("north") is None

    await table.store.attach("north", "first")
    await table.second.attach("north", "second")
    await table.store.attach("south", "third")

    assert await table.store.attachment("north") == "second"
    assert await table.second.attachment("south") == "third"


async def test_a_match_has_its_own_log_keys_and_clock(table: Table) -> None:
    await table.store.create(creation("m1"))
    await table.store.create(creation("m2"))
    await table.store.apply(move(1, key=key("k")))

    other = await table.store.read("m2", key("k"))

    assert other is not None
    assert (other.version, other.seen) == (1, None)
    assert len(await table.store.log("m2")) == 1
