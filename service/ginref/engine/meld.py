"""Melds: sets of a rank, runs of a suit, and what somebody claims to be one.

A set is three or four cards of one rank; a run is three or more cards of one
suit in sequence, ace low: A-2-3 is a run, Q-K-A is not.

Source: askalink.com/play/gin-rummy/gin-rummy-rules.html.
"""

from dataclasses import dataclass
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


def find_meld(cards: CardSet) -> Meld | None:
    """Return the meld these cards make, or None when they make none."""
    held = list(cards)
    if len(held) < MELD_CARDS_MIN:
        return None
    first, last = held[0], held[-1]
    if all(card.rank == first.rank for card in held):
        return SetMeld(first.rank, cards)
    one_suit = all(card.suit == first.suit for card in held)
    if one_suit and last.rank - first.rank + 1 == len(held):
        return RunMeld(first.suit, first.rank, last.rank)
    return None


def _melds_of_three() -> tuple[tuple[Meld, ...], ...]:
    """Find the melds of three that contain each card, by the masks of their cards."""
    found: list[dict[int, Meld]] = [{} for _ in PACK]
    for card in PACK:
        same_rank = [other for other in PACK if other.rank is card.rank]
        masks = [CardSet.of(other for other in same_rank if other is not card).mask]
        if card.index + MELD_CARDS_MIN <= len(PACK):
            masks.append(card.bit * 0b111)
        for mask in masks:
            meld = find_meld(CardSet(mask))
            if meld is not None:
                for member in meld.cards:
                    found[member.index][mask] = meld
    return tuple(tuple(melds[mask] for mask in sorted(melds)) for melds in found)


_TRIOS: Final = _melds_of_three()


def trios_with(card: Card) -> tuple[Meld, ...]:
    """Return the melds of three cards that contain this one."""
    return _TRIOS[card.index]


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
