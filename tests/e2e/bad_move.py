"""Moves that break a rule of the game, each with what a referee says of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from tests.e2e.position import (
    Position,
    able,
    big,
    forced,
    offered,
    taken,
    to_draw,
)

from ginref.engine.card import Card
from ginref.engine.deadwood import deadwood
from ginref.v1 import move_pb2
from ginref.v1 import referee_service_pb2 as referee_pb

MOVER, WAITING = "mover", "waiting"
"""The bot whose turn it is, and the one it plays against."""

LIMITED = "limited"
"""The bot whose turn it is, by a token that is limited to another match."""

Written = Callable[[Position], str]
Facts = Callable[[Position], Mapping[str, object]]

FAILED: Final = "FAILED_PRECONDITION"


@dataclass(frozen=True, kw_only=True)
class BadMove:
    """A submission that is refused.

    Attributes:
        name: What is wrong with it.
        reason: Its reason.
        code: Code of the status of a single call.
        at: Where it is tried.
        text: The move as text.
        move: The move as a message, instead of text.
        fields: Other fields of the request; None for one that is absent.
        data: Bytes that are sent instead of a request.
        by: Who sends it.
        facts: What is told beside the reason and the strikes left.
        strike: It is a well-formed move that breaks a rule.
    """

    name: str
    reason: str
    code: str
    at: Callable[[], Position] = offered
    text: Written = lambda _: "pass"
    move: Callable[[Position], move_pb2.Move] | None = None
    fields: Facts = lambda _: {}
    data: bytes | None = None
    by: str = MOVER
    facts: Facts = lambda _: {}
    strike: bool = False

    def request(self, match_id: str) -> referee_pb.SubmitMoveRequest:
        """Return the request."""
        position = self.at()
        seat = position.waiting if self.by == WAITING else position.mover
        text = move_pb2.Move(text=self.text(position))
        fields: dict[str, object] = {
            "match_id": match_id,
            "seat": seat + 1,
            "expected_version": position.version,
            "request_id": "bad",
            "move": text if self.move is None else self.move(position),
            **self.fields(position),
        }
        return referee_pb.SubmitMoveRequest(**fields)  # type: ignore[arg-type] # names of fields


def _illegal(
    name: str,
    reason: str,
    at: Callable[[], Position],
    text: Written,
    facts: Facts = lambda _: {},
) -> BadMove:
    return BadMove(
        name=name,
        reason=reason,
        code=FAILED,
        at=at,
        text=text,
        facts=facts,
        strike=True,
    )


def _phase(name: str, at: Callable[[], Position], text: Written, phase: str) -> BadMove:
    return _illegal(
        name,
        "WRONG_PHASE",
        at,
        text,
        lambda position: {"phase": phase, "move": text(position).split()[0]},
    )


def _joined(*cards: Card) -> str:
    return "".join(map(str, cards))


def _crossing(position: Position) -> str:
    assert position.crossing
    return " ".join(map(str, position.crossing))


def _shared(position: Position) -> Card:
    """The first card of the second of two crossing melds that the first one took."""
    assert position.crossing
    one, other = position.crossing
    return next(iter(one.cards & other.cards))


def _in_crossing(position: Position) -> Card:
    """A card to throw that is in no crossing meld."""
    assert position.crossing
    one, other = position.crossing
    melded = one.cards | other.cards
    return next(
        card for card in position.hand if card not in melded and card != position.upcard
    )


def _loose_points(position: Position) -> dict[str, object]:
    left = position.hand.remove(position.discard)
    return {"deadwood": deadwood(left), "limit": 10}


def _undeclared_points(position: Position) -> dict[str, object]:
    knock = position.knocks[0]
    assert knock.card is not None
    return {"deadwood": position.hand.remove(knock.card).points, "limit": 10}


def _declared(position: Position) -> move_pb2.Move:
    """A knock as a message, with a meld that is none."""
    meld = move_pb2.Meld(cards=map(str, position.unmatched))
    return move_pb2.Move(
        knock=move_pb2.Knock(
            card=str(position.discard), declaration=move_pb2.Declaration(melds=[meld])
        )
    )


ILLEGAL: Final = [
    _phase(
        "a draw while the upcard is offered", offered, lambda _: "draw_stock", "upcard"
    ),
    _phase(
        "a discard before a draw",
        to_draw,
        lambda p: f"discard {next(iter(p.hand))}",
        "draw",
    ),
    _phase(
        "a knock before a draw",
        offered,
        lambda p: f"knock {next(iter(p.hand))}",
        "upcard",
    ),
    _phase("a pass when nothing is offered", to_draw, lambda _: "pass", "draw"),
    _phase("a second draw", taken, lambda _: "draw_stock", "discard"),
    _illegal(
        "the upcard that both refused",
        "UPCARD_REFUSED_TWICE",
        forced,
        lambda _: "draw_upcard",
    ),
    _illegal(
        "a discard of a card elsewhere",
        "CARD_NOT_IN_HAND",
        taken,
        lambda p: f"discard {p.foreign}",
        lambda p: {"card": p.foreign},
    ),
    _illegal(
        "a knock with a card elsewhere",
        "CARD_NOT_IN_HAND",
        taken,
        lambda p: f"knock {p.foreign}",
        lambda p: {"card": p.foreign},
    ),
    _illegal(
        "the taken card thrown back",
        "TAKEN_CARD_RETURNED",
        taken,
        lambda p: f"discard {p.upcard}",
        lambda p: {"card": p.upcard},
    ),
    _illegal(
        "a knock with the taken card",
        "TAKEN_CARD_RETURNED",
        taken,
        lambda p: f"knock {p.upcard}",
        lambda p: {"card": p.upcard},
    ),
    _illegal(
        "a knock above the limit",
        "KNOCK_ABOVE_LIMIT",
        taken,
        lambda p: f"knock {p.discard}",
        _loose_points,
    ),
    _illegal(
        "a knock that declares too little",
        "KNOCK_ABOVE_LIMIT",
        able,
        lambda p: f"{p.knocks[0]} -",
        _undeclared_points,
    ),
    _illegal(
        "a card in two melds",
        "CARD_IN_TWO_MELDS",
        taken,
        lambda p: f"knock {_in_crossing(p)} {_crossing(p)}",
        lambda p: {"card": _shared(p)},
    ),
    _illegal(
        "a meld declared twice",
        "CARD_IN_TWO_MELDS",
        taken,
        lambda p: f"knock {_in_crossing(p)} {p.melds[0]} {p.melds[0]}",
        lambda p: {"card": next(iter(p.melds[0].cards))},
    ),
    _illegal(
        "a card twice in a meld",
        "CARD_IN_TWO_MELDS",
        taken,
        lambda p: f"knock {p.discard} {_joined(*p.pair, p.pair[0])}",
        lambda p: {"meld": _joined(*p.pair, p.pair[0])},
    ),
    _illegal(
        "a meld that is none",
        "BROKEN_MELD",
        taken,
        lambda p: f"knock {p.discard} {_joined(*p.unmatched)}",
        lambda p: {"meld": _joined(*p.unmatched)},
    ),
    BadMove(
        name="a meld that is none, as a message",
        reason="BROKEN_MELD",
        code=FAILED,
        at=taken,
        move=_declared,
        facts=lambda p: {"meld": _joined(*p.unmatched)},
        strike=True,
    ),
    _illegal(
        "a meld of two cards",
        "MELD_TOO_SHORT",
        taken,
        lambda p: f"knock {p.discard} {_joined(*p.pair)}",
        lambda p: {"meld": _joined(*p.pair)},
    ),
    _illegal(
        "a meld of cards elsewhere",
        "MELD_CARD_NOT_IN_HAND",
        taken,
        lambda p: f"knock {p.discard} {p.foreign_meld}",
        lambda p: {
            "card": next(
                card
                for card in p.foreign_meld.cards
                if card not in p.hand.remove(p.discard)
            )
        },
    ),
    _illegal(
        "a meld with the card that is thrown",
        "MELD_CARD_NOT_IN_HAND",
        taken,
        lambda p: f"knock {p.melded} {p.melds[0]}",
        lambda p: {"card": p.melded},
    ),
    _illegal("big gin where there is none", "NO_BIG_GIN", taken, lambda _: "knock"),
    _illegal(
        "big gin with deadwood",
        "NO_BIG_GIN",
        big,
        lambda _: "knock",
        lambda p: {"deadwood": deadwood(p.hand)},
    ),
]
"""Well-formed moves that break a rule: each costs a strike."""
