"""Hands beside RLCard, which has no layoffs, no undercut and no points.

It can be asked for two things: the least deadwood of ten cards, and the cards to
throw for a knock. Where eleven cards allow gin it lists nothing else than one way to
do that, which need not be legal, so those hands are counted and left out.
"""

import os
import random
import sys
from collections import Counter
from collections.abc import Callable

import pytest

from ginref.engine.card import PACK, Card, CardSet
from ginref.engine.deadwood import deadwood, discard_deadwoods, knock_discards

rlcard = pytest.importorskip("rlcard.games.base", reason="RLCard is not installed")
judge = pytest.importorskip("rlcard.games.gin_rummy.judge")
melding = pytest.importorskip("rlcard.games.gin_rummy.utils.melding")
utils = pytest.importorskip("rlcard.games.gin_rummy.utils.utils")

HANDS = int(os.environ.get("HANDS", "20000")) // 4
SEED = os.environ.get("SEED", "1")

Draw = Callable[[random.Random, int], list[Card]]


def uniform(chance: random.Random, size: int) -> list[Card]:
    return chance.sample(PACK, size)


def dense(chance: random.Random, size: int) -> list[Card]:
    low = chance.randrange(8)
    return chance.sample([card for card in PACK if low <= card.rank < low + 6], size)


each_kind = pytest.mark.parametrize(
    "draw", [pytest.param(uniform, id="uniform"), pytest.param(dense, id="dense")]
)


def theirs(card: Card) -> object:
    text = str(card)
    return rlcard.Card(text[1].upper(), text[0])


@each_kind
def test_both_engines_find_the_same_deadwood_of_ten_cards(draw: Draw) -> None:
    chance = random.Random(f"rlcard deadwood {SEED}")
    differ = []
    for _ in range(HANDS):
        hand = draw(chance, 10)
        cards = [theirs(card) for card in hand]
        best = melding.get_best_meld_clusters(cards)
        left = utils.get_deadwood_count(cards, best[0] if best else [])
        if left != deadwood(CardSet.of(hand)):
            differ.append(str(CardSet.of(hand)))

    assert differ == []


@each_kind
def test_both_engines_knock_with_the_same_discards(draw: Draw) -> None:
    chance = random.Random(f"rlcard knock {SEED}")
    differ, seen = [], Counter[str]()
    for _ in range(HANDS):
        cards = draw(chance, 11)
        hand = CardSet.of(cards)
        listed, gin = judge.get_going_out_cards([theirs(card) for card in cards], 10)
        left = discard_deadwoods(hand)
        assert bool(gin) == (0 in left.values()), str(hand)
        if gin:
            thrown = {Card.parse(card.rank + card.suit) for card in gin}
            legal = all(left[card] == 0 for card in thrown)
            assert legal or not deadwood(hand), str(hand)
            seen["gin: one legal discard" if legal else "gin: an illegal discard"] += 1
            continue
        found = {Card.parse(card.rank + card.suit) for card in listed}
        if found != set(knock_discards(hand, 10, None)):
            differ.append(str(hand))
        seen["a knock" if found else "no knock"] += 1

    for what, count in seen.most_common():
        sys.stdout.write(f"{count:8} {what}\n")
    assert differ == []
    assert seen["no knock"]
