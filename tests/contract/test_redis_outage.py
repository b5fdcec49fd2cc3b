"""Servers that are away, full, demoted, silent or cut off in the middle."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from redis.asyncio import Redis
from tests.contract.store_table import creation, key, move

from ginref.adapters.redis_connection import RedisConnection
from ginref.adapters.redis_script import SHARDS
from ginref.adapters.redis_store import RedisStore, open_store
from ginref.app.match_store import Applied, Duplicate, EntryId, Seen
from ginref.app.port import StoreUnavailableError

pytestmark = pytest.mark.redis

KEY = key("0123456789", "01234567")

Call = Callable[[RedisStore], Awaitable[object]]

ALL_CALLS: list[Call] = [
    lambda store: store.create(creation()),
    lambda store: store.apply(move()),
    lambda store: store.read("m1"),
    lambda store: store.log("m1"),
    lambda store: store.due(1),
    lambda store: store.finished(1),
    lambda store: store.acknowledge("m1"),
    lambda store: store.acknowledge("m1", 60_000),
    lambda store: store.has_expired("m1"),
    lambda store: store.list_matches(bot="north", limit=1, cursor=None),
    lambda store: store.live_matches("north"),
    lambda store: store.drop_live("north", "m1"),
    lambda store: store.attach("north", "a"),
    lambda store: store.attachment("north"),
    lambda store: store.identity_key(),
    lambda store: store.durability(),
    lambda store: store.registry().add("bot", "north", "row"),
    lambda store: store.registry().get("bot", "north"),
    lambda store: store.registry().replace("bot", "north", "row", "new"),
    lambda store: store.registry().rows("bot"),
]


async def test_without_a_server_every_call_says_unavailable(tmp_path: Path) -> None:
    store = open_store(f"unix://{tmp_path}/nobody.sock")

    for call in ALL_CALLS:
        with pytest.raises(StoreUnavailableError):
            await call(store)

    await store.aclose()


@asynccontextmanager
async def scripted(path: Path, answer: bytes) -> AsyncIterator[list[bytes]]:
    """Listen as a server that gives every script one answer."""
    heard: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            setup = data.count(b"SETINFO")
            if setup:
                writer.write(b"+OK\r\n" * setup)
                continue
            if b"INFO" in data:
                writer.write(b"$0\r\n\r\n")
                continue
            heard.append(data)
            if not answer:
                break
            writer.write(answer * data.count(b"EVALSHA"))
        writer.close()

    listener = await asyncio.start_unix_server(serve, path)
    try:
        yield heard
    finally:
        listener.close()


@pytest.mark.parametrize(
    "answer",
    [
        b"-LOADING Redis is loading the dataset in memory\r\n",
        b"-BUSY Redis is busy running a script.\r\n",
        b"-READONLY You can't write against a read only replica.\r\n",
        b"-OOM command not allowed when used memory > 'maxmemory'.\r\n",
        b"-MISCONF Errors writing to the AOF file: No space left on device\r\n",
        b"-MASTERDOWN Link with MASTER is down\r\n",
        b"-CLUSTERDOWN The cluster is down\r\n",
        b"-TRYAGAIN Multiple keys request during rehashing of slot\r\n",
        b"-NOREPLICAS Not enough good replicas to write.\r\n",
        b"",
    ],
    ids=lambda answer: answer[1:10].split(b" ")[0].decode() or "cut off",
)
async def test_a_server_that_cannot_serve_is_unavailable_and_asked_only_once(
    tmp_path: Path, answer: bytes
) -> None:
    async with scripted(tmp_path / "server.sock", answer) as heard:
        store = open_store(f"unix://{tmp_path}/server.sock")

        with pytest.raises(StoreUnavailableError):
            await store.apply(move())
        with pytest.raises(StoreUnavailableError):
            await store.due(5)

        assert [data.count(b"EVALSHA") for data in heard] == [1, len(SHARDS)]
        await store.aclose()


async def test_a_silent_server_is_unavailable(tmp_path: Path) -> None:
    gone = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        await gone.wait()
        writer.close()

    listener = await asyncio.start_unix_server(serve, tmp_path / "server.sock")
    connection = RedisConnection(f"unix://{tmp_path}/server.sock", patience_s=0.05)

    with pytest.raises(StoreUnavailableError):
        await connection.command("PING")

    gone.set()
    listener.close()
    await connection.aclose()


async def test_a_full_server_refuses_a_move_as_a_whole(
    store: RedisStore, server: Redis
) -> None:
    await store.create(creation())
    await server.config_set("maxmemory", 1)
    try:
        with pytest.raises(StoreUnavailableError):
            await store.apply(move(key=KEY))
        held = await store.read("m1", KEY)
    finally:
        await server.config_set("maxmemory", 0)

    assert held is not None
    assert (held.version, held.seen) == (1, None)
    assert len(await store.log("m1")) == 1
    assert isinstance(await store.apply(move(key=KEY)), Applied)


async def test_a_demoted_server_takes_no_moves(
    store: RedisStore, server: Redis
) -> None:
    await store.create(creation())
    await server.replicaof("127.0.0.1", "1")
    try:
        with pytest.raises(StoreUnavailableError):
            await store.apply(move())
        promise = await store.durability()
    finally:
        await server.replicaof("NO", "ONE")

    assert promise.problems == ("the server is a replica: it takes no moves",)


async def test_a_cancelled_call_leaves_no_answer_for_the_next_one(
    store: RedisStore, server: Redis
) -> None:
    await asyncio.gather(*(store.create(creation(f"m{n}")) for n in range(6)))
    for number in range(6):
        await server.execute_command("CLIENT", "PAUSE", "20", "ALL")
        cancelled = asyncio.create_task(store.read(f"m{number}"))
        await asyncio.sleep(0.001)
        cancelled.cancel()

        entries = await store.log(f"m{number}")

        assert [entry.id for entry in entries] == [EntryId(1)]
        with pytest.raises(asyncio.CancelledError):
            await cancelled


async def test_a_lost_answer_is_found_by_a_retry(url: str, tmp_path: Path) -> None:
    """Cut the connection between the server's answer and the store."""
    cut = False

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        path = url.removeprefix("unix://")
        answers, commands = await asyncio.open_unix_connection(path)
        while data := await reader.read(65536):
            commands.write(data)
            answer = await answers.read(65536)
            if cut:
                break
            writer.write(answer)
        writer.close()
        commands.close()

    listener = await asyncio.start_unix_server(serve, tmp_path / "proxy.sock")
    store = open_store(f"unix://{tmp_path}/proxy.sock")
    await store.create(creation())
    await store.apply(move())

    cut = True
    with pytest.raises(StoreUnavailableError):
        await store.apply(move(2, key=KEY))
    cut = False
    again = await store.apply(move(2, key=KEY))

    assert again == Duplicate(Seen(entry_id=EntryId(3), same_request=True))
    assert len(await store.log("m1")) == 3
    await store.aclose()
    listener.close()
