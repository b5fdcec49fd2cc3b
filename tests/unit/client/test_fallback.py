import pytest

from ginref.engine.card import Card
from ginref.engine.deck import derive_deck, seed_secret
from ginref.engine.match import Match, apply, start_match
from ginref.engine.ruleset import GIN
from ginref.engine.seat import Seat
from ginref.engine.view import view_for
from ginref_client.fallback import harmless_move

SECRET = seed_secret("fallback")


def begin() -> Match:
    return start_match(GIN, (Seat.NORTH, Seat.SOUTH), Seat.SOUTH, deck)


def deck(k: int) -> tuple[Card, ...]:
    return derive_deck(SECRET, k)


def test_harmless_moves_play_a_round_to_the_wall() -> None:
    match = begin()
    texts = []
    while not match.history:
        seat = match.to_act
        assert seat is not None
        move = harmless_move(view_for(match, seat))
        texts.append(str(move).split()[0])
        match = apply(match, seat, move, deck)

    assert texts[:4] == ["pass", "pass", "draw_stock", "discard"]
    assert set(texts) == {"pass", "draw_stock", "discard"}
    assert match.history[0].winner is None


def test_there_is_no_move_out_of_turn() -> None:
    with pytest.raises(ValueError, match="out of turn"):
        harmless_move(view_for(begin(), Seat.SOUTH))
