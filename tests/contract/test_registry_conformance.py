"""What every registry promises, asked of each of them."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from ginref.adapters.memory_registry import MemoryRegistry
from ginref.adapters.redis_store import open_store
from ginref.app.port import Registry


@pytest_asyncio.fixture(
    params=[
        "memory",
        pytest.param("valkey", marks=pytest.mark.redis),
        pytest.param("redis", marks=pytest.mark.redis),
    ]
)
async def registry(request: pytest.FixtureRequest) -> AsyncIterator[Registry]:
    if request.param == "memory":
        yield MemoryRegistry()
        return
    store = open_store(request.getfixturevalue(f"{request.param}_url"))
    yield store.registry()
    await store.aclose()


async def test_a_row_that_nobody_added_is_none(registry: Registry) -> None:
    assert await registry.get("bot", "north") is None
    assert await registry.rows("bot") == ()


async def test_an_added_row_is_returned_as_it_is(registry: Registry) -> None:
    row = '{"name": "Nörd ♠"}'

    assert await registry.add("bot", "north", row) == row

    assert await registry.get("bot", "north") == row


async def test_a_taken_key_keeps_its_row(registry: Registry) -> None:
    await registry.add("bot", "north", "first")

    assert await registry.add("bot", "north", "second") == "first"

    assert await registry.get("bot", "north") == "first"


async def test_kinds_are_apart(registry: Registry) -> None:
    await registry.add("bot", "north", "a bot")
    await registry.add("owner", "north", "an owner")

    assert await registry.get("bot", "north") == "a bot"
    assert await registry.rows("owner") == ("an owner",)
    assert await registry.get("token", "north") is None


async def test_a_row_is_replaced_only_if_it_is_still_the_old_one(
    registry: Registry,
) -> None:
    await registry.add("bot", "north", "first")

    assert not await registry.replace("bot", "north", "other", "second")
    assert await registry.get("bot", "north") == "first"
    assert await registry.replace("bot", "north", "first", "second")
    assert not await registry.replace("bot", "north", "first", "third")

    assert await registry.get("bot", "north") == "second"


async def test_a_missing_row_is_not_replaced(registry: Registry) -> None:
    assert not await registry.replace("bot", "north", "first", "second")
    assert not await registry.replace("bot", "north", "", "second")

    assert await registry.get("bot", "north") is None


async def test_rows_come_in_order_of_their_keys(registry: Registry) -> None:
    for key in ("c", "a", "d", "b"):
        await registry.add("bot", key, f"row {key}")

    assert await registry.rows("bot") == ("row a", "row b", "row c", "row d")


async def test_of_racing_replacements_exactly_one_is_stored(
    registry: Registry,
) -> None:
    await registry.add("bot", "north", "first")

    done = await asyncio.gather(
        *(registry.replace("bot", "north", "first", str(n)) for n in range(16))
    )

    assert sum(done) == 1
    assert await registry.get("bot", "north") == str(done.index(True))


async def test_of_racing_additions_all_see_the_same_row(registry: Registry) -> None:
    rows = await asyncio.gather(
        *(registry.add("bot", "north", str(n)) for n in range(16))
    )

    assert len(set(rows)) == 1
