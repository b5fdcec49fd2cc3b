"""A long run of every fault: `make soak`.

It writes what it has measured, with its seeds, to build/soak.json and docs/soak.md.
The page is written by this program alone, from a run that has taken place.

    python -m tests.faults.soak [MINUTES] [FAULTS] [MOVES]
"""

import asyncio
import json
import logging
import os
import platform
import secrets
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.faults.campaign import Outcome, Plan, run
from tests.faults.failing_referee import POINTS, RECORD_POINTS
from tests.faults.fault import FAULTS
from tests.faults.fault_store import clocked, replicated
from tests.faults.trap import (
    burst,
    cancel_storm,
    cancel_watches,
    lost_replies,
    watched_referee,
)

ROOT = Path(__file__).parents[2]

ROUND_MOVES = 45_000
"""Acknowledged moves of one round at least."""

WANTED = (57.0, 1_000.0, 500_000.0)
"""Minutes at most; faults and acknowledged moves at least."""

OFTEN = {"F01_kill_referee": 2 * len(POINTS), "F20_kill_signer": len(RECORD_POINTS)}
THREE_TIMES = 3


@dataclass
class Soak:
    """What a soak has come to so far."""

    minutes: float
    start: float = field(default_factory=time.monotonic)
    outcomes: list[tuple[str, Outcome]] = field(default_factory=list)
    traps: dict[str, object] = field(default_factory=dict)

    @property
    def minutes_left(self) -> float:
        return self.minutes - (time.monotonic() - self.start) / 60

    def total(self, name: str) -> int:
        return sum(outcome.counts[name] for _, outcome in self.outcomes)

    @property
    def faults(self) -> Counter[str]:
        counted: Counter[str] = Counter()
        for _, outcome in self.outcomes:
            counted.update(outcome.faults)
        return counted

    @property
    def complaints(self) -> list[str]:
        return [
            outcome.complaint() for _, outcome in self.outcomes if not outcome.is_clean
        ]

    def facts(self) -> dict[str, Any]:
        """Return everything as JSON values."""
        return {
            "minutes": round((time.monotonic() - self.start) / 60, 1),
            "machine": f"{os.cpu_count()} cores, Python {platform.python_version()}",
            "load": round(os.getloadavg()[2], 1),
            "faults": dict(sorted(self.faults.items())),
            "fault_count": self.faults.total(),
            "acknowledged": self.total("acknowledged"),
            "lost": sum(outcome.lost for _, outcome in self.outcomes),
            "doubled": sum(outcome.doubled for _, outcome in self.outcomes),
            "matches": self.total("matches"),
            "watched": self.total("watched"),
            "repeated": self.total("unknown"),
            "kept_but_not_told": self.total("kept, but never told"),
            "violations": sum(len(one.violations) for _, one in self.outcomes),
            "problems": [text for _, one in self.outcomes for text in one.problems],
            "runs": [
                {
                    "store": store,
                    "seed": outcome.plan.seed,
                    "faults": outcome.faults.total(),
                    "acknowledged": outcome.counts["acknowledged"],
                    "seconds": round(outcome.seconds),
                    "clean": outcome.is_clean,
                }
                for store, outcome in self.outcomes
            ],
            "traps": self.traps,
        }


@contextmanager
def _folder() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="gr"))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


# --- rounds -------------------------------------------------------------------


async def _round(seed: int, patience_s: float) -> Outcome:
    """Every fault several times, on one store."""
    faults = {name: OFTEN.get(name, THREE_TIMES) for name in FAULTS}
    plan = Plan(
        seed=seed,
        faults=faults,
        moves=ROUND_MOVES,
        scale=2.0,
        pause_s=0.5,
        patience_s=patience_s,
    )
    with _folder() as folder:
        return await run(plan, folder)


async def _failovers(seed: int, patience_s: float) -> Outcome:
    """Every kind of failover, on a store with replicas."""
    with replicated() as (fleet, faults), _folder() as folder:
        plan = Plan(
            seed=seed,
            faults=dict.fromkeys(faults, 1),
            tables=6,
            streams=1,
            patience_s=patience_s,
        )
        return await run(plan, folder, store_url=fleet.url, faults=faults)


async def _clock_steps(seed: int, patience_s: float) -> Outcome:
    """Every kind of clock step, on a store whose clock may be set."""
    with _folder() as folder:
        store, clock = clocked(folder)
        faults = clock.faults()
        plan = Plan(
            seed=seed,
            faults=dict.fromkeys(faults, 2),
            tables=6,
            streams=1,
            patience_s=patience_s,
        )
        return await run(plan, folder, store=store, faults=faults)


