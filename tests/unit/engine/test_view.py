from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.engine.played_match import DECK, started

from ginref.engine.card import Card, CardSet
from ginref.engine.deadwood import best_arrangement, deadwood
from ginref.engine.error import Breach, IllegalMoveError
from ginref.engine.match import (
    Match,
    abandon,
    forfeit,
    legal_moves,
)
from ginref.engine.meld import Meld
from ginref.engine.move import (
    DRAW_STOCK,
    DRAW_UPCARD,
    PASS,
    Discard,
    Knock,
)
from ginref.engine.ruleset import GIN, HOLLYWOOD, OKLAHOMA, Ruleset
from ginref.engine.seat import Seat
from ginref.engine.showdown import Outcome
from ginref.engine.view import (
    DiscardOption,
    PhaseName,
    public_view,
    view_for,
)

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
def test_a_seat_sees_of_itself_and_others_what_everybody_sees(
    reach: Callable[..., Match], seed: int, moves: int, rules: Ruleset
) -> None:
    match = reach(seed, moves, rules)
    ends = [] if match.over else [forfeit(match, [NORTH]), abandon(match)]

    for position in (match, *ends):
        public = public_view(position).players
        for seat in SEATS:
            view = view_for(position, seat)
            assert view.own == public[seat]
            assert view.opponents == (public[1 - seat],)


@given(*STATES)
@settings(max_examples=60)
def test_a_view_knows_the_legal_moves_of_the_match(
    reach: Callable[..., Match], seed: int, moves: int, rules: Ruleset
) -> None:
    match = reach(seed, moves, rules)

    for seat in SEATS:
        view = view_for(match, seat)
        legal = view.legal
        assert legal == legal_moves(match, seat)
        assert (view.pass_turn is not None) == (PASS in legal)
        assert (view.draw_upcard is not None) == (DRAW_UPCARD in legal)
        assert (view.draw_stock is not None) == (DRAW_STOCK in legal)
        thrown = {move.card for move in legal if isinstance(move, Discard)}
        assert {option.card for option in view.discards} == thrown
        knocks = [move for move in legal if isinstance(move, Knock)]
        assert (view.best_knock is not None) == bool(knocks)
        assert view.best_knock is None or view.best_knock in knocks


def test_a_view_shows_the_frame_of_the_round(deal_from: Callable[..., DECK]) -> None:
    match = started(deal_from(NEAR_GIN, LOOSE, "2c"), rules=HOLLYWOOD)

    view = view_for(match, SOUTH)

    assert view.is_my_turn
    assert (view.seat, view.dealer, view.to_act) == (SOUTH, NORTH, SOUTH)
    assert (view.round_number, view.deal_number) == (1, 0)
    assert view.phase is PhaseName.UPCARD
    assert (view.first_upcard, view.upcard) == (card("2c"), card("2c"))
    assert (view.stock_count, view.draws_left) == (31, 29)
    assert (view.turn, view.turns_left) == (0, 200)
    assert (view.knock_limit, view.multiplier) == (10, 1)
    assert view.hand == cards(NEAR_GIN)
    assert view.next_columns == (0,)
    assert view.legal == (PASS, DRAW_UPCARD)
    assert view.forced_stock is False
    assert view.last_result is None
    assert view.over is None


def test_the_drawn_card_is_shown_to_the_seat_that_drew_it(
    deal_from: Callable[..., DECK],
) -> None:
    deck = deal_from(NEAR_GIN, LOOSE, "2c", "3c")
    match = started(deck, "pass", "pass", "draw_stock")

    mine, theirs = view_for(match, SOUTH), view_for(match, NORTH)

    assert (mine.drawn, mine.drawn_from) == (card("3c"), "stock")
    assert mine.forbidden_discard is None
    assert (theirs.drawn, theirs.drawn_from) == (None, None)
    assert theirs.phase is PhaseName.DISCARD
    assert theirs.legal == ()
    assert theirs.discards == ()
    assert theirs.best_knock is None
    assert theirs.opponents[0].hand_count == 11
    assert card("3c") in theirs.unseen


