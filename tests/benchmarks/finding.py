"""What a part of the benchmark of scale has found."""

from collections.abc import Mapping
from dataclasses import dataclass

from tests.benchmarks.row import Goal, Row


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What a part has found.

    Attributes:
        title: What was done.
        rows: What moves took.
        facts: Other figures, by what they are of.
        goals: What was wanted.
    """

    title: str
    rows: tuple[Row, ...] = ()
    facts: Mapping[str, float | int | str]
    goals: tuple[Goal, ...] = ()
