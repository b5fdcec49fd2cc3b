"""Moves under load while servers fail, and what has become of each of them."""

import asyncio
import itertools
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from tests.contract.redis_fleet import Fleet, primary_of, until
from tests.contract.store_table import creation, key, move

from ginref.adapters.redis_script import match_keys
from ginref.adapters.redis_store import RedisStore, open_store
from ginref.app.match_store import Applied, ApplyResult, Change, Duplicate
from ginref.app.port import StoreUnavailableError

Answer = TypeVar("Answer")

Fault = Callable[[Fleet], None]

MATCHES = [f"m{number}" for number in range(6)]
"""Enough of them to be on every node of a small cluster."""

_PAUSE_S = 0.02
_WARM = 20
"""Moves of each match before the fault, and after it."""


@dataclass
class Tally:
    """What became of the moves of one match."""

    acknowledged: list[bytes] = field(default_factory=list)
    duplicates: int = 0
    unavailable: int = 0
    gap_s: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What became of all moves.

    `acknowledged`, `duplicates` (acknowledged at a retry) and `unavailable` (answers
    that told nothing) are counts; `lost` are moves that were acknowledged and are
    not where they were said to be; `gap_s` is the longest wait of one match.
    """

    acknowledged: int
    duplicates: int
    unavailable: int
    lost: int
    gap_s: float

    def __str__(self) -> str:
        return (
            f"{self.acknowledged} acknowledged, {self.lost} lost,"
            f" {self.duplicates} at a retry, {self.unavailable} not answered,"
            f" longest gap {self.gap_s:.2f} s"
        )


async def under_load(fleet: Fleet, url: str, fault: Fault) -> Outcome:
    """Make moves, let a fault happen, make more moves, and look for all of them."""
    store = open_store(url)
    stop = asyncio.Event()
    tallies = {match_id: Tally() for match_id in MATCHES}
    players: list[asyncio.Task[None]] = []
    try:
        for match_id in MATCHES:
            await answered(partial(store.create, creation(match_id)))
        players += [
            asyncio.create_task(_play(store, match_id, tally, stop))
            for match_id, tally in tallies.items()
        ]
        await _more(tallies, players)
        await asyncio.to_thread(fault, fleet)
        await _more(tallies, players)
        stop.set()
        await asyncio.gather(*players)
        await asyncio.to_thread(fleet.heal)
        lost = sum([await _missing(store, *one) for one in tallies.items()])
    finally:
        for player in players:
            player.cancel()
        await asyncio.gather(*players, return_exceptions=True)
        await store.aclose()
    return Outcome(
        acknowledged=sum(len(tally.acknowledged) for tally in tallies.values()),
        duplicates=sum(tally.duplicates for tally in tallies.values()),
        unavailable=sum(tally.unavailable for tally in tallies.values()),
        lost=lost,
        gap_s=max(tally.gap_s for tally in tallies.values()),
    )


async def answered(call: Callable[[], Awaitable[Answer]]) -> Answer:
    """Call until there is an answer."""
    async with asyncio.timeout(60):
        while True:
            with suppress(StoreUnavailableError):
                return await call()
            await asyncio.sleep(_PAUSE_S)


async def _play(
    store: RedisStore, match_id: str, tally: Tally, stop: asyncio.Event
) -> None:
    """Make moves, each one until it is acknowledged."""
    last = time.monotonic()
    for version in itertools.count(1):
        if stop.is_set():
            return
        change = move(
            version,
            match_id=match_id,
            key=key(f"{version:010}"),
            entry=f"{match_id} {version}".encode(),
            judge_time=False,
        )
        while (result := await _try(store, change)) is None:
            tally.unavailable += 1
            await asyncio.sleep(_PAUSE_S)
        assert isinstance(result, Applied | Duplicate), result
        if isinstance(result, Duplicate):
            assert result.seen.same_request
            assert result.seen.entry_id.version == version + 1
            tally.duplicates += 1
        tally.acknowledged.append(change.entry)
        now = time.monotonic()
        tally.gap_s = max(tally.gap_s, now - last)
        last = now


async def _try(store: RedisStore, change: Change) -> ApplyResult | None:
    try:
        return await store.apply(change)
    except StoreUnavailableError:
        return None


async def _more(tallies: dict[str, Tally], players: list[asyncio.Task[None]]) -> None:
    """Wait until every match has had some more moves."""
    goals = {
        match_id: len(tally.acknowledged) + _WARM for match_id, tally in tallies.items()
    }
    async with asyncio.timeout(90):
        while any(
            len(tallies[match_id].acknowledged) < goal
            for match_id, goal in goals.items()
        ):
            for player in players:
                if player.done():
                    await player
            await asyncio.sleep(_PAUSE_S)


async def _missing(store: RedisStore, match_id: str, tally: Tally) -> int:
    """Count the acknowledged moves that the log does not have in their place."""
    entries = await answered(partial(store.log, match_id))
    assert [one.id.version for one in entries] == list(range(1, len(entries) + 1))
    found = [one.entry for one in entries[1:]]
    kept = itertools.takewhile(
        lambda pair: pair[0] == pair[1], zip(tally.acknowledged, found, strict=False)
    )
    return len(tally.acknowledged) - len(list(kept))


def kill_primary(fleet: Fleet) -> None:
    """End a primary, and start it again as a replica of the one that took over."""
    primary_of(fleet.group_of(match_keys(MATCHES[0]).match)).kill()
    fleet.heal()


def stop_primary(fleet: Fleet) -> None:
    """Let a primary stand still, and go on once a replica has taken over."""
    group = fleet.group_of(match_keys(MATCHES[0]).match)
    primary_of(group).stop()
    fleet.heal()


def restart_primary(fleet: Fleet) -> None:
    """End a primary and start it again before anybody takes over.

    It must not come back with less than its replicas have, for they will follow it:
    with anything but `always` it may, if its disk was busy.
    """
    primary = primary_of(fleet.group_of(match_keys(MATCHES[0]).match))
    assert primary.ask("CONFIG", "SET", "appendfsync", "always") == b"+OK"
    time.sleep(0.2)
    primary.kill()
    primary.start()


def hand_over(fleet: Fleet) -> None:
    """Let a replica of a cluster take over with the primary's consent."""
    group = fleet.group_of(match_keys(MATCHES[0]).match)
    old = primary_of(group)
    heir = next(server for server in group if server is not old)

    def is_done() -> bool:
        # A busy machine may be too slow, and then nothing happens at all.
        heir.ask("CLUSTER", "FAILOVER")
        time.sleep(0.2)
        return heir.says("role:master")

    until(is_done)
    until(lambda: old.says("role:slave"))


def depose_primary(fleet: Fleet) -> None:
    """Let Sentinels replace a primary that is alive, which nobody should do."""
    (group,) = fleet.groups
    old = primary_of(group)
    until(
        lambda: fleet.guards[0].ask("SENTINEL", "FAILOVER", "main") == b"+OK",
    )
    until(lambda: old.says("role:slave"))


def fail_over(fleet: Fleet) -> None:
    """Let a replica take over with the primary's consent, without a cluster."""
    (group,) = fleet.groups
    old = primary_of(group)
    assert old.ask("FAILOVER", "TIMEOUT", "5000") == b"+OK"
    until(lambda: old.says("role:slave"))
    fleet.heal()


def part_primary(fleet: Fleet) -> None:
    """Cut a primary off until a replica has taken over; it believes to be primary."""
    (group,) = fleet.groups
    old = primary_of(group)
    assert old.link is not None
    old.link.swallow()
    try:
        until(
            lambda: any(one.says("role:master") for one in group if one is not old),
            patience_s=60,
        )
        assert old.says("role:master")
    finally:
        old.link.restore()
    # Where Sentinels are short of time, it may lead again before anybody looks.
    fleet.heal()
