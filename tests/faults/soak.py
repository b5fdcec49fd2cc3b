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
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from tests.faults.campaign import Outcome, Plan, run
from tests.faults.failing_referee import POINTS, RECORD_POINTS
from tests.faults.fault import FAULTS
from tests.faults.fault_store import clocked, replicated
from tests.faults.happening import MUST_HAPPEN
from tests.faults.trap_store import cancel_storm, lost_replies
from tests.faults.trap_stream import (
    burst,
    calls_too_many,
    cancel_watches,
    drain,
    many_watches,
    unread_streams,
)

ROOT = Path(__file__).parents[2]

WANTED = (57.0, 1_000.0, 500_000.0)
"""Minutes at most; faults and acknowledged moves at least."""

LONGEST_TRAP_S = 600.0
"""How long a trap may take, however busy the machine is."""

ROUND_MOVES = 60_000
"""Acknowledged moves of a round of all faults, among and after them."""

LAST_MIN = 3.0
"""Minutes that the last round has to end and to be judged."""

QUICK = (
    "F03_duel",
    "F04_kill_store",
    "F06_flush_scripts",
    "F08_cut",
    "F08_half_close",
    "F08_reset",
    "F11_busy_store",
    "F16_overtaken",
)
"""Faults that are soon over, and come more often."""

OFTEN = {
    **dict.fromkeys(FAULTS, 2),
    **dict.fromkeys(QUICK, 7),
    "F01_kill_referee": 2 * len(POINTS),
    "F20_kill_signer": len(RECORD_POINTS),
}
"""How often each fault comes in a round."""


@dataclass
class Soak:
    """What a soak has come to so far."""

    minutes: float
    wanted_faults: int
    wanted_moves: int
    start: float = field(default_factory=time.monotonic)
    outcomes: list[tuple[str, Outcome]] = field(default_factory=list)
    traps: dict[str, Mapping[str, float]] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)

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
        rounds = [one.complaint() for _, one in self.outcomes if not one.is_clean]
        return [*rounds, *self.broken, *self.missing]

    @property
    def missing(self) -> list[str]:
        """What must come of the faults that came, and did not."""
        happened: Counter[str] = Counter()
        for _, outcome in self.outcomes:
            happened += outcome.happened + outcome.counts
        return [
            f"never: {what} ({name})"
            for name in sorted(self.faults)
            for what in MUST_HAPPEN[name]
            if not happened[what]
        ]

    def facts(self) -> dict[str, Any]:
        """Return everything as JSON values."""
        return {
            "minutes": round((time.monotonic() - self.start) / 60, 1),
            "wanted_faults": self.wanted_faults,
            "wanted_acknowledged": self.wanted_moves,
            "commit": _commit(),
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
            "longest_wait_s": round(
                max((one.longest_wait_s for _, one in self.outcomes), default=0), 1
            ),
            "problems": [
                *(text for _, one in self.outcomes for text in one.problems),
                *(
                    f"{found.check} {found.match_id}: {found.what}"
                    for _, one in self.outcomes
                    for found in one.violations
                ),
                *self.broken,
                *self.missing,
            ],
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


def _commit() -> str:
    """Name what is tested."""
    asked = ["git", "-C", str(ROOT), "rev-parse", "--short=12", "HEAD"]
    told = subprocess.run(asked, capture_output=True, text=True, check=False)
    return told.stdout.strip() or "unknown"


@contextmanager
def _folder() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="gr"))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


# --- rounds -------------------------------------------------------------------


async def _round(seed: int, enough_s: float) -> Outcome:
    """Every fault several times, on one store."""
    plan = Plan(
        seed=seed,
        faults=OFTEN,
        moves=ROUND_MOVES,
        tables=24,
        enough_s=enough_s,
    )
    with _folder() as folder:
        return await run(plan, folder)


async def _failovers(seed: int, enough_s: float) -> Outcome:
    """Every kind of failover, on a store with replicas."""
    with replicated() as (fleet, faults), _folder() as folder:
        plan = Plan(
            seed=seed,
            faults=dict.fromkeys(faults, 1),
            streams=1,
            enough_s=enough_s,
        )
        return await run(plan, folder, store_url=fleet.url, faults=faults)


async def _clock_steps(seed: int, enough_s: float) -> Outcome:
    """Every kind of clock step, on a store whose clock may be set."""
    with _folder() as folder:
        store, clock = clocked(folder)
        faults = clock.faults()
        plan = Plan(
            seed=seed,
            faults=dict.fromkeys(faults, 2),
            streams=1,
            enough_s=enough_s,
        )
        return await run(plan, folder, store=store, faults=faults)


Kind = Callable[[int, float], Awaitable[Outcome]]

