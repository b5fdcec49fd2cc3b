"""What the page about tournaments says is true of the code."""

import re
from dataclasses import fields
from pathlib import Path
from typing import get_args

import pytest

from ginref.tournament.configuration import Configuration
from ginref.tournament.event import Event
from ginref.tournament.format import (
    DoubleElimination,
    Format,
    Ladder,
    RoundRobin,
    SingleElimination,
    Swiss,
)
from ginref.tournament.result import Result
from ginref.tournament.shape import word_of

PAGE = (Path(__file__).parents[3] / "docs" / "tournaments.md").read_text()

FORMATS: list[type[Format]] = [
    SingleElimination,
    DoubleElimination,
    RoundRobin,
    Swiss,
    Ladder,
]


def first_cells(head: str) -> list[str]:
    """Return the words of a table's first column."""
    _, _, table = PAGE.partition(f"| {head} |")
    lines = table.splitlines()[2:]
    words = [re.match(r"\| `(\w+)` \|", line) for line in lines]
    count = next((at for at, word in enumerate(words) if word is None), len(words))
    return [word[1] for word in words[:count] if word is not None]


def test_all_events_are_explained_in_order() -> None:
    assert first_cells("event") == [word_of(kind) for kind in get_args(Event)]


def test_all_results_are_explained_in_order() -> None:
    assert first_cells("result") == [word_of(kind) for kind in get_args(Result)]


def test_all_fields_of_a_file_are_explained() -> None:
    known = {field.name for field in fields(Configuration)} | {"match"}

    assert set(first_cells("field")) == known


def test_all_formats_are_explained() -> None:
    assert first_cells("format") == [word_of(kind) for kind in FORMATS]


@pytest.mark.parametrize("kind", FORMATS, ids=word_of)
def test_all_options_of_a_format_are_named(kind: type[Format]) -> None:
    (line,) = re.findall(rf"^\| `{word_of(kind)}` \| (.*) \|$", PAGE, re.MULTILINE)

    assert {field.name for field in fields(kind)} <= set(re.findall(r"`(\w+)`", line))
