"""What may be seen of a match: the only way out for anybody outside the referee.

A view is plain data without a reference to the match it shows. Whoever has the same
fields, a bot behind a wire for example, gets the same answers from it.
"""

from dataclasses import dataclass
from typing import Any, Final

from ginref.engine.card import PACK, Card, CardSet
from ginref.engine.deadwood import (
    Arrangement,
    best_arrangement,
    deadwood,
    discard_deadwoods,
)
from ginref.engine.error import Breach, IllegalMoveError
from ginref.engine.kept import kept
from ginref.engine.legality import check, forbidden_discard, lay_down, options
from ginref.engine.match import Ending, Match, MatchOver, RoundSummary
from ginref.engine.meld import Meld, trios_with
from ginref.engine.move import DRAW_STOCK, DRAW_UPCARD, PASS, Knock, Move
from ginref.engine.opponent import OpponentView, observe
from ginref.engine.phase import (
    DRAW,
    DRAW_FORCED,
    UPCARD_OFFERED,
    Draw,
    Phase,
    PhaseName,
    RoundResult,
    Throw,
    throw_after_pile,
    throw_after_stock,
)
from ginref.engine.round import DiscardEntry
from ginref.engine.seat import Seat
from ginref.engine.sheet import next_columns
from ginref.engine.table_view import PublicView, RoundReveal, TableView

__all__ = [
    "DiscardEntry",
    "DiscardOption",
    "Ending",
    "MatchOver",
    "OpponentView",
    "PhaseName",
    "PublicView",
    "RoundReveal",
    "RoundSummary",
    "SeatView",
    "TableView",
    "public_view",
    "view_for",
]

FROM_STOCK: Final = "stock"
FROM_PILE: Final = "pile"

_ALL_CARDS: Final = CardSet.of(PACK)
_NO_CARDS: Final = CardSet()


@dataclass(frozen=True, slots=True)
class DiscardOption:
    """A card that may be thrown.

    Attributes:
        card: The card.
        deadwood: Least deadwood points of the other ten.
    """

    card: Card
    deadwood: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatView(TableView):
    """A match as one seat sees it, and answers worked out from what it sees.

    A seat that sits the round out has no cards: it sees what the public sees.

    Attributes:
        seat: The seat whose view it is.
        hand: Its cards; none while it sits out.
        drawn: The card it drew this turn; None before it has drawn.
        drawn_from: `stock` or `pile`; None before it has drawn.
        own: What everybody knows of this seat.
        opponents: What is known of the other seats that play the round: one, or
            two while this seat sits out.
        next_columns: Positions of the games that its next win enters.
    """

    seat: Seat
    hand: CardSet
    drawn: Card | None
    drawn_from: str | None
    own: OpponentView
    opponents: tuple[OpponentView, ...]
    next_columns: tuple[int, ...]

    @property
    def is_my_turn(self) -> bool:
        """This seat decides."""
        return self.to_act is self.seat

    @property
    def is_idle(self) -> bool:
        """This seat sits the round out."""
        return self.idle is self.seat

    @property
    def forbidden_discard(self) -> Card | None:
        """The card that may not be thrown this turn: the one taken from the pile."""
        return forbidden_discard(self.rules, self._phase()) if self.drawn else None

    @property
    def legal(self) -> tuple[Move, ...]:
        """Every move this seat may make now; knocks by discard, undeclared."""
        if not self.is_my_turn:
            return ()
        return options(self.rules, self._phase(), self.hand, self.knock_limit)

    def check(self, move: Move) -> None:
        """Judge a move of this seat as the referee would, declared melds included.

        Raises:
            IllegalMoveError: The match is over, it is not this seat's turn, or the
                rules do not allow the move.
        """
        if self.over:
            raise IllegalMoveError(Breach.MATCH_OVER)
        if not self.is_my_turn:
            raise IllegalMoveError(Breach.NOT_YOUR_TURN, to_act=self.to_act)
        if isinstance(move, Knock):
            lay_down(self.rules, self._phase(), self.hand, self.knock_limit, move)
        else:
            check(self.rules, self._phase(), self.hand, move)

    @property
    def pass_turn(self) -> Move | None:
        """Refusing the first upcard, where that is legal."""
        return self._if_legal(PASS)

    @property
    def draw_upcard(self) -> Move | None:
        """Taking the top of the discard pile, where that is legal."""
        return self._if_legal(DRAW_UPCARD)

    @property
    def draw_stock(self) -> Move | None:
        """Drawing from the stock, where that is legal."""
        return self._if_legal(DRAW_STOCK)

    @property
    def deadwood(self) -> int:
        """Least deadwood points of the cards in hand, all eleven after a draw."""
        return deadwood(self.hand)

    @property
    def arrangement(self) -> Arrangement:
        """The cards in hand at their least deadwood, all eleven after a draw."""
        return best_arrangement(self.hand)

    @property
    def upcard_saves(self) -> int:
        """Points by which taking the upcard and throwing the best card helps.

        0 when it does not help or the upcard is not to be had.
        """
        if self.upcard is None or self.draw_upcard is None:
            return 0
        # Throwing it back would save nothing, so that need not be ruled out here.
        after = discard_deadwoods(self.hand.add(self.upcard))
        return self.deadwood - min(after.values())

    @property
    def discards(self) -> tuple[DiscardOption, ...]:
        """Cards that may be thrown now: least deadwood first, then dearest card."""
        if not self.is_my_turn or self.drawn is None:
            return ()
        kept = self.forbidden_discard
        thrown = [
            DiscardOption(card, points)
            for card, points in discard_deadwoods(self.hand).items()
            if card is not kept
        ]
        return tuple(sorted(thrown, key=_by_deadwood))

    @property
    def best_knock(self) -> Knock | None:
        """The knock with the least deadwood, big gin above all; None if illegal."""
        if not self.is_my_turn or self.drawn is None:
            return None
        if self.rules.big_gin_bonus is not None and not self.deadwood:
            return Knock()
        best = self.discards[0]
        return Knock(best.card) if best.deadwood <= self.knock_limit else None

    @property
    def unseen(self) -> CardSet:
        """Cards this seat has never seen: in the stock or in another hand."""
        laid = CardSet.of(entry.card for entry in self.pile)
        return _ALL_CARDS - self.hand - laid

    def wanted(self, card: Card) -> tuple[Meld, ...]:
        """Return the melds of three that an opponent could make with a card.

        The other two cards are known to be in its hand, or unseen.
        """
        pool = self.unseen
        for opponent in self.opponents:
            pool |= opponent.known
        return tuple(
            meld
            for meld in trios_with(card)
            if meld.cards.remove(card) - pool == _NO_CARDS
        )

    def _if_legal(self, move: Move) -> Move | None:
        # The three draws need no look at the hand; after a draw none is legal.
        return move if self.drawn is None and move in self.legal else None

    def _phase(self) -> Phase:
        if self.drawn is not None:
            taken = self.drawn_from == FROM_PILE
            return (throw_after_pile if taken else throw_after_stock)(self.drawn)
        if self.phase is PhaseName.UPCARD:
            return UPCARD_OFFERED
        return DRAW_FORCED if self.forced_stock else DRAW


