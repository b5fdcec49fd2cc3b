"""Every arrangement of a hand and every order of laying off, tried one by one.

Nothing here comes from the engine: a card is a bit that counts by rank first, a hand
is the sum of its cards, and the melds of the pack are written down one after another.
"""

import functools
import operator
import random
from collections.abc import Iterator
from typing import Final

RANKS: Final = "A23456789TJQK"
SUITS: Final = "shdc"

TEXTS: Final = [rank + suit for rank in RANKS for suit in SUITS]
POINTS: Final = {
    1 << at: min(RANKS.index(text[0]) + 1, 10) for at, text in enumerate(TEXTS)
}


def mask(*texts: str) -> int:
    return sum(1 << TEXTS.index(text) for text in texts)


def texts(cards: int) -> list[str]:
    return [text for at, text in enumerate(TEXTS) if cards >> at & 1]


def points(cards: int) -> int:
    return sum(worth for bit, worth in POINTS.items() if cards & bit)


def _melds() -> Iterator[int]:
    for rank in RANKS:
        four = mask(*(rank + suit for suit in SUITS))
        yield four
        for suit in SUITS:
            yield four - mask(rank + suit)
    for suit in SUITS:
        for low in range(len(RANKS)):
            for high in range(low + 3, len(RANKS) + 1):
                yield mask(*(rank + suit for rank in RANKS[low:high]))


MELDS: Final = {meld: points(meld) for meld in _melds()}
assert len(MELDS) == 329

GROWN: Final = {
    meld: [
        (larger ^ meld, larger)
        for larger in MELDS
        if meld & larger == meld and (larger ^ meld).bit_count() == 1
    ]
    for meld in MELDS
}
"""Each meld, with every card that can be added to it and the meld that makes."""


def arrangements(hand: int) -> list[tuple[int, int]]:
    """Melded cards and their points, of every way to meld the hand or none of it."""
    here = [meld for meld in MELDS if hand & meld == meld]
    found = [(0, 0)]
    for meld in here:
        worth = MELDS[meld]
        found += [
            (melded | meld, saved + worth)
            for melded, saved in found
            if not melded & meld
        ]
    return found


def least_deadwood(hand: int) -> int:
    return points(hand) - max(saved for _, saved in arrangements(hand))


def least_deadwood_without_each(hand: int) -> dict[int, int]:
    """Least deadwood of the others, by the card thrown."""
    total, ways = points(hand), arrangements(hand)
    return {
        card: total - worth - max(saved for melded, saved in ways if not melded & card)
        for card, worth in POINTS.items()
        if hand & card
    }


def laid_off(melds: tuple[int, ...], hand: int) -> set[int]:
    """Every group of cards that can leave the hand for the melds, card by card."""
    found = set()
    ahead = [(melds, hand)]
    seen = set(ahead)
    while ahead:
        now, held = ahead.pop()
        found.add(hand ^ held)
        for at, meld in enumerate(now):
            for card, larger in GROWN[meld]:
                if held & card:
                    after = ((*now[:at], larger, *now[at + 1 :]), held ^ card)
                    if after not in seen:
                        seen.add(after)
                        ahead.append(after)
    return found


def least_deadwood_after_layoffs(melds: tuple[int, ...], hand: int) -> int:
    total, ways = points(hand), arrangements(hand)
    return min(
        total - points(laid) - max(saved for melded, saved in ways if not melded & laid)
        for laid in laid_off(melds, hand)
    )


# --- chance --------------------------------------------------------------------


def uniform_hand(chance: random.Random, size: int, apart_from: int = 0) -> int:
    """Cards of the whole pack, each as likely as any other."""
    pack = [bit for bit in POINTS if not bit & apart_from]
    return sum(chance.sample(pack, size))


def dense_hand(chance: random.Random, size: int, apart_from: int = 0) -> int:
    """Cards of six ranks in sequence, where almost everything fits something."""
    low = chance.randrange(len(RANKS) - 5)
    ranks = [bit for at, bit in enumerate(POINTS) if low <= at // 4 < low + 6]
    pack = [bit for bit in ranks if not bit & apart_from]
    return sum(chance.sample(pack, size))


def some_melds(chance: random.Random) -> tuple[int, ...]:
    """Two or three melds, runs of six at most, that ten cards have room for."""
    while True:
        melds = tuple(chance.sample(_AS_LISTED, chance.choice((2, 3))))
        together = functools.reduce(operator.or_, melds)
        apart = together.bit_count() == sum(meld.bit_count() for meld in melds)
        if apart and together.bit_count() <= 10:
            return melds


_AS_LISTED: Final = [meld for meld in MELDS if meld.bit_count() <= 6]
