"""Ten thousand open matches on one worker."""

import asyncio
import time
from functools import partial
from typing import Final

import grpc.aio
from tests.benchmarks.crowd import ENDLESS, all_of, answered, games, matches, play_on
from tests.benchmarks.finding import Finding
from tests.benchmarks.measured_referee import Bench, ask_store, bench, embedded
from tests.benchmarks.pinned import opened, resident_bytes
from tests.benchmarks.row import Goal, measured, share
from tests.e2e.position import DEALT

from ginref.v1 import clock_pb2, match_pb2, ruleset_pb2
from ginref.v1 import referee_service_pb2 as referee_pb
from ginref.v1.referee_service_pb2_grpc import RefereeServiceStub

MOVES: Final = 2
"""Moves of each match."""

NO_SHOWS: Final = 200
"""Matches that nobody comes to, and that are timed out."""

START_MS: Final = 20_000
"""Time in which nobody comes."""

_PATIENCE_S: Final = 300


async def open_matches(core: int, count: int) -> Finding:
    """Have so many matches open, move each of them, and time others out."""
    async with (
        embedded() as store,
        bench([core], store) as referee,
        opened(referee.addresses[0]) as channel,
    ):
        before, _ = await referee.unary(4, "few open")
        (pid,) = referee.pids
        empty, empty_store = resident_bytes(pid), await used_memory(store)
        games()
        began = time.perf_counter()
        lines = await matches(referee, channel, referee.pairs, count)
        seconds = time.perf_counter() - began
        full, full_store = resident_bytes(pid), await used_memory(store)

        load = play_on(channel, lines, slice(MOVES), referee.metadata)
        each, _ = await measured(f"{count:,} open", "unary", [pid], load)
        lags = await sweep_lags(referee, channel)
        after, _ = await referee.unary(4, f"4 beside {count:,}")
        live = await count_live(referee, channel, [line.name for line in lines])
        moved, moved_store = resident_bytes(pid), await used_memory(store)
    return Finding(
        title=f"{count:,} open matches on one worker",
        rows=(before, each, after),
        facts={
            "matches created and joined a second": round(count / seconds),
            "bytes of the worker, a match": round((full - empty) / count),
            "bytes of the store, a match": round((full_store - empty_store) / count),
            "worker, MB with none": round(empty / 1e6),
            "worker, MB with all": round(moved / 1e6),
            "store, MB with all": round(moved_store / 1e6),
            "matches timed out meanwhile": len(lags),
            "timed out after the deadline, p50 ms": share(lags, 0.50),
            "timed out after the deadline, p99 ms": share(lags, 0.99),
        },
        goals=(Goal("open matches, all of which were moved", live, count),),
    )


async def used_memory(store: str) -> int:
    """Return the memory that a store uses."""
    (stats,) = await ask_store(store, [("MEMORY", "STATS")])
    return int(dict(zip(stats[::2], stats[1::2], strict=True))[b"total.allocated"])


async def count_live(
    referee: Bench, channel: grpc.aio.Channel, match_ids: list[str]
) -> int:
    """Return how many matches go on, with both moves that were made."""
    stub = RefereeServiceStub(channel)

    async def goes_on(match_id: str) -> bool:
        wanted = referee_pb.GetMatchRequest(match_id=match_id)
        host = referee.table.metadata
        found = await answered(lambda: stub.GetMatch(wanted, metadata=host))
        is_played = found.match.stage == match_pb2.MATCH_STAGE_PLAYING
        return is_played and found.match.version == DEALT + MOVES

    return sum(await all_of(map(goes_on, match_ids)))


async def sweep_lags(referee: Bench, channel: grpc.aio.Channel) -> list[int]:
    """Let matches pass their deadline at once; return by how many ms each was late."""
    stub = RefereeServiceStub(channel)
    host = referee.table.metadata
    clock = clock_pb2.ClockPolicy()
    clock.CopyFrom(ENDLESS)
    clock.start_ms = START_MS

    async def create(number: int) -> match_pb2.Match:
        request = referee_pb.CreateMatchRequest(
            request_id=f"nobody {number}",
            ruleset=ruleset_pb2.RulesetChoice(preset="gin"),
            bots=referee.pairs[0].names,
            clock=clock,
            deal_source=match_pb2.DEAL_SOURCE_SEEDED,
            seed="nobody",
        )
        made = await answered(lambda: stub.CreateMatch(request, metadata=host))
        return made.match

    async def lag(match: match_pb2.Match) -> int:
        watch = referee_pb.WatchMatchRequest(match_id=match.match_id, cursor="1-0")
        async for step in stub.WatchMatch(watch, metadata=host):
            for event in step.events:
                if event.HasField("ended"):
                    ended_ms = event.time.ToMilliseconds()
                    due_ms = match.create_time.ToMilliseconds() + START_MS
                    return ended_ms - due_ms - clock.grace_ms
        raise AssertionError("a match that nobody came to did not end")

    made = await all_of(map(create, range(NO_SHOWS)))
    async with asyncio.timeout(_PATIENCE_S):
        lags = await all_of(answered(partial(lag, match)) for match in made)
    return sorted(lags)
