"""What an honest bot keeps of a match that was played with receipts."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from tests.unit.conftest import Referee

from ginref.engine.error import IllegalMoveError
from ginref.engine.seat import Seat
from ginref.record.entry import Committed, Moved, Refused, Revealed, StampedEntry
from ginref.record.evidence import (
    Line,
    OfferLine,
    OverLine,
    ReadyLine,
    ReceiptLine,
    ShareLine,
    first_line,
    write_line,
)
from ginref.record.lifecycle import begin, step
from ginref.record.proof import submission_of
from ginref.record.receipt import Receipt, seal_receipt, stored_receipt
from ginref.record.setup import Setup
from ginref.record.submission import Submission

Log = Sequence[StampedEntry]


def keep(setup: Setup, entries: Log, seat: Seat) -> list[Line]:
    """Keep the offer, the share, a receipt of each submission, and the ending."""
    return list(_keep(setup, tuple(entries), seat))


@lru_cache(8)
def _keep(setup: Setup, entries: Log, seat: Seat) -> list[Line]:
    lines: list[Line] = [OfferLine.of(setup)]
    commitment, state = None, begin(setup)
    for stamped in entries[1:]:
        entry = stamped.entry
        if isinstance(entry, Committed) and entry.seat is seat:
            commitment = entry.commitment
        elif isinstance(entry, Revealed) and entry.seat is seat:
            lines.append(ShareLine(entry.share, commitment or b""))
            told = tuple(one or None for one in state.commitments)
            lines.append(ReadyLine(told))
        elif isinstance(entry, Moved | Refused) and entry.seat is seat:
            submission = submission_of(setup, stamped)
            assert submission is not None
            broken = breach(state, entry)
            lines.append(
                sign(
                    stored_receipt(submission, stamped, broken, commitment), submission
                )
            )
        state = step(state, entry)
    assert state.ending is not None
    lines.append(
        OverLine(
            ending=state.ending.kind, winner=state.ending.winner, record_digest=None
        )
    )
    return lines


def breach(state: Any, entry: Moved | Refused) -> str | None:  # noqa: ANN401
    """The rule that a refused move breaks."""
    if isinstance(entry, Moved):
        return None
    try:
        step(state, Moved(entry.seat, entry.request_id, entry.move, 0))
    except IllegalMoveError as error:
        return error.breach.name
    raise AssertionError(entry)


def sign(
    receipt: Receipt, submission: Submission | None, referee: Referee | None = None
) -> ReceiptLine:
    """A receipt as it is kept."""
    envelope = seal_receipt(receipt, referee or Referee())
    if submission is not None:
        submission = replace(submission, signature=None)
    return ReceiptLine(envelope.decode(), submission)


def write(setup: Setup, seat: Seat, lines: Sequence[Line]) -> bytes:
    """A file of evidence."""
    return first_line(setup.match_id, seat) + b"".join(map(write_line, lines))


def told(payload: bytes, lines: Sequence[Line]) -> list[Line]:
    """The same evidence of a bot that was told which record to expect."""
    digest = hashlib.sha256(payload).digest()
    return [
        replace(line, record_digest=digest) if isinstance(line, OverLine) else line
        for line in lines
    ]
