"""A store, two views of it and changes to make: what tests of stores share."""

import itertools
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from ginref.adapters.memory_store import MemoryStore
from ginref.adapters.redis_connection import RedisConnection
from ginref.adapters.redis_script import match_keys, shard_keys, shard_of
from ginref.adapters.redis_store import open_store
from ginref.app.match_store import (
    Applied,
    Change,
    Creation,
    MatchStore,
    StoredMatch,
    SubmissionKey,
)
from ginref.record.clock import ClockPolicy

CLOCK = ClockPolicy(
    name="custom",
    start_ms=60_000,
    free_ms=1_000,
    bank_ms=120_000,
    cap_ms=30_000,
    grace_ms=250,
)

LATE_MS = 500_000
BINARY = bytes(range(256))


@dataclass
class Table:
    """A store, a second view of the same matches, and a hand on their clocks.

    Attributes:
        store: The store.
        second: The same one, as another process sees it.
        age: Lets milliseconds pass for a match, while somebody acts on deadlines.
        jump: Lets them pass at once, as if nobody were there; negative ones set the
            clock back.
    """

    store: MatchStore
    second: MatchStore
    age: Callable[[str, int], Awaitable[None]]
    jump: Callable[[str, int], Awaitable[None]]

    async def held(self, match_id: str = "m1") -> StoredMatch:
        held = await self.store.read(match_id)
        assert held is not None
        return held


@asynccontextmanager
async def memory_table() -> AsyncIterator[Table]:
    now = itertools.count(1_700_000_000_000)
    passed = 0

    async def age(_: str, by_ms: int) -> None:
        nonlocal passed
        for part_ms in itertools.chain([by_ms % 1000], [1000] * (by_ms // 1000)):
            passed += part_ms
            await store.beat()

    async def jump(_: str, by_ms: int) -> None:
        nonlocal passed
        passed += by_ms

    store = MemoryStore(lambda: next(now) + passed)
    yield Table(store, store, age, jump)
    await store.aclose()


@asynccontextmanager
async def redis_table(url: str) -> AsyncIterator[Table]:
    store, second, hand = open_store(url), open_store(url), RedisConnection(url)

    async def age(match_id: str, by_ms: int) -> None:
        """Move the match into the past, which is the same as waiting."""
        match = match_keys(match_id).match
        await hand.command("HINCRBY", match, "started", -by_ms)
        await hand.command("HINCRBY", match, "deadline", -by_ms)
        deadlines = shard_keys(shard_of(match_id)).deadline
        if await hand.command("ZSCORE", deadlines, match_id) is not None:
            await hand.command("ZINCRBY", deadlines, -by_ms, match_id)

    async def jump(match_id: str, by_ms: int) -> None:
        """Move all of the shard that has a time, but not its clock."""
        await age(match_id, by_ms)
        keys = shard_keys(shard_of(match_id))
        match = match_keys(match_id).match
        await hand.command("HINCRBY", match, "latest", -by_ms)
        await hand.command("HINCRBY", keys.beat, "at", -by_ms)
        await hand.command("HINCRBY", keys.beat, "ended", -by_ms)
        outages = await hand.command("LRANGE", keys.outage, 0, -1)
        for place, outage in enumerate(outages):
            moved = [str(int(end) - by_ms) for end in outage.split(b":")]
            await hand.command("LSET", keys.outage, place, ":".join(moved))

    yield Table(store, second, age, jump)
    await store.aclose()
    await second.aclose()
    await hand.aclose()


def creation(match_id: str = "m1", **facts: object) -> Creation:
    made = Creation(
        match_id=match_id,
        request_hash=b"creation",
        setup=BINARY,
        state=b"state 1",
        entry=b"created",
        clock=CLOCK,
        seat_count=2,
        bots=("north", "south"),
    )
    return replace(made, **facts)  # type: ignore[arg-type]


def key(name: str, request: str = "request") -> SubmissionKey:
    return SubmissionKey(
        digest=name.encode().ljust(10)[:10], request_hash=request.encode().ljust(8)[:8]
    )


def move(version: int = 1, **facts: object) -> Change:
    """Make the move from a version on, by turns: odd versions are seat 0's."""
    made = Change(
        match_id="m1",
        expected_version=version,
        expected_refusals=0,
        entry=f"entry {version + 1}".encode(),
        state=f"state {version + 1}".encode(),
        to_act=(version + 1) % 2,
    )
    return replace(made, **facts)  # type: ignore[arg-type]


def refusal(version: int, refusals: int = 0, **facts: object) -> Change:
    made = Change(
        match_id="m1",
        expected_version=version,
        expected_refusals=refusals,
        entry=f"refused {version}-{refusals + 1}".encode(),
        refusal=True,
    )
    return replace(made, **facts)  # type: ignore[arg-type]


def ending(version: int, **facts: object) -> Change:
    return move(version, **{"to_act": None, "ending": True, **facts})


async def applied(result: Awaitable[object]) -> Applied:
    """Wait for a change that must have been stored."""
    made = await result
    assert isinstance(made, Applied)
    return made
