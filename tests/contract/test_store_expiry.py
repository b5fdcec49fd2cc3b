"""Matches leave a store when their record is archived, and never come back."""

import asyncio
from dataclasses import replace

import pytest
from redis.asyncio import Redis
from tests.contract.store_table import Table, applied, creation, ending, key

from ginref.adapters.redis_script import bot_keys, match_keys, shard_keys, shard_of
from ginref.adapters.redis_store import RedisStore
from ginref.app.match_store import Change, Duplicate, EntryId, MatchStore, Refusal, Seen

PATIENCE_S = 30
LONG_MS = 3_600_000

_KNOWN = Seen(entry_id=EntryId(1), same_request=True)


def over(match_id: str = "m1") -> Change:
    return ending(1, match_id=match_id, key=key("k"))


async def gone(store: MatchStore, match_id: str = "m1") -> None:
    """Wait until a match is there no more."""
    async with asyncio.timeout(PATIENCE_S):
        while await store.read(match_id) is not None:  # noqa: ASYNC110 - no event
            await asyncio.sleep(0.002)


async def test_a_match_expires_once_its_record_is_archived(table: Table) -> None:
    await table.store.create(creation())
    await applied(table.store.apply(over()))
    assert not await table.store.has_expired("m1")

    await table.store.acknowledge("m1", 5)
    await gone(table.second)

    assert await table.second.has_expired("m1")
    assert not await table.second.has_expired("m2")
    assert await table.store.apply(over()) is Refusal.MISSING
    assert await table.store.finished(5) == ()
    for bot in (None, "north", "south"):
        page = await table.store.list_matches(bot=bot, limit=5, cursor=None)
        assert (page.match_ids, page.cursor) == ((), None)
    assert await table.store.live_matches("north") == ()


async def test_a_match_that_has_expired_is_never_made_again(table: Table) -> None:
    await table.store.create(creation())
    await table.store.apply(over())
    await table.store.acknowledge("m1", 5)
    await gone(table.store)

    again = await table.second.create(creation())
    other = await table.store.create(creation(request_hash=b"another!"))

    assert again == Duplicate(_KNOWN)
    assert other == Duplicate(replace(_KNOWN, same_request=False))
    assert await table.store.read("m1") is None
    assert await table.store.live_matches("north") == ()
    assert await table.store.due(5) == ()


@pytest.mark.parametrize("keep_ms", [None, LONG_MS])
async def test_a_match_stays_for_as_long_as_it_is_kept(
    table: Table, keep_ms: int | None
) -> None:
    for match_id in ("m1", "m2"):
        await table.store.create(creation(match_id))
    await table.store.apply(over())
    before = await table.held()

    await table.store.acknowledge("m1", keep_ms)
    # What is asked twice was done before, be it with another time.
    await table.store.acknowledge("m1", 1)
    # A live match has no record.
    await table.store.acknowledge("m2", 1)
    await asyncio.sleep(0.02)

    assert replace(await table.held(), now_ms=0) == replace(before, now_ms=0)
    assert (await table.held("m2")).version == 1
    assert len(await table.store.log("m1")) == 2
    assert not await table.store.has_expired("m1")
    assert await table.store.create(creation()) == Duplicate(_KNOWN)
    page = await table.store.list_matches(bot="north", limit=5, cursor=None)
    assert sorted(page.match_ids) == ["m1", "m2"]


@pytest.mark.redis
async def test_nothing_expires_before_its_record_is_archived(
    store: RedisStore, server: Redis
) -> None:
    keys, shard = match_keys("m1"), shard_keys(shard_of("m1"))
    await store.create(creation())
    await store.apply(over())
    assert {await server.ttl(name) for name in await server.keys()} == {-1}

    await store.acknowledge("m1", LONG_MS)

    lives_ms = {str(name): await server.pttl(name) for name in await server.keys()}
    own = {name: lives_ms.pop(name) for name in (keys.match, keys.log, keys.idem)}
    assert set(lives_ms.values()) == {-1}
    assert 0 < own[keys.match] <= LONG_MS
    # Who has just read a match still finds its log.
    assert LONG_MS < own[keys.log] <= LONG_MS + 60_000
    assert await server.hgetall(shard.archived) == {"m1": "creation"}


@pytest.mark.redis
async def test_the_lists_lose_what_has_expired_when_the_next_match_is_archived(
    store: RedisStore, server: Redis
) -> None:
    home = shard_of("m1")
    ids = [one for one in (f"m{n}" for n in range(1, 99)) if shard_of(one) == home]
    for match_id in ids[:3]:
        await store.create(creation(match_id))
        await store.apply(over(match_id))
    for match_id in ids[:2]:
        await store.acknowledge(match_id, 5)
        await gone(store, match_id)
    lists = [shard_keys(home).created, shard_keys(home).expiry]
    for bot in ("north", "south"):
        lists += [bot_keys(bot).match, bot_keys(bot).live]

    await store.acknowledge(ids[2])

    left = {name: await server.zrange(name, 0, -1) for name in lists}
    assert left.pop(shard_keys(home).expiry) == []
    assert all(members == [ids[2]] for members in left.values()), left
    assert await server.hlen(shard_keys(home).archived) == 2
