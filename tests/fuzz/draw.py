"""Choices that follow from bytes, so that whoever changes the bytes changes them."""

import random
from collections.abc import Sequence
from typing import Final, TypeVar

_T = TypeVar("_T")

_LONG: Final = 256


class Draw:
    """Makes choices by some bytes; when they are used up, the first one each time."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    @property
    def is_spent(self) -> bool:
        """All bytes are used up."""
        return self._at >= len(self._data)

    def below(self, limit: int) -> int:
        """Choose a whole number from 0 on."""
        size = 1 if limit <= _LONG else 8
        return int.from_bytes(self.take(size), "little") % limit

    def pick(self, options: Sequence[_T]) -> _T:
        """Choose one of some."""
        return options[self.below(len(options))]

    def often(self, of_sixteen: int) -> bool:
        """Say yes in so many of sixteen cases."""
        return self.below(16) < of_sixteen

    def take(self, size: int) -> bytes:
        """Take so many bytes, or what is left."""
        start, self._at = self._at, self._at + size
        return self._data[start : self._at]

    def rest(self) -> bytes:
        """Take all that is left."""
        return self.take(len(self._data))


def changed(data: bytes, chance: random.Random, seeds: Sequence[bytes]) -> bytes:
    """Change some bytes a little: what stands in for a fuzzer where there is none."""
    made = bytearray(data)
    for _ in range(1 << chance.randrange(4)):
        at = chance.randrange(len(made) + 1)
        size = min(chance.choice((1, 1, 2, 4, 16, 64)), len(made) - at)
        match chance.randrange(7):
            case 0:
                made[at : at + size] = chance.randbytes(size)
            case 1:
                del made[at : at + size]
            case 2:
                made[at:at] = chance.randbytes(size)
            case 3:
                made[at:at] = made[at : at + size]
            case 4:
                made[at:at] = chance.choice(TOKENS)
            case 5:
                made[at : at + size] = chance.choice(TOKENS)
            case _:
                other = chance.choice(seeds)
                start = chance.randrange(len(other) + 1)
                made[at : at + size] = other[start : start + 4 * size]
    return bytes(made)


TOKENS: Final = (
    *(b"\x00", b"\xff", b"\xff" * 8, b"\x80" * 9 + b"\x01", b"\xed\xa0\x80"),
    *(b"[" * 3000, b"{", b"}", b'"', b"\n", b"\r\n", b": ", b"- ", b"&a ", b"*a"),
    *(b"null", b"true", b"-1", b"0", b"1e999", b"NaN", b"9" * 5000, b'"\\ud800"'),
    *(b"As", b"Td", b"north", b"three", b"!!binary x", b"<<: *a", b"\xc2\x85"),
    *(b"-----BEGIN PUBLIC KEY-----\n", b"-----END PUBLIC KEY-----", b"kid"),
)
"""Bytes that readers stumble over."""
