"""Rows of a match that somebody has changed in the store: it alone halts."""

import subprocess
from pathlib import Path

import pytest
from tests.contract.store_table import creation, move

from ginref.adapters.redis_script import match_keys
from ginref.adapters.redis_store import RedisStore, open_store
from ginref.app.match_store import Applied
from ginref.app.packing import DamageError

pytestmark = pytest.mark.redis

READ = ("latest", "version", "refusals", "created", "to_act", "started", "deadline")
APPLIED = ("latest", "version", "started", "deadline", "free", "cap", "grace", "seats")


def ask(url: str, *words: str) -> str:
    path = Path(url.removeprefix("unix://"))
    command = ["redis-cli", "-s", str(path), *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


async def damaged(url: str, store: RedisStore, name: str) -> str:
    """Create a match, and write nonsense into a field of its row."""
    match_id = f"m-{name}"
    await store.create(creation(match_id))
    assert ask(url, "HSET", match_keys(match_id).match, name, "junk") == "0\n"
    return match_id


@pytest.mark.parametrize("name", READ)
async def test_a_damaged_row_is_not_read_as_a_match(valkey_url: str, name: str) -> None:
    store = open_store(valkey_url)
    match_id = await damaged(valkey_url, store, name)

    with pytest.raises(DamageError, match=match_id):
        await store.read(match_id)

    await store.create(creation("sound"))
    assert await store.read("sound")
    await store.aclose()


@pytest.mark.parametrize("name", APPLIED)
async def test_no_step_of_a_match_with_a_damaged_row_is_stored(
    valkey_url: str, name: str
) -> None:
    store = open_store(valkey_url)
    await store.beat()
    match_id = await damaged(valkey_url, store, name)

    with pytest.raises(DamageError, match=match_id):
        await store.apply(move(match_id=match_id))

    assert len(await store.log(match_id)) == 1
    await store.create(creation("sound"))
    assert isinstance(await store.apply(move(match_id="sound")), Applied)
    await store.aclose()
