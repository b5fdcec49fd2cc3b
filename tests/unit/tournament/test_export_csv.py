"""Tables for spreadsheets: columns that stay, and no cell that is a formula."""

import csv
import io
import json
from typing import Any

import pytest
from tests.unit.tournament.driving import forfeited, one_stage, won
from tests.unit.tournament.exporting import Season, season

from ginref.record.lifecycle import EndingKind
from ginref.tournament.export import build_export
from ginref.tournament.export_csv import (
    BOARDS,
    CROSS_TABLE,
    FIXTURES,
    STANDINGS,
    csv_files,
)
from ginref.tournament.fixture import Fixture
from ginref.tournament.plan import MatchOrder
from ginref.tournament.result import Outcome

Document = dict[str, Any]


def choose(fixture: Fixture, order: MatchOrder) -> Outcome:
    a, b = (bot or "" for bot in fixture.entrants)
    if fixture.round == 2:
        return forfeited(b, fixture=fixture, ending=EndingKind.NO_SHOW)
    if order.attempt == 1 and a == "bot-01" and fixture.round == 1:
        return Outcome(ending=EndingKind.VOID)
    return won(a, fixture)


@pytest.fixture(scope="module")
def document() -> Document:
    played: Season = season(one_stage({"format": "swiss", "rounds": 2}), 5, choose)
    read: Document = json.loads(build_export(played.configuration, played.entries))
    return read


def rows(document: Document, name: str) -> list[dict[str, str]]:
    text = csv_files(document)[name]
    assert text.count("\r\n") == text.count("\n")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_columns_are_what_they_always_were(document: Document) -> None:
    heads = {
        name: tuple(text.split("\r\n", 1)[0].split(","))
        for name, text in csv_files(document).items()
    }

    assert heads == {
        "standings.csv": STANDINGS,
        "fixtures.csv": FIXTURES,
        "boards.csv": BOARDS,
        "crosstable.csv": CROSS_TABLE,
    }


def test_every_fixture_says_what_kind_of_result_it_has(document: Document) -> None:
    told = [
        (row["node"], row["result_kind"], row["loser"], row["decided_by"])
        for row in rows(document, "fixtures.csv")
    ]

    assert {kind for _, kind, _, _ in told} == {"won", "forfeited", "free_round"}
    forfeits = [row[2:] for row in told if row[1] == "forfeited"]
    assert {by for _, by in forfeits} == {"no_show"}
    assert all(loser for loser, _ in forfeits)


def test_every_board_and_every_match_without_one_has_a_line(
    document: Document,
) -> None:
    listed = rows(document, "boards.csv")

    endings = [(row["attempt"], row["ending"], row["board"]) for row in listed]
    assert ("1", "void", "") in endings
    assert ("2", "completed", "1") in endings
    assert ("1", "no_show", "") in endings
    played = [row for row in listed if row["board"]]
    assert all(abs(int(row["net_first"])) == 30 for row in played)


def test_a_cross_table_has_both_sides_of_each_pair(document: Document) -> None:
    cells = {
        (row["bot"], row["opponent"]): float(row["points"])
        for row in rows(document, "crosstable.csv")
    }

    assert cells
    assert all(cells[b, a] + points == 1 for (a, b), points in cells.items())


def test_a_text_never_becomes_a_formula(document: Document) -> None:
    changed = json.loads(json.dumps(document))
    for at, owner in enumerate(["=1+1", "+1", "-2", "@sum", 'a"b,c']):
        changed["entrants"][at]["owner"] = owner

    found = {row["owner"] for row in rows(changed, "standings.csv")}

    assert found == {"'=1+1", "'+1", "'-2", "'@sum", 'a"b,c'}
    nets = {row["net_first"] for row in rows(changed, "boards.csv")}
    assert not any(net.startswith("'") for net in nets)
