"""What a referee costs beside the least that gRPC can cost. `make bench`.

One worker has one core; who plays, and the store, have the other. Both kinds of play,
and a bare server under messages of the same number and sizes, take turns in one run,
so that a busy machine spoils a rate and not a ratio.
"""

import asyncio
import contextlib
import json
import os
import platform
import shutil
import statistics
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import grpc.aio
from rich.console import Console
from rich.table import Table as Grid
from tests.benchmarks.bare_server import NAME_BYTES
from tests.benchmarks.match_load import (
    PRESET,
    Line,
    Pair,
    Played,
    Streams,
    answered_by_referee,
    answered_by_relay,
    call,
    game,
    set_up,
    stream,
)
from tests.benchmarks.pinned import bare_server, cpu_seconds, opened, pinned
from tests.e2e.referee_process import RefereeProcess
from tests.e2e.table import Table

import ginref
from ginref.adapters.embedded_server import EmbeddedServer
from ginref.adapters.redis_script import match_keys
from ginref.adapters.redis_store import open_store
from ginref.v1 import bot_service_pb2, session_pb2
from ginref.v1 import referee_service_pb2 as referee_pb

RESULT: Final = Path("build/bench.json")

REPETITIONS: Final = int(os.environ.get("REPETITIONS", "3"))
MATCHES: Final = int(os.environ.get("MATCHES", "24"))
PAIRS: Final = 4

UNARY_GOAL: Final = 0.55
CONNECT_GOAL: Final = 0.60
BYTES_GOAL: Final = 8 * 1024
MOVE_BYTES_GOAL: Final = 120

_CONNECT: Final = "/ginref.v1.BotService/Connect"
_SUBMIT: Final = "/ginref.v1.RefereeService/SubmitMove"


@dataclass(frozen=True, kw_only=True)
class Row:
    """One server under one kind of load.

    Attributes:
        server: Which.
        way: How moves reach it.
        moves: How many were made.
        per_second: Moves a second.
        cpu_us: Microseconds of the server's processor time, a move.
        trip_p50_ms: Half of the moves were answered within this.
        trip_p99_ms: All but one in a hundred were.
    """

    server: str
    way: str
    moves: int
    per_second: float
    cpu_us: float
    trip_p50_ms: float
    trip_p99_ms: float


async def measured(
    server: str, way: str, pid: int, load: Awaitable[Played]
) -> tuple[Row, Played]:
    """Put a load on a server, and see what it takes."""
    before = cpu_seconds(pid)
    played = await load
    spent = cpu_seconds(pid) - before
    trips = sorted(played.trips)
    row = Row(
        server=server,
        way=way,
        moves=len(trips),
        per_second=played.rate,
        cpu_us=1e6 * spent / len(trips),
        trip_p50_ms=1000 * share(trips, 0.50),
        trip_p99_ms=1000 * share(trips, 0.99),
    )
    return row, played


def share(ordered: Sequence[float], part: float) -> float:
    """Return what a part of the values does not exceed."""
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


@dataclass
class Bench:
    """A referee that is measured.

    Attributes:
        referee: The referee, on a core of its own.
        table: Its operator.
        store: URL of its store.
        pairs: Bots that play.
        count: How many matches there have been.
    """

    referee: RefereeProcess
    table: Table
    store: str
    pairs: list[Pair]
    count: int = 0

    async def lines(
        self, channel: grpc.aio.Channel, count: int, pairs: Sequence[Pair]
    ) -> list[Line]:
        """Set matches up, for one pair after the other in turn."""
        lines = []
        for number in range(count):
            self.count += 1
            pair = pairs[number % len(pairs)]
            name = f"bench {self.count}"
            played = game(str(number))
            lines.append(await set_up(channel, self.table.metadata, pair, played, name))
        return lines

    async def unary(self, count: int) -> tuple[Row, Played]:
        """Play matches by calls; they are the first pair's."""
        pid = self.pid
        async with opened(self.referee.address) as channel:
            lines = await self.lines(channel, count, self.pairs[:1])
            load = call(channel, _SUBMIT, lines, self.pairs[0].metadata)
            return await measured("referee", "unary", pid, load)

    async def connect(self, count: int) -> tuple[Row, Played]:
        """Play matches on the streams of all pairs."""
        hello = bot_service_pb2.ConnectRequest(hello=session_pb2.Hello(protocol=1))
        said = hello.SerializeToString()
        async with opened(self.referee.address) as channel:
            lines = await self.lines(channel, count, self.pairs)
            streams = [
                Streams(_CONNECT, (said, said), pair.metadata, answered_by_referee)
                for pair in self.pairs
            ]
            load = stream(channel, streams, lines)
            return await measured("referee", "Connect", self.pid, load)

    async def bytes_over_budget(self) -> tuple[int, int]:
        """Return what a live match takes in the store before its last move, and moves.

        The bytes are those of all keys of the match.
        """
        async with opened(self.referee.address) as channel:
            (line,) = await self.lines(channel, 1, self.pairs[:1])
            most = Line(line.name, line.seats[:-1], line.calls[:-1], [])
            await call(channel, _SUBMIT, [most], self.pairs[0].metadata)
        store = open_store(self.store)
        keys = match_keys(line.name)
        try:
            used = await store._connection.commands(  # noqa: SLF001 - what it takes is no business of a store's user
                [
                    ("MEMORY", "USAGE", key, "SAMPLES", 0)
                    for key in (keys.match, keys.log, keys.idem)
                ]
            )
        finally:
            await store.aclose()
        return sum(size or 0 for size in used), len(most.seats)

    @property
    def pid(self) -> int:
        """The referee's process."""
        assert self.referee.process is not None
        return self.referee.process.pid


