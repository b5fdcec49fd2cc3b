import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ginref.tournament.figure import (
    Estimate,
    estimate,
    share_interval,
    student_quantile,
)


@pytest.mark.parametrize(
    ("freedom", "quantile"),
    [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (7, 2.365), (30, 2.042)],
)
def test_quantiles_are_those_of_the_tables(freedom: int, quantile: float) -> None:
    assert math.isclose(student_quantile(0.975, freedom), quantile, rel_tol=0.002)


def test_few_observations_have_a_wide_margin() -> None:
    few = estimate([10, -10, 30])
    many = estimate([10, -10, 30] * 20)

    assert few.mean == many.mean == 10
    assert few.margin is not None
    assert many.margin is not None
    assert math.isclose(few.margin, 4.3027 * 20 / math.sqrt(3), rel_tol=1e-4)
    assert many.margin < few.margin / 8
    assert (few.is_clear, many.is_clear) == (False, True)


def test_one_observation_has_no_margin_and_none_has_no_mean() -> None:
    assert estimate([5]) == Estimate(5, None, 1)
    assert estimate([]) == Estimate(None, None, 0)
    assert not estimate([5]).is_clear


@given(st.lists(st.integers(-120, 120), min_size=2, max_size=30))
def test_the_opponents_estimate_is_the_mirror_image(nets: list[int]) -> None:
    mine, theirs = estimate(nets), estimate([-net for net in nets])

    assert mine.mean is not None
    assert mine.mean == -(theirs.mean or 0)
    assert mine.margin == pytest.approx(theirs.margin)


@pytest.mark.parametrize(
    ("won", "count", "interval"),
    [
        pytest.param(0, 10, (0, 0.2775), id="nothing won"),
        pytest.param(10, 10, (0.7225, 1), id="all won"),
        pytest.param(5, 10, (0.2366, 0.7634), id="half"),
    ],
)
def test_a_share_stays_between_nothing_and_all(
    won: float, count: int, interval: tuple[float, float]
) -> None:
    assert share_interval(won, count) == pytest.approx(interval, abs=1e-4)


@pytest.mark.parametrize(("won", "count"), [(0, 0), (3, 2), (-1, 2)])
def test_what_is_no_share_is_refused(won: float, count: int) -> None:
    with pytest.raises(ValueError, match="no share"):
        share_interval(won, count)


def test_nothing_is_free() -> None:
    with pytest.raises(ValueError, match="degree of freedom"):
        student_quantile(0.975, 0)
