"""Everything in a match that chance decides, derived from a secret.

A secret and a purpose give a key by HKDF-SHA256; the key gives a stream of bytes,
HMAC-SHA256 over a counter; the stream drives a Fisher-Yates shuffle without bias.
The same bytes give the same deck in any language.

Source: RFC 5869 for HKDF, RFC 2104 for HMAC.
"""

import hashlib
import hmac
import struct
from collections.abc import Iterator, Sequence
from typing import Final, TypeVar

from ginref.engine.card import PACK, Card, Suit
from ginref.engine.seat import Seat

_T = TypeVar("_T")

_DECK: Final = b"ginref/deck/v1"
_FIRST_DEALER: Final = b"ginref/first-dealer/v1"
_SUITS: Final = b"ginref/suits/v1"
_LOTS: Final = b"ginref/lots/v1"
_SEED: Final = b"ginref/seed/v1"

_DRAWS: Final = 1 << 16
"""How many values one draw of two bytes can take; no shuffle is longer."""

_NUMBERS: Final = struct.Struct(">16H")
"""The draws in one block of the stream."""


def derive_deck(secret: bytes, k: int) -> tuple[Card, ...]:
    """Shuffle the deck of the deal `k`, counted from 0 under one secret; top first."""
    return _shuffle(PACK, derive_key(secret, _DECK, k))


def draw_first_dealer(secret: bytes, seats: Sequence[Seat]) -> Seat:
    """Draw who deals the first round: the top of the shuffled seats."""
    return _shuffle(seats, derive_key(secret, _FIRST_DEALER, 0))[0]


def permute_suits(secret: bytes, k: int) -> tuple[Suit, ...]:
    """Shuffle the suits for the board `k`: the new suit of each old one, by index."""
    return _shuffle(tuple(Suit), derive_key(secret, _SUITS, k))


def draw_lots(secret: bytes, count: int) -> tuple[int, ...]:
    """Shuffle the numbers from 0 to `count` - 1.

    Raises:
        ValueError: More lots than a draw has values, 65536.
    """
    return _shuffle(range(count), derive_key(secret, _LOTS, 0))


def seed_secret(text: str) -> bytes:
    """Turn a seed that anyone may know into a secret of 32 bytes, to play again."""
    return hashlib.sha256(_SEED + text.encode()).digest()


def derive_key(secret: bytes, purpose: bytes, k: int) -> bytes:
    """Derive the 32-byte key of a purpose's shuffle `k`: HKDF with an empty salt."""
    return expand(extract(secret), purpose + k.to_bytes(4, "big"))


def extract(material: bytes) -> bytes:
    """Concentrate key material into 32 bytes: the first step of HKDF, no salt."""
    return hmac.digest(bytes(32), material, "sha256")


def expand(key: bytes, info: bytes) -> bytes:
    """Derive 32 bytes for one use: the second step of HKDF, whose output is a block."""
    return hmac.digest(key, info + b"\x01", "sha256")


def _shuffle(items: Sequence[_T], key: bytes) -> tuple[_T, ...]:
    """Shuffle from the last place down; the first item comes out on top."""
    if len(items) > _DRAWS:
        message = f"{len(items)} items are more than the {_DRAWS} that can be shuffled"
        raise ValueError(message)
    shuffled = list(items)
    draws = _draw(key)
    for last in range(len(shuffled) - 1, 0, -1):
        places = last + 1
        # Values beyond the last multiple would favour the first places.
        fair = _DRAWS - _DRAWS % places
        draw = next(draws)
        while draw >= fair:
            draw = next(draws)
        at = draw % places
        shuffled[last], shuffled[at] = shuffled[at], shuffled[last]
    return tuple(shuffled)


def _draw(key: bytes) -> Iterator[int]:
    """Yield the key's stream, two bytes at a time."""
    counter = 0
    while True:
        block = hmac.digest(key, counter.to_bytes(8, "big"), "sha256")
        yield from _NUMBERS.unpack(block)
        counter += 1
