"""What dashboards are made of, before they are Grafana's."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

HERE: Final = 'job="ginref",instance=~"$instance"'
"""The processes that are looked at."""

UNARY: Final = 'method!~".*/(Connect|Watch.*)"'
"""Calls that are no streams, which take as long as a bot likes."""

ACCEPTED: Final = 'verdict="accepted"'


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


def quantile(part: float, by: str, *labels: str) -> str:
    """Return the time that a part of all calls stays below."""
    grouped = ", ".join(["le", *([by] if by else [])])
    chosen = ",".join([HERE, *labels])
    buckets = f"ginref_call_seconds_bucket{{{chosen}}}"
    return (
        f"histogram_quantile({part},"
        f" sum by ({grouped}) (rate({buckets}[$__rate_interval])))"
    )
