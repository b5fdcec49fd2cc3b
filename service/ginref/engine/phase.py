"""Where a round is: the first upcard, a draw, a discard, or over with its result.

A phase carries only what that phase has. `Phase.name` is what anybody may hear of
it; the drawn card in `Throw` belongs to the seat that holds it.
"""

import enum
from dataclasses import dataclass
from typing import Final

from ginref.engine.card import PACK, Card, CardSet
from ginref.engine.deadwood import Arrangement
from ginref.engine.layoff import Spread
from ginref.engine.seat import Seat
from ginref.engine.showdown import Outcome


class PhaseName(enum.StrEnum):
    """What the seat to act decides next."""

    UPCARD = "upcard"
    DRAW = "draw"
    DISCARD = "discard"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class FirstUpcard:
    """The first upcard is on offer.

    Attributes:
        passes: Seats that have refused it, 0 or 1.
    """

    passes: int

    @property
    def name(self) -> PhaseName:
        """The phase in public."""
        return PhaseName.UPCARD


@dataclass(frozen=True, slots=True)
class Draw:
    """The seat to act draws.

    Attributes:
        forced_stock: Both seats refused the first upcard, so it stays where it is.
    """

    forced_stock: bool

    @property
    def name(self) -> PhaseName:
        """The phase in public."""
        return PhaseName.DRAW


@dataclass(frozen=True, slots=True)
class Throw:
    """The seat to act holds eleven cards; it discards or knocks.

    Attributes:
        drawn: The card it drew.
        from_pile: The card came from the discard pile, so everybody saw it.
    """

    drawn: Card
    from_pile: bool

    @property
    def name(self) -> PhaseName:
        """The phase in public."""
        return PhaseName.DISCARD


@dataclass(frozen=True, slots=True)
class Showdown:
    """Both hands laid down after a knock.

    Attributes:
        knocker: The seat that knocked.
        defender: The other seat.
        discard: The knocker's last discard; None for big gin.
        arrangement: The knocker's melds and deadwood.
        spread: The defender's melds, layoffs and deadwood.
    """

    knocker: Seat
    defender: Seat
    discard: Card | None
    arrangement: Arrangement
    spread: Spread

    @property
    def knocker_hand(self) -> CardSet:
        """The ten cards the knocker laid down; eleven for big gin."""
        hand = self.arrangement.deadwood
        for meld in self.arrangement.melds:
            hand |= meld.cards
        return hand

    @property
    def defender_hand(self) -> CardSet:
        """The ten cards of the defender, the ones laid off among them."""
        hand = self.spread.deadwood | CardSet.of(
            layoff.card for layoff in self.spread.layoffs
        )
        for meld in self.spread.melds:
            hand |= meld.cards
        return hand

    def hand(self, seat: Seat) -> CardSet:
        """Return the cards a seat laid down."""
        return self.knocker_hand if seat is self.knocker else self.defender_hand

    def deadwood(self, seat: Seat) -> int:
        """Return the points a seat is left with after melds and layoffs."""
        mine = seat is self.knocker
        return self.arrangement.points if mine else self.spread.points


@dataclass(frozen=True, slots=True)
class RoundResult:
    """How a round ended and what it is worth.

    Attributes:
        outcome: How it ended.
        winner: The seat that scores; None for a drawn round.
        points: What the winner scores; 0 for a drawn round.
        showdown: Both hands, after a knock only: a round that ends without a
            knock shows no hand to anyone.
    """

    outcome: Outcome
    winner: Seat | None
    points: int
    showdown: Showdown | None


@dataclass(frozen=True, slots=True)
class RoundOver:
    """Nobody acts any more."""

    result: RoundResult

    @property
    def name(self) -> PhaseName:
        """The phase in public."""
        return PhaseName.OVER


Phase = FirstUpcard | Draw | Throw | RoundOver

UPCARD_OFFERED: Final = FirstUpcard(0)
UPCARD_REFUSED_ONCE: Final = FirstUpcard(1)
DRAW: Final = Draw(forced_stock=False)
DRAW_FORCED: Final = Draw(forced_stock=True)

# One object for each of the 104 throws: a turn makes no new one.
_FROM_STOCK: Final = tuple(Throw(card, from_pile=False) for card in PACK)
_FROM_PILE: Final = tuple(Throw(card, from_pile=True) for card in PACK)


def throw_after_stock(drawn: Card) -> Throw:
    """Return the phase after drawing this card from the stock."""
    return _FROM_STOCK[drawn.index]


def throw_after_pile(drawn: Card) -> Throw:
    """Return the phase after taking this card from the discard pile."""
    return _FROM_PILE[drawn.index]
