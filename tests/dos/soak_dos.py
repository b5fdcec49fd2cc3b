"""Long floods, with the limits that hold by default: `make soak-dos`.

It writes what it has measured to build/dos.json and docs/soak-dos.md. The page is
written by this program alone, from a run that has taken place.

    python -m tests.dos.soak_dos [SCALE]
"""

import asyncio
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.dos.flood import FLOODS, is_documented
from tests.dos.siege import RSS_MB, Outcome, siege

from ginref.app.limit import DEFAULTS, Cap

ROOT = Path(__file__).parents[2]

COUNTS = {
    "D01 messages of 5 MiB and 20 KiB": 100,
    "D01 metadata of 20 KB": 2_000,
    "D02 a burst of streams": 4_000,
    "D03 idle connections": 2_000,
    "D04 matches that are created": 2_000,
    "D05 watches over the cap": DEFAULTS.caps[Cap.WATCHES] + 50,
    "D06 watches that are not read": 100,
    "D07 calls that are taken back": 20_000,
    "D08 deep and large JSON": 200,
    "T13 moves for another's seat": 4_000,
    "Z05 garbage at the port": 50,
}
"""How much of each flood comes, at a scale of 1."""

MOVES = 100
"""Moves of the honest pair before and after each flood."""


@dataclass
class Soak:
    """What a soak has come to so far."""

    scale: float
    start: float = field(default_factory=time.monotonic)
    outcomes: list[Outcome] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    memory_mb: float = 0.0
    moves: int = 0
    load: float = 0.0

    def facts(self) -> dict[str, Any]:
        """Return everything as JSON values."""
        return {
            "minutes": round((time.monotonic() - self.start) / 60, 1),
            "scale": self.scale,
            "commit": _commit(),
            "machine": f"{os.cpu_count()} cores, Python {platform.python_version()}",
            "load": round(self.load, 1),
            "honest_moves": self.moves,
            "memory_mb": round(self.memory_mb, 1),
            "floods": [{**vars(one), "told": dict(one.told)} for one in self.outcomes],
            "problems": self.problems,
        }

    def judge(self, outcome: Outcome, problems: list[str]) -> None:
        """Note an outcome, and what is wrong with it."""
        self.outcomes.append(outcome)
        self.problems += [f"{outcome.flood}: honest: {one}" for one in problems]
        if not is_documented(outcome.flood, outcome.told):
            self.problems.append(f"{outcome.flood}: answered {dict(outcome.told)}")


def _commit() -> str:
    command = ("git", "describe", "--always", "--dirty")
    found = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    return found.stdout.decode().strip() or "unknown"


async def soak(scale: float) -> Soak:
    """Flood a referee in every way, one after the other."""
    done = Soak(scale, load=os.getloadavg()[1])
    async with siege() as besieged:
        for name in FLOODS:
            count = COUNTS[name] if name[:3] == "D05" else int(COUNTS[name] * scale)
            outcome = await besieged.flood(name, max(1, count), moves=MOVES)
            _tell(outcome.line)
            done.judge(outcome, besieged.pair.problems)
            if besieged.pair.problems:
                break
        done.memory_mb = besieged.memory_mb()
        done.moves = len(besieged.pair.took_s)
    if done.memory_mb > RSS_MB:
        done.problems.append(f"{done.memory_mb:.0f} MB of memory")
    return done


def page(facts: Mapping[str, Any]) -> str:
    """Return the page."""
    rows = "\n".join(
        f"| {one['flood']} | {one['count']:,} "
        f"| {', '.join(f'{n:,} {what}' for what, n in sorted(one['told'].items()))} "
        f"| {one['moves']:,} | {one['before_ms']:g} | {one['during_ms']:g} "
        f"| {one['after_ms']:g} |"
        for one in facts["floods"]
    )
    problems = "\n".join(f"* {text}" for text in facts["problems"])
    return f"""\
# A soak of floods

`make soak-dos` wrote this page, from one run of {facts["minutes"]} minutes at commit
`{facts["commit"]}`, on {facts["machine"]} with a load of {facts["load"]} before it.

A referee with a store of its own and the [limits](limits.md) that hold by default was
flooded in {len(facts["floods"])} ways, one after the other, by a process on the same
machine. What it had no room for it refused by name; of calls that waited for half a
minute gRPC itself says CANCELLED, and on a machine that has other things to do more of
them wait. An honest pair of bots played on it all the time, by single calls:
{facts["honest_moves"]:,} moves, none of which may be refused or go unanswered. The
referee may never hold more than {RSS_MB} MB of memory; it held {facts["memory_mb"]:g}.

Times are what 99 of a hundred moves of the honest pair took at most, in milliseconds,
over {MOVES} moves before, which are those after the flood before it, all meanwhile, and
{MOVES} after. Who floods takes its time from the same cores.

| flood | times | answers | honest moves | before | meanwhile | after |
|---|---|---|---|---|---|---|
{rows}

## What was wrong

{problems or "Nothing."}
"""


def _tell(line: str) -> None:
    sys.stdout.write(f"{time.strftime('%H:%M:%S')} {line}\n")
    sys.stdout.flush()


def main() -> None:
    """Run, write, and fail if anything was wrong."""
    scale = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    done = asyncio.run(soak(scale))
    facts = done.facts()
    (ROOT / "build").mkdir(exist_ok=True)
    (ROOT / "build" / "dos.json").write_text(json.dumps(facts, indent=2) + "\n")
    (ROOT / "docs" / "soak-dos.md").write_text(page(facts))
    _tell(f"{done.moves} honest moves, {len(done.problems)} problems")
    for problem in done.problems:
        _tell(problem)
    sys.exit(bool(done.problems))


if __name__ == "__main__":
    main()
