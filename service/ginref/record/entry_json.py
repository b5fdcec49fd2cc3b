"""Log entries as the JSON objects of a match record."""

from collections.abc import Mapping
from typing import Any, Final

from ginref.engine.error import NotationError
from ginref.engine.move import Move, parse_move
from ginref.engine.seat import Seat
from ginref.record.entry import (
    Aborted,
    Accepted,
    Committed,
    Created,
    Declined,
    Entry,
    Moved,
    Refused,
    Resigned,
    Revealed,
    StampedEntry,
    TimedOut,
    Voided,
    entry_word,
)
from ginref.record.envelope import SIGNATURE_SIZE
from ginref.record.shape import Place
from ginref.record.share import SHARE_SIZE
from ginref.record.submission import REQUEST_ID_BYTES

_MOVE: Final = ("seat", "request_id", "move")

_FACTS: Final[dict[str, tuple[str, ...]]] = {
    "new": (),
    "accept": ("seat",),
    "decline": ("seat",),
    "commit": ("seat", "commitment"),
    "reveal": ("seat", "share"),
    "move": _MOVE,
    "strike": _MOVE,
    "resign": ("seat",),
    "abort": (),
    "timeout": (),
    "void": (),
}

_PLACED: Final = {
    "kind": True,
    "version": True,
    "at_ms": True,
    "refusal": False,
    "credit_ms": False,
}
"""What every entry has; refusal number and credit only where they are not 0."""

_LOSS: Final = {"void": {"lost": False}}
"""What the end of a damaged log has beside it."""

_TIMES: Final = (
    {"referee_ms": True},
    {"turn_ms": True, "signature": False},
)
"""What a submission has beside it, by format."""

_EARLIEST: Final = 1 - 2**53
"""The lowest number that is the same in every language that reads JSON."""

_TURN: Final = ("when the turn was sent", "when its move was received")
"""What `turn_ms` is made of; the first is null if it is not known."""


def entry_to_json(
    stamped: StampedEntry, created_ms: int, record_format: int
) -> dict[str, Any]:
    """Return an entry as JSON values, its times counted from the creation."""
    entry = stamped.entry
    facts: dict[str, Any] = {
        "version": stamped.version,
        "at_ms": stamped.time_ms - created_ms,
        "kind": entry_word(entry),
    }
    if stamped.refusal:
        facts["refusal"] = stamped.refusal
    if stamped.credit_ms:
        facts["credit_ms"] = stamped.credit_ms
    match entry:
        case Moved() | Refused():
            facts["seat"] = str(entry.seat)
            facts["request_id"] = entry.request_id
            facts["move"] = str(entry.move)
            facts |= _proof_to_json(entry, facts["at_ms"], record_format)
        case Committed(seat, commitment):
            facts["seat"] = str(seat)
            facts["commitment"] = None if commitment is None else commitment.hex()
        case Revealed(seat, share):
            facts["seat"] = str(seat)
            facts["share"] = share.hex()
        case Accepted(seat) | Declined(seat) | Resigned(seat):
            facts["seat"] = str(seat)
        case Voided(lost):
            if lost:
                facts["lost"] = lost
        case Created() | Aborted() | TimedOut():
            pass
    return facts


def _proof_to_json(
    entry: Moved | Refused, at_ms: int, record_format: int
) -> dict[str, Any]:
    if record_format == 0:
        return {"referee_ms": entry.referee_ms}
    # Measured by another clock than the store's, which may have been set back: then
    # it can lie before the creation.
    received_ms = at_ms - entry.referee_ms
    sent_ms = None
    if entry.waited_ms is not None:
        sent_ms = received_ms - entry.waited_ms
    facts: dict[str, Any] = {"turn_ms": [sent_ms, received_ms]}
    if entry.signature is not None:
        facts["signature"] = entry.signature.hex() or None
    return facts


def read_entry(place: Place, created_ms: int, record_format: int) -> StampedEntry:
    """Read an entry.

    Raises:
        RecordError: Naming the first wrong thing in it.
    """
    word = place.value.get("kind") if isinstance(place.value, dict) else None
    if not isinstance(word, str) or word not in _FACTS:
        raise place.fail("an entry of a known kind expected")
    known = {**_PLACED, **dict.fromkeys(_FACTS[word], True), **_LOSS.get(word, {})}
    if _FACTS[word] is _MOVE:
        known |= _TIMES[record_format]
    facts = place.members(known)
    return StampedEntry(
        version=facts["version"].number(low=1),
        refusal=facts["refusal"].number(low=1) if "refusal" in facts else 0,
        time_ms=created_ms + facts["at_ms"].number(),
        entry=_read_kind(word, facts),
        credit_ms=facts["credit_ms"].number(low=1) if "credit_ms" in facts else 0,
    )


def _read_kind(  # noqa: PLR0911 - one case for each kind of entry
    word: str, facts: Mapping[str, Place]
) -> Entry:
    if word in _BARE:
        return _BARE[word]
    if word == "void":
        return Voided(facts["lost"].number(low=1) if "lost" in facts else 0)
    seat = read_seat(facts["seat"])
    match word:
        case "accept":
            return Accepted(seat)
        case "decline":
            return Declined(seat)
        case "resign":
            return Resigned(seat)
        case "commit":
            commitment = facts["commitment"]
            none = commitment.value is None
            return Committed(seat, None if none else commitment.octets(SHARE_SIZE))
        case "reveal":
            return Revealed(seat, facts["share"].octets(SHARE_SIZE))
        case _:
            kind = Moved if word == "move" else Refused
            request_id = read_request_id(facts["request_id"])
            return kind(seat, request_id, read_move(facts["move"]), *_read_proof(facts))


def _read_proof(facts: Mapping[str, Place]) -> tuple[int, bytes | None, int | None]:
    """Read what the referee spent, the signature, and how long the move took."""
    if "referee_ms" in facts:
        return facts["referee_ms"].number(), None, None
    times, signature, waited_ms = tuple(facts["turn_ms"].items()), None, None
    if len(times) != len(_TURN):
        raise facts["turn_ms"].fail(f"{' and '.join(_TURN)} expected")
    sent, received = times
    if sent.value is not None:
        waited_ms = received.number(low=_EARLIEST) - sent.number(low=_EARLIEST)
    referee_ms = facts["at_ms"].number() - received.number(low=_EARLIEST)
    if "signature" in facts:
        place = facts["signature"]
        signature = b"" if place.value is None else place.octets(SIGNATURE_SIZE)
    return referee_ms, signature, waited_ms


_BARE: Final[dict[str, Entry]] = {
    entry_word(entry): entry for entry in (Created(), Aborted(), TimedOut())
}


def read_seat(place: Place) -> Seat:
    """Read a seat.

    Raises:
        RecordError: It is none.
    """
    text = place.text()
    for seat in Seat:
        if text == str(seat):
            return seat
    raise place.fail("north, south or east expected")


def read_request_id(place: Place) -> str:
    """Read the bot's name for a submission.

    Raises:
        RecordError: It is empty, or too long.
    """
    text = place.text()
    if not 0 < len(text.encode()) <= REQUEST_ID_BYTES:
        raise place.fail(f"1 to {REQUEST_ID_BYTES} bytes of text expected")
    return text


def read_move(place: Place) -> Move:
    """Read a move in its one spelling.

    Raises:
        RecordError: It is none, or spelt otherwise.
    """
    text = place.text()
    try:
        move = parse_move(text)
    except NotationError as error:
        raise place.fail(str(error)) from error
    # A move has one spelling in a record.
    if str(move) != text:
        raise place.fail(f"written {str(move)!r} expected")
    return move
