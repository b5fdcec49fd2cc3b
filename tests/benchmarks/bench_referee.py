"""What a referee costs beside the least that gRPC can cost. `make bench`.

One worker has one core; who plays, and the store, have the other. Both kinds of play,
a bare server under messages of the same number and sizes, and the referee of
kaggle-environments take turns in one run, so that a busy machine spoils a rate and not
a ratio.
"""

import asyncio
import json
import os
import platform
import statistics
import sys
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from tests.benchmarks.bare_server import NAME_BYTES
from tests.benchmarks.kaggle import kaggle
from tests.benchmarks.least_server import match_id_of
from tests.benchmarks.match_load import (
    PRESET,
    Line,
    Streams,
    answered_by_referee,
    answered_by_relay,
    call,
    game,
    stream,
)
from tests.benchmarks.measured_referee import PAIRS, bench, embedded
from tests.benchmarks.pinned import opened, server
from tests.benchmarks.row import Goal, Row, grid_of, measured, share

import ginref
from ginref.v1 import referee_service_pb2 as referee_pb

RESULT: Final = Path("build/bench.json")

REPETITIONS: Final = int(os.environ.get("REPETITIONS", "3"))
MATCHES: Final = int(os.environ.get("MATCHES", "24"))
KAGGLE_SECONDS: Final = 5

UNARY_GOAL: Final = 0.55
CONNECT_GOAL: Final = 0.60
KAGGLE_GOAL: Final = 10
BYTES_GOAL: Final = 8 * 1024
MOVE_BYTES_GOAL: Final = 120


async def bare_unary(core: int, count: int, reply: int) -> Row:
    """Put the load of calls on a bare server."""
    with server(core, "bare_server", reply, 0) as (address, pid):
        async with opened(address) as channel:
            load = call(channel, "/Bare/Echo", bare_lines(count))
            return (await measured("bare", "unary", [pid], load))[0]


async def bare_connect(core: int, count: int, reply: int, notice: int) -> Row:
    """Put the load of streams on a bare server."""
    with server(core, "bare_server", reply, notice) as (address, pid):
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
            load = stream([channel], streams, bare_lines(count))
            return (await measured("bare", "Connect", [pid], load))[0]


async def least(core: int, store: str, number: int, count: int) -> list[Row]:
    """Put both loads on the least that judges and stores, with matches of its own.

    Args:
        core: Where it runs.
        store: URL of its store.
        number: How often this was done before.
        count: How many matches are played each way.
    """
    first = 2 * number * count
    lines = [
        Line.of(match_id_of(first + n), game(str(n % count))) for n in range(2 * count)
    ]
    arguments = store, first, 2 * count, count
    with server(core, "least_server", *arguments) as (address, pid):
        async with opened(address) as channel:
            calls = call(channel, "/Least/Echo", lines[:count])
            unary = (await measured("least", "unary", [pid], calls))[0]
            names = [pair.to_bytes(NAME_BYTES) for pair in range(PAIRS)]
            streams = [
                Streams(
                    "/Least/Relay",
                    (name + b"\0", name + b"\1"),
                    ((), ()),
                    answered_by_referee,
                )
                for name in names
            ]
            messages = stream([channel], streams, lines[count:])
            return [unary, (await measured("least", "Connect", [pid], messages))[0]]


def bare_lines(count: int) -> list[Line]:
    """Return lines as long as those of the referee, with nothing in them."""
    return [
        Line.of("0" * 32, game(str(number))).bare(number) for number in range(count)
    ]


def referee_ms(answers: Sequence[bytes]) -> list[int]:
    """Return what the referee says that it spent on each move, in order."""
    spent = [referee_pb.SubmitMoveResponse.FromString(one) for one in answers]
    return sorted(answer.referee_ms for answer in spent)


def pairs_of(
    rows: Sequence[Row], way: str, other: str, other_way: str, ours: str = "referee"
) -> list[tuple[Row, Row]]:
    """Return what a way took at one server and at another, by repetition."""
    mine = [row for row in rows if (row.server, row.way) == (ours, way)]
    others = [row for row in rows if (row.server, row.way) == (other, other_way)]
    return list(zip(mine, others, strict=True)) if others else []


