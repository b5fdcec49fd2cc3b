"""What a server keeps when it dies, as it reports itself."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from redis.asyncio import Redis
from tests.contract.store_table import applied, creation, move

from ginref.adapters import redis_node
from ginref.adapters.redis_durability import UnsupportedServerError
from ginref.adapters.redis_store import RedisStore, open_store
from ginref.app.error import Reason, RefusedError
from ginref.app.match_store import EVERYTHING, Applied, Duplicate
from ginref.bootstrap import running
from ginref.config import ServeConfig
from ginref.foundation import StartError

pytestmark = pytest.mark.redis


@pytest.mark.parametrize(
    ("configuration", "mode", "problems"),
    [
        pytest.param({}, "local/everysec", [], id="fine"),
        pytest.param({"appendfsync": "always"}, "local/always", [], id="fsync always"),
        pytest.param({"appendonly": "no"}, "none", ["appendonly"], id="no file"),
        pytest.param(
            {"maxmemory-policy": "allkeys-lru"},
            "local/everysec",
            ["maxmemory-policy"],
            id="evicting",
        ),
    ],
)
async def test_durability_is_what_the_server_reports(
    store: RedisStore,
    server: Redis,
    configuration: dict[str, str],
    mode: str,
    problems: list[str],
) -> None:
    usual = {"appendonly": "yes", "appendfsync": "everysec"}
    usual["maxmemory-policy"] = "noeviction"
    for name, value in configuration.items():
        await server.config_set(name, value)
    try:
        promise = await store.durability()
    finally:
        for name, value in usual.items():
            await server.config_set(name, value)

    assert promise.mode == mode
    assert [problem.split()[0] for problem in promise.problems] == problems


async def test_a_server_that_hides_its_settings_promises_nothing(
    url: str, server: Redis
) -> None:
    await server.execute_command(
        "ACL", "SETUSER", "guest", "on", ">secret", "~*", "&*", "+@all", "-config"
    )
    path = url.removeprefix("unix://")
    store = open_store(f"unix://guest:secret@{path}")

    promise = await store.durability()

    assert promise.mode == "unknown"
    assert len(promise.problems) == 1
    assert isinstance(await store.create(creation()), Applied)
    await store.aclose()
    await server.execute_command("ACL", "DELUSER", "guest")


async def test_a_server_that_hides_its_state_promises_nothing(
    url: str, server: Redis
) -> None:
    await server.execute_command(
        "ACL", "SETUSER", "guest", "on", ">secret", "~*", "&*", "+@all", "-info"
    )
    path = url.removeprefix("unix://")
    store = open_store(f"unix://guest:secret@{path}")

    promise = await store.durability()

    assert promise.problems == ("the server does not show its state (INFO)",)
    await store.aclose()
    await server.execute_command("ACL", "DELUSER", "guest")


async def test_a_server_that_hides_its_settings_is_used_on_demand(
    url: str, server: Redis, tmp_path: Path
) -> None:
    await server.execute_command(
        "ACL", "SETUSER", "guest", "on", ">secret", "~*", "&*", "+@all", "-config"
    )
    config = ServeConfig(
        data=tmp_path / "data",
        store=f"unix://guest:secret@{url.removeprefix('unix://')}",
        listen="127.0.0.1:0",
        admin="127.0.0.1:0",
        http="off",
    )
    with pytest.raises(StartError, match="CONFIG GET"):
        async with running(config, asyncio.Event()):
            pass

    config = replace(config, assume_durable=True)
    async with (
        running(config, asyncio.Event()) as referee,
        httpx.AsyncClient(trust_env=False) as client,
    ):
        ready = await client.get(f"http://{referee.admin}/readyz")

    assert referee.durability == "unknown"
    assert ready.status_code == httpx.codes.OK
    await server.execute_command("ACL", "DELUSER", "guest")


@pytest.mark.parametrize("flush", ["everysec", "always"])
async def test_a_store_that_may_forget_is_warned_of(
    url: str,
    server: Redis,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    flush: str,
) -> None:
    config = ServeConfig(
        data=tmp_path / "data",
        store=url,
        listen="127.0.0.1:0",
        admin="127.0.0.1:0",
        http="off",
    )
    await server.config_set("appendfsync", flush)
    try:
        async with running(config, asyncio.Event()) as referee:
            assert referee.durability == f"local/{flush}"
    finally:
        await server.config_set("appendfsync", "everysec")

    warned = "unless appendfsync is always" in caplog.text
    assert warned is (flush == "everysec")


async def test_a_user_with_few_rights_is_enough(url: str, server: Redis) -> None:
    rights = "~ginref:* &ginref:* -@all +@read +@write +@scripting +@pubsub"
    rights += " +@connection -@dangerous +time +info +wait +config|get"
    rights += " +cluster|info +cluster|shards"
    await server.execute_command(
        "ACL", "SETUSER", "referee", "on", ">secret", *rights.split()
    )
    store = open_store(f"unix://referee:secret@{url.removeprefix('unix://')}")
    async with aclosing(store.wakes()) as topics:
        assert await anext(topics) == EVERYTHING

        await applied(store.create(creation()))
        await applied(store.apply(move()))
        await store.identity_key()
        await store.attach("north", "a")
        await store.registry().add("bot", "north", "row")
        promise = await store.durability()

        assert (await anext(topics)).topic == "m1"
    assert promise.problems == ()
    await store.aclose()
    await server.execute_command("ACL", "DELUSER", "referee")


async def test_a_store_that_fills_up_takes_moves_and_no_new_matches(
    store: RedisStore, server: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis_node, "STATUS_AGE_S", 0.0)
    await store.create(creation())
    used = (await server.info("memory"))["used_memory"]
    await server.config_set("maxmemory", used * 11 // 10)
    try:
        with pytest.raises(RefusedError) as refused:
            await store.create(creation("m2"))
        again = await store.create(creation())
        await applied(store.apply(move()))
        promise = await store.durability()
    finally:
        await server.config_set("maxmemory", 0)

    assert refused.value.reason is Reason.LIMIT_EXCEEDED
    assert refused.value.facts == {"limit": "store_memory"}
    assert isinstance(again, Duplicate)
    assert promise.problems == ()
    assert await store.read("m2") is None
    assert await store.live_matches("north") == ("m1",)
    await applied(store.create(creation("m2")))


@pytest.mark.parametrize(
    ("told", "problem"),
    [
        ("loading:1", "the server still reads its files"),
        ("aof_last_write_status:err", "the server could not write"),
        ("aof_enabled:0", "appendonly is off"),
        ("maxmemory_policy:allkeys-lru", "maxmemory-policy is allkeys-lru"),
        ("role:slave", "the server is a replica"),
    ],
)
async def test_a_problem_is_found_where_settings_are_hidden(
    tmp_path: Path, told: str, problem: str
) -> None:
    facts = f"redis_version:7.0.0\r\nrole:master\r\n{told}\r\n"
    listener = await asyncio.start_unix_server(_telling(facts), tmp_path / "sock")
    store = open_store(f"unix://{tmp_path}/sock")

    promise = await store.durability()

    assert promise.problems[0].startswith("the server does not show its settings")
    assert any(text.startswith(problem) for text in promise.problems[1:])
    await store.aclose()
    listener.close()


async def test_an_old_server_is_refused_whatever_is_assumed(tmp_path: Path) -> None:
    listener = await asyncio.start_unix_server(
        _telling("redis_version:6.2.14\r\nrole:master\r\n"), tmp_path / "sock"
    )
    store = open_store(f"unix://{tmp_path}/sock")

    with pytest.raises(UnsupportedServerError, match=r"6\.2\.14; 7\.0 or later"):
        await store.durability()
    await store.aclose()
    config = ServeConfig(
        data=tmp_path / "data", store=f"unix://{tmp_path}/sock", assume_durable=True
    )
    with pytest.raises(StartError, match=r"7\.0 or later"):
        async with running(config, asyncio.Event()):
            pass
    listener.close()


def _telling(facts: str) -> Callable[..., Awaitable[None]]:
    """Return a server that shows its state, and refuses everything else."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            for _ in range(data.count(b"SETINFO")):
                writer.write(b"+OK\r\n")
            if b"INFO\r\n$6" in data:
                writer.write(f"${len(facts)}\r\n{facts}\r\n".encode())
            for _ in range(data.count(b"$6\r\nCONFIG") + data.count(b"CLUSTER\r\n$4")):
                writer.write(b"-NOPERM no permission\r\n")
        writer.close()

    return serve
