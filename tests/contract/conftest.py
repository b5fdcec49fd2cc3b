"""Stores to test, on every kind of server there is."""

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio
from redis.asyncio import Redis
from tests.contract import redis_fleet
from tests.contract.redis_fleet import Fleet
from tests.contract.store_table import Table, memory_table, redis_table

from ginref.adapters.redis_store import RedisStore, open_store

# Where nothing is meant to fail, a busy machine must not look as if it did.
_PATIENCE_MS = 30_000


@pytest.fixture(scope="session")
def _guarded_fleet() -> Iterator[Fleet]:
    with redis_fleet.guarded("redis", patience_ms=_PATIENCE_MS) as fleet:
        yield fleet


@pytest.fixture(scope="session")
def _cluster_fleet() -> Iterator[Fleet]:
    with redis_fleet.cluster("valkey", patience_ms=_PATIENCE_MS) as fleet:
        yield fleet


@pytest.fixture
def sentinel_url(_guarded_fleet: Fleet) -> str:
    """Empty Redis with a replica, found by Sentinels."""
    _guarded_fleet.empty()
    return _guarded_fleet.url


@pytest.fixture
def cluster_url(_cluster_fleet: Fleet) -> str:
    """Empty cluster of Valkey, with a replica of each primary."""
    _cluster_fleet.empty()
    return _cluster_fleet.url


@pytest_asyncio.fixture(
    params=[
        "memory",
        pytest.param("valkey", marks=pytest.mark.redis),
        pytest.param("redis", marks=pytest.mark.redis),
        pytest.param("sentinel", marks=pytest.mark.redis),
        pytest.param("cluster", marks=pytest.mark.redis),
    ]
)
async def table(request: pytest.FixtureRequest) -> AsyncIterator[Table]:
    if request.param == "memory":
        place = memory_table()
    else:
        place = redis_table(request.getfixturevalue(f"{request.param}_url"))
    async with place as made:
        yield made


@pytest.fixture(params=["valkey", "redis"])
def url(request: pytest.FixtureRequest) -> str:
    found = request.getfixturevalue(f"{request.param}_url")
    assert isinstance(found, str)
    return found


@pytest_asyncio.fixture
async def store(url: str) -> AsyncIterator[RedisStore]:
    made = open_store(url)
    yield made
    await made.aclose()


@pytest_asyncio.fixture
async def server(url: str) -> AsyncIterator[Redis]:
    """Direct access to the server behind the store."""
    client = Redis.from_url(url, decode_responses=True)
    yield client
    await client.aclose()
