"""What is counted of a store: its answers, its failures, conflicts and packets."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from redis.exceptions import ResponseError
from tests.contract.store_table import applied, creation, move

from ginref.adapters.redis_connection import RedisConnection
from ginref.adapters.redis_script import Script
from ginref.adapters.redis_store import RedisStore, open_store
from ginref.app.match_store import Stale
from ginref.app.tournament_store import Addition

pytestmark = pytest.mark.redis

BROKEN = Script("broken", "#!lua\nreturn redis.call('INCRBY', KEYS[1], 'x')")


class Counts:
    """Counts everything that is observed of a store."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.failed: Counter[str] = Counter()
        self.conflicts: Counter[str] = Counter()
        self.batches: list[int] = []
        self.retries = 0

    def store_call(self, operation: str, seconds: float, *, failed: bool) -> None:
        assert seconds >= 0
        self.asked[operation] += 1
        self.failed[operation] += failed

    def store_conflict(self, log: str) -> None:
        self.conflicts[log] += 1

    def store_retry(self) -> None:
        self.retries += 1

    def store_batch(self, commands: int) -> None:
        self.batches.append(commands)


@pytest.fixture
def counts() -> Counts:
    return Counts()


@pytest_asyncio.fixture
async def store(valkey_url: str, counts: Counts) -> AsyncIterator[RedisStore]:
    made = open_store(valkey_url)
    made.observed_by(counts)
    yield made
    await made.aclose()


async def test_every_question_is_counted_by_its_operation(
    store: RedisStore, counts: Counts
) -> None:
    await store.create(creation())
    await applied(store.apply(move(match_id="m1")))
    await store.read("m1")

    assert {name: counts.asked[name] for name in ("create", "apply", "read")} == {
        "create": 1,
        "apply": 1,
        "read": 1,
    }
    # A lost beat is made up for before a match is created.
    assert counts.asked["index"] == 2
    assert not counts.failed.total()
    assert not counts.conflicts


async def test_a_step_that_comes_second_is_a_conflict(
    store: RedisStore, counts: Counts
) -> None:
    await store.create(creation())
    change = move(match_id="m1")

    results = await asyncio.gather(*(store.apply(change) for _ in range(3)))

    assert sum(isinstance(result, Stale) for result in results) == 2
    assert counts.conflicts == {"match": 2}


async def test_an_entry_of_a_tournament_that_comes_second_is_a_conflict(
    store: RedisStore, counts: Counts
) -> None:
    addition = Addition(tournament="cup", expected=0, entries=(b"one",))

    tournaments = store.tournaments()
    stored = await asyncio.gather(*(tournaments.append(addition) for _ in range(2)))

    assert sorted(stored) == [False, True]
    assert counts.conflicts == {"tournament": 1}


async def test_questions_of_one_turn_are_counted_as_one_batch(
    valkey_url: str, counts: Counts
) -> None:
    connection = RedisConnection(valkey_url)
    await connection.command("PING")
    connection.observer = counts

    await asyncio.gather(*(connection.command("ECHO", n) for n in range(40)))

    assert counts.asked == {"command": 40}
    # Beside them, a server is now and then asked how it is.
    assert max(counts.batches) >= 40
    await connection.aclose()


async def test_what_the_server_refuses_has_failed(
    valkey_url: str, counts: Counts
) -> None:
    connection = RedisConnection(valkey_url)
    connection.observer = counts

    with pytest.raises(ResponseError):
        await connection.run(BROKEN, ["key"], [])

    assert counts.failed == {"broken": 1}
    await connection.aclose()
