"""Chance for figures that anyone can recompute: numbers that follow from a seed."""

import hashlib
import struct
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, TypeVar

_T = TypeVar("_T")

_NUMBERS: Final = struct.Struct(">1024I")
_BITS: Final = 32


class Chance:
    """A stream of numbers: 32 bits at a time of SHAKE-256 over seed and counter.

    The same seed gives the same numbers in any language.
    """

    def __init__(self, seed: bytes) -> None:
        """Begin the stream of a seed."""
        self._numbers = _numbers(seed)

    def resample(self, items: Sequence[_T]) -> list[_T]:
        """Draw as many items as there are, each from all of them.

        The bias of a draw is below their count / 2**32.
        """
        count = len(items)
        draws = islice(self._numbers, count)
        return [items[number * count >> _BITS] for number in draws]

    def share(self) -> float:
        """Return a number from 0, up to but not 1."""
        return next(self._numbers) / (1 << _BITS)


def _numbers(seed: bytes) -> Iterator[int]:
    counter = 0
    while True:
        block = hashlib.shake_256(seed + counter.to_bytes(8, "big"))
        yield from _NUMBERS.unpack(block.digest(_NUMBERS.size))
        counter += 1
