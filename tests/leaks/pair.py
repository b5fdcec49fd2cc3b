"""Two worlds that differ in nothing but cards that an observer has not seen."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tests.leaks.dealing import Deck
from tests.leaks.script import Script, hidden_cards
from tests.leaks.world import SEATED

from ginref.engine.card import PACK, Card, CardSet

KINDS: Final = ("everything", "stock", "two cards", "hands and stock")
"""What is different in the other world."""


@dataclass(frozen=True)
class OtherWorld:
    """The same script on other cards.

    Attributes:
        kind: What is different.
        decks: The cards.
        moved: How many cards of the deals so far lie elsewhere.
        blind: Bots that cannot know of the difference; outsiders never can.
    """

    kind: str
    decks: tuple[Deck, ...]
    moved: int
    blind: tuple[str, ...]


def other_world(script: Script, number: int) -> OtherWorld:
    """Deal hidden cards otherwise, and all cards of deals to come."""
    kind = KINDS[number % len(KINDS)]
    chance = random.Random(f"{script.number}/{number}")
    hidden = {seat: hidden_cards(script, seat) for seat in (*script.seats, None)}
    # What the observer has not seen, an outsider has not seen either.
    allowed = hidden[script.observer]
    decks, moved = list(script.decks), {}
    for k, cards in allowed.items():
        swap = _swap(script, k, cards, kind, chance)
        moved[k] = CardSet.of(card for card in swap if swap[card] is not card)
        decks[k] = tuple(swap.get(card, card) for card in decks[k])
    for k in range(max(allowed) + 1, len(decks)):
        coming = list(PACK)
        chance.shuffle(coming)
        decks[k] = tuple(coming)
    blind = tuple(
        SEATED[seat]
        for seat in script.seats
        if all(moved[k] & hidden[seat][k] == moved[k] for k in moved)
    )
    return OtherWorld(kind, tuple(decks), sum(map(len, moved.values())), blind)


def _swap(
    script: Script, k: int, cards: CardSet, kind: str, chance: random.Random
) -> dict[Card, Card]:
    """Return which card takes the place of which."""
    matches = [one for one in (*script.before, script.at_end) if one.deal_number == k]
    round_ = matches[-1].round
    stock = [card for card in round_.deck[round_.drawn :] if card in cards]
    order = list(cards)
    if kind == "stock":
        order = stock
    elif kind == "two cards":
        order = chance.sample(order, min(2, len(order)))
    elif kind == "hands and stock":
        held = [card for card in order if card not in stock]
        size = min(len(held), len(stock))
        return dict(
            zip(held[:size] + stock[:size], stock[:size] + held[:size], strict=True)
        )
    return dict(zip(order, _rotated(order, chance), strict=True))


def _rotated(order: Sequence[Card], chance: random.Random) -> list[Card]:
    """Return the cards in another order, in which no card stays where it was."""
    shuffled = list(order)
    chance.shuffle(shuffled)
    after = dict(zip(shuffled, shuffled[1:] + shuffled[:1], strict=True))
    return [after[card] for card in order]
