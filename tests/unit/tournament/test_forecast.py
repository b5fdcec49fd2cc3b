"""What a tournament will take, against what it took when it was played."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.tournament.driving import Tournament, better_seed, one_stage, worse_seed
from tests.unit.tournament.test_every_tournament import FORMATS, tournament_of

from ginref.engine.ruleset import GIN, HOLLYWOOD
from ginref.record.clock import FAST
from ginref.tournament.berger import double_round_robin, round_robin, snake_groups
from ginref.tournament.configuration import MatchFormat
from ginref.tournament.configuration_read import read_configuration
from ginref.tournament.error import FieldError
from ginref.tournament.forecast import forecast, longest_match_ms, typical_moves


@FORMATS
def test_as_many_fixtures_are_foretold_as_are_played(
    stages: list[dict[str, Any]],
) -> None:
    tournament = tournament_of(stages)
    tournament.start(8)
    told = forecast(tournament.configuration, 8, 50)

    planned = tournament.play(better_seed)

    for view, stage in zip(planned.stages, told, strict=True):
        fixtures = [one for one in view.fixtures if None not in one.entrants]
        unneeded = [one for one in view.fixtures if one.node == "GF2.1"]
        count = len(fixtures) + sum(one.result is None for one in unneeded)
        assert count == stage.fixtures
        assert len(view.seats) == stage.entrants
        assert stage.typical_ms < stage.longest_ms


def test_a_long_fixture_takes_the_matches_that_it_must() -> None:
    stage = {
        "format": "single_elimination",
        "match": {"best_of": 3, "deciders": 2},
        "except": {"final": {"best_of": 5}},
    }
    (told,) = forecast(read_configuration(one_stage(stage)), 4, 50)

    assert (told.rounds, told.fixtures) == (2, 3)
    assert told.matches == 2 * 2 + 3
    assert told.most_matches == 2 * (3 + 2) + 5 + 2


@given(st.integers(1, 5), st.integers(2, 40), st.integers(1, 2))
def test_a_round_robin_is_counted_as_it_is_drawn(
    groups: int, field: int, cycles: int
) -> None:
    field = max(field, 2 * groups)
    fields = {"format": "round_robin", "groups": groups, "cycles": cycles}
    (told,) = forecast(read_configuration(one_stage(fields)), field, 50)

    draw = round_robin if cycles == 1 else double_round_robin
    names = [str(number) for number in range(field)]
    drawn = [one for group in snake_groups(names, groups) for one in draw(group)]
    assert told.fixtures == sum(len(one.pairs) for one in drawn)
    assert told.rounds == max(one.number for one in drawn)


def test_brackets_play_side_by_side() -> None:
    (told,) = forecast(
        read_configuration(one_stage({"format": "double_elimination"})), 8, 50
    )

    # Upper and lower bracket of 8: 1, 2 and L1, 3 and L2, L3, L4, and two finals.
    assert told.rounds == 7


def test_mirrored_boards_take_two_matches() -> None:
    boards = {"name": "b", "boards": 4, "next_dealer": "board_parity"}
    document = one_stage(
        {"format": "round_robin"},
        boards="mirrored",
        resettable=True,
        match={"ruleset": boards},
    )

    (told,) = forecast(read_configuration(document), 4, 50)

    assert (told.fixtures, told.matches) == (6, 12)


def test_a_match_ends_when_both_clocks_have_run_down() -> None:
    short = MatchFormat(
        ruleset=GIN.but(name="b", boards=2, next_dealer="board_parity", turn_limit=10),
        clock=FAST,
    )

    assert longest_match_ms(short) == 4 * 10_000 + 2 * 10_000 + 44 * 100


@pytest.mark.parametrize(
    ("rules", "moves"),
    [(GIN, 270), (HOLLYWOOD, 405), (GIN.but(name="b", boards=4), 108)],
    ids=["gin", "hollywood", "boards"],
)
def test_simple_bots_need_so_many_moves(rules: Any, moves: int) -> None:  # noqa: ANN401
    assert typical_moves(rules) == moves


def test_what_cannot_be_played_is_not_foretold() -> None:
    configuration = read_configuration(one_stage({"format": "swiss", "rounds": 5}))

    with pytest.raises(FieldError):
        forecast(configuration, 4, 50)


def test_upsets_change_nothing_in_the_count() -> None:
    tournament = Tournament(one_stage({"format": "double_elimination"}))
    tournament.start(6)

    planned = tournament.play(worse_seed)

    (told,) = forecast(tournament.configuration, 6, 50)
    assert len(planned.stages[0].fixtures) == told.fixtures == 11