async def flush_each_second(url: str) -> None:
    """Have a store write its file as most servers do, not as the embedded one does."""
    store = open_store(url)
    try:
        await store._connection.command(  # noqa: SLF001 - no user of a store sets it
            "CONFIG", "SET", "appendfsync", "everysec"
        )
    finally:
        await store.aclose()


@contextlib.asynccontextmanager
async def bench(core: int) -> AsyncIterator[Bench]:
    """Run a referee on one core, and its store on ours.

    Records are signed elsewhere, as in a deployment that is short of time.
    """
    folder = Path(tempfile.mkdtemp(prefix="gb"))
    try:
        async with EmbeddedServer(folder / "store") as url:
            await flush_each_second(url)
            options = ("--dev", "--roles", "referee,sweeper")
            referee = RefereeProcess(folder / "data", store=url, options=options)
            with pinned(core):
                referee.start()
            try:
                table = Table(referee.address, referee.token())
                names = [f"bot-{number}" for number in range(2 * PAIRS)]
                tokens = await table.bot_tokens(names)
                shown = [(("authorization", f"Bearer {one}"),) for one in tokens]
                pairs = [
                    Pair((names[n], names[n + 1]), (shown[n], shown[n + 1]))
                    for n in range(0, 2 * PAIRS, 2)
                ]
                yield Bench(referee, table, url, pairs)
            finally:
                referee.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


async def bare_unary(core: int, count: int, reply: int) -> Row:
    """Put the load of calls on a bare server."""
    with bare_server(core, reply, 0) as (address, pid):
        async with opened(address) as channel:
            load = call(channel, "/Bare/Echo", bare_lines(count))
            return (await measured("bare", "unary", pid, load))[0]


async def bare_connect(core: int, count: int, reply: int, notice: int) -> Row:
    """Put the load of streams on a bare server."""
    with bare_server(core, reply, notice) as (address, pid):
        async with opened(address) as channel:
            names = [number.to_bytes(NAME_BYTES) for number in range(PAIRS)]
            streams = [
                Streams(
                    "/Bare/Relay",
                    (name + b"\0", name + b"\1"),
                    ((), ()),
                    answered_by_relay,
                )
                for name in names
            ]
            load = stream(channel, streams, bare_lines(count))
            return (await measured("bare", "Connect", pid, load))[0]


def bare_lines(count: int) -> list[Line]:
    """Return lines as long as those of the referee, with nothing in them."""
    return [
        Line.of("0" * 32, game(str(number))).bare(number) for number in range(count)
    ]


def referee_ms(answers: Sequence[bytes]) -> list[int]:
    """Return what the referee says that it spent on each move, in order."""
    spent = [referee_pb.SubmitMoveResponse.FromString(one) for one in answers]
    return sorted(answer.referee_ms for answer in spent)


def ratio(rows: Sequence[Row], way: str) -> tuple[float, float]:
    """Return how fast the referee is beside the bare server, and how dear."""
    ours = [row for row in rows if (row.server, row.way) == ("referee", way)]
    bare = [row for row in rows if (row.server, row.way) == ("bare", way)]
    both = list(zip(ours, bare, strict=True))
    return (
        statistics.median(a.per_second / b.per_second for a, b in both),
        statistics.median(b.cpu_us / a.cpu_us for a, b in both),
    )


