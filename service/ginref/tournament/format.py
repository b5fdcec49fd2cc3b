"""The formats of a stage: who meets whom, and when it is over."""

import enum
from dataclasses import dataclass


class Drop(enum.StrEnum):
    """In which order the losers of a round fall into the lower bracket."""

    NATURAL = "natural"
    REVERSE = "reverse"
    HALF_SHIFT = "half_shift"
    REVERSE_HALF_SHIFT = "reverse_half_shift"


class GrandFinal(enum.StrEnum):
    """How the winners of both brackets meet in double elimination."""

    NONE = "none"
    """They do not: the upper bracket's winner is first, the lower one's second."""

    SINGLE = "single"
    """Once."""

    RESET = "reset"
    """Once, and once more if the upper bracket's winner loses for the first time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SingleElimination:
    """A bracket: who loses is out.

    Attributes:
        third_place: The losers of the semi-finals meet.
        byes: Seeds that skip the first round; None gives byes to the first seeds.
    """

    third_place: bool = False
    byes: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DoubleElimination:
    """Two brackets: who loses twice is out.

    Attributes:
        grand_final: How the winners of both brackets meet.
        drops: How the losers of each round of the upper bracket but the last fall
            into the lower one; None for the order that puts rematches off.
        byes: Seeds that skip the first round; None gives byes to the first seeds.
    """

    grand_final: GrandFinal = GrandFinal.RESET
    drops: tuple[Drop, ...] | None = None
    byes: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundRobin:
    """Everybody meets everybody, in the whole field or in groups.

    Attributes:
        cycles: How often each pair meets, 1 or 2.
        groups: Groups, filled by seed back and forth.
    """

    cycles: int = 1
    groups: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Swiss:
    """Each round pairs entrants of like scores that have not met.

    Attributes:
        rounds: Rounds, declared beforehand.
    """

    rounds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Ladder:
    """Whoever is free and has played least meets somebody of like strength.

    Attributes:
        fixtures: How many fixtures each entrant gets; None goes on until the
            organizer closes it.
    """

    fixtures: int | None = None


Elimination = SingleElimination | DoubleElimination
Table = RoundRobin | Swiss | Ladder
Format = Elimination | Table
