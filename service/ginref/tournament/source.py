"""Where the entrant of a slot comes from.

A bye is nobody, for good. Who is to be decided will be somebody, or nobody in the end:
the two are never the same.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Seed:
    """The entrant with a seed, counted from 1."""

    number: int

    def __str__(self) -> str:
        """Return it as text, `seed:4`."""
        return f"seed:{self.number}"


@dataclass(frozen=True, slots=True)
class WinnerOf:
    """Whoever wins a fixture of the same stage."""

    node: str

    def __str__(self) -> str:
        """Return it as text, `winner:W1.2`."""
        return f"winner:{self.node}"


@dataclass(frozen=True, slots=True)
class LoserOf:
    """Whoever loses a fixture of the same stage."""

    node: str

    def __str__(self) -> str:
        """Return it as text, `loser:W1.2`."""
        return f"loser:{self.node}"


@dataclass(frozen=True, slots=True)
class RankOf:
    """Whoever takes a rank in a group of an earlier stage.

    Attributes:
        stage: The stage.
        group: The group, `A` for the first one.
        rank: The rank, counted from 1.
    """

    stage: str
    group: str
    rank: int

    def __str__(self) -> str:
        """Return it as text, `rank:groups,A,1`."""
        return f"rank:{self.stage},{self.group},{self.rank}"


@dataclass(frozen=True, slots=True)
class Bye:
    """Nobody."""

    def __str__(self) -> str:
        """Return it as text."""
        return "bye"


@dataclass(frozen=True, slots=True)
class ToBeDecided:
    """Somebody, and nothing says yet who."""

    def __str__(self) -> str:
        """Return it as text."""
        return "tbd"


Source = Seed | WinnerOf | LoserOf | RankOf | Bye | ToBeDecided

BYE = Bye()
TO_BE_DECIDED = ToBeDecided()
