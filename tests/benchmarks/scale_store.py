"""The same load on stores that promise more, and on two workers."""

import contextlib
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager

from tests.benchmarks.finding import Finding
from tests.benchmarks.measured_referee import PAIRS, bench, embedded
from tests.benchmarks.row import Row
from tests.contract import redis_fleet

Store = Callable[[], AbstractAsyncContextManager[str]]

USUAL = "everysec"


@contextlib.asynccontextmanager
async def always() -> AsyncIterator[str]:
    """Run a store that flushes its file before it answers."""
    async with embedded(flush="always") as url:
        yield url


@contextlib.asynccontextmanager
async def replicated() -> AsyncIterator[str]:
    """Run a primary with a replica and three Sentinels."""
    with redis_fleet.guarded("valkey", patience_ms=30_000) as fleet:
        yield fleet.url


@contextlib.asynccontextmanager
async def cluster() -> AsyncIterator[str]:
    """Run a cluster of three primaries with a replica each."""
    with redis_fleet.cluster("valkey", patience_ms=30_000) as fleet:
        yield fleet.url


async def stores(mine: int, core: int, count: int) -> Finding:
    """Play so many matches at each store.

    Args:
        mine: The core of who plays and of the stores.
        core: The core of the worker; the second worker gets `mine`.
        count: Matches at once.
    """
    kinds: dict[str, tuple[Store, int]] = {
        USUAL: (embedded, 1),
        "always": (always, 1),
        "replicated, Sentinel": (replicated, 1),
        "replicated, Cluster": (cluster, 1),
        f"{USUAL}, two workers": (embedded, 2),
    }
    rows: list[Row] = []
    for name, (store, workers) in kinds.items():
        cores = [core] if workers == 1 else [core, mine]
        async with store() as url, bench(cores, url, workers=workers) as referee:
            await referee.unary(PAIRS)
            rows.append((await referee.unary(count, name))[0])
            rows.append((await referee.connect(count, name))[0])
    usual = {row.way: row for row in rows if row.server == USUAL}
    facts = {
        f"moves/s beside {USUAL}, {row.way}, {row.server}": round(
            row.per_second / usual[row.way].per_second, 2
        )
        for row in rows
        if row.server != USUAL
    }
    return Finding(
        title=f"{count} matches at once, by what the store promises",
        rows=tuple(sorted(rows, key=lambda row: row.way)),
        facts={
            **facts,
            "on two workers": "the second one shares its core with who plays",
        },
    )