def _by_deadwood(option: DiscardOption) -> tuple[int, int, int]:
    return option.deadwood, -option.card.points, option.card.index


def view_for(match: Match, seat: Seat) -> SeatView:
    """Return what a seat may see of a match.

    Raises:
        ValueError: The match has no such seat.
    """
    if seat not in match.seats:
        message = f"{seat!r} is none of {match.seats!r}"
        raise ValueError(message)
    round_ = match.round
    phase, drawn, drawn_from = round_.phase, None, None
    if isinstance(phase, Throw) and match.to_act is seat:
        drawn = phase.drawn
        drawn_from = FROM_PILE if phase.from_pile else FROM_STOCK
    return SeatView(
        **_table(match),
        seat=seat,
        hand=round_.hand(seat) if round_.is_played_by(seat) else _NO_CARDS,
        drawn=drawn,
        drawn_from=drawn_from,
        own=observe(round_, seat),
        opponents=tuple(
            [
                observe(round_, other)
                for other in match.seats
                if other is not seat and round_.is_played_by(other)
            ]
        ),
        next_columns=next_columns(match.sheet, match.rules, seat),
    )


def public_view(match: Match) -> PublicView:
    """Return what anybody may see of a match."""
    return PublicView(
        **_table(match),
        players=tuple(observe(match.round, seat) for seat in match.seats),
        rounds=match.history,
    )


def _table(match: Match) -> dict[str, Any]:
    """Fields of a `TableView`."""
    rules, seats, round_number, round_, sheet, history, last_result, over = match
    phase, stock_count, turns = round_.phase, round_.stock_count, round_.turns
    return {
        "rules": rules,
        "seats": seats,
        "round_number": round_number,
        "deal_number": match.deal_number,
        "dealer": round_.dealer,
        "idle": match.idle,
        "to_act": match.to_act,
        "phase": PhaseName.OVER if over else phase.name,
        "forced_stock": isinstance(phase, Draw) and phase.forced_stock,
        "knock_limit": round_.knock_limit,
        "multiplier": round_.multiplier,
        "first_upcard": round_.first_upcard,
        "upcard": round_.upcard,
        "stock_count": stock_count,
        "draws_left": max(0, stock_count - rules.wall),
        "pile": round_.discards,
        "turn": turns,
        "turns_left": rules.turn_limit - turns,
        "sheet": sheet,
        "last_result": _reveal(history, last_result),
        "over": over,
    }


@kept
def _reveal(
    history: tuple[RoundSummary, ...], result: RoundResult | None
) -> RoundReveal | None:
    if result is None or result.showdown is None:
        return None
    return RoundReveal(**history[-1]._asdict(), showdown=result.showdown)
