"""A tournament's log: entries that hold each other in place, and are only added to.

Each entry names the digest of the one before it; the digest of an entry is SHA-256
over its JSON in the form of RFC 8785. The first one names SHA-256 over
`ginref/tournament/v1`.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from ginref.record.setup import canonical
from ginref.tournament.error import FieldError, LogError
from ginref.tournament.event import Event
from ginref.tournament.option import Option
from ginref.tournament.shape import from_json, to_json

START: Final = hashlib.sha256(b"ginref/tournament/v1").hexdigest()
"""What the first entry names as the one before it."""

_REQUEST_ID_LENGTH: Final = 64
_MEMBERS: Final = ("sequence", "time_ms", "actor", "request_id", "previous", "event")
_LARGEST: Final = 2**53 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEntry:
    """An event with its place, its time and who caused it.

    Attributes:
        sequence: Its place, counted from 1.
        time_ms: Milliseconds since the Unix epoch by the store's clock.
        actor: Who caused it: an organizer, a bot's owner, or the referee.
        request_id: The actor's identity of the request.
        previous: Digest of the entry before it, 64 hexadecimal digits.
        event: What happened.
    """

    sequence: int
    time_ms: int
    actor: str
    request_id: str
    previous: str
    event: Event

    @property
    def digest(self) -> str:
        """SHA-256 of its canonical JSON, 64 hexadecimal digits."""
        return hashlib.sha256(encode_entry(self)).hexdigest()


def head(entries: Sequence[LogEntry]) -> str:
    """Return the digest that stands for a whole log."""
    return entries[-1].digest if entries else START


def append(
    entries: Sequence[LogEntry],
    event: Event,
    *,
    time_ms: int,
    actor: str,
    request_id: str,
) -> LogEntry:
    """Return the entry that adds an event to a log; time never goes back in it."""
    return LogEntry(
        sequence=len(entries) + 1,
        time_ms=max(time_ms, entries[-1].time_ms) if entries else time_ms,
        actor=actor,
        request_id=request_id,
        previous=head(entries),
        event=event,
    )


def verify_chain(entries: Sequence[LogEntry], claimed_head: str | None = None) -> None:
    """Check that no entry is missing, changed or out of order.

    Args:
        entries: The whole log.
        claimed_head: The digest it should have, if one is known.

    Raises:
        LogError: Naming the first entry that is not what the next one says.
    """
    previous, time_ms = START, 0
    for at, entry in enumerate(entries, 1):
        if entry.sequence != at:
            raise LogError(at, f"{entry.sequence} is another place")
        if entry.previous != previous:
            raise LogError(at, "it follows another entry than the one before it")
        if entry.time_ms < time_ms:
            raise LogError(at, "it is older than the entry before it")
        previous, time_ms = entry.digest, entry.time_ms
    if claimed_head is not None and claimed_head != previous:
        raise LogError(len(entries), "the log ends with another entry")


def entry_to_json(entry: LogEntry) -> dict[str, Any]:
    """Return an entry as JSON values."""
    return {
        "sequence": entry.sequence,
        "time_ms": entry.time_ms,
        "actor": entry.actor,
        "request_id": entry.request_id,
        "previous": entry.previous,
        "event": to_json(entry.event, is_named=True),
    }


def entry_from_json(option: Option) -> LogEntry:
    """Read an entry.

    Raises:
        FieldError: It is none.
    """
    found = option.members(needed=_MEMBERS)
    return LogEntry(
        sequence=found["sequence"].number(1, _LARGEST),
        time_ms=found["time_ms"].number(0, _LARGEST),
        actor=found["actor"].text(),
        request_id=found["request_id"].text(_REQUEST_ID_LENGTH),
        previous=found["previous"].text(),
        event=from_json(Event, found["event"]),
    )


def encode_entry(entry: LogEntry) -> bytes:
    """Return an entry as canonical JSON."""
    return canonical(entry_to_json(entry))


def decode_entry(data: bytes) -> LogEntry:
    """Read an entry's canonical JSON.

    Raises:
        FieldError: It is something else.
    """
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        raise FieldError("", "not JSON") from None
    entry = entry_from_json(Option(value))
    if encode_entry(entry) != data:
        raise FieldError("", "not the canonical form of its JSON")
    return entry
