"""A store that died in the middle of a write: no half of a step comes back."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.contract.redis_fleet import Server, binary_of
from tests.contract.store_table import applied, creation, key, move

from ginref.adapters.redis_store import RedisStore, open_store

pytestmark = pytest.mark.redis


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    settings = ["--save", "", "--appendonly", "yes", "--appendfsync", "always"]
    server = Server(binary_of("valkey"), tmp_path, settings)
    server.start()
    yield server
    server.kill()


@asynccontextmanager
async def _opened(server: Server) -> AsyncIterator[RedisStore]:
    store = open_store(server.url)
    try:
        yield store
    finally:
        await store.aclose()


def _file(folder: Path) -> Path:
    (file,) = folder.glob("*/appendonlydir/*.incr.aof")
    return file


@pytest.mark.parametrize("cut", [b"XADD", b"HSET", b"ZADD", b"EXEC"], ids=bytes.decode)
async def test_what_nobody_was_told_of_takes_the_place_of_nothing(
    server: Server, tmp_path: Path, cut: bytes
) -> None:
    async with _opened(server) as store:
        await store.create(creation())
        before = _file(tmp_path).stat().st_size
        await applied(store.apply(move(1, entry=b"first", key=key("first"))))
    server.kill()
    written = _file(tmp_path).read_bytes()
    with _file(tmp_path).open("r+b") as file:
        file.truncate(written.index(cut, before) + 1)
    server.start()

    async with _opened(server) as store:
        second = move(1, entry=b"second", key=key("second"))
        told = await applied(store.apply(second))
    server.kill()
    server.start()

    async with _opened(server) as store:
        _, kept = await store.log("m1")
    assert (kept.entry, kept.time_ms) == (b"second", told.now_ms)