@pytest.mark.parametrize(
    ("rules", "forbidden"),
    [pytest.param(GIN, card("2c"), id="kept"), pytest.param(HOUSE, None, id="free")],
)
def test_the_taken_card_is_marked(
    deal_from: Callable[..., DECK], rules: Ruleset, forbidden: Card | None
) -> None:
    match = started(deal_from(NEAR_GIN, LOOSE, "2c"), "draw_upcard", rules=rules)

    view = view_for(match, SOUTH)

    assert (view.drawn, view.drawn_from) == (card("2c"), "pile")
    assert view.upcard is None
    assert view.forbidden_discard is forbidden


def test_both_refusals_force_a_stock_draw(deal_from: Callable[..., DECK]) -> None:
    match = started(deal_from(NEAR_GIN, LOOSE, "2c"), "pass", "pass")

    view = view_for(match, SOUTH)

    assert view.forced_stock
    assert view.legal == (DRAW_STOCK,)
    assert view.upcard is card("2c")
    assert view.upcard_saves == 0
    with pytest.raises(IllegalMoveError) as refused:
        view.check(DRAW_UPCARD)
    assert refused.value.breach is Breach.UPCARD_REFUSED_TWICE


def test_the_discard_that_leaves_least_comes_first(
    deal_from: Callable[..., DECK],
) -> None:
    hand = "5h 5d 5c 4s 5s 6s Th Jh Ac Kd"
    match = started(deal_from(hand, LOOSE, "8c"), "draw_upcard")

    view = view_for(match, SOUTH)

    assert view.deadwood == deadwood(view.hand) == 39
    assert view.arrangement == best_arrangement(view.hand)
    assert view.discards[:4] == (
        DiscardOption(card("Th"), 29),
        DiscardOption(card("Jh"), 29),
        DiscardOption(card("Kd"), 29),
        DiscardOption(card("Ac"), 38),
    )
    assert view.best_knock is None
    assert card("8c") not in [option.card for option in view.discards]


def test_the_best_knock_has_the_least_deadwood(deal_from: Callable[..., DECK]) -> None:
    match = started(deal_from(NEAR_GIN, LOOSE, "2c"), "draw_upcard")

    assert view_for(match, SOUTH).best_knock == Knock(card("Kc"))


def test_a_knock_right_at_the_limit_is_one(deal_from: Callable[..., DECK]) -> None:
    match = started(deal_from(NEAR_GIN, LOOSE, "Qd"), "draw_upcard")

    assert view_for(match, SOUTH).discards[0].deadwood == 10
    assert view_for(match, SOUTH).best_knock == Knock(card("Kc"))


def test_turns_are_counted_up_and_down(deal_from: Callable[..., DECK]) -> None:
    deck = deal_from(NEAR_GIN, LOOSE, "2c", "3c")
    match = started(deck, "draw_upcard", "discard Kc", "draw_upcard", "discard As")

    view = view_for(match, SOUTH)

    assert (view.turn, view.turns_left) == (2, 198)


def test_a_round_that_ended_at_the_wall_has_no_draws_left(
    deal_from: Callable[..., DECK],
) -> None:
    deck = deal_from(NEAR_GIN, LOOSE, "2c", "3c 6h")
    moves = ("pass", "pass", "draw_stock", "discard 3c", "draw_stock", "discard 6h")
    match = started(deck, *moves, rules=GIN.but(wall=29, round_limit=1))

    view = view_for(match, SOUTH)

    assert view.over is not None
    assert (view.stock_count, view.draws_left) == (29, 0)


def test_big_gin_is_the_best_knock(deal_from: Callable[..., DECK]) -> None:
    hand = "5h 5d 5c 4s 5s 6s 9h Th Jh Qh"
    match = started(deal_from(hand, LOOSE, "8h"), "draw_upcard", rules=HOUSE)

    assert view_for(match, SOUTH).best_knock == Knock()


