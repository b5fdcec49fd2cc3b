"""What a referee does for very many. `make bench-scale`.

`PARTS` chooses some of it. One worker has one core; who plays, and the stores, have the
other.
"""

import asyncio
import json
import os
import platform
import sys
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from tests.benchmarks.finding import Finding
from tests.benchmarks.row import grid_of
from tests.benchmarks.scale_attached import attached_bots
from tests.benchmarks.scale_open import open_matches
from tests.benchmarks.scale_store import stores
from tests.benchmarks.scale_timeouts import timeouts
from tests.benchmarks.scale_watch import watchers

import ginref

RESULT: Final = Path("build/bench-scale.json")

MATCHES: Final = int(os.environ.get("MATCHES", "24"))
OPEN: Final = int(os.environ.get("OPEN", "10000"))
BOTS: Final = int(os.environ.get("BOTS", "2000"))
WATCHERS: Final = int(os.environ.get("WATCHERS", "5000"))
TIMEOUTS: Final = int(os.environ.get("TIMEOUTS", "10000"))

Part = Callable[[int, int], Awaitable[Finding]]

PARTS: Final[dict[str, Part]] = {
    "stores": lambda mine, core: stores(mine, core, MATCHES),
    "open": lambda _, core: open_matches(core, OPEN),
    "bots": lambda _, core: attached_bots(core, BOTS),
    "watchers": lambda _, core: watchers(core, WATCHERS),
    "timeouts": lambda mine, core: timeouts(mine, core, TIMEOUTS),
}


async def run(console: Console) -> int:
    """Measure, tell, and say by the status whether every goal is met."""
    mine, core = sorted(os.sched_getaffinity(0))[:2]
    os.sched_setaffinity(0, {mine})
    result: dict[str, Any] = {
        "version": ginref.__version__,
        "python": platform.python_version(),
        "machine": platform.platform(),
        "parts": {},
    }
    met = True
    RESULT.parent.mkdir(exist_ok=True)
    for name in os.environ.get("PARTS", ",".join(PARTS)).split(","):
        finding = await PARTS[name](mine, core)
        show(console, finding)
        met = met and all(goal.met for goal in finding.goals)
        result["parts"][name] = {
            "time": datetime.now(UTC).isoformat(timespec="seconds"),
            "load": os.getloadavg()[0],
            "rows": [asdict(row) for row in finding.rows],
            "facts": dict(finding.facts),
            "goals": {goal.name: goal.facts for goal in finding.goals},
        }
        RESULT.write_text(json.dumps(result, indent=2) + "\n")
    return 0 if met else 1


def show(console: Console, finding: Finding) -> None:
    """Print what a part has found."""
    console.print(
        grid_of(finding.title, finding.rows) if finding.rows else finding.title
    )
    for name, value in finding.facts.items():
        console.print(f"{name}: {value if isinstance(value, str) else f'{value:,}'}")
    for goal in finding.goals:
        console.print(str(goal))
    console.print(f"load of the machine: {os.getloadavg()[0]:.1f}\n")


if __name__ == "__main__":
    sys.exit(asyncio.run(run(Console(width=110))))
