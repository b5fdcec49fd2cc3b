"""Messages as bytes, put together from parts that are written once.

The bytes of a message's fields, one after the other, are the bytes of the message. A
message that is given to another one as a value is written and read anew, at every
depth that it is put into.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Final

_IS_NUMBER: Final = 0
"""Wire type of a field that is a number."""

_HAS_LENGTH: Final = 2
"""Wire type of a field whose bytes follow their number."""

_LENGTHS: Final = 4096
_NUMBERS: Final = 1024
_TEXTS: Final = 1024
_BITS: Final = (1 << 64) - 1


def part(field: int, written: bytes) -> bytes:
    """Return the field of a message that holds another message.

    Args:
        field: Number of the field.
        written: Bytes of the message in it.
    """
    return _number(field << 3 | _HAS_LENGTH) + _number(len(written)) + written


def parts(field: int) -> Callable[[bytes], bytes]:
    """Return what writes the field of a message that holds another message."""
    start = _number(field << 3 | _HAS_LENGTH)

    @lru_cache(_LENGTHS)
    def head(length: int) -> bytes:
        return start + _number(length)

    def write(written: bytes) -> bytes:
        return head(len(written)) + written

    return write


def text(field: int, value: str) -> bytes:
    """Return the field of a message that holds a text; an empty one is absent."""
    return part(field, value.encode()) if value else b""


def texts(field: int) -> Callable[[str], bytes]:
    """Return what writes the field of a message that holds a text.

    The texts are short ones, which come again and again.
    """

    @lru_cache(_TEXTS)
    def write(value: str) -> bytes:
        return text(field, value)

    return write


def number(field: int, value: int) -> bytes:
    """Return the field of a message that holds a whole number; 0 is absent."""
    return _number(field << 3 | _IS_NUMBER) + _number(value) if value else b""


def numbers(field: int) -> Callable[[int], bytes]:
    """Return what writes the field of a message that holds a whole number.

    The numbers are short ones, which come again and again.
    """

    @lru_cache(_NUMBERS)
    def write(value: int) -> bytes:
        return number(field, value)

    return write


@lru_cache(_LENGTHS)
def _number(value: int) -> bytes:
    """Write a number, seven bits a byte, the least first."""
    value &= _BITS
    written = bytearray()
    while value > 0x7F:  # noqa: PLR2004 - seven bits
        written.append(value & 0x7F | 0x80)
        value >>= 7
    written.append(value)
    return bytes(written)
