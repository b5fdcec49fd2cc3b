"""Entries of a match's log: one per accepted step and per counted refusal.

An entry is text: a JSON list of its kind and its facts, as short as it can be, since
a live match keeps hundreds of them.
"""

import json
from base64 import b64decode, b64encode
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, TypeVar

from ginref.engine.error import NotationError
from ginref.engine.move import Move, parse_move
from ginref.engine.seat import Seat

_COMPACT: Final = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Created:
    """The match was created, with a setup that is kept beside the log."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """A bot took its seat."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Declined:
    """A bot left its seat."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Committed:
    """A seat committed to its share, or said that it has none (None)."""

    seat: Seat
    commitment: bytes | None


@dataclass(frozen=True, slots=True)
class Revealed:
    """A seat revealed its share."""

    seat: Seat
    share: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Moved:
    """A move was accepted.

    Attributes:
        seat: Who moved.
        request_id: The bot's identity of the submission.
        move: The move.
        referee_ms: Milliseconds that the referee spent before it was stored.
        signature: The bot's signature of the submission, 64 bytes; None if it
            sent none, or has no key in this match; empty for one that was found
            not to fit its key.
        waited_ms: Milliseconds between the turn, as it was sent, and the move, as
            it came; None if the one who judged it had not sent the turn.
    """

    seat: Seat
    request_id: str
    move: Move
    referee_ms: int
    signature: bytes | None = None
    waited_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Refused:
    """An illegal move was counted: as a strike, or as the one strike too many."""

    seat: Seat
    request_id: str
    move: Move
    referee_ms: int
    signature: bytes | None = None
    waited_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Resigned:
    """A seat resigned."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Aborted:
    """The organizer ended the match."""


@dataclass(frozen=True, slots=True)
class TimedOut:
    """The deadline passed; the state says whose it was."""


@dataclass(frozen=True, slots=True)
class Voided:
    """The referee could not go on.

    Attributes:
        lost: Versions before it that nobody can read or play again any more.
    """

    lost: int = 0


RareEntry = (
    Created
    | Accepted
    | Declined
    | Committed
    | Revealed
    | Resigned
    | Aborted
    | TimedOut
    | Voided
)
"""What happens a few times in a match at most: all but what its moves make."""

Entry = RareEntry | Moved | Refused

_Played = TypeVar("_Played", Moved, Refused)


@dataclass(frozen=True, slots=True)
class StampedEntry:
    """A log entry with its place and the time at which the store kept it.

    Attributes:
        version: The match's version after the entry.
        refusal: 0 for a step; k for the k-th counted refusal at that version.
        time_ms: Milliseconds since the Unix epoch by the store's clock.
        entry: What happened.
        credit_ms: What outages had cost since the running clock started.
    """

    version: int
    refusal: int
    time_ms: int
    entry: Entry
    credit_ms: int = 0


class EntryError(ValueError):
    """Bytes that are no log entry."""


def encode_entry(entry: Entry) -> bytes:
    """Return an entry as bytes."""
    word = _WORDS[type(entry)]
    facts: list[Any] = [word]
    match entry:
        case Moved() | Refused():
            # The bytes of a list as below, in half the time.
            name = _COMPACT.encode(entry.request_id)
            more = "" if entry.waited_ms is None else f",{entry.waited_ms}"
            if entry.signature is not None:
                more += f',"{b64encode(entry.signature).decode()}"'
            return (
                f'["{word}",{entry.seat:d},{name},"{entry.move}",'
                f"{entry.referee_ms}{more}]"
            ).encode()
        case Committed(seat, commitment):
            facts += [seat, None if commitment is None else commitment.hex()]
        case Revealed(seat, share):
            facts += [seat, share.hex()]
        case Accepted(seat) | Declined(seat) | Resigned(seat):
            facts.append(seat)
        case Voided(lost):
            facts += [lost] if lost else []
        case Created() | Aborted() | TimedOut():
            pass
    return _COMPACT.encode(facts).encode()


def decode_entry(data: bytes) -> Entry:
    """Read an entry.

    Raises:
        EntryError: The bytes are no entry.
    """
    try:
        word, *facts = json.loads(data)
        return _READERS[word](*facts)
    except (
        KeyError,
        TypeError,
        ValueError,
        RecursionError,
        NotationError,
    ) as error:
        message = "bytes that are no log entry"
        raise EntryError(message) from error


def _read_played(kind: type[_Played], *facts: Any) -> _Played:  # noqa: ANN401 - JSON
    seat, request_id, move, referee_ms, *more = facts
    waited_ms = more.pop(0) if more and isinstance(more[0], int) else None
    signature = b64decode(more.pop(0), validate=True) if more else None
    if more:
        message = "a submission with more than there is"
        raise ValueError(message)
    kinds = type(request_id), type(move), type(referee_ms)
    if kinds != (str, str, int):
        message = "a submission of other values"
        raise TypeError(message)
    # JSON can name halves of letters, which are no text.
    request_id.encode()
    return kind(
        Seat(seat), request_id, parse_move(move), referee_ms, signature, waited_ms
    )


def _read_void(lost: int = 0) -> Voided:
    if type(lost) is not int or lost < 0:
        message = "a loss that is no number"
        raise TypeError(message)
    return Voided(lost)


def _read_commitment(seat: int, commitment: str | None) -> Committed:
    share = None if commitment is None else bytes.fromhex(commitment)
    return Committed(Seat(seat), share)


_WORDS: Final[dict[type[Entry], str]] = {
    Created: "new",
    Accepted: "accept",
    Declined: "decline",
    Committed: "commit",
    Revealed: "reveal",
    Moved: "move",
    Refused: "strike",
    Resigned: "resign",
    Aborted: "abort",
    TimedOut: "timeout",
    Voided: "void",
}

_READERS: Final[dict[str, Callable[..., Entry]]] = {
    "new": Created,
    "accept": lambda seat: Accepted(Seat(seat)),
    "decline": lambda seat: Declined(Seat(seat)),
    "commit": _read_commitment,
    "reveal": lambda seat, share: Revealed(Seat(seat), bytes.fromhex(share)),
    "move": partial(_read_played, Moved),
    "strike": partial(_read_played, Refused),
    "resign": lambda seat: Resigned(Seat(seat)),
    "abort": Aborted,
    "timeout": TimedOut,
    "void": _read_void,
}


def entry_word(entry: Entry) -> str:
    """Name an entry's kind, as in records."""
    return _WORDS[type(entry)]
