"""How matches and fixtures end: a closed set of results, each with its blame."""

import enum
from dataclasses import dataclass

from ginref.record.lifecycle import EndingKind

FORFEITS = frozenset(
    {
        EndingKind.RESIGNED,
        EndingKind.TIMED_OUT,
        EndingKind.STRIKES,
        EndingKind.NO_SHOW,
    }
)
"""Endings that the seats at fault have forfeited."""

UNFINISHED = frozenset({EndingKind.VOID, EndingKind.ABORTED})
"""Endings that decide nothing and are nobody's fault."""


class Cause(enum.StrEnum):
    """Why a side has forfeited a fixture."""

    RESIGNED = "resigned"
    TIMED_OUT = "timed_out"
    STRIKES = "strikes"
    NO_SHOW = "no_show"
    WITHDRAWN = "withdrawn"
    DISQUALIFIED = "disqualified"
    RULING = "ruling"


class Decision(enum.StrEnum):
    """What decided a fixture that was played."""

    MATCHES = "matches"
    FORFEITS = "forfeits"
    POINTS = "points"
    BOARDS = "boards"
    DECIDER = "decider"
    SEED = "seed"
    RULING = "ruling"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How one match of a fixture ended.

    Attributes:
        ending: How.
        winner: The bot that won, or None.
        at_fault: The bots that are answerable for the ending, if any.
        boards: Net points of each board that was played to its end, from the side of
            the fixture's first entrant.
        luck: How much of each was luck of the cards by the declared rule, in
            hundredths of a point; empty where nobody has worked it out.
    """

    ending: EndingKind
    winner: str | None = None
    at_fault: tuple[str, ...] = ()
    boards: tuple[int, ...] = ()
    luck: tuple[int, ...] = ()

    @property
    def forfeiters(self) -> tuple[str, ...]:
        """The bots that have forfeited the match."""
        return self.at_fault if self.ending in FORFEITS else ()


@dataclass(frozen=True, slots=True)
class Won:
    """Played, and won."""

    winner: str
    by: Decision = Decision.MATCHES


@dataclass(frozen=True, slots=True)
class Drawn:
    """Played, and drawn."""


@dataclass(frozen=True, slots=True)
class Forfeited:
    """Forfeited by one side; the other one wins."""

    loser: str
    cause: Cause


@dataclass(frozen=True, slots=True)
class DoubleForfeited:
    """Forfeited by both sides; nobody wins."""

    cause: Cause


@dataclass(frozen=True, slots=True)
class WalkedOver:
    """There was nobody to meet, or nobody at all."""

    winner: str | None


@dataclass(frozen=True, slots=True)
class FreeRound:
    """An entrant sat a round out, because the field is odd."""

    entrant: str


@dataclass(frozen=True, slots=True)
class Voided:
    """Not finished, by no entrant's fault.

    Attributes:
        winner: Who goes on nevertheless, where somebody has to.
    """

    winner: str | None = None


Result = Won | Drawn | Forfeited | DoubleForfeited | WalkedOver | FreeRound | Voided


def winner_of(result: Result, entrants: tuple[str | None, str | None]) -> str | None:
    """Return who wins, or goes on, by a result; None for nobody."""
    match result:
        case Won(winner=winner) | WalkedOver(winner=winner) | Voided(winner=winner):
            return winner
        case Forfeited(loser=loser):
            a, b = entrants
            return b if loser == a else a
        case FreeRound(entrant=entrant):
            return entrant
        case Drawn() | DoubleForfeited():
            return None


def is_forfeit_of(result: Result, entrant: str) -> bool:
    """Say whether an entrant has forfeited the fixture."""
    match result:
        case Forfeited(loser=loser):
            return loser == entrant
        case DoubleForfeited():
            return True
        case _:
            return False
