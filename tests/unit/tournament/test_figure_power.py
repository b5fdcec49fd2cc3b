import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ginref.tournament.figure_power import (
    boards_to_separate,
    chance_in_best_of,
    chance_on_boards,
    matches_for_margin,
    matches_to_separate,
    matches_to_separate_in_field,
    separable_chance,
    separable_difference,
)

GOLDEN = Path(__file__).parents[2] / "golden" / "tournament_vectors.json"
TABLES: dict[str, Any] = json.loads(GOLDEN.read_text(encoding="utf-8"))["statistics"]
HANDS: dict[str, Any] = TABLES["hands_to_separate_52_48"]


@pytest.mark.parametrize(
    ("power", "chance", "matches"),
    [
        *(
            (0.8, chance, matches)
            for chance, matches in TABLES[
                "head_to_head_matches_needed(alpha .05 two-sided, power .8)"
            ].items()
        ),
        *((0.95, *entry) for entry in TABLES["power_.95"].items()),
    ],
)
def test_so_many_matches_separate_two_bots(
    power: float, chance: str, matches: int
) -> None:
    assert matches_to_separate(float(chance), power=power) == matches


def test_so_many_matches_against_a_field_separate_two_bots() -> None:
    expected = TABLES["two_bots_vs_common_field_52_vs_48_per_bot"]

    assert matches_to_separate_in_field(0.52, 0.48) == expected


@pytest.mark.parametrize(("margin", "matches"), TABLES["ci_halfwidth_matches"].items())
def test_so_many_matches_give_a_margin(margin: str, matches: int) -> None:
    assert matches_for_margin(float(margin)) == matches


@pytest.mark.parametrize("chance", TABLES["best_of_N_prob_better_bot_wins"])
def test_a_longer_fixture_helps_the_better_bot_a_little(chance: str) -> None:
    expected = TABLES["best_of_N_prob_better_bot_wins"][chance]

    chances = {
        length: round(chance_in_best_of(int(length), float(chance)), 4)
        for length in expected
    }

    assert chances == expected


def test_boards_separate_by_net_points_as_tabulated() -> None:
    ratios = {
        "independent": (1, HANDS["hands_net_points_independent"]),
        "like": (0.3, HANDS["hands_net_points_mirrored(ratio .30-.60)"][0]),
        "unlike": (0.6, HANDS["hands_net_points_mirrored(ratio .30-.60)"][1]),
    }

    for ratio, expected in ratios.values():
        boards = boards_to_separate(0.28, deviation=20.8, variance_share=ratio)
        assert abs(boards - expected) <= 1


@given(st.integers(1, 10_000), st.floats(0.2, 1))
def test_what_boards_can_separate_takes_so_many_boards(
    boards: int, variance_share: float
) -> None:
    difference = separable_difference(boards, variance_share=variance_share)

    needed = boards_to_separate(difference, variance_share=variance_share)

    assert abs(needed - boards) <= 1


@given(st.integers(10, 20_000))
def test_what_matches_can_separate_takes_so_many_matches(matches: int) -> None:
    chance = separable_chance(matches)

    assert matches_to_separate(chance) <= matches
    assert matches_to_separate(0.5 + (chance - 0.5) * 0.999) >= matches


def test_in_a_field_it_takes_more_to_tell_two_bots_apart() -> None:
    per_bot = TABLES["two_bots_vs_common_field_52_vs_48_per_bot"]

    assert round(separable_chance(per_bot, in_field=True), 4) == 0.52
    alone, among = (separable_difference(50, in_field=field) for field in (False, True))
    assert among == pytest.approx(alone * math.sqrt(2))


def test_too_few_matches_separate_nobody() -> None:
    assert separable_chance(1) == separable_chance(1, in_field=True) == 1


def test_more_boards_than_races_of_the_same_length_show_the_better_bot() -> None:
    boards = chance_on_boards(96, 1.02, variance_share=0.37)

    races = chance_in_best_of(9, 0.573)

    assert round(boards, 2) == 0.79
    assert round(races, 2) == 0.67


def test_equal_bots_have_equal_chances() -> None:
    assert chance_on_boards(40, 0) == 0.5
    assert math.isclose(chance_in_best_of(7, 0.5), 0.5)


@pytest.mark.parametrize("chance", [0, 0.5, 1, 1.5])
def test_no_number_of_matches_shows_what_is_no_advantage(chance: float) -> None:
    with pytest.raises(ValueError, match="no number of matches"):
        matches_to_separate(chance)


@pytest.mark.parametrize("length", [0, 2, 4, -1])
def test_a_fixture_without_majority_is_refused(length: int) -> None:
    with pytest.raises(ValueError, match="no majority"):
        chance_in_best_of(length, 0.6)


def test_equal_bots_are_never_separated_by_a_field() -> None:
    with pytest.raises(ValueError, match="equally good"):
        matches_to_separate_in_field(0.5, 0.5)
