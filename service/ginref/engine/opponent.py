"""What everybody knows about a seat: what it took from the pile and what it left."""

from typing import Final, NamedTuple

from ginref.engine.card import Card, CardSet
from ginref.engine.phase import RoundOver, Throw
from ginref.engine.round import Round
from ginref.engine.seat import Seat

_NO_CARDS: Final = CardSet()


class OpponentView(NamedTuple):
    """What everybody knows about one seat of the round.

    Attributes:
        seat: The seat.
        hand_count: Cards it holds, 10 or 11; 0 while it sits the round out.
        known: Cards it took from the pile and still holds.
        took: Cards it took from the pile, in order, thrown since or not.
        passed: It refused the first upcard.
        upcard_refusals: Upcards it left on the pile when it could have taken them.
    """

    seat: Seat
    hand_count: int
    known: CardSet
    took: tuple[Card, ...]
    passed: bool
    upcard_refusals: tuple[Card, ...]


def sits_out(seat: Seat) -> OpponentView:
    """Return what everybody knows about a seat without cards: nothing."""
    return OpponentView(
        seat=seat,
        hand_count=0,
        known=_NO_CARDS,
        took=(),
        passed=False,
        upcard_refusals=(),
    )


def observe(round_: Round, seat: Seat) -> OpponentView:
    """Return what everybody knows about a seat of a round."""
    if not round_.is_played_by(seat):
        return sits_out(seat)
    opponent, hand = round_.opponent(seat), round_.hand(seat)
    passed = round_.passes > (seat is round_.dealer)
    took, refused = [], [round_.first_upcard] if passed else []
    for card, thrown_by, _, taken_by in round_.discards:
        if taken_by is seat:
            took.append(card)
        elif taken_by is None and thrown_by is opponent:
            refused.append(card)
    # About the last discard the seat has decided only once it has drawn.
    if round_.discards[-1].seat is opponent and not _has_drawn(round_):
        refused.pop()
    return OpponentView(
        seat=seat,
        hand_count=len(hand),
        # A card that was taken from the pile can leave the hand only to the pile.
        known=CardSet.of(took) & hand if took else _NO_CARDS,
        took=tuple(took),
        passed=passed,
        upcard_refusals=tuple(refused),
    )


def _has_drawn(round_: Round) -> bool:
    match round_.phase:
        case Throw():
            return True
        case RoundOver():
            return round_.phase.result.showdown is not None
        case _:
            return False