def test_of_equal_discards_the_dearer_comes_first(
    deal_from: Callable[..., DECK],
) -> None:
    hand = "5h 5d 5c 3s 4s 5s 6s Th Jh Qd"
    view = view_for(started(deal_from(hand, LOOSE, "8c"), "draw_upcard"), SOUTH)

    equal = [str(option.card) for option in view.discards if option.deadwood == 38]
    assert equal == ["6s", "3s"]


@pytest.mark.parametrize(
    ("hand", "upcard", "saves"),
    [
        pytest.param(NEAR_GIN, "8h", 10, id="it meets a run, the king goes"),
        pytest.param(NEAR_GIN, "2c", 8, id="it replaces the king"),
        pytest.param(NEAR_GIN, "Kd", 0, id="it is no better"),
        pytest.param(
            "5h 5d 5c 4s 5s 6s 9h Th Jh Qh", "Kd", 0, id="it would have to be kept"
        ),
    ],
)
def test_an_upcard_is_worth_the_deadwood_it_saves(
    deal_from: Callable[..., DECK], hand: str, upcard: str, saves: int
) -> None:
    view = view_for(started(deal_from(hand, LOOSE, upcard)), SOUTH)

    assert view.upcard_saves == saves


def test_an_upcard_is_worth_nothing_to_a_seat_that_waits(
    deal_from: Callable[..., DECK],
) -> None:
    view = view_for(started(deal_from(LOOSE, NEAR_GIN, "8h")), NORTH)

    assert view.upcard_saves == 0


def melds(found: tuple[Meld, ...]) -> set[str]:
    return {str(meld) for meld in found}


def test_a_card_is_wanted_for_melds_of_cards_that_may_be_held(
    deal_from: Callable[..., DECK],
) -> None:
    # South holds 5h 5d 5c and 4s 5s 6s; North took 6c and shows it.
    deck = deal_from("5h 5d 5c 4s 5s 6s 9h Th Jh Kc", LOOSE, "6c", "2s")
    match = started(deck, "pass", "draw_upcard", "discard As", "draw_stock")

    view = view_for(match, SOUTH)

    # Every five and the spades beside it are South's own.
    assert melds(view.wanted(card("5s"))) == set()
    assert melds(view.wanted(card("5c"))) == {"3c4c5c", "4c5c6c", "5c6c7c"}
    assert melds(view.wanted(card("6s"))) == {"6s7s8s", "6s6h6d", "6s6h6c", "6s6d6c"}
    # The ace of spades lies in the pile.
    assert melds(view.wanted(card("Ah"))) == {"Ah2h3h", "AhAdAc"}


def test_a_round_that_ended_in_a_knock_is_shown_afterwards(
    deal_from: Callable[..., DECK],
) -> None:
    deck = deal_from(NEAR_GIN, LOOSE, "2c")
    match = started(deck, "draw_upcard", "knock Kc", rules=HOLLYWOOD)

    view = view_for(match, NORTH)

    assert view.round_number == 2
    assert view.next_columns == (0,)
    assert view_for(match, SOUTH).next_columns == (0, 1)
    reveal = view.last_result
    assert reveal is not None
    assert (reveal.number, reveal.dealer, reveal.winner) == (1, NORTH, SOUTH)
    assert (reveal.outcome, reveal.columns) == (Outcome.KNOCK, (0,))
    assert reveal.points == match.sheet.games[0].total(SOUTH)
    assert reveal.showdown.hand(NORTH) == cards(LOOSE)


def test_a_seat_from_elsewhere_has_no_view(deal_from: Callable[..., DECK]) -> None:
    match = started(deal_from(NEAR_GIN, LOOSE, "2c"))

    with pytest.raises(ValueError, match="none of"):
        view_for(match, Seat.EAST)
