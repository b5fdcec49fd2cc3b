"""What decides between equal scores, and where each value comes from.

What an unplayed round counts for depends on the edition of the rules, so a tournament
names its edition.

Source: FIDE handbook C.07, its editions of 2009 and 2024; the edition for gin follows
that of 2026.
"""

import enum
from dataclasses import dataclass
from typing import Final, NamedTuple


class Edition(enum.StrEnum):
    """Which rules say what unplayed rounds count for."""

    GIN_2026 = "gin-2026"
    """A forfeit counts for its winner as if played. For its loser it counts the own
    score, at most the opponent's; byes and absences the own score, at most draws."""

    FIDE_2024 = "fide-2024"
    """An unplayed round counts the own score."""

    FIDE_2009 = "fide-2009"
    """An unplayed round counts a virtual opponent, who draws all that follows."""


class Criterion(enum.StrEnum):
    """One thing by which entrants are ordered; more is better, but for lots."""

    MATCH_POINTS = "match_points"
    """A win 1, a draw 1/2."""

    HEAD_TO_HEAD = "head_to_head"
    """Points among those who are level so far, if they all have met."""

    NET_PER_BOARD = "net_per_board"
    """Mean net points of the boards that count for the entrant."""

    BOARDS_WON = "boards_won"
    """Share of these boards that it won; a level one is half."""

    BUCHHOLZ = "buchholz"
    """Sum of the opponents' scores."""

    BUCHHOLZ_CUT_1 = "buchholz_cut_1"
    """The same without the least; first of all without rounds unplayed by choice."""

    BUCHHOLZ_MEDIAN = "buchholz_median"
    """The same, without the highest as well."""

    SONNEBORN_BERGER = "sonneborn_berger"
    """Sum of the opponents' scores, each times what the entrant scored against it."""

    PROGRESSIVE = "progressive"
    """Sum of the own scores after each round."""

    WINS = "wins"
    """Wins, those without playing among them."""

    WINS_PLAYED = "wins_played"
    """Wins that were played."""

    LOTS = "lots"
    """Drawn from the seed that was committed to; the lowest lot is the best."""


ROUND_ROBIN_ORDER: Final = (
    Criterion.MATCH_POINTS,
    Criterion.HEAD_TO_HEAD,
    Criterion.NET_PER_BOARD,
    Criterion.SONNEBORN_BERGER,
    Criterion.BOARDS_WON,
    Criterion.LOTS,
)
"""How a round robin or a group is ordered, if nothing else was declared."""

SWISS_ORDER: Final = (
    Criterion.MATCH_POINTS,
    Criterion.BUCHHOLZ_CUT_1,
    Criterion.BUCHHOLZ,
    Criterion.NET_PER_BOARD,
    Criterion.SONNEBORN_BERGER,
    Criterion.HEAD_TO_HEAD,
    Criterion.LOTS,
)
"""How a Swiss is ordered, if nothing else was declared."""


class Contribution(NamedTuple):
    """What one round adds to a value.

    Attributes:
        opponent: Whom the entrant met; None if nobody.
        value: What is added.
        is_played: Otherwise the rules of the edition stand in for the opponent.
        is_cut: It is left out of the sum.
        boards: Boards that it comes from, by whose number the sum is divided; 0 where
            boards play no part.
    """

    round: int
    opponent: str | None
    value: float
    is_played: bool = True
    is_cut: bool = False
    boards: int = 0


@dataclass(frozen=True, slots=True)
class TieBreak:
    """One entrant's value by one criterion.

    Attributes:
        value: None where it does not apply, or was not needed.
        contributions: What it is made of, round by round, so that anyone can redo it.
    """

    criterion: Criterion
    value: float | None
    contributions: tuple[Contribution, ...] = ()
