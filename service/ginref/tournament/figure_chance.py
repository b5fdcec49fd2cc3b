"""Chance for figures that anyone can recompute: numbers that follow from a seed."""

import hashlib
import struct
from collections.abc import Iterator
from typing import Final

_NUMBERS: Final = struct.Struct(">1024I")
_RANGE: Final = 1 << 32


class Chance:
    """A stream of numbers: 32 bits at a time of SHAKE-256 over seed and counter.

    The same seed gives the same numbers in any language.
    """

    def __init__(self, seed: bytes) -> None:
        """Begin the stream of a seed."""
        self._numbers = _numbers(seed)

    def below(self, bound: int) -> int:
        """Return a number from 0 to `bound` - 1; its bias is below bound / 2**32."""
        return next(self._numbers) * bound >> 32

    def share(self) -> float:
        """Return a number from 0, up to but not 1."""
        return next(self._numbers) / _RANGE


def _numbers(seed: bytes) -> Iterator[int]:
    counter = 0
    while True:
        block = hashlib.shake_256(seed + counter.to_bytes(8, "big"))
        yield from _NUMBERS.unpack(block.digest(_NUMBERS.size))
        counter += 1
