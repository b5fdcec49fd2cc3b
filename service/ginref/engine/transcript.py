"""A match written down: its rules, its deals and its moves, and nothing that follows.

Whoever has it can play the match again without any secret. `notation` is its text.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from ginref.engine.card import PACK, Card, CardSet
from ginref.engine.error import EngineError
from ginref.engine.match import (
    DeckFor,
    Match,
    abandon,
    apply,
    forfeit,
    start_match,
)
from ginref.engine.move import DrawStock, Move
from ginref.engine.round import HAND_CARDS, Round
from ginref.engine.ruleset import Ruleset
from ginref.engine.seat import Seat

STOCK_CARDS: Final = len(PACK) - 2 * HAND_CARDS - 1
"""Cards of the stock before the first move."""


class UnknownCardError(EngineError):
    """A card of the stock is drawn that the deal does not name."""


@dataclass(frozen=True, slots=True)
class Deal:
    """The cards of one round before its first move.

    Attributes:
        hands: Cards of the non-dealer, then of the dealer.
        upcard: The card turned up.
        stock: The stock from its top, as far as it is known. Somebody who wrote a
            round down at the table knows only the cards that were drawn.
    """

    hands: tuple[CardSet, CardSet]
    upcard: Card
    stock: tuple[Card, ...]

    @classmethod
    def of(cls, dealt: Round) -> "Deal":
        """Return the deal of a round that nobody has moved in."""
        return cls(dealt.hands, dealt.first_upcard, dealt.deck[dealt.drawn :])

    @property
    def deck(self) -> tuple[Card, ...]:
        """A deck that deals these cards, top first; unknown cards come last."""
        hands = zip(*self.hands, strict=True)
        known = [card for pair in hands for card in pair]
        known += [self.upcard, *self.stock]
        rest = CardSet.of(PACK) - CardSet.of(known)
        return (*known, *rest)


@dataclass(frozen=True, slots=True)
class TranscribedRound:
    """One round: its cards, and the moves of both seats as far as it was played."""

    deal: Deal
    moves: tuple[Move, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """A match, or its first rounds.

    Attributes:
        rules: The house rules.
        bots: Name of the bot of each seat.
        first_dealer: Who dealt the first round.
        rounds: The rounds, from the first one on; at least one.
        seed: The seed that its deals follow from; None if there is none.
        stopped_by: Seats that forfeited the match after its last move; empty when
            it was abandoned; None when it was played out, or goes on.
    """

    rules: Ruleset
    bots: tuple[str, ...]
    first_dealer: Seat
    rounds: tuple[TranscribedRound, ...]
    seed: str | None = None
    stopped_by: tuple[Seat, ...] | None = None

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The seats, in order."""
        return tuple(Seat)[: len(self.bots)]


class Position(NamedTuple):
    """A match at one moment, and what led to it.

    After a move that ended a round, `match` holds the deal of the next one. Where
    the transcript has no next one, those cards are nobody's and mean nothing.

    Attributes:
        match: The match.
        seat: Who moved; None for a fresh deal and for an end without a move.
        move: The move; None as above.
        before: The match before it; None for the first deal.
    """

    match: Match
    seat: Seat | None
    move: Move | None
    before: Match | None


def replay(transcript: Transcript) -> Iterator[Position]:
    """Play a transcript again: each deal, each move, and its end if it was stopped.

    Raises:
        IllegalMoveError: A move is illegal, or the match is over before it.
        UnknownCardError: A move draws a card that the deal does not name.
        ValueError: It has not a bot for each seat of its rules, or its rounds are
            not the rounds of a match.
    """
    decks = [played.deal.deck for played in transcript.rounds] + [PACK]
    match = start_match(
        transcript.rules,
        transcript.seats,
        transcript.first_dealer,
        _one(decks[0]),
    )
    before: Match | None = None
    for number, played in enumerate(transcript.rounds, 1):
        if match.round_number != number or match.over:
            raise ValueError(f"round {number} cannot follow")
        yield Position(match, None, None, before)
        for move in played.moves:
            if match.round_number != number:
                raise ValueError(f"round {number} has moves after its end")
            before = match
            match = advance(match, played.deal, move, _one(decks[number]))
            yield Position(match, before.to_act, move, before)
    if transcript.stopped_by is not None:
        before = match
        match = stop(match, transcript.stopped_by)
        yield Position(match, None, None, before)


def advance(match: Match, deal: Deal, move: Move, deck_for: DeckFor) -> Match:
    """Return a match after a move of the seat that is to act.

    Args:
        match: The match as it stands.
        deal: The deal of its round.
        move: The move.
        deck_for: The deck of the next round, should the move end this one.

    Raises:
        IllegalMoveError: The rules do not allow the move, or the match is over.
        UnknownCardError: The move draws a card that the deal does not name.
    """
    seat = match.round.dealer if match.to_act is None else match.to_act
    after = apply(match, seat, move, deck_for)
    if isinstance(move, DrawStock) and _stock_drawn(after.round) > len(deal.stock):
        raise UnknownCardError(f"the deal names {len(deal.stock)} cards of the stock")
    return after


def _one(deck: tuple[Card, ...]) -> DeckFor:
    # However the engine counts its deals, the next one is the next one written.
    return lambda _: deck


def _stock_drawn(round_: Round) -> int:
    """Count the cards drawn from the stock."""
    return STOCK_CARDS - round_.stock_count


def stop(match: Match, at_fault: Sequence[Seat]) -> Match:
    """Return a match that these seats forfeit; that is abandoned if there are none.

    Raises:
        IllegalMoveError: The match is over already.
        ValueError: A seat is none of the match's.
    """
    return forfeit(match, at_fault) if at_fault else abandon(match)
