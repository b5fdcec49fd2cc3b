"""Moves on the wire, either as messages or as the text of a legal option."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Final, TypeVar, assert_never

from ginref.app.error import Reason, RefusedError
from ginref.engine.card import PACK, Card, CardSet
from ginref.engine.error import NotationError
from ginref.engine.meld import DeclaredMeld, Meld
from ginref.engine.move import (
    DRAW_STOCK,
    DRAW_UPCARD,
    PASS,
    Discard,
    DrawStock,
    DrawUpcard,
    Knock,
    Move,
    Pass,
    parse_move,
)
from ginref.transport.field import missing
from ginref.transport.part import text
from ginref.v1 import move_pb2 as move_pb

_T = TypeVar("_T")

TEXT_LENGTH: Final = 128
"""Most characters of a move's text."""

MELD_LIMIT: Final = 4
"""Most melds of a declaration: eleven cards hold no more than three."""

MELD_CARD_LIMIT: Final = 13
"""Most cards of a declared meld."""


_MOVES: Final = 1024

_parse: Final = lru_cache(_MOVES)(parse_move)
"""The same few moves come again and again."""


def move_from_wire(message: move_pb.Move, at: str) -> Move:
    """Read a move.

    Raises:
        RefusedError: FIELD_MISSING when no kind is set; MOVE_UNREADABLE.
    """
    kind = message.WhichOneof("kind")
    match kind:
        case "pass":
            return PASS
        case "draw_upcard":
            return DRAW_UPCARD
        case "draw_stock":
            return DRAW_STOCK
        case "discard":
            return Discard(_card(message.discard.card, f"{at}.discard.card"))
        case "knock":
            return _knock(message.knock, f"{at}.knock")
        case "text":
            return _text(message.text, f"{at}.text")
        case None:
            raise missing(f"{at}.kind")
        case _:
            assert_never(kind)


def move_to_wire(move: Move) -> move_pb.Move:
    """Write a move."""
    match move:
        case Pass():
            message = move_pb.Move()
            # A word of Python's own cannot be written as an attribute.
            getattr(message, "pass").SetInParent()
            return message
        case DrawUpcard():
            return move_pb.Move(draw_upcard=move_pb.DrawUpcard())
        case DrawStock():
            return move_pb.Move(draw_stock=move_pb.DrawStock())
        case Discard(card):
            return move_pb.Move(discard=move_pb.Discard(card=str(card)))
        case Knock(card, melds):
            knock = move_pb.Knock(card=None if card is None else str(card))
            if melds is not None:
                knock.declaration.SetInParent()
                knock.declaration.melds.extend(
                    move_pb.Meld(cards=map(str, meld.cards)) for meld in melds
                )
            return move_pb.Move(knock=knock)
        case _:
            assert_never(move)


def legal_to_wire(move: Move) -> move_pb.LegalMove:
    """Write a legal option, as text and as message."""
    return move_pb.LegalMove(text=str(move), move=move_to_wire(move))


def meld_to_wire(meld: Meld) -> move_pb.Meld:
    """Write a meld, its cards by index."""
    return move_pb.Meld(cards=cards_to_wire(meld.cards))


def cards_to_wire(cards: CardSet) -> list[str]:
    """Write cards by index."""
    return list(map(str, cards))


def card_fields(field: int) -> Mapping[Card | None, bytes]:
    """Return the field of a message for each card that can be in it, or none."""
    return {None: b"", **{card: text(field, str(card)) for card in PACK}}


def _unreadable(at: str, why: object) -> RefusedError:
    return RefusedError(Reason.MOVE_UNREADABLE, f"{at}: {why}", field=at)


def _read(parse: Callable[[str], _T], text: str, at: str) -> _T:
    if len(text) > TEXT_LENGTH:
        raise _unreadable(at, f"more than {TEXT_LENGTH} characters")
    try:
        return parse(text)
    except NotationError as error:
        raise _unreadable(at, error) from None


def _card(text: str, at: str) -> Card:
    return _read(Card.parse, text, at)


def _text(text: str, at: str) -> Move:
    move = _read(_parse, text, at)
    if isinstance(move, Knock) and move.melds:
        _limit([meld.cards for meld in move.melds], at)
    return move


def _knock(message: move_pb.Knock, at: str) -> Knock:
    card = _card(message.card, f"{at}.card") if message.HasField("card") else None
    if not message.HasField("declaration"):
        return Knock(card)
    at = f"{at}.declaration"
    declared = message.declaration.melds
    _limit([meld.cards for meld in declared], at)
    return Knock(
        card,
        tuple(
            _meld(meld, f"{at}.melds[{place}]") for place, meld in enumerate(declared)
        ),
    )


def _meld(message: move_pb.Meld, at: str) -> DeclaredMeld:
    cards = tuple(_card(card, f"{at}.cards") for card in message.cards)
    try:
        return DeclaredMeld(cards)
    except NotationError as error:
        raise _unreadable(at, error) from None


def _limit(melds: Sequence[Sequence[object]], at: str) -> None:
    """Refuse more than any hand could lay down."""
    if len(melds) > MELD_LIMIT:
        raise _unreadable(at, f"more than {MELD_LIMIT} melds")
    if any(len(cards) > MELD_CARD_LIMIT for cards in melds):
        raise _unreadable(at, f"more than {MELD_CARD_LIMIT} cards in a meld")
