"""A submitted move as canonical bytes: what a bot may sign, and what tells retries."""

import hashlib
from dataclasses import dataclass
from typing import Final

from ginref.engine.move import Move
from ginref.engine.seat import Seat
from ginref.record.setup import canonical

REQUEST_ID_BYTES: Final = 64
"""Most bytes of a request id; it has one at least."""

DIGEST_SIZE: Final = 10
"""Bytes of a digest of seat and request id."""

HASH_SIZE: Final = 8
"""Bytes kept of a submission's hash."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """A move as a bot submits it.

    Attributes:
        match_id: The match.
        seat: The seat it is made for.
        expected_version: Version of the match it is made for.
        request_id: The bot's identity of this submission, 1 to 64 bytes of text.
        move: The move.
        signature: The bot's signature of the canonical bytes, 64 bytes; None from
            a bot that signs nothing. It is no part of them.
    """

    match_id: str
    seat: Seat
    expected_version: int
    request_id: str
    move: Move
    signature: bytes | None = None

    def encode(self) -> bytes:
        """Return the canonical bytes: a tag line, then JSON with sorted keys."""
        # Moves and seats are plain letters: in JSON they stay as they are.
        return (
            b'ginref/submission/v1\n{"expected_version":%d,"match_id":%b,'
            b'"move":"%b","request_id":%b,"seat":"%b"}'
        ) % (
            self.expected_version,
            canonical(self.match_id),
            str(self.move).encode(),
            canonical(self.request_id),
            str(self.seat).encode(),
        )

    @property
    def request_hash(self) -> bytes:
        """The first 8 bytes of SHA-256 over the canonical bytes."""
        return hashlib.sha256(self.encode()).digest()[:HASH_SIZE]

    @property
    def digest(self) -> bytes:
        """The first 10 bytes of SHA-256 over seat number and request id."""
        return digest_of(self.seat, self.request_id)


def digest_of(seat: Seat, request_id: str) -> bytes:
    """Return the first 10 bytes of SHA-256 over seat number and request id."""
    text = bytes([seat]) + request_id.encode()
    return hashlib.sha256(text).digest()[:DIGEST_SIZE]
