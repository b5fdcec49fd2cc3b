"""Where the cards of many deals lie, and how likely that is if chance decided.

Every count that would be the same for all cards, if nothing favoured any, is compared
with it by chi-squared. `z` is how many standard deviations the result lies from what is
expected; one honest test in 16,000 is beyond 4.

Source: for whole permutations the counts of card by position hang together, so their
chi-squared is scaled by (n - 1) / n and has (n - 1)^2 degrees of freedom.
"""

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from ginref.engine.card import PACK
from ginref.engine.deck import derive_deck
from ginref.record.share import mix

CARDS: Final = len(PACK)
LIMIT: Final = 4.0
"""Most standard deviations that pass for chance."""

_DEALS_OF_A_MATCH: Final = 20
_BATCH: Final = 10_000

Deal = Callable[[bytes, int], Sequence[int]]
"""The deck of the deal `k` under a secret, as numbers of cards; top first."""


@dataclass(slots=True)
class Tally:
    """Counts over many deals.

    Attributes:
        deals: How many.
        positions: How often each card lay at each position.
        pairs: How often each two cards lay on top, in order.
        followings: How often a top card followed another one in the same match.
        followed: Deals that followed another one in the same match.
    """

    deals: int = 0
    positions: list[Counter[int]] = field(
        default_factory=lambda: [Counter() for _ in PACK]
    )
    pairs: Counter[tuple[int, int]] = field(default_factory=Counter)
    followings: Counter[tuple[int, int]] = field(default_factory=Counter)
    followed: int = 0

    def add(self, other: "Tally") -> None:
        """Take in the counts of other deals."""
        self.deals += other.deals
        self.followed += other.followed
        self.pairs.update(other.pairs)
        self.followings.update(other.followings)
        for mine, theirs in zip(self.positions, other.positions, strict=True):
            mine.update(theirs)

    def take(self, decks: Sequence[Sequence[int]], matches: Sequence[int]) -> None:
        """Count some deals, each with the number of its match."""
        for position, cards in enumerate(zip(*decks, strict=True)):
            self.positions[position].update(cards)
        tops = [deck[0] for deck in decks]
        self.deals += len(decks)
        self.pairs.update((deck[0], deck[1]) for deck in decks)
        follow = [
            (tops[at - 1], tops[at])
            for at in range(1, len(tops))
            if matches[at] == matches[at - 1]
        ]
        self.followings.update(follow)
        self.followed += len(follow)

    def scores(self) -> dict[str, float]:
        """Return `z` of every test, by its name."""
        inside = [count for row in self.positions for count in by_card(row)]
        ordered = [
            self.pairs[one, two]
            for one in range(CARDS)
            for two in range(CARDS)
            if one != two
        ]
        following = [
            self.followings[one, two] for one in range(CARDS) for two in range(CARDS)
        ]
        scale = (CARDS - 1) / CARDS
        spread = scale * chi_squared(inside, self.deals / CARDS)
        return {
            "card by position": _z(spread, (CARDS - 1) ** 2),
            "two cards on top": _z(
                chi_squared(ordered, self.deals / len(ordered)), len(ordered) - 1
            ),
            "top card after top card": _z(
                chi_squared(following, self.followed / len(following)),
                len(following) - 1,
            ),
        }


def by_card(row: Counter[int]) -> list[int]:
    """Return the counts of all cards, in order."""
    return [row[card] for card in range(CARDS)]


def chi_squared(counts: Sequence[int], expected: float) -> float:
    """Return how far counts are from what each of them should be."""
    return sum((count - expected) ** 2 for count in counts) / expected


def _z(spread: float, freedom: int) -> float:
    return (spread - freedom) / math.sqrt(2 * freedom)


def deal_fairly(secret: bytes, k: int) -> list[int]:
    """Deal as the referee does."""
    return [card.index for card in derive_deck(secret, k)]


def tally(deals: int, *, seed: int, deal: Deal = deal_fairly, first: int = 0) -> Tally:
    """Count the deals of matches whose secrets are mixed from shares of their own.

    Args:
        deals: How many.
        seed: All shares follow from it.
        deal: What makes a deck of a secret.
        first: Number of the first match.
    """
    counted = Tally()
    numbers = _deals(deals, first)
    for start in range(0, deals, _BATCH):
        batch = [next(numbers) for _ in range(min(_BATCH, deals - start))]
        secrets = {match: _secret(seed, match) for match in {one for one, _ in batch}}
        decks = [deal(secrets[match], k) for match, k in batch]
        counted.take(decks, [match for match, _ in batch])
    return counted


def _deals(count: int, first: int) -> Iterator[tuple[int, int]]:
    """Yield the match and the number of each deal."""
    for number in range(count):
        match, k = divmod(number, _DEALS_OF_A_MATCH)
        yield first + match, k


def _secret(seed: int, match: int) -> bytes:
    """Mix a match secret from the shares of a referee and of two seats."""
    referee, north, south = (
        hashlib.sha256(f"{seed} {match} {name}".encode()).digest()
        for name in ("referee", "north", "south")
    )
    return mix(f"match-{match}", referee, (north, south))
