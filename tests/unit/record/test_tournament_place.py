"""Where a match stands in a tournament, as its record says it."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from tests.unit.record.gallery import PLACE

from ginref.record.flaw import Flaw
from ginref.record.setup import Setup, setup_from_json, setup_to_json
from ginref.record.shape import Place, RecordError
from ginref.record.tournament_place import place_to_json, read_place
from ginref.record.verify import Finding, Verdict

MakeSetup = Callable[..., Setup]
Judge = Callable[[dict[str, Any]], Verdict]


def test_a_setup_keeps_its_place(make_setup: MakeSetup) -> None:
    setup = make_setup(1, place=PLACE)

    assert setup_from_json(setup_to_json(setup)) == setup
    assert setup.fixed_secret == setup.referee_share


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("tournament", 7),
        ("attempt", 0),
        ("game", True),
        ("is_shared", 1),
        ("length", "40"),
        ("head", "AB" * 32),
        ("head", "ab" * 31),
    ],
)
def test_another_value_is_refused_by_name(name: str, value: object) -> None:
    facts = {**place_to_json(PLACE), name: value}

    with pytest.raises(RecordError, match=rf"^match\.place\.{name}: "):
        read_place(Place(facts, "match.place"))


def test_the_boards_must_be_those_that_were_committed_to(
    board: dict[str, Any], judge: Judge
) -> None:
    assert judge(board).finding is Finding.VALID
    board["match"]["place"]["deal"] = "main/3/1"

    verdict = judge(board)

    assert (verdict.finding, verdict.wrong) == (Finding.BROKEN, Flaw.DEAL)


def test_a_match_outside_of_tournaments_has_no_place(
    whole: dict[str, Any], judge: Judge
) -> None:
    document = {**whole, "match": {**whole["match"], "place": place_to_json(PLACE)}}

    verdict = judge(document)

    assert verdict.problem is not None
    assert verdict.problem.startswith("match.deal_source: tournament expected")


def test_a_board_without_its_place_is_refused(
    board: dict[str, Any], judge: Judge
) -> None:
    del board["match"]["place"]

    assert judge(board).wrong is Flaw.FORM


@pytest.fixture
def board(gallery: dict[str, bytes]) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(gallery["board"])
    return document
