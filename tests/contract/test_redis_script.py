"""What the scripts of a Redis store leave on the server."""

import pytest
from redis.asyncio import Redis
from tests.contract.store_table import creation, key, move

from ginref.adapters.redis_script import (
    SHARDS,
    bot_keys,
    match_keys,
    shard_keys,
    shard_of,
)
from ginref.adapters.redis_store import RedisStore
from ginref.app.match_store import Applied
from ginref.app.packing import DamageError

pytestmark = pytest.mark.redis

FAR_MS = 4_000_000_000_000
"""A time that no clock shows yet."""

KEY = key("0123456789", "01234567")


async def test_no_key_ever_expires_and_all_are_known(
    store: RedisStore, server: Redis
) -> None:
    ids = [f"m{number}" for number in range(40)]
    for match_id in ids:
        await store.create(creation(match_id))
        await store.apply(move(match_id=match_id, key=KEY))
        await store.apply(move(2, match_id=match_id, ending=True))
    await store.attach("north", "a")
    await store.identity_key()
    await store.registry().add("bot", "north", "row")

    expected = {"ginref:identity", "ginref:registry:bot", bot_keys("north").attachment}
    for bot in ("north", "south"):
        expected |= {bot_keys(bot).match, bot_keys(bot).live}
    for match_id in ids:
        keys, shard = match_keys(match_id), shard_keys(shard_of(match_id))
        expected |= {keys.match, keys.log, keys.idem}
        expected |= {shard.outbox, shard.created, shard.beat}
        assert {key.split(":")[1] for key in (keys.match, keys.log, keys.idem)} == {
            shard_of(match_id)
        }
    found = {str(key) for key in await server.keys()}
    # On a machine that stood still for two seconds there have been outages.
    assert found - {shard_keys(shard).outage for shard in SHARDS} == expected
    assert {await server.ttl(key) for key in found} == {-1}
    assert {shard_of(match_id) for match_id in ids} == set(SHARDS)


async def test_scripts_are_sent_again_when_the_server_has_forgotten_them(
    store: RedisStore, server: Redis
) -> None:
    await store.create(creation())
    for version in range(1, 4):
        await server.script_flush()
        assert isinstance(await store.apply(move(version)), Applied)
        await server.script_flush()
        assert await store.read("m1") is not None


async def test_a_failing_script_leaves_nothing_half_written(
    store: RedisStore, server: Redis
) -> None:
    await store.create(creation(setup=b"setup"))
    # The log is ahead of the match, which no script can bring about.
    await server.xadd(match_keys("m1").log, {"t": "0", "e": ""}, id="7-0")
    before = await server.hgetall(match_keys("m1").match)

    with pytest.raises(DamageError) as halted:
        await store.apply(move(key=KEY))

    assert "equal or smaller" in str(halted.value.__cause__)
    assert await server.hgetall(match_keys("m1").match) == before
    assert not await server.exists(match_keys("m1").idem)


async def test_a_list_entry_of_a_match_that_was_never_made_is_skipped(
    store: RedisStore, server: Redis
) -> None:
    await store.create(creation("m1"))
    await store.create(creation("m2"))
    for name in (bot_keys("north").match, bot_keys("north").live):
        ghosts = {f"ghost{number}": FAR_MS + number for number in range(9)}
        await server.zadd(name, ghosts)

    page = await store.list_matches(bot="north", limit=1, cursor=None)
    rest = await store.list_matches(bot="north", limit=5, cursor=page.cursor)

    assert [*page.match_ids, *rest.match_ids] == ["m2", "m1"]
    assert rest.cursor is None
    assert await store.live_matches("north") == ("m1", "m2")


async def test_a_creation_that_was_cut_short_keeps_its_place_in_the_lists(
    store: RedisStore, server: Redis
) -> None:
    for name in (bot_keys("north").match, bot_keys("north").live):
        await server.zadd(name, {"m2": 1})
    await store.create(creation("m1"))
    await store.create(creation("m2"))

    page = await store.list_matches(bot="north", limit=5, cursor=None)

    assert page.match_ids == ("m1", "m2")
    assert await store.live_matches("north") == ("m2", "m1")
