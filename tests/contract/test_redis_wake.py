"""News of changes, over connections that break."""

import asyncio
from contextlib import aclosing
from pathlib import Path

import pytest
from redis.asyncio import Redis
from tests.contract.store_table import creation

from ginref.adapters.redis_store import RedisStore, open_store
from ginref.app.match_store import EVERYTHING

pytestmark = pytest.mark.redis


async def test_wakes_begin_anew_after_the_connection_was_cut(
    store: RedisStore, server: Redis
) -> None:
    async with aclosing(store.wakes()) as topics:
        assert await anext(topics) == EVERYTHING
        for version in (1, 2):
            await server.execute_command("CLIENT", "KILL", "TYPE", "pubsub")
            assert await anext(topics) == EVERYTHING
            await store.create(creation(f"m{version}"))
            created = {(await anext(topics)).topic for _ in range(3)}
            assert created == {f"m{version}", "bot/north", "bot/south"}


async def test_wakes_wait_for_a_server_that_comes_later(
    url: str, tmp_path: Path
) -> None:
    path = tmp_path / "later.sock"
    store = open_store(f"unix://{path}")
    async with aclosing(store.wakes()) as topics:
        first = asyncio.ensure_future(anext(topics))
        await asyncio.sleep(0.1)
        assert not first.done()

        path.symlink_to(url.removeprefix("unix://"))

        assert await first == EVERYTHING
    await store.aclose()
