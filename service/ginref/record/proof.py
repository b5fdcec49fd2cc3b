"""Which submissions the bots themselves have signed, and whether that is true.

A signature is over the canonical bytes of a submission, which name match, seat and
version. So it fits one entry of one log, and proves whose move that was to everyone
who knows the bot's key.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ginref.engine.seat import Seat
from ginref.record.entry import Moved, Refused, StampedEntry
from ginref.record.envelope import is_signature
from ginref.record.setup import Setup
from ginref.record.submission import Submission


def submission_of(setup: Setup, stamped: StampedEntry) -> Submission | None:
    """Return what a bot submitted; None for an entry that is no submission."""
    entry = stamped.entry
    if not isinstance(entry, Moved | Refused):
        return None
    # A counted refusal leaves the version as it was; every other entry makes one.
    version = stamped.version if stamped.refusal else stamped.version - 1
    return Submission(
        match_id=setup.match_id,
        seat=entry.seat,
        expected_version=version,
        request_id=entry.request_id,
        move=entry.move,
        signature=entry.signature,
    )


def judge_signatures(
    setup: Setup, entries: Sequence[StampedEntry]
) -> tuple[StampedEntry, ...]:
    """Return a log in which only those signatures are left that fit their keys.

    One that does not fit becomes empty. It is no reason to have no record: any bot
    could spoil every one of its matches by it.
    """
    return tuple(
        _without(stamped) if _is_wrong(setup, stamped) else stamped
        for stamped in entries
    )


def first_wrong(setup: Setup, entries: Sequence[StampedEntry]) -> StampedEntry | None:
    """Return the first entry whose signature does not fit its key, or None."""
    return next((one for one in entries if _is_wrong(setup, one)), None)


def _is_wrong(setup: Setup, stamped: StampedEntry) -> bool:
    submission = submission_of(setup, stamped)
    if submission is None or not submission.signature:
        return False
    key = setup.key_of(submission.seat) if submission.seat in setup.seats else None
    return key is None or not is_signature(
        key, submission.signature, submission.encode()
    )


def _without(stamped: StampedEntry) -> StampedEntry:
    assert isinstance(stamped.entry, Moved | Refused)  # noqa: S101 - it has a signature
    return replace(stamped, entry=replace(stamped.entry, signature=b""))


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedPart:
    """How much of what a seat submitted its bot has signed.

    Attributes:
        seat: The seat, which has a key.
        submitted: Its accepted moves and counted refusals.
        signed: Those with a signature.
    """

    seat: Seat
    submitted: int
    signed: int


def signed_parts(setup: Setup, entries: Sequence[StampedEntry]) -> Iterator[SignedPart]:
    """Yield how much each seat with a key has signed."""
    submitted, signed = Counter[Seat](), Counter[Seat]()
    for stamped in entries:
        if isinstance(stamped.entry, Moved | Refused):
            submitted[stamped.entry.seat] += 1
            signed[stamped.entry.seat] += bool(stamped.entry.signature)
    for seat in setup.seats:
        if setup.key_of(seat) is not None:
            yield SignedPart(seat=seat, submitted=submitted[seat], signed=signed[seat])
