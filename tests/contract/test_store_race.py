"""What every store promises to many at once: one winner, and news for all."""

import asyncio
import itertools
from contextlib import aclosing

from tests.contract.store_table import Table, creation, key, move, refusal

from ginref.app.match_store import EVERYTHING, Applied, Duplicate, EntryId, Stale, Wake


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


async def test_the_identity_key_is_made_once(table: Table) -> None:
    first, second = await asyncio.gather(
        table.store.identity_key(), table.second.identity_key()
    )

    assert len(first) == 32
    assert first == second == await table.store.identity_key()
