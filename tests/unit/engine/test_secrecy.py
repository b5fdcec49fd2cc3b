import random
from collections.abc import Callable
from dataclasses import fields

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.engine.played_match import DECK, started

from ginref.engine.card import PACK, Card, CardSet
from ginref.engine.error import Breach, IllegalMoveError
from ginref.engine.match import Match, apply, forfeit
from ginref.engine.move import (
    DRAW_STOCK,
    DRAW_UPCARD,
    PASS,
    Discard,
    Knock,
    Move,
)
from ginref.engine.phase import Throw, throw_after_stock
from ginref.engine.ruleset import (
    GIN,
    HOLLYWOOD,
    OKLAHOMA,
    THREE_HANDED,
    Ruleset,
)
from ginref.engine.seat import Seat
from ginref.engine.view import (
    PhaseName,
    PublicView,
    SeatView,
    public_view,
    view_for,
)

NORTH, SOUTH = Seat.NORTH, Seat.SOUTH
HOUSE = GIN.but(name="house", big_gin_bonus=31, may_discard_taken_card=True)
RULES = st.sampled_from([HOLLYWOOD, OKLAHOMA, HOUSE, THREE_HANDED])
STATES = (st.integers(0, 10_000), st.integers(0, 500), RULES)

NEAR_GIN = "5h 5d 5c 4s 5s 6s 9h Th Jh Kc"
LOOSE = "As 2h 3d 4c 8s 9d Jc Qs Kh 7d"

MOVES: tuple[Move, ...] = (
    PASS,
    DRAW_UPCARD,
    DRAW_STOCK,
    Knock(),
    *map(Discard, PACK),
    *map(Knock, PACK),
)

card = Card.parse
cards = CardSet.parse


def shuffled(match: Match, hidden: CardSet, chance: random.Random) -> Match:
    """The match with its hidden cards dealt otherwise."""
    order = list(hidden)
    chance.shuffle(order)
    swap = dict(zip(hidden, order, strict=True))
    round_ = match.round
    phase = round_.phase
    if isinstance(phase, Throw) and not phase.from_pile:
        phase = throw_after_stock(swap.get(phase.drawn, phase.drawn))
    non_dealer, dealer = (
        CardSet.of(swap.get(held, held) for held in hand) for hand in round_.hands
    )
    stock = (swap[left] for left in round_.deck[round_.drawn :])
    return match._replace(
        round=round_._replace(
            hands=(non_dealer, dealer),
            deck=(*round_.deck[: round_.drawn], *stock),
            phase=phase,
        )
    )


def answer(match: Match, seat: Seat, move: Move) -> str:
    try:
        apply(match, seat, move, lambda _k: PACK)
    except IllegalMoveError as refused:
        return str(refused)
    return "accepted"


@given(*STATES, st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_a_seats_view_depends_on_nothing_it_may_not_know(  # noqa: PLR0913, PLR0917
    reach: Callable[..., Match],
    hidden_from: Callable[[Match, Seat | None], CardSet],
    seed: int,
    moves: int,
    rules: Ruleset,
    chance: random.Random,
) -> None:
    match = reach(seed, moves, rules)

    for seat in match.seats:
        other = shuffled(match, hidden_from(match, seat), chance)

        assert view_for(other, seat) == view_for(match, seat)


@given(*STATES, st.randoms(use_true_random=False))
@settings(max_examples=30)
def test_a_refusal_tells_nothing_its_seat_may_not_know(  # noqa: PLR0913, PLR0917
    reach: Callable[..., Match],
    hidden_from: Callable[[Match, Seat | None], CardSet],
    seed: int,
    moves: int,
    rules: Ruleset,
    chance: random.Random,
) -> None:
    match = reach(seed, moves, rules)

    for seat in match.seats:
        other = shuffled(match, hidden_from(match, seat), chance)
        for move in chance.sample(MOVES, 30):
            assert answer(other, seat, move) == answer(match, seat, move)


@given(*STATES, st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_the_public_view_depends_on_no_hidden_card(  # noqa: PLR0913, PLR0917
    reach: Callable[..., Match],
    hidden_from: Callable[[Match, Seat | None], CardSet],
    seed: int,
    moves: int,
    rules: Ruleset,
    chance: random.Random,
) -> None:
    match = reach(seed, moves, rules)

    other = shuffled(match, hidden_from(match, None), chance)

    assert public_view(other) == public_view(match)


def test_the_public_view_has_no_field_for_a_hand() -> None:
    of_seat = {field.name for field in fields(SeatView)}
    of_public = {field.name for field in fields(PublicView)}

    assert of_seat - of_public == {
        *("seat", "hand", "drawn", "drawn_from", "own", "opponents", "next_columns"),
    }


@given(*STATES, st.sampled_from(MOVES))
@settings(max_examples=60)
def test_a_view_judges_a_move_as_the_referee_does(
    reach: Callable[..., Match], seed: int, moves: int, rules: Ruleset, move: Move
) -> None:
    match = reach(seed, moves, rules)

    for seat in match.seats:
        verdict = answer(match, seat, move)
        try:
            view_for(match, seat).check(move)
        except IllegalMoveError as refused:
            assert str(refused) == verdict  # noqa: PT017
        else:
            assert verdict == "accepted"


def test_a_drawn_round_shows_no_hand(deal_from: Callable[..., DECK]) -> None:
    deck = deal_from(NEAR_GIN, LOOSE, "2c", "3c 6c")
    rules = GIN.but(turn_limit=2)
    moves = ("pass", "pass", "draw_stock", "discard 3c", "draw_stock", "discard 6c")
    match = started(deck, *moves, rules=rules)

    assert match.round_number == 2
    assert view_for(match, NORTH).last_result is None
    assert public_view(match).last_result is None
    assert public_view(match).rounds == match.history


def test_a_forfeited_match_shows_no_hand(deal_from: Callable[..., DECK]) -> None:
    match = forfeit(started(deal_from(NEAR_GIN, LOOSE, "2c"), "draw_upcard"), [SOUTH])

    view = view_for(match, SOUTH)

    assert view.phase is PhaseName.OVER
    assert view.to_act is None
    assert view.over == match.over
    assert view.legal == ()
    assert view.discards == ()
    assert view.last_result is None
    with pytest.raises(IllegalMoveError) as refused:
        view.check(DRAW_STOCK)
    assert refused.value.breach is Breach.MATCH_OVER
