from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.engine.played_match import DECK, started

from ginref.engine.card import PACK, Card, CardSet
from ginref.engine.match import Match
from ginref.engine.opponent import sits_out
from ginref.engine.ruleset import GIN, HOLLYWOOD, OKLAHOMA, Ruleset
from ginref.engine.seat import Seat
from ginref.engine.view import OpponentView, public_view, view_for

NORTH, SOUTH = Seat.NORTH, Seat.SOUTH
SEATS = (NORTH, SOUTH)
HOUSE = GIN.but(name="house", big_gin_bonus=31, may_discard_taken_card=True)
RULES = st.sampled_from([HOLLYWOOD, OKLAHOMA, HOUSE])
STATES = (st.integers(0, 10_000), st.integers(0, 500), RULES)

NEAR_GIN = "5h 5d 5c 4s 5s 6s 9h Th Jh Kc"
LOOSE = "As 2h 3d 4c 8s 9d Jc Qs Kh 7d"


card = Card.parse
cards = CardSet.parse


@given(*STATES)
@settings(max_examples=60)
def test_every_card_is_in_hand_in_the_pile_known_or_unseen(
    reach: Callable[..., Match], seed: int, moves: int, rules: Ruleset
) -> None:
    match = reach(seed, moves, rules)

    for seat in SEATS:
        view = view_for(match, seat)
        (opponent,) = view.opponents
        held = match.round.hand(opponent.seat)
        piled = [entry.card for entry in view.pile if entry.taken_by is None]
        places = [*view.hand, *piled, *opponent.known, *view.unseen]
        assert sorted(places) == list(PACK)
        assert opponent.known - held == CardSet()
        assert len(view.unseen & held) == opponent.hand_count - len(opponent.known)


def test_what_a_seat_took_and_left_is_known(deal_from: Callable[..., DECK]) -> None:
    deck = deal_from(NEAR_GIN, LOOSE, "2c", "3c 6c 7c")
    match = started(
        deck,
        *("pass", "draw_upcard", "discard As"),
        *("draw_stock", "discard Kc"),
        *("draw_upcard", "discard 2c"),
        *("draw_stock", "discard 6c"),
        "draw_stock",
    )

    north, south = public_view(match).players

    assert north == OpponentView(
        seat=NORTH,
        hand_count=11,
        known=cards("Kc"),
        took=(card("2c"), card("Kc")),
        passed=False,
        upcard_refusals=(card("6c"),),
    )
    assert south == OpponentView(
        seat=SOUTH,
        hand_count=10,
        known=CardSet(),
        took=(),
        passed=True,
        upcard_refusals=(card("2c"), card("As"), card("2c")),
    )


def test_what_a_seat_left_is_known_when_it_has_another_choice(
    deal_from: Callable[..., DECK],
) -> None:
    deck = deal_from(NEAR_GIN, LOOSE, "2c", "3c 6c")
    moves = ("pass", "draw_upcard", "discard As", "draw_stock", "discard Kc")
    turns = ("draw_stock", "discard 6c")

    north, south = public_view(started(deck, *moves, *turns)).players

    assert north.upcard_refusals == (card("Kc"),)
    assert south.upcard_refusals == (card("2c"), card("As"))


def test_nothing_is_known_of_a_seat_that_sits_out() -> None:
    assert sits_out(Seat.EAST) == OpponentView(
        seat=Seat.EAST,
        hand_count=0,
        known=CardSet(),
        took=(),
        passed=False,
        upcard_refusals=(),
    )


def test_a_card_on_offer_is_not_refused_yet(deal_from: Callable[..., DECK]) -> None:
    deck = deal_from(NEAR_GIN, LOOSE, "2c", "3c")
    match = started(deck, "draw_upcard", "discard Kc")

    north, _ = public_view(match).players

    assert north.upcard_refusals == ()
    assert not north.passed


def test_a_knocker_has_refused_the_upcard_it_did_not_take(
    deal_from: Callable[..., DECK],
) -> None:
    rules = GIN.but(game_target=1)
    deck = deal_from(LOOSE, NEAR_GIN, "8c", "8h")
    moves = ("draw_upcard", "discard Kh", "draw_stock", "knock Kc")
    match = started(deck, *moves, rules=rules)
    assert match.over is not None

    north, south = public_view(match).players

    assert north.upcard_refusals == (card("Kh"),)
    assert south.upcard_refusals == ()
