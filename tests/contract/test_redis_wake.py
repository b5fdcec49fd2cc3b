"""News of changes, over connections that break."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path

import pytest
import pytest_asyncio
from redis.asyncio import Redis
from tests.contract.scripted_server import Command, ScriptedServer, scripted_server
from tests.contract.store_table import creation

from ginref.adapters import redis_wake
from ginref.adapters.redis_store import RedisStore, open_store
from ginref.app.match_store import EVERYTHING, EntryId, Wake

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


@pytest_asyncio.fixture
async def scripted(tmp_path: Path) -> AsyncIterator[ScriptedServer]:
    async with scripted_server(tmp_path / "server.sock", subscribing) as made:
        yield made


def subscribing(command: Command) -> bytes:
    return b"".join(
        b"*3\r\n$9\r\nsubscribe\r\n$%d\r\n%b\r\n:%d\r\n" % (len(name), name, number)
        for number, name in enumerate(command[1:], 1)
    )


def message(text: bytes) -> bytes:
    return b"*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$%d\r\n%b\r\n" % (len(text), text)


async def test_a_subscription_that_goes_silent_begins_anew(
    scripted: ScriptedServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis_wake, "_QUIET_S", 0.2)
    scripted.answering = lambda command: (
        subscribing(command) if command[0] == b"SUBSCRIBE" else None
    )
    store = open_store(f"unix://{tmp_path}/server.sock")

    async with aclosing(store.wakes()) as topics:
        assert [await anext(topics) for _ in range(2)] == 2 * [EVERYTHING]

    await store.aclose()
    assert [command[0] for command in scripted.commands[:3]] == [
        b"SUBSCRIBE",
        b"PING",
        b"SUBSCRIBE",
    ]


async def test_a_subscription_that_answers_goes_on(
    scripted: ScriptedServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis_wake, "_QUIET_S", 0.05)
    pings = 0

    def answering(command: Command) -> bytes:
        nonlocal pings
        if command[0] == b"SUBSCRIBE":
            return subscribing(command)
        pings += 1
        pong = b"*2\r\n$4\r\npong\r\n$0\r\n\r\n"
        return pong + (message(b"m1 3-1") + message(b"bot/north")) * (pings == 3)

    scripted.answering = answering
    store = open_store(f"unix://{tmp_path}/server.sock")

    async with aclosing(store.wakes()) as topics:
        found = [await anext(topics) for _ in range(3)]

    await store.aclose()
    assert found == [EVERYTHING, Wake("m1", EntryId(3, 1)), Wake("bot/north")]
    assert len(scripted.heard) == 1


async def test_a_subscription_that_is_refused_is_tried_again(
    scripted: ScriptedServer, tmp_path: Path
) -> None:
    refusals = [b"-NOPERM this user has no permissions to access a channel\r\n"]
    scripted.answering = lambda command: (
        refusals.pop() if refusals else subscribing(command)
    )
    store = open_store(f"unix://{tmp_path}/server.sock")

    async with aclosing(store.wakes()) as topics:
        assert await anext(topics) == EVERYTHING

    await store.aclose()
    assert len(scripted.heard) == 2