KINDS: tuple[tuple[str, Kind], ...] = (
    ("local", _round),
    ("replicated", _failovers),
    ("local", _round),
    ("clock", _clock_steps),
)
"""Rounds that take turns."""

Trap = Callable[[Path], Awaitable[Mapping[str, float]]]

TRAPS: Mapping[str, Trap] = {
    "L01 cancelled commands": partial(cancel_storm, count=10_000),
    "L02 lost replies": partial(lost_replies, count=1_000),
    "L05 streams that are left": partial(cancel_watches, count=50_000),
    "L06 streams that are not read": partial(unread_streams, count=100),
    "L07 calls too many": partial(calls_too_many, count=500, limit=512),
    "L08 watches of one client": partial(many_watches, count=1_000, program="ginref"),
    "L09 calls in a burst": partial(burst, count=4_000),
    "L10 streams at a stop": partial(drain, count=1_000),
}


async def soak(minutes: float, faults: int, moves: int) -> Soak:
    """Run until there were so many faults and moves, or until time is up."""
    done = Soak(minutes, faults, moves)
    for name, trap in TRAPS.items():
        with _folder() as folder:
            try:
                async with asyncio.timeout(LONGEST_TRAP_S):
                    done.traps[name] = dict(await trap(folder))
            except Exception as error:  # noqa: BLE001 - likewise
                done.broken.append(f"{name}: {error!r}")
                _tell(traceback.format_exc())
        _tell(f"{name}: {done.traps.get(name, 'broken')}")
    first = int(os.environ.get("SEED") or secrets.randbelow(10**6))
    number = 0
    while done.faults.total() < faults or done.total("acknowledged") < moves:
        store, kind = KINDS[number % len(KINDS)]
        enough_s = 60 * (done.minutes_left - LAST_MIN)
        if enough_s < 0:
            break
        seed = first + number
        try:
            outcome = await kind(seed, enough_s)
        except Exception as error:  # noqa: BLE001 - the rounds before it count
            done.broken.append(f"round {seed} on {store}: {error!r}")
            _tell(traceback.format_exc())
        else:
            done.outcomes.append((store, outcome))
            _tell(outcome.summary() if outcome.is_clean else outcome.complaint())
        number += 1
        write(done)
    return done


def _tell(text: str) -> None:
    print(text, flush=True)  # noqa: T201 - for who waits


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
    traps = "\n".join(
        f"* {name}: " + ", ".join(f"{what} {n:,}" for what, n in sorted(told.items()))
        for name, told in facts["traps"].items()
    )
    problems = "\n".join(f"* {text}" for text in facts["problems"][:20])
    return f"""\
# A soak

`make soak` wrote this page, from one run of {facts["minutes"]} minutes at commit `{
        facts["commit"]
    }`, on {facts["machine"]} with a load of {facts["load"]}.
What the run does, and how to repeat a seed: [Reliability](reliability.md).

| | |
|---|---|
| faults | {facts["fault_count"]:,} of {facts["wanted_faults"]:,} that are wanted |
| acknowledged moves | {facts["acknowledged"]:,} of {
        facts["wanted_acknowledged"]:,} that are wanted |
| lost | {facts["lost"]} |
| doubled | {facts["doubled"]} |
| other violations of the checks | {
        facts["violations"] - facts["lost"] - facts["doubled"]
    } |
| other things that were wrong | {len(facts["problems"]) - facts["violations"]} |
| matches | {facts["matches"]:,} |
| moves that watchers were told of | {facts["watched"]:,} |
| calls made again, their outcome being unknown | {facts["repeated"]:,} |
| moves that were kept although nobody could be told | {facts["kept_but_not_told"]:,} |
| longest wait for the next move after a fault | {facts["longest_wait_s"]} s |

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

## What was wrong

{problems or "Nothing."}
"""


def write(done: Soak) -> dict[str, Any]:
    """Write what there is so far, and return it."""
    facts = done.facts()
    (ROOT / "build").mkdir(exist_ok=True)
    (ROOT / "build" / "soak.json").write_text(json.dumps(facts, indent=2) + "\n")
    (ROOT / "docs" / "soak.md").write_text(page(facts))
    return facts


def main() -> None:
    """Run, write, and fail if anything was lost."""
    logging.getLogger("ginref_client").setLevel(logging.ERROR)
    given = [float(word) for word in sys.argv[1:]]
    minutes, faults, moves = [*given, *WANTED[len(given) :]]
    done = asyncio.run(soak(minutes, int(faults), int(moves)))
    facts = write(done)
    _tell(f"{facts['fault_count']} faults, {facts['acknowledged']} moves")
    is_enough = facts["fault_count"] >= faults and facts["acknowledged"] >= moves
    sys.exit(bool(done.complaints) or not is_enough)


if __name__ == "__main__":
    main()
