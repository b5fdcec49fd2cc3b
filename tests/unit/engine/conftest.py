import random
from collections.abc import Callable

import pytest

from ginref.engine.card import PACK, Card, CardSet
from ginref.engine.deadwood import discard_deadwoods
from ginref.engine.deck import derive_deck, seed_secret
from ginref.engine.match import Match, apply, legal_moves, start_match
from ginref.engine.move import Discard, Knock, Move
from ginref.engine.phase import Throw
from ginref.engine.ruleset import HOLLYWOOD, Ruleset
from ginref.engine.seat import Seat


@pytest.fixture(scope="session")
def deal_from() -> Callable[..., tuple[Card, ...]]:
    """A deck, top first, that deals the hands named; cards not named come last."""

    def build(
        non_dealer: str, dealer: str, upcard: str, stock: str = ""
    ) -> tuple[Card, ...]:
        hands = zip(_cards(non_dealer), _cards(dealer), strict=True)
        named = [card for pair in hands for card in pair]
        named += [Card.parse(upcard), *_cards(stock)]
        rest = [card for card in PACK if card not in named]
        return (*named, *rest)

    return build


def _cards(text: str) -> list[Card]:
    return [Card.parse(word) for word in text.split()]


@pytest.fixture(scope="session")
def reach() -> Callable[..., Match]:
    """A match some moves after its start, played well enough to see every ending."""

    def play(seed: int, moves: int, rules: Ruleset = HOLLYWOOD) -> Match:
        secret = seed_secret(str(seed))
        chance = random.Random(seed)
        seats = tuple(Seat)[: rules.seat_count]
        match = start_match(
            rules,
            seats,
            chance.choice(seats),
            lambda k: derive_deck(secret, k),
        )
        for _ in range(moves):
            seat = match.to_act
            if seat is None:
                break
            move = _choose(match, seat, chance)
            match = apply(match, seat, move, lambda k: derive_deck(secret, k))
        return match

    return play


def _choose(match: Match, seat: Seat, chance: random.Random) -> Move:
    legal = legal_moves(match, seat)
    if isinstance(match.round.phase, Throw) and chance.random() < 0.9:
        knocks = [move for move in legal if isinstance(move, Knock)]
        if knocks:
            return chance.choice(knocks)
        left = discard_deadwoods(match.round.hand(seat))
        throws = [move for move in legal if isinstance(move, Discard)]
        return min(throws, key=lambda move: (left[move.card], -move.card.points))
    return chance.choice(legal)


@pytest.fixture(scope="session")
def hidden_from() -> Callable[[Match, Seat | None], CardSet]:
    """Cards that a seat has never seen; that nobody has, for the public."""

    def find(match: Match, seat: Seat | None) -> CardSet:
        seen = CardSet.of(entry.card for entry in match.round.discards)
        if seat is not None and match.round.is_played_by(seat):
            seen |= match.round.hand(seat)
        return CardSet.of(PACK) - seen

    return find
