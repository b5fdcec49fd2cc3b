"""Positions of seeded matches, worked out beforehand with the engine.

A referee that is given the same seed and the same moves comes to the same position,
so that a test can name cards before it has seen any.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial

from ginref.engine.card import PACK, Card, CardSet
from ginref.engine.deadwood import best_arrangement
from ginref.engine.deck import derive_deck, draw_first_dealer, seed_secret
from ginref.engine.match import Match, apply, legal_moves, start_match
from ginref.engine.meld import Meld, find_meld
from ginref.engine.move import Discard, Knock, parse_move
from ginref.engine.ruleset import preset
from ginref.engine.seat import Seat

SEATS = (Seat.NORTH, Seat.SOUTH)

DEALT = 3
"""Version of a seeded match whose seats are both taken, and the cards dealt."""

ONE_POINT: Mapping[str, int] = {"game_target": 1}
"""Rules by which the first round that is won ends the match."""

Fits = Callable[["Position"], bool]


@dataclass(frozen=True)
class Position:
    """A point of a seeded match of plain gin.

    Attributes:
        seed: Gives the cards.
        moves: What was played up to here, as text.
        movers: Who played it.
        match: The engine's match, hidden cards and all.
        changes: What the rules have different from the preset.
    """

    seed: str
    moves: tuple[str, ...]
    movers: tuple[Seat, ...]
    match: Match
    changes: Mapping[str, int] = field(default_factory=dict)

    @property
    def version(self) -> int:
        """Version of the match."""
        return DEALT + len(self.moves)

    @property
    def mover(self) -> Seat:
        """The seat that is to act; the dealer when nobody is."""
        to_act = self.match.to_act
        return self.match.dealer if to_act is None else to_act

    @property
    def waiting(self) -> Seat:
        """The other seat."""
        return self.match.round.opponent(self.mover)

    @property
    def hand(self) -> CardSet:
        """The cards of the seat to act."""
        return self.match.round.hand(self.mover)

    @property
    def seen(self) -> CardSet:
        """All cards that the seat to act has seen."""
        thrown = CardSet.of(entry.card for entry in self.match.round.discards)
        return self.hand | thrown

    @property
    def upcard(self) -> Card:
        """The top of the discard pile before the latest draw from it."""
        return self.match.round.discards[-1].card

    @property
    def foreign(self) -> Card:
        """A card that the seat to act does not hold."""
        return next(card for card in PACK if card not in self.seen)

    @property
    def knocks(self) -> tuple[Knock, ...]:
        """Legal knocks."""
        moves = legal_moves(self.match, self.mover)
        return tuple(move for move in moves if isinstance(move, Knock))

    @property
    def discard(self) -> Card:
        """A card that may be thrown and is in no meld of the hand."""
        return next(
            move.card
            for move in legal_moves(self.match, self.mover)
            if isinstance(move, Discard) and move.card in self._loose
        )

    @property
    def _loose(self) -> CardSet:
        return best_arrangement(self.hand).deadwood

    @property
    def melds(self) -> tuple[Meld, ...]:
        """Every meld of three cards in the hand."""
        found = (find_meld(CardSet.of(cards)) for cards in self._threes)
        return tuple(meld for meld in found if meld)

    @property
    def _threes(self) -> Iterator[tuple[Card, Card, Card]]:
        return itertools.combinations(self.hand, 3)

    @property
    def crossing(self) -> tuple[Meld, Meld] | None:
        """Two melds that share a card."""
        for one, other in itertools.combinations(self.melds, 2):
            if len(one.cards & other.cards) == 1:
                return one, other
        return None

    @property
    def melded(self) -> Card:
        """A card of the first meld that may be thrown."""
        cards = self.melds[0].cards
        return next(card for card in cards if card != self.upcard)

    @property
    def pair(self) -> tuple[Card, Card]:
        """Two cards of a rank."""
        pairs = itertools.combinations(self.hand, 2)
        return next((one, two) for one, two in pairs if one.rank == two.rank)

    @property
    def unmatched(self) -> tuple[Card, ...]:
        """Three cards of the hand that are no meld."""
        return next(
            cards for cards in self._threes if find_meld(CardSet.of(cards)) is None
        )

    @property
    def foreign_meld(self) -> Meld:
        """A meld whose cards are not all in the hand."""
        for cards in itertools.combinations(PACK, 3):
            meld = find_meld(CardSet.of(cards))
            if meld and meld.cards & self.hand != meld.cards:
                return meld
        raise AssertionError

    def play(self, text: str) -> "Position":
        """Return the position after a move."""
        deck_for = partial(derive_deck, seed_secret(self.seed))
        after = apply(self.match, self.mover, parse_move(text), deck_for)
        return Position(
            self.seed,
            (*self.moves, text),
            (*self.movers, self.mover),
            after,
            self.changes,
        )


def _dealt(seed: str, changes: Mapping[str, int]) -> Position:
    secret = seed_secret(seed)
    deck_for = partial(derive_deck, secret)
    dealer = draw_first_dealer(secret, SEATS)
    rules = preset("gin").but(**changes)
    return Position(seed, (), (), start_match(rules, SEATS, dealer, deck_for), changes)


def _find(
    *moves: str, fits: Fits = lambda _: True, changes: Mapping[str, int] = ONE_POINT
) -> Position:
    """Return the first position of some moves that fits, by the number of the seed."""
    for number in itertools.count():
        position = _dealt(f"bad input {number}", changes)
        for move in moves:
            text = f"discard {position.discard}" if move == "discard" else move
            position = position.play(text)
        if fits(position):
            return position
    raise AssertionError


@lru_cache
def offered() -> Position:
    """The first upcard is offered."""
    return _find()


@lru_cache
def offered_to_north() -> Position:
    """The first upcard is offered to north."""
    return _find(fits=lambda position: position.mover is Seat.NORTH)


@lru_cache
def forced() -> Position:
    """Both seats have refused the first upcard."""
    return _find("pass", "pass")


@lru_cache
def to_draw() -> Position:
    """A turn is over, and the other seat draws."""
    return _find("draw_upcard", "discard")


@lru_cache
def taken() -> Position:
    """The upcard was taken; the hand is far from a knock, and two melds cross in it."""
    return _find(
        "draw_upcard",
        fits=lambda position: bool(position.crossing and not position.knocks),
    )


@lru_cache
def able() -> Position:
    """A knock is legal, and ends the match."""
    return _find("draw_upcard", fits=lambda position: bool(position.knocks))


@lru_cache
def over() -> Position:
    """A knock has ended the match."""
    return able().play(str(able().knocks[0]))


@lru_cache
def big() -> Position:
    """Rules with big gin, and a hand that has none."""
    return _find("draw_upcard", changes={**ONE_POINT, "big_gin_bonus": 31})
