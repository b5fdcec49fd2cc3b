"""What dashboards are made of, before they are Grafana's."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

HERE: Final = 'job="ginref",instance=~"$instance"'
"""The processes that are looked at."""

UNARY: Final = 'method!~".*/(Connect|Watch.*)"'
"""Calls that are no streams, which take as long as a bot likes."""

ACCEPTED: Final = 'verdict="accepted"'

CALL_TIME, TURN_TIME, REFEREE_TIME, STORE_TIME = (
    f"ginref_{name}_seconds" for name in ("call", "turn", "move_referee", "store_call")
)
"""Histograms of times: of calls, of bots, of the referee, of its store."""

TRACED: Final = (CALL_TIME, REFEREE_TIME)
"""Those whose observations may lead to a trace."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One picture.

    Attributes:
        title: What it shows.
        tells: What to see in it.
        queries: What is asked, each with the name of its lines.
        unit: Unit, as Grafana calls it.
        is_number: A number alone, as it is now.
        is_stacked: Lines are parts of a whole.
    """

    title: str
    tells: str
    queries: Sequence[tuple[str, str]]
    unit: str = "short"
    is_number: bool = False
    is_stacked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """One dashboard.

    Attributes:
        name: Name of its file and of its address.
        title: What people call it.
        tells: What it is for.
        rows: Panels, each group below a title.
    """

    name: str
    title: str
    tells: str
    rows: Sequence[tuple[str, Sequence[Panel]]]


def number(title: str, tells: str, query: str, unit: str = "short") -> Panel:
    """Return a panel with one number."""
    return Panel(
        title=title, tells=tells, queries=[(query, "")], unit=unit, is_number=True
    )


def rate(counter: str, by: str, *labels: str) -> str:
    """Return how fast a counter grows, by a label or without any."""
    chosen = ",".join([HERE, *labels])
    grouped = f" by ({by})" if by else ""
    return f"sum{grouped} (rate({counter}{{{chosen}}}[$__rate_interval]))"


def quantile(part: float, histogram: str, by: str = "", *labels: str) -> str:
    """Return what a part of all observations stays below, by a label or without."""
    grouped = ", ".join(["le", *([by] if by else [])])
    chosen = ",".join([HERE, *labels])
    buckets = f"{histogram}_bucket{{{chosen}}}"
    return (
        f"histogram_quantile({part},"
        f" sum by ({grouped}) (rate({buckets}[$__rate_interval])))"
    )


def mean(histogram: str, by: str = "") -> str:
    """Return the mean of all observations, by a label or without any."""
    return f"{rate(f'{histogram}_sum', by)} / {rate(f'{histogram}_count', by)}"


def quantiles(title: str, tells: str, histogram: str, *labels: str) -> Panel:
    """Return a panel with what half, 90 and 99 in 100 stay below, in seconds."""
    return Panel(
        title=title,
        tells=tells,
        queries=[
            (quantile(part, histogram, "", *labels), f"{part:.0%}")
            for part in (0.5, 0.9, 0.99)
        ],
        unit="s",
    )
