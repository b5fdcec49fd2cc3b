"""Deals cards of a test's choice, whatever the shares say."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from ginref.engine.card import Card
from ginref.engine.seat import Seat
from ginref.record import lifecycle

Deck = tuple[Card, ...]
"""The 52 cards, top first."""


@contextmanager
def dealing(decks: Sequence[Deck], first_dealer: Seat) -> Iterator[None]:
    """Let every match of this process be dealt from these decks, in their order."""

    def deck_of(_secret: bytes, k: int) -> Deck:
        return decks[k]

    def dealer_of(_secret: bytes, _seats: Sequence[Seat]) -> Seat:
        return first_dealer

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(lifecycle, "derive_deck", deck_of)
        patched.setattr(lifecycle, "draw_first_dealer", dealer_of)
        yield
