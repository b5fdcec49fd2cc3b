"""A tournament before anybody has entered."""

from typing import Any

import pytest
from tests.unit.tournament.driving import one_stage

from ginref.adapters.tournament_file import read_tournament
from ginref.tournament.configuration_read import read_configuration
from ginref.tournament.error import FieldError
from ginref.tournament.example import EXAMPLES
from ginref.tournament.meeting import Meeting, meetings
from ginref.tournament.preview import preview

BOARDS = {
    "ruleset": {"name": "b", "boards": 12, "next_dealer": "board_parity"},
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_a_tournament_for_eight(name: str) -> None:
    declared = read_tournament(EXAMPLES[name].encode()).configuration

    shown = preview(declared, 8, 50)

    words = [type(stage.format).__name__.lower() for stage in declared.stages]
    assert words[0] == name.replace("_", "").replace("groups", "roundrobin")
    assert all(stage.forecast.typical_ms > 0 for stage in shown.stages)
    assert all(
        stage.forecast.longest_ms > stage.forecast.typical_ms for stage in shown.stages
    )


def test_how_long_qualifying_takes_is_told_and_a_call_that_is_too_short() -> None:
    stage = {"format": "swiss", "rounds": 3}
    entry = {"qualifying": {"house": "simple", "rounds": 1}}
    plain, short, long = (
        preview(read_configuration(one_stage(stage, **others)), 33, 50)
        for others in (
            {},
            {"entry": entry, "schedule": {"check_in": "1m"}},
            {"entry": entry, "schedule": {"check_in": "2d"}},
        )
    )

    assert plain.qualifying is None
    assert short.qualifying == long.qualifying
    assert short.qualifying is not None
    # A match of one round has 27 moves, and 16 are played at a time.
    assert short.qualifying.typical_ms == 3 * 27 * 50
    assert [one.path for one in short.cautions] == ["schedule.check_in"]
    assert plain.cautions == long.cautions == ()


def test_a_bracket_is_shown_by_where_everybody_comes_from() -> None:
    cup = read_configuration(one_stage({"format": "single_elimination"}))

    assert meetings(cup, 3) == (
        (
            Meeting("R1.2", "seed:2", "seed:3"),
            Meeting("R2.1", "seed:1", "winner:R1.2"),
        ),
    )


def test_a_later_stage_is_shown_with_ranks_that_are_to_be_decided() -> None:
    cup = read_configuration(
        {
            "name": "cup",
            "stages": [
                {"name": "all", "format": "round_robin", "promote": 2},
                {"name": "final", "format": "single_elimination"},
            ],
        }
    )

    first, last = meetings(cup, 4)

    assert len(first) == 6
    assert last == (Meeting("R1.1", "rank:all,,1", "rank:all,,2"),)


def test_the_first_round_of_a_swiss_is_known_by_seeds() -> None:
    cup = read_configuration(one_stage({"format": "swiss", "rounds": 3}))

    assert meetings(cup, 5) == (
        (
            Meeting("R1.1", "seed:1", "seed:3"),
            Meeting("R1.2", "seed:2", "seed:4"),
            Meeting("R1.3", "seed:5", "bye"),
        ),
    )
    assert preview(cup, 5, 50).cautions == ()


def test_more_boards_tell_smaller_differences_apart() -> None:
    def points(**options: object) -> float:
        document = one_stage({"format": "round_robin"}, match=BOARDS, **options)
        (stage,) = preview(read_configuration(document), 8, 50).stages
        assert stage.separation.points is not None
        return stage.separation.points

    assert points() == pytest.approx(8.99, abs=0.01)
    assert points(boards="mirrored", resettable=True) == pytest.approx(4.72, abs=0.01)


def test_matches_to_a_target_are_told_apart_by_the_share_that_is_won() -> None:
    cup = read_configuration(
        one_stage({"format": "round_robin", "cycles": 2}, match={"best_of": 3})
    )

    (stage,) = preview(cup, 8, 50).stages

    assert stage.separation.matches == 28
    assert stage.separation.chance == pytest.approx(0.68, abs=0.01)
    assert stage.separation.fixture == pytest.approx(0.575, abs=0.001)


def test_a_field_that_does_not_fit_is_refused_by_its_path() -> None:
    cup = read_configuration(one_stage({"format": "round_robin", "groups": 4}))

    with pytest.raises(FieldError, match=r"stages\[0\].groups: 6 entrants"):
        preview(cup, 6, 50)


def test_more_entrants_than_places_are_a_caution() -> None:
    stage = {"format": "swiss", "rounds": 3}
    cup = read_configuration(one_stage(stage, entry={"capacity": 8}))

    (caution,) = preview(cup, 9, 50).cautions

    assert preview(cup, 8, 50).cautions == ()
    assert caution.path == "entry.capacity"


def test_a_ladder_says_nothing_of_single_fixtures() -> None:
    cup = read_configuration(one_stage({"format": "ladder", "fixtures": 5}))

    (stage,) = preview(cup, 8, 50).stages

    assert stage.separation.fixture is None
    assert stage.separation.chance is not None


def test_a_preview_of_millions_of_fixtures_draws_none_of_them() -> None:
    stages: list[Any] = [{"name": f"s{at}", "format": "round_robin"} for at in range(2)]
    stages[0]["promote"] = 4096

    shown = preview(read_configuration({"name": "cup", "stages": stages}), 4096, 50)

    sizes = [one.forecast for one in shown.stages]
    assert {(one.rounds, one.fixtures) for one in sizes} == {(4095, 8_386_560)}
    assert shown.longest_ms == 2 * sizes[0].longest_ms
    assert shown.typical_ms == 2 * sizes[0].typical_ms
