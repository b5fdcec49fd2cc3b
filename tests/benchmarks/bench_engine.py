"""How fast the engine is beside others, measured in one run. `make bench-engine`.

Contenders take turns, processor time is measured, and what is told is the median of
the repetitions, so that a busy machine spoils neither a rate nor a ratio.
"""

import json
import platform
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.table import Table
from tests.benchmarks.contest import DECISIONS, HANDS, OURS, Contest, contests

import ginref

RESULT: Final = Path("build/bench-engine.json")
REPETITIONS: Final = 15


@dataclass(frozen=True, kw_only=True)
class Row:
    """One line of the result.

    Attributes:
        what: The contest.
        engine: Who did it.
        unit: What is counted.
        per_second: Units per second of processor time.
        ratio: How many times as fast ours is; None for ours.
        spread: The lowest and the highest ratio of the repetitions.
        goal: The ratio that is wanted; None where only the rate is of interest.
    """

    what: str
    engine: str
    unit: str
    per_second: float
    ratio: float | None
    spread: tuple[float, float] | None
    goal: float | None

    @property
    def is_met(self) -> bool:
        """The goal, if there is one, is reached."""
        return self.goal is None or (self.ratio is not None and self.ratio >= self.goal)


def measure(contest: Contest, repetitions: int = REPETITIONS) -> list[Row]:
    """Let the engines take turns, and compare them within each repetition."""
    rates: dict[str, list[dict[str, float]]] = {engine: [] for engine in contest.work}
    for repetition in range(repetitions + 1):
        for engine, work in contest.work.items():
            chance = random.Random(repetition)
            started = time.process_time()
            counts = work(chance)
            took = time.process_time() - started
            # The first repetition only warms up.
            if repetition:
                rates[engine].append({unit: n / took for unit, n in counts.items()})
    return [
        _row(contest, engine, unit, rates[OURS], rates[engine])
        for engine in contest.work
        for unit in rates[engine][0]
    ]


def _row(
    contest: Contest,
    engine: str,
    unit: str,
    ours: list[dict[str, float]],
    theirs: list[dict[str, float]],
) -> Row:
    ratios = [a[unit] / b[unit] for a, b in zip(ours, theirs, strict=True)]
    is_ours = engine == OURS
    return Row(
        what=contest.name,
        engine=engine,
        unit=unit,
        per_second=statistics.median(rate[unit] for rate in theirs),
        ratio=None if is_ours else statistics.median(ratios),
        spread=None if is_ours else (min(ratios), max(ratios)),
        goal=contest.goals.get(engine) if unit in {DECISIONS, HANDS} else None,
    )


def import_milliseconds(statement: str) -> float:
    """Time a fresh Python takes to run a statement and stop, median of seven."""
    took = []
    for _ in range(7):
        started = time.perf_counter()
        subprocess.run([sys.executable, "-c", statement], check=True)
        took.append(time.perf_counter() - started)
    return 1000 * statistics.median(took)


def main() -> int:
    console = Console(width=110)
    rows = [row for contest in contests() for row in measure(contest)]
    table = Table(title="per second of processor time")
    for head in ("", "engine", "unit", "rate", "ours is", "lowest to highest", "goal"):
        table.add_column(head, justify="left" if head in {"", "engine"} else "right")
    for row in rows:
        table.add_row(*_cells(row))
    console.print(table)
    starts = {
        "python": import_milliseconds("pass"),
        "python with ginref.engine": import_milliseconds("import ginref.engine"),
    }
    for what, milliseconds in starts.items():
        console.print(f"{what} starts and stops in {milliseconds:.0f} ms")
    RESULT.parent.mkdir(exist_ok=True)
    RESULT.write_text(json.dumps(_result(rows, starts), indent=2) + "\n")
    return 0 if all(row.is_met for row in rows) else 1


def _cells(row: Row) -> list[str]:
    cells = [row.what, row.engine, row.unit, f"{row.per_second:,.0f}"]
    if row.ratio is None or row.spread is None:
        return cells
    low, high = row.spread
    cells += [f"{row.ratio:.2f} times", f"{low:.2f} to {high:.2f}"]
    if row.goal is not None:
        cells.append(f"{row.goal:.1f} {'met' if row.is_met else 'MISSED'}")
    return cells


def _result(rows: list[Row], starts: Mapping[str, float]) -> dict[str, Any]:
    return {
        "versions": {
            OURS: ginref.__version__,
            "OpenSpiel": version("open-spiel"),
            "RLCard": version("rlcard"),
            "python": platform.python_version(),
        },
        "machine": platform.platform(),
        "repetitions": REPETITIONS,
        "rows": [asdict(row) | {"met": row.is_met} for row in rows],
        "start_milliseconds": starts,
    }


if __name__ == "__main__":
    sys.exit(main())
