"""What a server takes for a load."""

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import Any

from rich.table import Table
from tests.benchmarks.match_load import Played
from tests.benchmarks.pinned import cpu_seconds


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

    @classmethod
    def of(
        cls,
        server: str,
        way: str,
        *,
        trips: Sequence[float],
        seconds: float,
        cpu_seconds: float,
    ) -> "Row":
        """Say what a load came to.

        Args:
            server: Which.
            way: How moves reach it.
            trips: Seconds between each move and its answer.
            seconds: How long all took.
            cpu_seconds: The server's processor time.
        """
        ordered = sorted(trips)
        return cls(
            server=server,
            way=way,
            moves=len(ordered),
            per_second=len(ordered) / seconds,
            cpu_us=1e6 * cpu_seconds / len(ordered),
            trip_p50_ms=1000 * share(ordered, 0.50),
            trip_p99_ms=1000 * share(ordered, 0.99),
        )


async def measured(
    server: str, way: str, pids: Sequence[int], load: Awaitable[Played]
) -> tuple[Row, Played]:
    """Put a load on the processes of a server, and see what it takes."""
    before = sum(map(cpu_seconds, pids))
    played = await load
    spent = sum(map(cpu_seconds, pids)) - before
    row = Row.of(
        server, way, trips=played.trips, seconds=played.seconds, cpu_seconds=spent
    )
    return row, played


def share(ordered: Sequence[float], part: float) -> float:
    """Return what a part of the values does not exceed."""
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


def grid_of(title: str, rows: Sequence[Row]) -> Table:
    """Return a table of rows."""
    grid = Table(title=title)
    for head in ("way", "server", "moves/s", "cpu us/move", "p50 ms", "p99 ms"):
        grid.add_column(head, justify="left" if head in {"way", "server"} else "right")
    for row in rows:
        grid.add_row(
            *(row.way, row.server, f"{row.per_second:,.0f}", f"{row.cpu_us:,.0f}"),
            *(f"{row.trip_p50_ms:.1f}", f"{row.trip_p99_ms:.1f}"),
        )
    return grid


@dataclass(frozen=True)
class Goal:
    """What is wanted, and what was measured.

    Attributes:
        name: Of what.
        value: What was measured; None for what could not be.
        goal: What is wanted.
        at_most: The goal is the most that it may be, and not the least.
    """

    name: str
    value: float | None
    goal: float
    at_most: bool = False

    @property
    def met(self) -> bool:
        """It was measured, and is what is wanted."""
        if self.value is None:
            return False
        return self.value <= self.goal if self.at_most else self.value >= self.goal

    @property
    def facts(self) -> dict[str, Any]:
        """All of it, for a file."""
        return {
            "value": self.value,
            "goal": self.goal,
            "at_most": self.at_most,
            "met": self.met,
        }

    def __str__(self) -> str:
        """Say it in a line."""
        value = "not measured" if self.value is None else f"{self.value:,.2f}"
        most = "at most" if self.at_most else "at least"
        verdict = "met" if self.met else "MISSED"
        return f"{self.name}: {value}, {most} {self.goal:,} wanted: {verdict}"
