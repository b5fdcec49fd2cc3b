"""The engine's arithmetic against every arrangement tried one by one.

`make prove-engine` does the same with many more hands.
"""

import os
import random
from collections.abc import Callable

import pytest
from tests.unit.engine.brute_force import (
    POINTS,
    TEXTS,
    dense_hand,
    least_deadwood,
    least_deadwood_after_layoffs,
    least_deadwood_without_each,
    points,
    some_melds,
    uniform_hand,
)

from ginref.engine.card import Card, CardSet
from ginref.engine.deadwood import (
    best_arrangement,
    deadwood,
    discard_deadwoods,
    knock_discards,
)
from ginref.engine.layoff import defend
from ginref.engine.meld import Meld, find_meld

HANDS = int(os.environ.get("HANDS", "20000"))
SEED = os.environ.get("SEED", "1")

Draw = Callable[..., int]

CARDS = {bit: Card.parse(text) for bit, text in zip(POINTS, TEXTS, strict=True)}

each_kind = pytest.mark.parametrize(
    "draw",
    [pytest.param(uniform_hand, id="uniform"), pytest.param(dense_hand, id="dense")],
)


def card_set(cards: int) -> CardSet:
    return CardSet.of(card for bit, card in CARDS.items() if cards & bit)


def meld_of(cards: int) -> Meld:
    meld = find_meld(card_set(cards))
    assert meld is not None
    return meld


def test_the_oracle_counts_every_card_of_the_pack() -> None:
    assert len(POINTS) == 52
    assert points(sum(POINTS)) == 340


@each_kind
def test_the_deadwood_of_ten_cards_is_the_least_of_all_arrangements(draw: Draw) -> None:
    chance = random.Random(f"deadwood {SEED}")
    wrong = []
    for _ in range(HANDS):
        cards = draw(chance, 10)
        hand = card_set(cards)
        if not deadwood(hand) == best_arrangement(hand).points == least_deadwood(cards):
            wrong.append(str(hand))

    assert wrong == []


@each_kind
def test_a_card_can_be_thrown_to_knock_when_the_other_ten_are_within_the_limit(
    draw: Draw,
) -> None:
    chance = random.Random(f"knock {SEED}")
    wrong, knocks = [], 0
    for _ in range(HANDS):
        cards = draw(chance, 11)
        hand, limit = card_set(cards), chance.choice((10, 10, 10, 5, 0))
        kept = chance.choice((None, *hand))
        left = {
            CARDS[bit]: worth
            for bit, worth in least_deadwood_without_each(cards).items()
        }
        within = {card for card, worth in left.items() if worth <= limit} - {kept}
        found = knock_discards(hand, limit, kept)
        if discard_deadwoods(hand) != left or found != tuple(sorted(within)):
            wrong.append(f"{hand} within {limit} keeping {kept}")
        knocks += bool(within)

    assert wrong == []
    assert knocks


@each_kind
def test_melds_and_layoffs_together_leave_the_least_of_all_ways(draw: Draw) -> None:
    chance = random.Random(f"layoffs {SEED}")
    wrong, joint = [], 0
    for _ in range(HANDS):
        melds = some_melds(chance)
        cards = draw(chance, 10, apart_from=sum(melds))
        least = least_deadwood_after_layoffs(melds, cards)
        spread = defend([meld_of(meld) for meld in melds], card_set(cards))
        if spread.points != least:
            wrong.append(f"{card_set(cards)} against {card_set(sum(melds))}")
        joint += bool(spread.layoffs) and bool(spread.melds)

    assert wrong == []
    assert joint
