"""A referee that deals what the seed of a match says, card by card.

It is started with `python -m tests.leaks.dealing_referee` in place of `ginref`.
"""

from collections.abc import Sequence
from typing import Final

import pytest
from tests.leaks.dealing import Deck

from ginref.cli import main
from ginref.engine.card import PACK
from ginref.engine.deck import derive_deck, draw_first_dealer, seed_secret
from ginref.engine.seat import Seat
from ginref.record import lifecycle, setup

_MARK: Final = b"deck "


def seed_of(deck: Deck) -> str:
    """Return the seed of a match whose first deal is from a deck, by North."""
    return _MARK.decode() + "".join(map(str, deck))


def _secret_of(seed: str) -> bytes:
    if not seed.startswith(_MARK.decode()):
        return seed_secret(seed)
    text = seed.removeprefix(_MARK.decode())
    names = [str(card) for card in PACK]
    cards = [text[place : place + 2] for place in range(0, len(text), 2)]
    return _MARK + bytes(names.index(card) for card in cards)


def _deck_of(secret: bytes, k: int) -> Deck:
    if k or not secret.startswith(_MARK):
        return derive_deck(secret, k)
    return tuple(PACK[index] for index in secret.removeprefix(_MARK))


def _dealer_of(secret: bytes, seats: Sequence[Seat]) -> Seat:
    if secret.startswith(_MARK):
        return Seat.NORTH
    return draw_first_dealer(secret, seats)


if __name__ == "__main__":
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(setup, "seed_secret", _secret_of)
        patch.setattr(lifecycle, "derive_deck", _deck_of)
        patch.setattr(lifecycle, "draw_first_dealer", _dealer_of)
        main()
