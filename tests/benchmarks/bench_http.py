"""The API over HTTP beside a bare handler, and 500 spectators. `make bench-http`.

One worker has one core; who asks has the other.
"""

import asyncio
import json
import os
import shutil
import sys
import tempfile
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from operator import truediv
from pathlib import Path
from statistics import median
from typing import Final

from rich.console import Console
from tests.benchmarks.pinned import pinned
from tests.benchmarks.row import Goal, share
from tests.browser.exhibition import Slow, attached
from tests.contract.redis_fleet import free_port
from tests.e2e.cups import declared
from tests.e2e.referee_process import RefereeProcess

from ginref.engine.ruleset import HOLLYWOOD
from ginref_client.referee import Referee

RESULT: Final = Path("build/bench-http.json")
SECONDS: Final = float(os.environ.get("SECONDS", "1"))
TURNS: Final = int(os.environ.get("TURNS", "21"))
"""How often each server is measured, in turn with the other one.

Turns are short, so that whatever else the machine does slows both; the median of
their ratios is told.
"""

CONNECTIONS: Final = 16
SPECTATORS: Final = int(os.environ.get("SPECTATORS", "500"))
RATIO: Final = 0.8


def _request(path: str, address: str, header: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nhost: {address}\r\n{header}\r\n\r\n".encode()


async def _asked(address: str, path: str, token: str) -> int:
    """Ask over and over on some connections; return how many answers there were."""
    host, _, port = address.rpartition(":")
    asked = _request(path, address, f"authorization: Bearer {token}")
    until = time.monotonic() + SECONDS
    count = 0

    async def one() -> None:
        nonlocal count
        reader, writer = await asyncio.open_connection(host, int(port))
        while time.monotonic() < until:
            writer.write(asked)
            head = await reader.readuntil(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200 "), head
            size = head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
            await reader.readexactly(int(size))
            count += 1
        writer.close()

    await asyncio.gather(*(one() for _ in range(CONNECTIONS)))
    return count


@dataclass
class Spectator:
    """Somebody who follows a match over HTTP.

    Attributes:
        versions: Of the steps that were told, in order.
        lags: Seconds between a step and word of it.
        is_over: The stream came to its end by itself.
    """

    versions: list[int] = field(default_factory=list)
    lags: list[float] = field(default_factory=list)
    is_over: bool = False

    async def watch(self, address: str, path: str) -> None:
        """Follow to the end."""
        host, _, port = address.rpartition(":")
        reader, writer = await asyncio.open_connection(host, int(port), limit=2**20)
        asked = _request(path, address, "accept: text/event-stream")
        writer.write(asked)
        async for line in reader:
            if line.startswith(b"data: ") and len(line) > len(b"data: {}\n"):
                self._take(json.loads(line[6:]))
            elif line.startswith(b"event: end"):
                self.is_over = True
                break
        writer.close()

    def _take(self, message: dict[str, object]) -> None:
        now = time.time()
        events: list[dict[str, str]] = message.get("events", [])  # type: ignore[assignment]
        for event in events:
            self.versions.append(int(event["version"]))
        if events and len(self.versions) > len(events):
            told = events[-1]["time"].replace("Z", "+00:00")
            self.lags.append(now - _seconds(told))


def _seconds(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


async def _spectators(address: str, match_id: str, count: int) -> list[Spectator]:
    """Open so many streams, and return them when all have ended."""
    some = [Spectator() for _ in range(count)]
    path = f"/v1/matches/{match_id}:watch"
    await asyncio.gather(*(one.watch(address, path) for one in some))
    return some


async def run(console: Console) -> int:
    """Measure, tell, and say by the status whether every goal is met."""
    mine, core = sorted(os.sched_getaffinity(0))[:2]
    folder = Path(tempfile.mkdtemp(prefix="gr"))
    bare = f"127.0.0.1:{free_port()}"
    referee = RefereeProcess(
        folder / "data",
        options=("--http", "127.0.0.1:0", "--limits", "off"),
        environment={"BARE_HTTP": bare},
        program="tests.benchmarks.bare_http_referee",
    )
    async with AsyncExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        stack.callback(referee.kill)
        with pinned(core):
            referee.start()
        os.sched_setaffinity(0, {mine})
        rest = json.loads((folder / "data" / "referee.json").read_text())["http"]
        token = referee.token()
        host = await stack.enter_async_context(Referee([referee.address], token))
        tokens = [await declared(host, bot) for bot in ("ada", "bea")]
        waiting = await host.create_match(["ada", "bea"], ruleset=HOLLYWOOD)
        path = f"/v1/matches/{waiting.match_id}"
        counts: dict[str, list[int]] = {rest: [], bare: []}
        for turn in range(TURNS):
            for address in sorted(counts, reverse=turn % 2 == 0):
                counts[address].append(await _asked(address, path, token))
        rates = [median(some) / SECONDS for some in counts.values()]
        ratios = sorted(map(truediv, counts[rest], counts[bare]))
        console.print(
            f"a match asked for {rates[0]:,.0f} times a second, of a bare handler"
            f" {rates[1]:,.0f} times; in {TURNS} turns {share(ratios, 0.25):.2f} to"
            f" {share(ratios, 0.75):.2f} of it, in half of them"
        )

        await host.abort(waiting.match_id)
        await stack.enter_async_context(attached(referee.address, tokens, Slow))
        match = await host.create_match(["ada", "bea"])
        watching = await _spectators(rest, match.match_id, SPECTATORS)
    whole = {tuple(one.versions[-20:]) for one in watching if one.is_over}
    gaps = sum(_has_gap(one.versions) or not one.is_over for one in watching)
    lags = sorted(lag for one in watching for lag in one.lags)
    console.print(
        f"{SPECTATORS} spectators, {sum(len(one.versions) for one in watching):,} steps"
        f" told, half of them within {1000 * share(lags, 0.5):.0f} ms,"
        f" all but one in a hundred within {1000 * share(lags, 0.99):.0f} ms"
    )
    goals = (
        Goal("calls beside a bare handler", median(ratios), RATIO),
        Goal("spectators with a gap", gaps, 0, at_most=True),
        Goal("different ends of the match", len(whole), 1, at_most=True),
    )
    for goal in goals:
        console.print(str(goal))
    facts = {goal.name: goal.facts for goal in goals}
    RESULT.parent.mkdir(exist_ok=True)
    RESULT.write_text(json.dumps(facts, indent=2) + "\n")
    return 0 if all(goal.met for goal in goals) else 1


def _has_gap(versions: list[int]) -> bool:
    # The move that ends a match and its end are one step.
    return any(later - one not in {0, 1} for one, later in pairwise(versions))


if __name__ == "__main__":
    sys.exit(asyncio.run(run(Console(highlight=False))))
