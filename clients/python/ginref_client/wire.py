"""Strict reading of the smallest parts of a message: cards, seats, enums, presence.

Nothing is defaulted: what is absent, unknown or contradictory is a `ProtocolError`
that names the field and never a card.
"""

from collections.abc import Iterable, Mapping
from typing import Final, TypeVar

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from ginref.engine.card import Card, CardSet
from ginref.engine.error import NotationError
from ginref.engine.meld import Meld, find_meld
from ginref.engine.seat import Seat
from ginref.v1 import move_pb2, seat_pb2
from ginref_client.error import ProtocolError

_T = TypeVar("_T")
_Value = TypeVar("_Value", bound=int)

_SEATS: Final = {
    seat_pb2.SEAT_NORTH: Seat.NORTH,
    seat_pb2.SEAT_SOUTH: Seat.SOUTH,
    seat_pb2.SEAT_EAST: Seat.EAST,
}
_SEATS_TO_WIRE: Final = {seat: number for number, seat in _SEATS.items()}

_MILLI: Final = 1000
_NANOS_OF_MS: Final = 1_000_000


def require(message: Message, field: str, path: str = "") -> None:
    """Check that a field with presence is set.

    Raises:
        ProtocolError: It is absent.
    """
    if not message.HasField(field):
        raise ProtocolError(path + field, "missing")


def choice(table: Mapping[_Value, _T], value: _Value, field: str) -> _T:
    """Return what a value of an enum stands for.

    Raises:
        ProtocolError: The value is unspecified or unknown.
    """
    try:
        return table[value]
    except KeyError:
        raise ProtocolError(field, f"unknown value {value}") from None


def seat_from_wire(value: seat_pb2.Seat.ValueType, field: str = "seat") -> Seat:
    """Read a seat.

    Raises:
        ProtocolError: It is none.
    """
    return choice(_SEATS, value, field)


def seat_to_wire(seat: Seat) -> seat_pb2.Seat.ValueType:
    """Write a seat."""
    return _SEATS_TO_WIRE[seat]


def card_from_wire(text: str, field: str) -> Card:
    """Read a card.

    Raises:
        ProtocolError: The text is no card.
    """
    try:
        return Card.parse(text)
    except NotationError:
        raise ProtocolError(field, "not a card") from None


def cards_from_wire(texts: Iterable[str], field: str) -> tuple[Card, ...]:
    """Read cards in order.

    Raises:
        ProtocolError: One of them is no card, or comes twice.
    """
    cards = tuple(card_from_wire(text, field) for text in texts)
    if len(set(cards)) < len(cards):
        raise ProtocolError(field, "a card comes twice")
    return cards


def card_set_from_wire(texts: Iterable[str], field: str) -> CardSet:
    """Read cards as a set.

    Raises:
        ProtocolError: One of them is no card, or comes twice.
    """
    return CardSet.of(cards_from_wire(texts, field))


def melds_from_wire(melds: Iterable[move_pb2.Meld], field: str) -> tuple[Meld, ...]:
    """Read melds that lie on the table.

    Raises:
        ProtocolError: One of them is no meld.
    """
    read = []
    for message in melds:
        meld = find_meld(card_set_from_wire(message.cards, field))
        if meld is None:
            raise ProtocolError(field, "not a meld")
        read.append(meld)
    return tuple(read)


def milliseconds(time: Timestamp) -> int:
    """Return a time in milliseconds since the Unix epoch."""
    return time.seconds * _MILLI + time.nanos // _NANOS_OF_MS
