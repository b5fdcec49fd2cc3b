"""Chance that follows from a seed, the same in every process."""

import random
from collections.abc import Sequence
from typing import TypeVar

_T = TypeVar("_T")


class Dice:
    """Draws numbers; each name under a seed has a sequence of its own."""

    def __init__(self, seed: int, name: str) -> None:
        """Start the sequence of a name."""
        self._random = random.Random(f"{seed}/{name}")

    def chance(self, likelihood: float) -> bool:
        """Say yes with a likelihood of 0 to 1."""
        return self._random.random() < likelihood

    def below(self, limit: int) -> int:
        """Return a whole number from 0 to below a limit."""
        return int(self._random.random() * limit)

    def between(self, low: float, high: float) -> float:
        """Return a number in a range."""
        return low + (high - low) * self._random.random()

    def pick(self, values: Sequence[_T]) -> _T:
        """Return one of some values."""
        return values[self.below(len(values))]

    def octets(self, size: int) -> bytes:
        """Return some bytes."""
        return self._random.randbytes(size)
