"""Messages as bytes, put together from parts that are written once.

The bytes of a message's fields, one after the other, are the bytes of the message. A
message that is given to another one as a value is written and read anew, at every
depth that it is put into.
"""

from functools import lru_cache
from typing import Final

_HAS_LENGTH: Final = 2
"""Wire type of a field whose bytes follow their number."""

_NUMBERS: Final = 16 * 1024


def part(field: int, written: bytes) -> bytes:
    """Return the field of a message that holds another message.

    Args:
        field: Number of the field.
        written: Bytes of the message in it.
    """
    return _number(field << 3 | _HAS_LENGTH) + _number(len(written)) + written


@lru_cache(_NUMBERS)
def _number(value: int) -> bytes:
    """Write a number, seven bits a byte, the least first."""
    written = bytearray()
    while value > 0x7F:  # noqa: PLR2004 - seven bits
        written.append(value & 0x7F | 0x80)
        value >>= 7
    written.append(value)
    return bytes(written)