async def run(console: Console) -> int:
    """Measure, tell, and say by the status whether every goal is met."""
    mine, core = sorted(os.sched_getaffinity(0))[:2]
    os.sched_setaffinity(0, {mine})
    rows: list[Row] = []
    spent: list[int] = []
    async with bench(core) as referee:
        await referee.unary(PAIRS)
        for _ in range(REPETITIONS):
            row, played = await referee.unary(MATCHES)
            spent += referee_ms(played.answers)
            rows += [row, await bare_unary(core, MATCHES, played.reply_bytes)]
            row, streamed = await referee.connect(MATCHES)
            sizes = streamed.reply_bytes, streamed.notice_bytes
            rows += [row, await bare_connect(core, MATCHES, *sizes)]
            console.print(f"{len(rows) // 4} of {REPETITIONS}", end="\r")
        alone, _ = await referee.unary(1)
        used, moves = await referee.bytes_over_budget()
    result = summary(rows, alone, sorted(spent), used, moves)
    show(console, rows, result)
    RESULT.parent.mkdir(exist_ok=True)
    RESULT.write_text(json.dumps(result, indent=2) + "\n")
    return 0 if all(goal["met"] for goal in result["goals"].values()) else 1


def summary(
    rows: Sequence[Row], alone: Row, spent: Sequence[int], used: int, moves: int
) -> dict[str, Any]:
    """Return all that was found."""
    unary, unary_cpu = ratio(rows, "unary")
    connect, connect_cpu = ratio(rows, "Connect")
    budget = BYTES_GOAL + MOVE_BYTES_GOAL * moves
    return {
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "version": ginref.__version__,
        "python": platform.python_version(),
        "machine": platform.platform(),
        "load": os.getloadavg()[0],
        "matches": MATCHES,
        "ruleset": PRESET,
        "repetitions": REPETITIONS,
        "goals": {
            "unary / echo": _goal(unary, UNARY_GOAL, unary >= UNARY_GOAL),
            "Connect / relay": _goal(connect, CONNECT_GOAL, connect >= CONNECT_GOAL),
            "bytes of a live match": _goal(used, budget, used <= budget),
        },
        "cpu_ratio": {"unary": unary_cpu, "Connect": connect_cpu},
        "referee_ms": {"p50": share(spent, 0.50), "p99": share(spent, 0.99)},
        "one_match_alone": asdict(alone),
        "moves_of_measured_match": moves,
        "rows": [asdict(row) for row in rows],
    }


def _goal(value: float, goal: float, met: bool) -> dict[str, Any]:  # noqa: FBT001 - a fact, not a switch
    return {"value": value, "goal": goal, "met": met}


def show(console: Console, rows: Sequence[Row], result: dict[str, Any]) -> None:
    """Print what was found."""
    grid = Grid(title=f"{MATCHES} {PRESET} matches at once, one worker on one core")
    for head in ("way", "server", "moves/s", "cpu us/move", "p50 ms", "p99 ms"):
        grid.add_column(head, justify="left" if head in {"way", "server"} else "right")
    for row in sorted(rows, key=lambda one: (one.way, one.server)):
        grid.add_row(
            *(row.way, row.server, f"{row.per_second:,.0f}", f"{row.cpu_us:,.0f}"),
            *(f"{row.trip_p50_ms:.1f}", f"{row.trip_p99_ms:.1f}"),
        )
    console.print(grid)
    for name, goal in result["goals"].items():
        verdict = "met" if goal["met"] else "MISSED"
        console.print(f"{name}: {goal['value']:,.2f}, goal {goal['goal']:,} {verdict}")
    for way, value in result["cpu_ratio"].items():
        console.print(
            f"processor time of the bare server / the referee, {way}: {value:.2f}"
        )
    spent, alone = result["referee_ms"], result["one_match_alone"]
    console.print(
        f"referee time of a move: p50 {spent['p50']} ms, p99 {spent['p99']} ms"
    )
    console.print(
        "a match by itself, call to answer: "
        f"p50 {alone['trip_p50_ms']:.2f} ms, p99 {alone['trip_p99_ms']:.2f} ms"
    )
    console.print(f"load of the machine at the end: {result['load']:.1f}")


if __name__ == "__main__":
    sys.exit(asyncio.run(run(Console(width=110))))
