"""What everybody knows about a seat: what it took from the pile and what it left."""

from dataclasses import dataclass

from ginref.engine.card import Card, CardSet
from ginref.engine.phase import RoundOver, Throw
from ginref.engine.round import Round
from ginref.engine.seat import Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class OpponentView:
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
        known=CardSet(),
        took=(),
        passed=False,
        upcard_refusals=(),
    )


def observe(round_: Round, seat: Seat) -> OpponentView:
    """Return what everybody knows about a seat of a round."""
    if not round_.is_played_by(seat):
        return sits_out(seat)
    took = tuple(entry.card for entry in round_.discards if entry.taken_by is seat)
    passed = round_.passes > (seat is round_.dealer)
    return OpponentView(
        seat=seat,
        hand_count=len(round_.hand(seat)),
        # A card that was taken from the pile can leave the hand only to the pile.
        known=CardSet.of(took) & round_.hand(seat),
        took=took,
        passed=passed,
        upcard_refusals=_refusals(round_, seat, passed=passed),
    )


def _refusals(round_: Round, seat: Seat, *, passed: bool) -> tuple[Card, ...]:
    """Upcards the seat could have taken: passed by, or left for the stock."""
    left = [round_.first_upcard] if passed else []
    opponent = round_.opponent(seat)
    # About the last discard the seat has decided only once it has drawn.
    decided = round_.discards[1:] if _has_drawn(round_) else round_.discards[1:-1]
    left += [
        entry.card
        for entry in decided
        if entry.seat is opponent and entry.taken_by is None
    ]
    return tuple(left)


def _has_drawn(round_: Round) -> bool:
    match round_.phase:
        case Throw():
            return True
        case RoundOver():
            return round_.phase.result.showdown is not None
        case _:
            return False
