"""What a server keeps when it dies, as it reports itself."""

import pytest
from redis.asyncio import Redis
from tests.contract.store_table import creation

from ginref.adapters.redis_store import RedisStore, open_store
from ginref.app.match_store import Applied

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