async def _traps() -> dict[str, object]:
    """Spring the traps of libraries, often."""
    found: dict[str, object] = {}
    with _folder() as folder:
        found["L01 cancelled commands"] = dict(await cancel_storm(folder, 20_000))
    with _folder() as folder:
        found["L02 lost replies"] = dict(await lost_replies(folder, 2_000))
    with _folder() as folder:
        async with watched_referee(folder, "ginref") as watched:
            grown_mb = await cancel_watches(watched, 50_000)
            found["L05 MB grown by 50,000 watches"] = round(grown_mb, 1)
            found["L09 calls in a burst"] = dict(await burst(watched, 4_000))
    return found


Kind = Callable[[int, float], Awaitable[Outcome]]

KINDS: tuple[tuple[str, Kind, float], ...] = (
    ("local", _round, 6.0),
    ("replicated", _failovers, 2.0),
    ("clock", _clock_steps, 1.5),
)
"""Rounds that take turns, and how many minutes each wants."""


async def soak(minutes: float, faults: int, moves: int) -> Soak:
    """Run until there were so many faults and moves, or until time is up."""
    done = Soak(minutes)
    first = int(os.environ.get("SEED") or secrets.randbelow(10**6))
    number = 0
    while done.faults.total() < faults or done.total("acknowledged") < moves:
        store, kind, wanted = KINDS[number % len(KINDS)]
        if done.minutes_left < wanted:
            break
        outcome = await kind(first + number, 60 * max(10.0, done.minutes_left))
        done.outcomes.append((store, outcome))
        print(outcome.summary() if outcome.is_clean else outcome.complaint())  # noqa: T201
        sys.stdout.flush()
        number += 1
    if done.minutes_left > 5:
        done.traps = await _traps()
    return done


# --- the page -----------------------------------------------------------------


def page(facts: dict[str, Any]) -> str:
    """Write what was measured as a page of the documentation."""
    runs = "\n".join(
        f"| {run['seed']} | {run['store']} | {run['faults']} | {run['acknowledged']:,} "
        f"| {run['seconds']} | {'clean' if run['clean'] else 'not clean'} |"
        for run in facts["runs"]
    )
    kinds = "\n".join(
        f"| {name.split('_')[0]} | {' '.join(name.split('_')[1:])} | {number} |"
        for name, number in facts["faults"].items()
    )
    traps = "\n".join(f"* {name}: {told}" for name, told in facts["traps"].items())
    problems = "\n".join(f"* {text}" for text in facts["problems"][:20])
    return f"""\
# A soak

`make soak` wrote this page, from one run of {facts["minutes"]} minutes on {
        facts["machine"]
    } with a load of {facts["load"]}.
What the run does, and how to repeat a seed: [Reliability](reliability.md).

| | |
|---|---|
| faults | {facts["fault_count"]:,} |
| acknowledged moves | {facts["acknowledged"]:,} |
| lost | {facts["lost"]} |
| doubled | {facts["doubled"]} |
| other violations | {facts["violations"] - facts["lost"] - facts["doubled"]} |
| expectations that were not met | {len(facts["problems"])} |
| matches | {facts["matches"]:,} |
| moves that watchers were told of | {facts["watched"]:,} |
| calls made again, their outcome being unknown | {facts["repeated"]:,} |
| moves that were kept although nobody could be told | {facts["kept_but_not_told"]:,} |

## Faults

| | fault | times |
|---|---|---|
{kinds}

## Rounds

| seed | store | faults | acknowledged | seconds | |
|---|---|---|---|---|---|
{runs}

## Traps of libraries

{traps or "There was no time left for them."}

## Expectations that were not met

{problems or "None."}
"""


def main() -> None:
    """Run, write, and fail if anything was lost."""
    logging.getLogger("ginref_client").setLevel(logging.ERROR)
    given = [float(word) for word in sys.argv[1:]]
    minutes, faults, moves = [*given, *WANTED[len(given) :]]
    done = asyncio.run(soak(minutes, int(faults), int(moves)))
    facts = done.facts()
    (ROOT / "build").mkdir(exist_ok=True)
    (ROOT / "build" / "soak.json").write_text(json.dumps(facts, indent=2) + "\n")
    (ROOT / "docs" / "soak.md").write_text(page(facts))
    print(f"{facts['fault_count']} faults, {facts['acknowledged']} moves")  # noqa: T201
    sys.exit(bool(done.complaints))


if __name__ == "__main__":
    main()
