"""Cards, and sets of cards as one 52-bit number.

A card's index runs As...Ks Ah...Kh Ad...Kd Ac...Kc, 0 to 51; bit `index` of a
`CardSet.mask` says that the card is in the set. The ace is low and counts one
point; T, J, Q and K count ten.
"""

import enum
from collections.abc import Iterable, Iterator
from typing import Final, Self, final

from ginref.engine.error import NotationError, shown

_RANKS: Final = "A23456789TJQK"
_SUITS: Final = "shdc"
_TEXTS: Final = tuple(rank + suit for suit in _SUITS for rank in _RANKS)
_FACE_POINTS: Final = 10

CARD_FORM: Final = f"a rank of {_RANKS} and a suit of {_SUITS}"
"""What the text of a card is, for whoever wrote something else."""


class Rank(enum.IntEnum):
    """One of thirteen ranks, ace low."""

    ACE = 0
    TWO = 1
    THREE = 2
    FOUR = 3
    FIVE = 4
    SIX = 5
    SEVEN = 6
    EIGHT = 7
    NINE = 8
    TEN = 9
    JACK = 10
    QUEEN = 11
    KING = 12

    @property
    def points(self) -> int:
        """Deadwood points of a card of this rank, 1 to 10."""
        return min(self + 1, _FACE_POINTS)

    def __str__(self) -> str:
        """Return one letter of `A23456789TJQK`."""
        return _RANKS[self]


class Suit(enum.IntEnum):
    """One of four suits, in the order of an unshuffled deck."""

    SPADES = 0
    HEARTS = 1
    DIAMONDS = 2
    CLUBS = 3

    def __str__(self) -> str:
        """Return one letter of `shdc`."""
        return _SUITS[self]


@final
class Card:
    """A playing card. Equal cards are the same object, so `is` and `==` agree.

    Attributes:
        rank: The card's rank.
        suit: The card's suit.
        index: 0 (As) to 51 (Kc).
        bit: `1 << index`.
        points: Deadwood points, 1 to 10.
    """

    __slots__ = ("bit", "index", "points", "rank", "suit")
    index: int
    bit: int
    points: int
    rank: Rank
    suit: Suit

    def __new__(cls, rank: Rank, suit: Suit) -> "Card":
        """Return the one card of this rank and suit."""
        return PACK[suit * 13 + rank]

    def __reduce__(self) -> tuple[type["Card"], tuple[Rank, Suit]]:
        """Copies and pickles give back the same object."""
        return Card, (self.rank, self.suit)

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse: a card never changes."""
        message = f"a card is immutable: {name} = {value!r}"
        raise AttributeError(message)

    @classmethod
    def parse(cls, text: str) -> "Card":
        """Read a card such as `Td`, in either case.

        Raises:
            NotationError: The text is not a rank letter and a suit letter.
        """
        try:
            return _BY_TEXT[text]
        except KeyError:
            message = f"{shown(text)} is not a card: {CARD_FORM}"
            raise NotationError(message) from None

    def __lt__(self, other: "Card") -> bool:
        """Order by index: spades first, ace first."""
        return self.index < other.index

    def __str__(self) -> str:
        """Rank and suit, as in `Td`."""
        return _TEXTS[self.index]

    def __repr__(self) -> str:
        """Read like the call that makes it."""
        return f"Card.parse({str(self)!r})"


def _card(index: int) -> Card:
    card = object.__new__(Card)
    suit, rank = divmod(index, 13)
    values = {
        "rank": Rank(rank),
        "suit": Suit(suit),
        "index": index,
        "bit": 1 << index,
        "points": Rank(rank).points,
    }
    for name, value in values.items():
        object.__setattr__(card, name, value)
    return card


PACK: Final[tuple[Card, ...]] = tuple(map(_card, range(52)))
"""All 52 cards by index, in the order of an unshuffled deck."""

_BY_TEXT: Final = {
    rank + suit: card
    for card in PACK
    for rank in {str(card.rank), str(card.rank).lower()}
    for suit in {str(card.suit), str(card.suit).upper()}
}


def _list_by_byte(low: int) -> tuple[tuple[Card, ...], ...]:
    """The cards that each value of a mask's eight bits from `low` on stands for."""
    cards = PACK[low : low + 8]
    return tuple(
        tuple(card for at, card in enumerate(cards) if byte >> at & 1)
        for byte in range(1 << len(cards))
    )


