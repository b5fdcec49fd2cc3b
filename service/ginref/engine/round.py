"""One deal played to its end: a frozen value, and the function that moves it on.

The non-dealer is offered the first upcard, then the dealer; when both refuse, the
non-dealer draws from the stock. A turn is a draw and then a discard or a knock. A plain
discard that leaves two cards in the stock ends the round undecided.

Source: askalink.com/play/gin-rummy/gin-rummy-rules.html for the opening and the turn;
rubl.com/rules/gin_rummy_50_card.html, the common rule there, for the last two cards.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from ginref.engine.card import Card, CardSet, Rank, Suit
from ginref.engine.deadwood import Arrangement
from ginref.engine.error import Breach, IllegalMoveError, shown
from ginref.engine.layoff import defend
from ginref.engine.legality import check, lay_down, options
from ginref.engine.move import Discard, DrawStock, DrawUpcard, Knock, Move, Pass
from ginref.engine.phase import (
    DRAW,
    DRAW_FORCED,
    UPCARD_OFFERED,
    UPCARD_REFUSED_ONCE,
    Phase,
    RoundOver,
    RoundResult,
    Showdown,
    throw_after_pile,
    throw_after_stock,
)
from ginref.engine.ruleset import AceLimit, Ruleset
from ginref.engine.seat import Seat
from ginref.engine.showdown import Outcome, score

HAND_CARDS: Final = 10
_UPCARD_AT: Final = 2 * HAND_CARDS
_DECK_CARDS: Final = 52
_SPADES_MULTIPLIER: Final = 2


class DiscardEntry(NamedTuple):
    """One card laid on the discard pile, in the order the table saw it.

    Attributes:
        card: The card.
        seat: Who discarded it; None for the first upcard.
        turn: The turn it ended, counted from 1; 0 for the first upcard.
        taken_by: Who took it from the pile; None while it lies there.
    """

    card: Card
    seat: Seat | None
    turn: int
    taken_by: Seat | None


class Round(NamedTuple):
    """A round between two seats, hidden cards and all.

    A named tuple, because a turn makes two of them and they are the cheapest frozen
    values to make.

    Attributes:
        dealer: The seat that dealt.
        non_dealer: The other seat; it is offered the first upcard.
        hands: Cards of the non-dealer, then of the dealer.
        deck: The 52 cards as they were dealt from, top first.
        drawn: Cards that have left the deck from its top.
        discards: Every card laid on the pile, the first upcard first.
        passes: Seats that have refused the first upcard, 0 to 2.
        to_act: The seat that decides; None when the round is over.
        phase: What it decides.
        knock_limit: Most deadwood to knock with.
        multiplier: What the round's score is multiplied by.
    """

    dealer: Seat
    non_dealer: Seat
    hands: tuple[CardSet, CardSet]
    deck: tuple[Card, ...]
    drawn: int
    discards: tuple[DiscardEntry, ...]
    passes: int
    to_act: Seat | None
    phase: Phase
    knock_limit: int
    multiplier: int

    @property
    def stock_count(self) -> int:
        """Cards left in the stock."""
        return _DECK_CARDS - self.drawn

    @property
    def turns(self) -> int:
        """Turns completed by a discard, of both seats together."""
        return len(self.discards) - 1

    @property
    def first_upcard(self) -> Card:
        """The card turned up after the deal."""
        return self.discards[0].card

    @property
    def pile(self) -> tuple[Card, ...]:
        """Cards lying on the discard pile, the upcard last."""
        return tuple(entry.card for entry in self.discards if entry.taken_by is None)

    @property
    def upcard(self) -> Card | None:
        """The top of the discard pile; None when it is empty."""
        for entry in reversed(self.discards):
            if entry.taken_by is None:
                return entry.card
        return None

    def is_played_by(self, seat: Seat) -> bool:
        """Say whether a seat plays this round, or sits it out."""
        return seat is self.dealer or seat is self.non_dealer

    def hand(self, seat: Seat) -> CardSet:
        """Return the cards a seat holds.

        Raises:
            ValueError: The seat sits this round out: it has no hand.
        """
        if seat is self.dealer:
            return self.hands[1]
        if seat is self.non_dealer:
            return self.hands[0]
        raise ValueError(f"{seat!r} sits this round out")

    def opponent(self, seat: Seat) -> Seat:
        """Return the seat that plays against this one.

        Raises:
            ValueError: The seat sits this round out: nobody plays against it.
        """
        if seat is self.dealer:
            return self.non_dealer
        if seat is self.non_dealer:
            return self.dealer
        raise ValueError(f"{seat!r} sits this round out")


def deal(rules: Ruleset, deck: Sequence[Card], dealer: Seat, non_dealer: Seat) -> Round:
    """Deal ten cards each by turns, the non-dealer first, and turn up the next one.

    Args:
        rules: The house rules.
        deck: All 52 cards, top first.
        dealer: The seat that deals.
        non_dealer: The seat that plays against it.

    Raises:
        ValueError: The deck is not the 52 cards, each of them once.
    """
    if len(deck) != _DECK_CARDS or len(CardSet.of(deck)) != _DECK_CARDS:
        raise ValueError(f"a deck has {_DECK_CARDS} cards, each of them once")
    upcard = deck[_UPCARD_AT]
    return Round(
        dealer=dealer,
        non_dealer=non_dealer,
        hands=(
            CardSet.of(deck[0:_UPCARD_AT:2]),
            CardSet.of(deck[1:_UPCARD_AT:2]),
        ),
        deck=tuple(deck),
        drawn=_UPCARD_AT + 1,
        discards=(DiscardEntry(upcard, None, 0, None),),
        passes=0,
        to_act=non_dealer,
        phase=UPCARD_OFFERED,
        knock_limit=knock_limit(rules, upcard),
        multiplier=multiplier(rules, upcard),
    )


def knock_limit(rules: Ruleset, upcard: Card) -> int:
    """Return the most deadwood to knock with after this first upcard.

    In Oklahoma Gin the first upcard sets the limit, face cards ten; an ace asks for
    gin, or for one point at most where the house says so.

    Source: bicyclecards.com/card-games/rule/oklahoma-gin; for one point,
    rummyrulebook.com/pages/oklahoma-gin-rummy.
    """
    if not rules.knock_limit_from_upcard:
        return rules.knock_limit
    if upcard.rank is Rank.ACE and rules.ace_limit is AceLimit.GIN_ONLY:
        return 0
    return min(rules.knock_limit, upcard.points)


def multiplier(rules: Ruleset, upcard: Card) -> int:
    """Return what a round's score is multiplied by after this first upcard.

    In Oklahoma Gin a spade doubles everything the round scores.

    Source: bicyclecards.com/card-games/rule/oklahoma-gin.
    """
    doubled = rules.spades_double and upcard.suit is Suit.SPADES
    return _SPADES_MULTIPLIER if doubled else 1


def legal_moves(round_: Round, rules: Ruleset, seat: Seat) -> tuple[Move, ...]:
    """Return what a seat may do: nothing unless it is to act."""
    if seat is not round_.to_act:
        return ()
    return options(rules, round_.phase, round_.hand(seat), round_.knock_limit)


def apply_move(round_: Round, rules: Ruleset, seat: Seat, move: Move) -> Round:
    """Return the round after a move.

    Raises:
        IllegalMoveError: It is not the seat's turn, or the rules do not allow the
            move.
        ValueError: The round is over, and the seat sat it out.
        TypeError: It is not a move at all, a text of one perhaps.
    """
    phase = round_.phase
    if seat is not round_.to_act and round_.to_act is not None:
        raise IllegalMoveError(Breach.NOT_YOUR_TURN, to_act=round_.to_act)
    hand = round_.hand(seat)
    match move:
        case Discard():
            check(rules, phase, hand, move)
            return _discard(round_, rules, seat, move.card)
        case DrawStock():
            check(rules, phase, hand, move)
            return _draw_stock(round_, seat)
        case DrawUpcard():
            check(rules, phase, hand, move)
            return _draw_upcard(round_, seat)
        case Pass():
            check(rules, phase, hand, move)
            return _pass(round_)
        case Knock():
            laid = lay_down(rules, phase, hand, round_.knock_limit, move)
            return _knock(round_, rules, seat, move.card, laid)
        case _:
            raise TypeError(f"{shown(move)} is no move")


def _pass(round_: Round) -> Round:
    if not round_.passes:
        return round_._replace(
            passes=1, to_act=round_.dealer, phase=UPCARD_REFUSED_ONCE
        )
    return round_._replace(passes=2, to_act=round_.non_dealer, phase=DRAW_FORCED)


def _draw_stock(round_: Round, seat: Seat) -> Round:
    drawn = round_.drawn
    card = round_.deck[drawn]
    hand = round_.hand(seat).add(card)
    phase = throw_after_stock(card)
    return _go_on(round_, seat, hand, drawn + 1, round_.discards, seat, phase)


def _draw_upcard(round_: Round, seat: Seat) -> Round:
    # The last card discarded is always the one on top: a turn ends with a discard,
    # and the first upcard is buried by the turn that follows its refusal.
    *others, (card, thrown_by, turn, _) = round_.discards
    discards = (*others, DiscardEntry(card, thrown_by, turn, seat))
    hand = round_.hand(seat).add(card)
    phase = throw_after_pile(card)
    return _go_on(round_, seat, hand, round_.drawn, discards, seat, phase)


def _discard(round_: Round, rules: Ruleset, seat: Seat, card: Card) -> Round:
    turn = len(round_.discards)
    discards = (*round_.discards, DiscardEntry(card, seat, turn, None))
    hand = round_.hand(seat).remove(card)
    opponent = round_.opponent(seat)
    after = _go_on(round_, seat, hand, round_.drawn, discards, opponent, DRAW)
    if after.stock_count <= rules.wall:
        return _end(after, RoundResult(Outcome.WALL, None, 0, None))
    if turn >= rules.turn_limit:
        return _end(after, RoundResult(Outcome.TURN_CAP, None, 0, None))
    return after


def _knock(
    round_: Round, rules: Ruleset, seat: Seat, discard: Card | None, laid: Arrangement
) -> Round:
    defender = round_.opponent(seat)
    may_lay_off = bool(laid.deadwood) or rules.layoff_on_gin
    spread = defend(laid.melds, round_.hand(defender), may_lay_off=may_lay_off)
    worth = score(
        rules,
        laid.points,
        spread.points,
        multiplier=round_.multiplier,
        big_gin=discard is None,
    )
    winner = (
        None if worth.knocker_wins is None else seat if worth.knocker_wins else defender
    )
    showdown = Showdown(seat, defender, discard, laid, spread)
    return _end(round_, RoundResult(worth.outcome, winner, worth.points, showdown))


def _end(round_: Round, result: RoundResult) -> Round:
    return round_._replace(to_act=None, phase=RoundOver(result))


def _go_on(  # noqa: PLR0913, PLR0917 - what changes of a round, one by one
    round_: Round,
    seat: Seat,
    hand: CardSet,
    drawn: int,
    discards: tuple[DiscardEntry, ...],
    to_act: Seat,
    phase: Phase,
) -> Round:
    """Return the round with another hand, in half the time that `_replace` takes."""
    non_dealer, dealer = round_.hands
    return Round(
        round_.dealer,
        round_.non_dealer,
        (non_dealer, hand) if seat is round_.dealer else (hand, dealer),
        round_.deck,
        drawn,
        discards,
        round_.passes,
        to_act,
        phase,
        round_.knock_limit,
        round_.multiplier,
    )
