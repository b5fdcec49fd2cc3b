"""Shares of a deal: commit first, reveal later, mix them all.

Referee and seats each put in 32 secret bytes. Each commits before anyone reveals,
so as long as one of them is honest nobody could choose the cards.
"""

import hashlib
import hmac
from collections.abc import Sequence
from typing import Final

from ginref.engine.deck import expand, extract
from ginref.engine.seat import Seat

SHARE_SIZE: Final = 32
"""Bytes of a share, of a commitment and of a match secret."""

_REFEREE: Final = b"ginref/referee-commitment/v1"
_SEAT: Final = b"ginref/seat-commitment/v1"
_MATCH: Final = b"ginref/match-secret/v1"
_BOARDS: Final = b"ginref/boards-commitment/v1"


def commit_referee(match_id: str, share: bytes) -> bytes:
    """Return the referee's commitment: SHA-256 over tag, match id and share."""
    return hashlib.sha256(_REFEREE + match_id.encode() + share).digest()


def commit_seat(match_id: str, seat: Seat, share: bytes) -> bytes:
    """Return a seat's commitment: SHA-256 over tag, match id, seat number and share.

    The seat's number keeps one seat from copying the commitment of another.
    """
    text = _SEAT + match_id.encode() + bytes([seat]) + share
    return hashlib.sha256(text).digest()


def opens(commitment: bytes, match_id: str, seat: Seat, share: bytes) -> bool:
    """Say whether a share is the one that a seat committed to."""
    return hmac.compare_digest(commitment, commit_seat(match_id, seat, share))


def mix(match_id: str, referee: bytes, seats: Sequence[bytes | None]) -> bytes:
    """Return the match secret of all shares: HKDF-SHA256, 32 bytes.

    The input is the referee's share, then for each seat in order one byte that
    says whether it has a share (1 or 0), and the share if it has.
    """
    parts = [b"\x00" if share is None else b"\x01" + share for share in seats]
    material = referee + b"".join(parts)
    return expand(extract(material), _MATCH + match_id.encode())


def commit_boards(tournament: str, deal: str, boards: bytes) -> bytes:
    """Return the commitment to the match secret of a tournament's deal, 32 bytes."""
    return hashlib.sha256(named(_BOARDS, tournament, deal) + boards).digest()


def named(tag: bytes, *names: str) -> bytes:
    """Return a tag and names so that no two lists of names give the same bytes."""
    encoded = [name.encode() for name in names]
    return tag + b"".join(len(name).to_bytes(2, "big") + name for name in encoded)