def rate_ratio(pairs: Sequence[tuple[Row, Row]]) -> float | None:
    """Return how many times the moves a second of another the referee makes."""
    ratios = [ours.per_second / other.per_second for ours, other in pairs]
    return statistics.median(ratios) if ratios else None


def cpu_ratio(pairs: Sequence[tuple[Row, Row]]) -> float | None:
    """Return how many times the referee's processor time of a move another takes."""
    ratios = [other.cpu_us / ours.cpu_us for ours, other in pairs]
    return statistics.median(ratios) if ratios else None


async def run(console: Console) -> int:
    """Measure, tell, and say by the status whether every goal is met."""
    mine, core = sorted(os.sched_getaffinity(0))[:2]
    os.sched_setaffinity(0, {mine})
    rows: list[Row] = []
    spent: list[int] = []
    async with embedded() as store, bench([core], store) as referee:
        with kaggle(core) as other:
            await referee.unary(PAIRS)
            for number in range(REPETITIONS):
                row, played = await referee.unary(MATCHES)
                spent += referee_ms(played.answers)
                rows += [row, await bare_unary(core, MATCHES, played.reply_bytes)]
                row, streamed = await referee.connect(MATCHES)
                sizes = streamed.reply_bytes, streamed.notice_bytes
                rows += [row, await bare_connect(core, MATCHES, *sizes)]
                rows += await least(core, store, number, MATCHES)
                if other is not None:
                    rows.append(other.row(KAGGLE_SECONDS))
                console.print(f"{number + 1} of {REPETITIONS}", end="\r")
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
    unary = pairs_of(rows, "unary", "bare", "unary")
    connect = pairs_of(rows, "Connect", "bare", "Connect")
    kaggle_pairs = pairs_of(rows, "Connect", "kaggle-environments", "in process")
    budget = BYTES_GOAL + MOVE_BYTES_GOAL * moves
    goals = [
        Goal("unary / echo", rate_ratio(unary), UNARY_GOAL),
        Goal("Connect / relay", rate_ratio(connect), CONNECT_GOAL),
        Goal("Connect / kaggle-environments", rate_ratio(kaggle_pairs), KAGGLE_GOAL),
        Goal("bytes of a live match", used, budget, at_most=True),
    ]
    return {
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "version": ginref.__version__,
        "python": platform.python_version(),
        "machine": platform.platform(),
        "load": os.getloadavg()[0],
        "matches": MATCHES,
        "ruleset": PRESET,
        "repetitions": REPETITIONS,
        "goals": {goal.name: {**goal.facts, "told": str(goal)} for goal in goals},
        "cpu_ratio": {
            "bare, unary": cpu_ratio(unary),
            "bare, Connect": cpu_ratio(connect),
            "least, unary": cpu_ratio(pairs_of(rows, "unary", "least", "unary")),
            "least, Connect": cpu_ratio(pairs_of(rows, "Connect", "least", "Connect")),
            "kaggle-environments, Connect": cpu_ratio(kaggle_pairs),
        },
        "least_beside_bare": {
            way: rate_ratio(pairs_of(rows, way, "bare", way, ours="least"))
            for way in ("unary", "Connect")
        },
        "referee_ms": {"p50": share(spent, 0.50), "p99": share(spent, 0.99)},
        "one_match_alone": asdict(alone),
        "moves_of_measured_match": moves,
        "rows": [asdict(row) for row in rows],
    }


def show(console: Console, rows: Sequence[Row], result: dict[str, Any]) -> None:
    """Print what was found."""
    title = f"{MATCHES} {PRESET} matches at once, one worker on one core"
    console.print(grid_of(title, sorted(rows, key=lambda one: (one.way, one.server))))
    for goal in result["goals"].values():
        console.print(goal["told"])
    for other, value in result["cpu_ratio"].items():
        if value is not None:
            console.print(f"processor time of a move, {other} / referee: {value:.2f}")
    for way, value in result["least_beside_bare"].items():
        console.print(f"moves/s of the least that judges, {way} / bare: {value:.2f}")
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
