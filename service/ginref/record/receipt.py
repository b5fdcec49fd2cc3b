"""Receipts: what the referee signs about a submission as soon as it has judged it.

Whoever holds one can show later that a move was accepted, or why it was refused, even
if the record of the match says otherwise. It is written in the form of RFC 8785 and
signed in an envelope of its own type. A receipt of a submission that is stored follows
from the log alone, so the same submission always gets the same one.

    match_id    the match
    seat        who submitted
    request     digest of seat and request id, as retries are told by
    submission  SHA-256 of the submission's canonical bytes; null if the referee could
                not read it
    verdict     accepted, or refused
    version     the version that it made, or at which it was refused
    refusal     number of the counted refusal at that version, 0 if it lost the match;
                null if it was accepted, or refused without a strike
    reason      why it was refused; null if it was accepted
    at_ms       when it was stored, or when the referee had looked at the match, in
                milliseconds since the Unix epoch
    commitment  what the seat has committed to as its share; null for nothing so far
"""

import hashlib
from dataclasses import dataclass
from typing import Final

from ginref.engine.seat import Seat
from ginref.record.entry import StampedEntry
from ginref.record.entry_json import read_seat
from ginref.record.envelope import PayloadSigner, seal_envelope
from ginref.record.setup import canonical
from ginref.record.shape import Place, read_canonical
from ginref.record.share import SHARE_SIZE
from ginref.record.submission import DIGEST_SIZE, Submission

RECEIPT_TYPE: Final = "application/vnd.ginref.receipt.v1+json"
"""Type of a receipt in its envelope."""

_HASH_SIZE: Final = 32
_ACCEPTED: Final = "accepted"
_REFUSED: Final = "refused"
_MEMBERS: Final = {
    "match_id",
    "seat",
    "request",
    "submission",
    "verdict",
    "version",
    "refusal",
    "reason",
    "at_ms",
    "commitment",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """An acknowledgement of one submission.

    Attributes:
        match_id: The match.
        seat: Who submitted.
        request: Digest of seat and request id, 10 bytes.
        submission: SHA-256 of the canonical bytes; None if they could not be read.
        version: The version that it made, or at which it was refused.
        refusal: Number of the counted refusal, 0 if it lost the match; None if it
            was accepted, or refused without a strike.
        reason: Why it was refused; None if it was accepted.
        at_ms: When it was stored, or when the referee had looked at the match, in
            milliseconds since the Unix epoch.
        commitment: The seat's commitment to its share; None for nothing so far.
    """

    match_id: str
    seat: Seat
    request: bytes
    submission: bytes | None
    version: int
    refusal: int | None
    reason: str | None
    at_ms: int
    commitment: bytes | None

    @property
    def is_stored(self) -> bool:
        """The submission stands in the log: as a move, or as a counted refusal."""
        return self.reason is None or self.refusal is not None

    @property
    def place(self) -> tuple[int, int]:
        """Version and refusal number of the log entry, if it is stored."""
        return self.version, self.refusal or 0

    def encode(self) -> bytes:
        """Return the bytes that are signed, apart from their type."""
        return canonical(
            {
                "match_id": self.match_id,
                "seat": str(self.seat),
                "request": self.request.hex(),
                "submission": _hex(self.submission),
                "verdict": _ACCEPTED if self.reason is None else _REFUSED,
                "version": self.version,
                "refusal": self.refusal,
                "reason": self.reason,
                "at_ms": self.at_ms,
                "commitment": _hex(self.commitment),
            }
        )


def stored_receipt(
    submission: Submission,
    stamped: StampedEntry,
    reason: str | None,
    commitment: bytes | None,
) -> Receipt:
    """Return the receipt of a submission that the log has.

    Args:
        submission: The move.
        stamped: Its entry.
        reason: The rule that it breaks; None for an accepted one.
        commitment: What the seat has committed to; empty if it has no share.
    """
    return Receipt(
        match_id=submission.match_id,
        seat=submission.seat,
        request=submission.digest,
        submission=submission_hash(submission),
        version=stamped.version,
        refusal=None if reason is None else stamped.refusal,
        reason=reason,
        at_ms=stamped.time_ms,
        commitment=commitment or None,
    )


def submission_hash(submission: Submission) -> bytes:
    """Return SHA-256 of the canonical bytes of a submission, as receipts have it."""
    return hashlib.sha256(submission.encode()).digest()


def seal_receipt(receipt: Receipt, signer: PayloadSigner) -> bytes:
    """Sign a receipt and return it in an envelope."""
    return seal_envelope(receipt.encode(), RECEIPT_TYPE, signer)


def read_receipt(payload: bytes) -> Receipt:
    """Read a receipt, and check its shape only.

    Raises:
        RecordError: Naming the first wrong thing.
    """
    facts = read_canonical(payload).members(_MEMBERS)
    reason = _optional(facts["reason"])
    verdict = _ACCEPTED if reason is None else _REFUSED
    if facts["verdict"].text() != verdict:
        raise facts["verdict"].fail(f"{verdict} expected where that is the reason")
    refusal = _optional(facts["refusal"])
    if refusal is not None and reason is None:
        raise refusal.fail("null expected where the move is accepted")
    submission = _optional(facts["submission"])
    commitment = _optional(facts["commitment"])
    return Receipt(
        match_id=facts["match_id"].text(),
        seat=read_seat(facts["seat"]),
        request=facts["request"].octets(DIGEST_SIZE),
        submission=None if submission is None else submission.octets(_HASH_SIZE),
        version=facts["version"].number(),
        refusal=None if refusal is None else refusal.number(),
        reason=None if reason is None else reason.text(),
        at_ms=facts["at_ms"].number(),
        commitment=None if commitment is None else commitment.octets(SHARE_SIZE),
    )


def mismatch(receipt: Receipt, submission: Submission) -> str | None:
    """Say what in a receipt is not about a submission, or None."""
    if receipt.match_id != submission.match_id:
        return f"it is about match {receipt.match_id}"
    if receipt.seat is not submission.seat:
        return f"it is about {receipt.seat}"
    if receipt.request != submission.digest:
        return "it is about another request id"
    if receipt.submission is None:
        return f"it says that a move could not be read ({receipt.reason})"
    if receipt.submission != submission_hash(submission):
        return "it is about another submission"
    return None


def _optional(place: Place) -> Place | None:
    return None if place.value is None else place


def _hex(value: bytes | None) -> str | None:
    return None if value is None else value.hex()
