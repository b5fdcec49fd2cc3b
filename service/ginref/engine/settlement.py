"""What a closed game is worth between the seats, once bonuses are added.

A settlement follows from a game that is closed. Nothing in it counts towards the
target, and it never changes who has won.

Source: a bonus for the game and one for each box, ginrummy.com/scoring.html; each seat
pays the difference to every other one, and a seat without a box pays more,
rummyrulebook.com/pages/cutthroat-gin-rummy.
"""

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, assert_never

from ginref.engine.ruleset import Ruleset, Shutout
from ginref.engine.seat import Seat


class Stage(enum.Enum):
    """One step from the points of a game to its totals."""

    POINTS = enum.auto()
    GAME_BONUS = enum.auto()
    LINE_BONUS = enum.auto()
    SHUTOUT = enum.auto()


# What is there already when a shutout comes, it doubles.
STAGES: Final[Mapping[Shutout, tuple[Stage, ...]]] = {
    Shutout.NONE: (Stage.POINTS, Stage.GAME_BONUS, Stage.LINE_BONUS),
    Shutout.DOUBLE_GAME_BONUS: (
        Stage.GAME_BONUS,
        Stage.SHUTOUT,
        Stage.POINTS,
        Stage.LINE_BONUS,
    ),
    Shutout.DOUBLE_TOTAL: (
        Stage.POINTS,
        Stage.GAME_BONUS,
        Stage.LINE_BONUS,
        Stage.SHUTOUT,
    ),
    Shutout.FLAT_BONUS: (Stage.POINTS, Stage.GAME_BONUS, Stage.LINE_BONUS),
}
"""The stages of a settlement, in order, by what a shutout does."""

_DOUBLED: Final = 2


@dataclass(frozen=True, slots=True)
class Settlement:
    """A closed game with its bonuses.

    Attributes:
        totals: Points and bonuses of each seat, by seat.
        balances: What each seat gets from the others together, by seat; negative
            when it pays. They add up to nothing.
    """

    totals: tuple[int, ...]
    balances: tuple[int, ...]


def settle(
    rules: Ruleset, winner: Seat, points: Sequence[int], boxes: Sequence[int]
) -> Settlement:
    """Settle a game.

    Args:
        rules: The bonuses.
        winner: The seat that won the game.
        points: What each seat entered, by seat.
        boxes: How many entries each seat has, by seat.
    """
    shut_out = [seat for seat, count in enumerate(boxes) if not count]
    totals = [0] * len(points)
    for stage in STAGES[rules.shutout]:
        match stage:
            case Stage.POINTS:
                totals = [sum(pair) for pair in zip(totals, points, strict=True)]
            case Stage.GAME_BONUS:
                totals[winner] += rules.game_bonus
            case Stage.LINE_BONUS:
                lines = [count * rules.line_bonus for count in boxes]
                totals = [sum(pair) for pair in zip(totals, lines, strict=True)]
            case Stage.SHUTOUT:
                totals[winner] *= _DOUBLED if shut_out else 1
            case _:
                assert_never(stage)
    # A seat gets its difference to each other one; to itself there is none.
    balances = [len(totals) * total - sum(totals) for total in totals]
    for seat in shut_out:
        balances[seat] -= rules.shutout_bonus
        balances[winner] += rules.shutout_bonus
    return Settlement(tuple(totals), tuple(balances))