_A, _B, _C, _D, _E, _F, _G = map(_list_by_byte, range(0, 52, 8))


@final
class CardSet:
    """An immutable set of cards; iteration goes by index.

    Attributes:
        mask: Bit `index` is set for each card in the set.
    """

    __slots__ = ("mask",)
    mask: int

    def __init__(self, mask: int = 0) -> None:
        """Wrap a 52-bit mask."""
        _set_mask(self, mask)

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse: a card set never changes."""
        message = f"a card set is immutable: {name} = {value!r}"
        raise AttributeError(message)

    def __reduce__(self) -> tuple[type[Self], tuple[int]]:
        """Copy and pickle by mask."""
        return type(self), (self.mask,)

    @classmethod
    def of(cls, cards: Iterable[Card]) -> "CardSet":
        """Return the set of the given cards; repeated cards count once."""
        mask = 0
        for card in cards:
            mask |= card.bit
        return cls(mask)

    @classmethod
    def parse(cls, text: str) -> "CardSet":
        """Read cards separated by blanks or written together, as in `As 2s` or `As2s`.

        Raises:
            NotationError: A card is unreadable or appears twice.
        """
        letters = "".join(text.split())
        mask = 0
        for at in range(0, len(letters), 2):
            card = Card.parse(letters[at : at + 2])
            if mask & card.bit:
                message = f"{card} appears twice in {shown(text)}"
                raise NotationError(message)
            mask |= card.bit
        return cls(mask)

    @property
    def points(self) -> int:
        """Sum of the deadwood points of all cards in the set."""
        return sum(card.points for card in self)

    def __iter__(self) -> Iterator[Card]:
        """Yield the cards by index."""
        mask = self.mask
        # Seven look-ups take less time than a step for each card.
        return iter(
            (
                *_A[mask & 255],
                *_B[mask >> 8 & 255],
                *_C[mask >> 16 & 255],
                *_D[mask >> 24 & 255],
                *_E[mask >> 32 & 255],
                *_F[mask >> 40 & 255],
                *_G[mask >> 48],
            )
        )

    def __len__(self) -> int:
        """Count the cards."""
        return self.mask.bit_count()

    def __contains__(self, card: object) -> bool:
        """Say whether the card is in the set."""
        return isinstance(card, Card) and bool(self.mask & card.bit)

    def __or__(self, other: "CardSet") -> "CardSet":
        """Return the cards in either set."""
        return CardSet(self.mask | other.mask)

    def __and__(self, other: "CardSet") -> "CardSet":
        """Return the cards in both sets."""
        return CardSet(self.mask & other.mask)

    def __sub__(self, other: "CardSet") -> "CardSet":
        """Return the cards that are not in the other set."""
        return CardSet(self.mask & ~other.mask)

    def add(self, card: Card) -> "CardSet":
        """Return the set with the card in it."""
        return CardSet(self.mask | card.bit)

    def remove(self, card: Card) -> "CardSet":
        """Return the set without the card."""
        return CardSet(self.mask & ~card.bit)

    def __eq__(self, other: object) -> bool:
        """Compare by cards."""
        return isinstance(other, CardSet) and self.mask == other.mask

    def __hash__(self) -> int:
        """Hash by cards."""
        return hash(self.mask)

    def __str__(self) -> str:
        """Cards by index, separated by blanks."""
        return " ".join(map(str, self))

    def __repr__(self) -> str:
        """Read like the call that makes it."""
        return f"CardSet.parse({str(self)!r})"


_set_mask: Final = CardSet.__dict__["mask"].__set__
