"""Cards as notation, and the lines that deal a round: hands, upcard and stock."""

from typing import Final

from ginref.engine.card import CARD_FORM, Card, CardSet
from ginref.engine.error import NotationError
from ginref.engine.match import Match
from ginref.engine.notation_head import take_seat
from ginref.engine.notation_line import Line, MatchNotationError, Page, Word
from ginref.engine.round import HAND_CARDS
from ginref.engine.seat import Seat
from ginref.engine.transcript import STOCK_CARDS, Deal

_CARD_LETTERS: Final = 2

Cards = list[tuple[Card, Word]]
"""Cards with the letters that name them."""


def cards_of(word: Word) -> Cards:
    """Read the cards of a word, one or several written together.

    Raises:
        MatchNotationError: Some of its letters are no card.
    """
    cards: Cards = []
    for at in range(0, len(word.text), _CARD_LETTERS):
        letters = word.text[at : at + _CARD_LETTERS]
        column = word.column + at
        part = Word(letters, word.line, column, column + len(letters))
        try:
            cards.append((Card.parse(letters), part))
        except NotationError:
            raise part.refuse(f"a card: {CARD_FORM}") from None
    return cards


DEAL_LINES: Final = {"hand": HAND_CARDS, "upcard": 1, "stock": STOCK_CARDS}
"""What the lines of a deal begin with, and how many cards they name at most."""


class _WrittenDeal:
    """The lines of one deal as they are read."""

    def __init__(self, match: Match) -> None:
        """Begin the deal of a match's round."""
        self.match = match
        self.lines: dict[str, Line] = {}
        self.cards: dict[str, Cards] = {}
        self.seen: set[Card] = set()

    def read(self, line: Line) -> None:
        """Read one line."""
        word = line.take("")
        key, limit = word.key, DEAL_LINES[word.key]
        if key == "hand":
            sides = self.match.round.non_dealer, self.match.round.dealer
            key = f"hand {take_seat(line, sides)}"
        if key in self.cards and key != "stock":
            raise word.refuse(f"{key} once only")
        found = self.cards.setdefault(key, [])
        self.lines[key] = line
        for place in line.take_until():
            for card, part in cards_of(place):
                if card in self.seen:
                    raise part.refuse("a card that lies nowhere else")
                if len(found) == limit:
                    raise part.refuse(f"the end of the line after {_cards(limit)}")
                self.seen.add(card)
                found.append((card, part))
        if not found or (key != "stock" and len(found) < limit):
            raise line.missing("a card" if key == "stock" else _cards(limit))

    def hand(self, seat: Seat) -> CardSet:
        """Return the cards of a seat."""
        return CardSet.of(card for card, _ in self.cards[f"hand {seat}"])


def _cards(count: int) -> str:
    return f"{count} cards" if count > 1 else "one card"


def read_deal(page: Page, match: Match, dealt: Deal | None) -> Deal:
    """Read the cards of a round.

    Args:
        page: The text, at the line after the round's heading.
        match: The match in this round, whatever its cards.
        dealt: The deal, if it follows from a seed; then any line may be left out.

    Raises:
        MatchNotationError: A line is missing, comes twice, names a card twice, too
            few or too many cards, or others than were dealt.
    """
    written = _WrittenDeal(match)
    while line := page.take_if(*DEAL_LINES):
        written.read(line)
    sides = match.round.non_dealer, match.round.dealer
    if dealt is not None:
        _compare(written, dealt)
        return dealt
    for key in (*(f"hand {seat}" for seat in sorted(sides)), "upcard"):
        if key not in written.cards:
            raise page.refuse(f"{key}, with its cards")
    non_dealer, dealer = map(written.hand, sides)
    return Deal(
        hands=(non_dealer, dealer),
        upcard=written.cards["upcard"][0][0],
        stock=tuple(card for card, _ in written.cards.get("stock", ())),
    )


def _compare(written: _WrittenDeal, dealt: Deal) -> None:
    """Check the cards that are written against the cards that the seed deals."""
    sides = written.match.round.non_dealer, written.match.round.dealer
    for seat, hand in zip(sides, dealt.hands, strict=True):
        for card, part in written.cards.get(f"hand {seat}", ()):
            if card not in hand:
                raise _other(part, f"a card of {hand}")
    piles = {"upcard": (dealt.upcard,), "stock": dealt.stock}
    for key, pile in piles.items():
        # Fewer cards than were dealt may be named, never more.
        for (card, part), true in zip(written.cards.get(key, ()), pile, strict=False):
            if card is not true:
                raise _other(part, str(true))


def _other(part: Word, expected: str) -> MatchNotationError:
    return part.refuse(f"{expected}, as the seed deals")
