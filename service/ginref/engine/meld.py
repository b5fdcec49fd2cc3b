"""Melds: sets of a rank, runs of a suit, and what somebody claims to be one.

A set is three or four cards of one rank; a run is three or more cards of one
suit in sequence, ace low: A-2-3 is a run, Q-K-A is not.

Source: askalink.com/play/gin-rummy/gin-rummy-rules.html.
"""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from ginref.engine.card import PACK, Card, CardSet, Rank, Suit
from ginref.engine.error import NotationError, shown

MELD_CARDS_MIN: Final = 3

_CLAIM_CARDS_MIN: Final = 2


@dataclass(frozen=True, slots=True)
class SetMeld:
    """Three or four cards of one rank.

    Attributes:
        rank: The rank all cards share.
        cards: The cards.
    """

    rank: Rank
    cards: CardSet

    def __str__(self) -> str:
        """Cards written together, as in `7s7h7d`."""
        return "".join(map(str, self.cards))

    def __repr__(self) -> str:
        """Name the cards; who masks cards masks melds, too."""
        return f"SetMeld({str(self)!r})"


@dataclass(frozen=True, slots=True)
class RunMeld:
    """Three or more cards of one suit in sequence.

    Attributes:
        suit: The suit all cards share.
        low: The lowest rank.
        high: The highest rank.
    """

    suit: Suit
    low: Rank
    high: Rank

    @property
    def cards(self) -> CardSet:
        """The cards from low to high."""
        length = self.high - self.low + 1
        return CardSet(((1 << length) - 1) << (self.suit * 13 + self.low))

    def __str__(self) -> str:
        """Cards written together, as in `4c5c6c`."""
        return "".join(map(str, self.cards))

    def __repr__(self) -> str:
        """Name the cards; who masks cards masks melds, too."""
        return f"RunMeld({str(self)!r})"


Meld = SetMeld | RunMeld


def _all_melds() -> dict[int, Meld]:
    melds: dict[int, Meld] = {}
    for rank in Rank:
        four = CardSet.of(PACK[rank :: len(Rank)])
        for cards in (four, *map(four.remove, four)):
            melds[cards.mask] = SetMeld(rank, cards)
    for suit in Suit:
        for low, high in itertools.combinations(Rank, 2):
            run = RunMeld(suit, low, high)
            if len(run.cards) >= MELD_CARDS_MIN:
                melds[run.cards.mask] = run
    return dict(sorted(melds.items()))


MELDS: Final[Mapping[int, Meld]] = MappingProxyType(_all_melds())
"""Every meld there is, by the mask of its cards and in the order of the masks."""


def find_meld(cards: CardSet) -> Meld | None:
    """Return the meld these cards make, or None when they make none."""
    return MELDS.get(cards.mask)


_TRIOS: Final = [
    meld for mask, meld in MELDS.items() if mask.bit_count() == MELD_CARDS_MIN
]
_TRIOS_WITH: Final = {
    card: tuple([meld for meld in _TRIOS if card in meld.cards]) for card in PACK
}


def trios_with(card: Card) -> tuple[Meld, ...]:
    """Return the melds of three cards that contain this one."""
    return _TRIOS_WITH[card]


@dataclass(frozen=True, slots=True)
class DeclaredMeld:
    """Cards that somebody claims to be a meld, in the order they were named.

    It may be too short, no meld, or hold a card twice: the engine judges it when
    the knock is applied, and keeps the claim as it was made.
    """

    cards: tuple[Card, ...]

    def __post_init__(self) -> None:
        """Refuse a claim that its own text could not tell from a single card.

        Raises:
            NotationError: Fewer than two cards are named.
        """
        if len(self.cards) < _CLAIM_CARDS_MIN:
            message = f"{str(self)!r} is not a meld: two cards or more expected"
            raise NotationError(message)

    @classmethod
    def parse(cls, text: str) -> "DeclaredMeld":
        """Read cards written together, as in `7s7h7d`.

        Raises:
            NotationError: The text is not a sequence of two or more cards.
        """
        if len(text) % 2:
            expected = "cards written together, as in 7s7h7d"
            message = f"{shown(text)} is not a meld: {expected}"
            raise NotationError(message)
        pairs = (text[at : at + 2] for at in range(0, len(text), 2))
        return cls(tuple(map(Card.parse, pairs)))

    @classmethod
    def of(cls, meld: Meld) -> "DeclaredMeld":
        """Declare a meld."""
        return cls(tuple(meld.cards))

    def __str__(self) -> str:
        """Cards written together in the order they were named."""
        return "".join(map(str, self.cards))
