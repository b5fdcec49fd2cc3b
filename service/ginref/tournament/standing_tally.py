"""What the rounds of a tournament count for: the one input of tables and pairings.

A win is worth 1 point, a draw 1/2. Points are multiples of a half, which floating-point
numbers hold exactly. Void fixtures have no tally.
"""

import enum
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

WIN: Final = 1.0
DRAW: Final = 0.5
LOSS: Final = 0.0


class Kind(enum.StrEnum):
    """In which way a round counts for an entrant."""

    PLAYED = "played"
    """Begun by both sides, even if some boards of it were forfeited."""

    FORFEIT = "forfeit"
    """Never begun, because one side did not come or was shut out."""

    DOUBLE_FORFEIT = "double_forfeit"
    """Never begun, because neither side came."""

    BYE = "bye"
    """Nobody was left to meet; worth a win."""

    ABSENCE = "absence"
    """Missed on purpose: entered late, withdrew, or asked for it."""


class Board(NamedTuple):
    """One board of a fixture.

    Attributes:
        net: Points of the fixture's first entrant minus those of its second, as the
            board stood at its end.
        forfeiters: Who forfeited it: nobody, one side, or both.
        deck: Boards of a fixture with the same number here are legs of one deck, in
            the order played. They are one observation, as luck is common to them.
            None for a deck that is played once.
        luck: How much of the net points was luck of the cards, by the rule that was
            fixed before the start; None if nobody has worked it out.
    """

    net: int
    forfeiters: tuple[str, ...] = ()
    deck: int | None = None
    luck: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What one fixture, bye or absence counts for.

    Attributes:
        round: Counted from 1.
        first: The entrant in seat A, or the one that sits out.
        second: The other one; None for a bye or an absence.
        winner: Nobody for a draw, a double forfeit or an absence.
        points: What an absence is worth, 0 or 1/2; other kinds ignore it.
        boards: All boards of the fixture, those that were never begun as forfeited.
    """

    round: int
    first: str
    second: str | None = None
    kind: Kind = Kind.PLAYED
    winner: str | None = None
    points: float = LOSS
    boards: tuple[Board, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Appearance:
    """One round as one entrant sees it.

    Attributes:
        points: What the round was worth: 1, 1/2 or 0.
        nets: The entrant's net points of each board that counts for it. A board it
            forfeited costs it the award, or more if it stood worse; a board that only
            the opponent forfeited does not count.
        skill: Its net points per board of each deck that nobody forfeited a board of.
        adjusted: The same without what was luck; None where that is not known of all.
        forfeited: How many boards it forfeited.
    """

    round: int
    kind: Kind
    opponent: str | None
    points: float
    nets: tuple[int, ...]
    skill: tuple[float, ...]
    adjusted: tuple[float, ...] | None
    forfeited: int

    @property
    def is_met(self) -> bool:
        """Whether the two have begun to play each other."""
        return self.kind is Kind.PLAYED

    @property
    def is_unplayed_by_choice(self) -> bool:
        """Whether the entrant itself is the reason why it did not play."""
        if self.kind is Kind.FORFEIT:
            return self.points < WIN
        return self.kind in {Kind.ABSENCE, Kind.DOUBLE_FORFEIT}

    @property
    def is_free_win(self) -> bool:
        """Whether it got the points of a win without playing."""
        return self.kind is not Kind.PLAYED and self.points >= WIN


History = Mapping[str, tuple[Appearance, ...]]
"""The rounds of each entrant, in order."""


def history(tallies: Iterable[Tally], award: int) -> History:
    """Sort tallies by entrant and round.

    Args:
        tallies: Of all rounds, in any order.
        award: Net points that a forfeited board costs the side that forfeits it.
    """
    rounds: dict[str, list[Appearance]] = {}
    for tally in sorted(tallies, key=lambda tally: tally.round):
        for entrant in filter(None, (tally.first, tally.second)):
            seen = _appearance(tally, entrant, award)
            rounds.setdefault(entrant, []).append(seen)
    return {entrant: tuple(seen) for entrant, seen in rounds.items()}


def total(appearances: Iterable[Appearance]) -> float:
    """Sum up the points of some rounds."""
    return sum((seen.points for seen in appearances), LOSS)


def _appearance(tally: Tally, entrant: str, award: int) -> Appearance:
    sign = 1 if entrant == tally.first else -1
    nets = tuple(
        min(-award, sign * board.net) if board.forfeiters else sign * board.net
        for board in tally.boards
        if not board.forfeiters or entrant in board.forfeiters
    )
    opponent = tally.second if entrant == tally.first else tally.first
    adjusted = adjusted_observations(tally)
    return Appearance(
        round=tally.round,
        kind=tally.kind,
        opponent=opponent,
        points=_points(tally, entrant),
        nets=nets,
        skill=tuple(sign * net for net in observations(tally)),
        adjusted=None if adjusted is None else tuple(sign * net for net in adjusted),
        forfeited=sum(entrant in board.forfeiters for board in tally.boards),
    )


def _points(tally: Tally, entrant: str) -> float:
    if tally.kind is Kind.ABSENCE:
        return tally.points
    if tally.kind is Kind.BYE or tally.winner == entrant:
        return WIN
    is_drawn = tally.winner is None and tally.kind is Kind.PLAYED
    return DRAW if is_drawn else LOSS


def observations(tally: Tally) -> tuple[float, ...]:
    """Return the net points per board of each deck, from the first entrant's side.

    Legs of one deck are one observation. Decks of which a board was forfeited say
    nothing about skill and are left out.
    """
    return tuple(sum(leg.net for leg in legs) / len(legs) for legs in _decks(tally))


def adjusted_observations(tally: Tally) -> tuple[float, ...] | None:
    """Return the same without what was luck; None where that is not known of all."""
    adjusted = []
    for legs in _decks(tally):
        without = [leg.net - leg.luck for leg in legs if leg.luck is not None]
        if len(without) < len(legs):
            return None
        adjusted.append(sum(without) / len(without))
    return tuple(adjusted)


def _decks(tally: Tally) -> Iterator[list[Board]]:
    """Yield the boards of each deck that nobody has forfeited one of."""
    decks: dict[object, list[Board]] = {}
    for place, board in enumerate(tally.boards):
        key = ("own", place) if board.deck is None else ("shared", board.deck)
        decks.setdefault(key, []).append(board)
    for legs in decks.values():
        if not any(board.forfeiters for board in legs):
            yield legs
