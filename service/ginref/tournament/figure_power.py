"""What an event can tell apart: how many games it takes, and what so many show."""

import math
from statistics import NormalDist
from typing import Final

SIGNIFICANCE: Final = 0.05
"""How often two equal bots are told apart by mistake."""

POWER: Final = 0.8
"""How often two unequal bots are told apart."""

BOARD_DEVIATION: Final = 20.8
"""Standard deviation of the net points of one board.

Source: simulated games of simple bots: 20.6 to 21.4 points.
"""

MIRRORED_SHARE: Final = 0.55
"""What playing each deck twice with seats swapped leaves of a board's variance.

Source: the same games: 0.30 for equal bots, up to 0.60 for unlike ones.
"""

_NORMAL: Final = NormalDist()

_HALVINGS: Final = 40
"""Of an interval, to narrow it down to what nobody can tell apart."""


def matches_to_separate(
    chance: float, *, significance: float = SIGNIFICANCE, power: float = POWER
) -> int:
    """Count the matches that show that a bot wins more than half of its matches.

    Args:
        chance: How often it really wins.
        significance: Of the test, which looks at both sides.
        power: Of the test.

    Raises:
        ValueError: The chance is one half, or not between 0 and 1.
    """
    _refuse_even(chance)
    wide = _upper(1 - significance / 2) / 2
    real = _upper(power) * math.sqrt(chance * (1 - chance))
    return math.ceil(((wide + real) / abs(chance - 0.5)) ** 2)


def matches_to_separate_in_field(
    better: float,
    worse: float,
    *,
    significance: float = SIGNIFICANCE,
    power: float = POWER,
) -> int:
    """Count the matches of each of two bots against the same field that part them.

    Raises:
        ValueError: Both are equally good.
    """
    if better == worse:
        raise ValueError("nothing parts two bots that are equally good")
    middle = (better + worse) / 2
    wide = _upper(1 - significance / 2) * math.sqrt(2 * middle * (1 - middle))
    spread = better * (1 - better) + worse * (1 - worse)
    real = _upper(power) * math.sqrt(spread)
    return math.ceil(((wide + real) / (better - worse)) ** 2)


def matches_for_margin(margin: float, confidence: float = 0.95) -> int:
    """Count the matches after which a share of wins is known to within a margin."""
    return math.ceil((_upper((1 + confidence) / 2) / (2 * margin)) ** 2)


def boards_to_separate(
    difference: float,
    *,
    deviation: float = BOARD_DEVIATION,
    variance_share: float = 1,
    significance: float = SIGNIFICANCE,
    power: float = POWER,
) -> int:
    """Count the boards that show a difference in net points per board.

    Args:
        difference: Net points per board by which one bot is better.
        deviation: Standard deviation of a board's net points.
        variance_share: What mirrored boards or an adjustment leave of the variance.
        significance: Of the test, which looks at both sides.
        power: Of the test.
    """
    reach = _upper(1 - significance / 2) + _upper(power)
    return math.ceil(variance_share * (reach * deviation / difference) ** 2)


def separable_difference(  # noqa: PLR0913 - all of them may be declared
    boards: int,
    *,
    in_field: bool = False,
    deviation: float = BOARD_DEVIATION,
    variance_share: float = 1,
    significance: float = SIGNIFICANCE,
    power: float = POWER,
) -> float:
    """Return the least difference in net points per board that so many boards show.

    Args:
        boards: Boards of the two bots against each other, or of each in the field.
        in_field: Both play the same field, not each other.
        deviation: Standard deviation of a board's net points.
        variance_share: What mirrored boards or an adjustment leave of the variance.
        significance: Of the test, which looks at both sides.
        power: Of the test.
    """
    reach = _upper(1 - significance / 2) + _upper(power)
    results = 2 if in_field else 1
    return reach * deviation * math.sqrt(results * variance_share / boards)


def separable_chance(
    matches: int,
    *,
    in_field: bool = False,
    significance: float = SIGNIFICANCE,
    power: float = POWER,
) -> float:
    """Return the least chance of winning a match, above 1/2, that so many show.

    Args:
        matches: Matches of two bots against each other, or of each in the field.
        in_field: Both play the same field, where the other wins as many matches less
            than half as the better one wins more.
        significance: Of the test, which looks at both sides.
        power: Of the test.
    """
    low, high = 0.5, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if in_field:
            needed = matches_to_separate_in_field(
                middle, 1 - middle, significance=significance, power=power
            )
        else:
            needed = matches_to_separate(middle, significance=significance, power=power)
        low, high = (low, middle) if needed <= matches else (middle, high)
    return high


def chance_in_best_of(length: int, chance: float) -> float:
    """Return how often a bot wins a best-of fixture that wins so many single games.

    Raises:
        ValueError: The length is not odd.
    """
    if length < 1 or length % 2 == 0:
        raise ValueError(f"a best of {length} has no majority")
    needed = length // 2 + 1
    return sum(
        math.comb(length, wins) * chance**wins * (1 - chance) ** (length - wins)
        for wins in range(needed, length + 1)
    )


def chance_on_boards(
    boards: int,
    difference: float,
    *,
    deviation: float = BOARD_DEVIATION,
    variance_share: float = 1,
) -> float:
    """Return how often the better of two bots has more net points after some boards."""
    spread = deviation * math.sqrt(boards * variance_share)
    return _NORMAL.cdf(boards * difference / spread)


def _refuse_even(chance: float) -> None:
    if not 0 < chance < 1 or chance == 0.5:  # noqa: PLR2004 - nobody is better
        raise ValueError(f"no number of matches shows a chance of {chance}")


def _upper(probability: float) -> float:
    return _NORMAL.inv_cdf(probability)
