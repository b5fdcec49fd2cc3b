"""What a file may say of qualifying, and how its matches are played."""

from typing import Any

import pytest
from tests.unit.tournament.driving import one_stage

from ginref.engine.ruleset import HOLLYWOOD
from ginref.tournament.configuration_read import read_configuration
from ginref.tournament.configuration_write import configuration_to_json
from ginref.tournament.error import FieldError
from ginref.tournament.qualifying import qualifying_match, refuse_stranger

STAGE = {"format": "single_elimination"}
RULES = {"house": "careful", "rounds": 2, "attempts": 2}
HOUSE = "house.careful"


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"qualifying": {}}, "entry.qualifying.house: missing"),
        ({"qualifying": {"house": "A"}}, "entry.qualifying.house: "),
        (
            {"qualifying": {"house": "careful", "rounds": 0}},
            "entry.qualifying.rounds: ",
        ),
        ({"qualifying": {**RULES, "win": True}}, "entry.qualifying.win: "),
        (
            {"qualifying": RULES, "check_in": False},
            "entry.qualifying: needs check_in: true",
        ),
        (
            {"qualifying": RULES, "late": "half"},
            "entry.qualifying: needs late: refused",
        ),
    ],
)
def test_rules_that_cannot_be_are_refused_by_their_path(
    entry: dict[str, Any], said: str
) -> None:
    stage = {"format": "swiss", "rounds": 3}
    with pytest.raises(FieldError) as refused:
        read_configuration(one_stage(stage, entry=entry))

    assert str(refused.value).startswith(said)


def test_a_house_bot_that_is_not_there_is_refused_with_those_that_are() -> None:
    rules = read_configuration(one_stage(STAGE, entry={"qualifying": RULES})).entry
    assert rules.qualifying is not None
    refuse_stranger(rules.qualifying, {HOUSE})
    with pytest.raises(FieldError, match="one of simple expected"):
        refuse_stranger(rules.qualifying, {"house.simple", "robot"})
    with pytest.raises(FieldError, match=r"entry\.qualifying\.house: .*none here"):
        refuse_stranger(rules.qualifying, set())


@pytest.mark.parametrize(
    ("ruleset", "boards"),
    [
        ("gin", None),
        ("hollywood", None),
        ({"name": "b", "boards": 12, "next_dealer": "board_parity"}, 3),
        ({"name": "b", "boards": 1, "next_dealer": "board_parity"}, 1),
    ],
)
def test_a_qualifying_match_is_like_those_of_the_first_stage_but_short(
    ruleset: Any,  # noqa: ANN401
    boards: int | None,
) -> None:
    match = {"ruleset": ruleset, "clock": "fast", "strikes": 1, "best_of": 3}
    document = one_stage(
        STAGE, match=match, entry={"qualifying": {"house": "careful", "rounds": 3}}
    )
    configuration = read_configuration(document)
    short = qualifying_match(configuration)

    assert (short.ruleset.round_limit, short.ruleset.boards) == (3, boards)
    assert (short.clock.name, short.strikes, short.best_of) == ("fast", 1, 1)
    assert short.ruleset.games == (HOLLYWOOD.games if ruleset == "hollywood" else 1)
    written = configuration_to_json(configuration)
    assert read_configuration(written) == configuration
    assert (
        "qualifying"
        not in configuration_to_json(read_configuration(one_stage(STAGE)))["entry"]
    )
