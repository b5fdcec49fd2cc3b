"""The decisions a seat can make, with their text form.

`pass`, `draw_upcard`, `draw_stock`, `discard Td`, `knock Td`,
`knock Td As2s3s 9h9d9c` (with declared melds, cards of a meld written together)
and `knock` alone for big gin. Letters are read in either case.
"""

from dataclasses import dataclass
from typing import Final

from ginref.engine.card import Card
from ginref.engine.error import NotationError, shown
from ginref.engine.meld import DeclaredMeld


@dataclass(frozen=True, slots=True)
class Pass:
    """Refuse the first upcard."""

    def __str__(self) -> str:
        """Text form."""
        return "pass"


@dataclass(frozen=True, slots=True)
class DrawUpcard:
    """Take the top card of the discard pile."""

    def __str__(self) -> str:
        """Text form."""
        return "draw_upcard"


@dataclass(frozen=True, slots=True)
class DrawStock:
    """Draw the top card of the stock."""

    def __str__(self) -> str:
        """Text form."""
        return "draw_stock"


@dataclass(frozen=True, slots=True)
class Discard:
    """Throw a card and end the turn."""

    card: Card

    def __str__(self) -> str:
        """Text form."""
        return f"discard {self.card}"


@dataclass(frozen=True, slots=True)
class Knock:
    """Throw a card face down, declare melds and end the round: one atomic move.

    Attributes:
        card: The discard; absent only for big gin, where all eleven cards meld.
        melds: The declared melds. Absent: the arrangement of least deadwood.
            A declaration is a claim: it is checked when the move is applied.
    """

    card: Card | None = None
    melds: tuple[DeclaredMeld, ...] | None = None

    def __str__(self) -> str:
        """Text form."""
        words = ["knock"]
        if self.card is not None:
            words.append(str(self.card))
        if self.melds is not None:
            words.extend(map(str, self.melds) if self.melds else ["-"])
        return " ".join(words)


Move = Pass | DrawUpcard | DrawStock | Discard | Knock

PASS = Pass()
DRAW_UPCARD = DrawUpcard()
DRAW_STOCK = DrawStock()

_PLAIN: dict[str, Move] = {str(m): m for m in (PASS, DRAW_UPCARD, DRAW_STOCK)}

MOVE_FORMS: Final = (
    "pass, draw_upcard, draw_stock, discard CARD or knock [CARD [MELD ...]]"
)
"""What the text of a move can be, for whoever wrote something else."""


def parse_move(text: str) -> Move:
    """Read a move.

    Raises:
        NotationError: The text is not a move; the message names what was expected.
    """
    word, *rest = text.split() or [""]
    # Only ASCII, because letters of other scripts have these as their lower case.
    word = word.lower() if word.isascii() else word
    if word in _PLAIN and not rest:
        return _PLAIN[word]
    if word == "discard" and len(rest) == 1:
        return Discard(Card.parse(rest[0]))
    if word == "knock":
        return _parse_knock(rest)
    message = f"{shown(text)} is not a move: {MOVE_FORMS} expected"
    raise NotationError(message)


def _parse_knock(words: list[str]) -> Knock:
    # A single card is two letters and a meld at least four, so a first word
    # longer than a card can only be a meld: big gin with its declaration.
    card = Card.parse(words.pop(0)) if words and len(words[0]) == 2 else None  # noqa: PLR2004
    if not words:
        return Knock(card)
    if words == ["-"]:
        return Knock(card, ())
    return Knock(card, tuple(map(DeclaredMeld.parse, words)))


def move_kind(move: Move) -> str:
    """Name the kind of a move: the first word of its text."""
    if isinstance(move, Discard):
        return "discard"
    if isinstance(move, Knock):
        return "knock"
    return str(move)
