"""Five thousand watchers of live matches, who are told every step."""

import asyncio
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any, Final

import grpc.aio
from tests.benchmarks.crowd import AT_ONCE, all_of, answered, matches, play_on
from tests.benchmarks.finding import Finding
from tests.benchmarks.match_load import Metadata
from tests.benchmarks.measured_referee import bench, embedded
from tests.benchmarks.pinned import opened, resident_bytes
from tests.benchmarks.row import Goal, measured, share

from ginref.v1 import referee_service_pb2 as referee_pb
from ginref.v1.referee_service_pb2_grpc import RefereeServiceStub

WATCH: Final = "/ginref.v1.RefereeService/WatchMatch"

MATCHES: Final = 50
MOVES: Final = 16
"""Moves of each match that are watched."""

PLAYED: Final = 8
"""Matches that are played at any moment."""

CONNECTIONS: Final = 10

_PATIENCE_S: Final = 300
_PAUSE_S: Final = 0.5
_DROPS_MOST: Final = 20


@dataclass
class Watcher:
    """Somebody who watches a match, and goes on from the cursor when dropped.

    Attributes:
        match_id: The match.
        versions: The versions that it was told of, in order.
        lags: Seconds between a step and word of it.
        messages: How many there were.
        drops: Why each stream was ended, if it was not by the end of the match.
    """

    match_id: str
    versions: list[int] = field(default_factory=list)
    lags: list[float] = field(default_factory=list)
    messages: int = 0
    drops: list[str] = field(default_factory=list)
    watching: asyncio.Event = field(default_factory=asyncio.Event)
    _cursor: str = ""

    async def watch(self, channel: grpc.aio.Channel, metadata: Metadata) -> None:
        """Follow the match until it is over."""
        while len(self.drops) < _DROPS_MOST:
            request = referee_pb.WatchMatchRequest(
                match_id=self.match_id, cursor=self._cursor
            )
            open_stream: Any = channel.unary_stream(WATCH)
            stream = open_stream(request.SerializeToString(), metadata=metadata)
            try:
                async for data in stream:
                    self._note(referee_pb.WatchMatchResponse.FromString(data))
            except grpc.aio.AioRpcError as error:
                self.drops.append(f"{error.code().name}: {error.details()}")
                await asyncio.sleep(_PAUSE_S)
            else:
                return

    def _note(self, step: referee_pb.WatchMatchResponse) -> None:
        self.messages += 1
        self._cursor = step.cursor
        if not self.versions:
            self.versions.append(step.match.version)
            self.watching.set()
        elif step.events:
            self.versions += [event.version for event in step.events]
            happened = step.events[-1].time.ToMilliseconds() / 1000
            self.lags.append(time.time() - happened)

    def gaps(self, last: int) -> int:
        """Return how many versions up to the last one are missing or told twice."""
        expected = range(self.versions[0], last + 1) if self.versions else [last]
        return (
            len(expected)
            + len(self.versions)
            - 2 * len(set(expected) & set(self.versions))
        )


async def watchers(core: int, count: int) -> Finding:
    """Have so many watch while matches are played, and look for gaps."""
    async with (
        embedded() as store,
        bench([core], store) as referee,
        opened(referee.addresses[0]) as channel,
        AsyncExitStack() as stack,
    ):
        (pid,) = referee.pids
        host = referee.table.metadata
        lines = await matches(referee, channel, referee.pairs, MATCHES)
        alone, _ = await measured(
            "unwatched",
            "unary",
            [pid],
            play_on(channel, lines, slice(MOVES), referee.metadata, PLAYED),
        )
        channels = [
            await stack.enter_async_context(opened(referee.addresses[0]))
            for _ in range(CONNECTIONS)
        ]
        empty = resident_bytes(pid)
        crowd = [Watcher(lines[number % MATCHES].name) for number in range(count)]
        watching = await begin(crowd, channels, host)
        full = resident_bytes(pid)
        moves = slice(MOVES, 2 * MOVES)
        load = play_on(channel, lines, moves, referee.metadata, PLAYED)
        watched, _ = await measured(f"{count:,} watch", "unary", [pid], load)
        last = await end(channel, [line.name for line in lines], host)
        async with asyncio.timeout(_PATIENCE_S):
            await asyncio.wait(watching)
        after = resident_bytes(pid)
    gaps = sum(one.gaps(last[one.match_id]) for one in crowd)
    dropped = Counter(why for one in crowd for why in one.drops)
    lags = sorted(1000 * lag for one in crowd for lag in one.lags)
    return Finding(
        title=f"{count:,} watchers of {MATCHES} matches on one worker",
        rows=(alone, watched),
        facts={
            "messages told": sum(one.messages for one in crowd),
            "steps told": sum(len(one.versions) - 1 for one in crowd),
            "dropped, and went on from the cursor": dropped.total(),
            "why": ", ".join(f"{why} ({n})" for why, n in dropped.items()) or "-",
            "word of a step after, p50 ms": round(share(lags, 0.50)),
            "word of a step after, p99 ms": round(share(lags, 0.99)),
            "worker, MB before": round(empty / 1e6),
            "worker, MB with all watching": round(full / 1e6),
            "worker, MB after": round(after / 1e6),
            "bytes of the worker, a watcher": round((full - empty) / count),
        },
        goals=(
            Goal(
                "watchers who saw the end",
                sum(last[one.match_id] in one.versions for one in crowd),
                count,
            ),
            Goal("steps that were missed or told twice", gaps, 0, at_most=True),
        ),
    )


async def begin(
    crowd: Sequence[Watcher], channels: Sequence[grpc.aio.Channel], metadata: Metadata
) -> list[asyncio.Task[None]]:
    """Let all watch; each has been told where its match is."""
    tasks = []
    for start in range(0, len(crowd), AT_ONCE):
        some = crowd[start : start + AT_ONCE]
        for number, one in enumerate(some, start):
            channel = channels[number % len(channels)]
            tasks.append(asyncio.create_task(one.watch(channel, metadata)))
        await asyncio.gather(*(one.watching.wait() for one in some))
    return tasks


async def end(
    channel: grpc.aio.Channel, match_ids: Sequence[str], host: Metadata
) -> dict[str, int]:
    """Abort matches; return the last version of each."""
    stub = RefereeServiceStub(channel)

    async def abort(match_id: str) -> int:
        wanted = referee_pb.AbortMatchRequest(match_id=match_id)
        ended = await answered(lambda: stub.AbortMatch(wanted, metadata=host))
        return ended.match.version

    return dict(zip(match_ids, await all_of(map(abort, match_ids)), strict=True))
