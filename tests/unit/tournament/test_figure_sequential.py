import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ginref.tournament.figure_sequential import (
    Hypotheses,
    Verdict,
    expected_matches,
    judge_counts,
    judge_nets,
)

GOLDEN = Path(__file__).parents[2] / "golden" / "tournament_vectors.json"
SPRT: dict[str, Any] = json.loads(GOLDEN.read_text(encoding="utf-8"))["statistics"][
    "sprt"
]


@pytest.mark.parametrize(
    "vector",
    [
        pytest.param(vector, id=vector["source"])
        for vector in SPRT["pentanomial_vectors"]
    ],
)
def test_ratios_are_the_published_ones(vector: dict[str, Any]) -> None:
    hypotheses = Hypotheses(weak=vector["elo0"], strong=vector["elo1"])

    test = judge_counts(vector["counts"], hypotheses)

    if "LLR" in vector:  # by a closed form that is good for many games
        assert test.ratio == pytest.approx(vector["LLR"], abs=0.001)
    else:
        assert round(test.ratio, 5) == vector["LLR_exact_normalized"]
    assert round(test.strength, 2) == vector["nelo"]


def test_bounds_are_the_published_ones() -> None:
    bounds = [round(bound, 6) for bound in Hypotheses().bounds]

    assert bounds == SPRT["bounds_alpha_beta_.05"]


@pytest.mark.parametrize("chance", SPRT["wald_expected_matches_H0_0.5_vs_H1"])
def test_a_sequential_test_takes_half_the_matches_on_average(chance: str) -> None:
    expected = SPRT["wald_expected_matches_H0_0.5_vs_H1"][chance]

    weak, strong = expected_matches(float(chance))

    assert abs(weak - expected["under_H0"]) <= 1
    assert abs(strong - expected["under_H1"]) <= 1
    assert weak + strong < 1.05 * expected["fixed_n_same_errors"]


def test_twenty_games_lost_of_twenty_have_a_ratio() -> None:
    test = judge_counts([20, 0, 0], Hypotheses())

    assert math.isfinite(test.strength)
    assert test.ratio == pytest.approx(20 * math.log(0.9), abs=0.01)
    assert test.verdict is Verdict.GO_ON


@pytest.mark.parametrize(
    ("counts", "verdict"),
    [
        pytest.param([40, 0, 0], Verdict.NOT_STRONGER, id="all games lost"),
        pytest.param([0, 0, 40], Verdict.STRONGER, id="all games won"),
        pytest.param([40, 0, 0, 0, 0], Verdict.NOT_STRONGER, id="all pairs lost"),
        pytest.param([0, 0, 0, 0, 40], Verdict.STRONGER, id="all pairs won"),
        pytest.param([0, 0, 4000, 0, 0], Verdict.NOT_STRONGER, id="all pairs level"),
    ],
)
def test_one_sided_courses_are_decided(counts: list[int], verdict: Verdict) -> None:
    assert judge_counts(counts, Hypotheses()).verdict is verdict


def test_level_games_need_more_of_them() -> None:
    assert judge_counts([10, 5, 10], Hypotheses()).verdict is Verdict.GO_ON


@given(st.lists(st.integers(0, 5000), min_size=5, max_size=5).filter(any))
def test_the_ratio_of_the_opponent_speaks_the_other_way(counts: list[int]) -> None:
    mine = judge_counts(counts, Hypotheses(weak=-5, strong=5))
    theirs = judge_counts(counts[::-1], Hypotheses(weak=-5, strong=5))

    assert math.isclose(mine.ratio, -theirs.ratio, abs_tol=1e-6)
    assert math.isclose(mine.strength, -theirs.strength, abs_tol=1e-6)


@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 40))
def test_counts_and_net_points_of_the_same_games_agree(
    lost: int, drawn: int, won: int
) -> None:
    hypotheses = Hypotheses(weak=0, strong=10)
    nets = [-0.5] * lost * 20 + [0.0] * drawn * 20 + [0.5] * won * 20

    by_count = judge_counts([lost * 20, drawn * 20, won * 20], hypotheses)
    by_net = judge_nets(nets, 1, hypotheses)

    assert by_count.strength == pytest.approx(by_net.strength)
    if abs(by_net.strength) < 100:
        assert by_count.ratio == pytest.approx(by_net.ratio, rel=0.05, abs=0.05)


@pytest.mark.parametrize("nets", [[30.0], [4.0, 4.0, 4.0], [0.0, 0.0]])
def test_nets_without_any_spread_are_finite(nets: list[float]) -> None:
    test = judge_nets(nets, 2, Hypotheses())

    assert math.isfinite(test.ratio)
    assert test.verdict is Verdict.GO_ON


@pytest.mark.parametrize("counts", [[], [1, 2], [0, 0, 0], [1, 2, 3, 4], [-1, 2, 3]])
def test_what_are_no_counts_is_refused(counts: list[int]) -> None:
    with pytest.raises(ValueError, match="no counts"):
        judge_counts(counts, Hypotheses())


def test_without_any_board_there_is_no_test() -> None:
    with pytest.raises(ValueError, match="no board"):
        judge_nets([], 2, Hypotheses())
