"""Options that change how a round goes, played from the deal to the score."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.engine.played_match import DECK, play

from ginref.engine.card import Card
from ginref.engine.error import Breach, IllegalMoveError
from ginref.engine.match import Match, apply, legal_moves, start_match
from ginref.engine.move import Discard, Knock, parse_move
from ginref.engine.ruleset import GIN, OKLAHOMA, Ruleset
from ginref.engine.seat import Seat
from ginref.engine.showdown import Outcome
from ginref.engine.view import public_view

NORTH, SOUTH = Seat.NORTH, Seat.SOUTH

# Gin with the eight of hearts, for whoever throws the king of clubs.
NEAR_GIN = "5h 5d 5c 4s 5s 6s 9h Th Jh Kc"
LOOSE = "As 2c 3d 4c 8s 9d Jc Qs Kh 7d"
STRAIGHT = GIN.but(name="straight", knock_limit=0)


def start(deck: DECK, rules: Ruleset) -> Match:
    return start_match(rules, (NORTH, SOUTH), NORTH, lambda _k: deck)


def draw_and_throw(match: Match, deck: DECK, turns: int) -> Match:
    """Both seats draw from the stock and throw what they drew."""
    for _ in range(turns):
        match = play(match, deck, "draw_stock")
        drawn = match.round.deck[match.round.drawn - 1]
        match = play(match, deck, f"discard {drawn}")
    return match


@pytest.mark.parametrize(
    ("wall", "turns"),
    [
        pytest.param(0, 31, id="the whole stock"),
        pytest.param(2, 29, id="all but two"),
        pytest.param(29, 2, id="hardly any"),
    ],
)
def test_a_round_is_drawn_when_the_stock_is_down_to_the_wall(
    deal_from: Callable[..., DECK], wall: int, turns: int
) -> None:
    deck = deal_from(NEAR_GIN, LOOSE, "2h")
    match = play(start(deck, GIN.but(wall=wall)), deck, "pass", "pass")

    match = draw_and_throw(match, deck, turns - 1)
    assert match.history == ()
    assert match.round.stock_count == wall + 1
    match = draw_and_throw(match, deck, 1)

    assert match.history[0].outcome is Outcome.WALL
    assert match.dealer is NORTH


def test_the_last_card_of_the_stock_may_bring_gin(
    deal_from: Callable[..., DECK],
) -> None:
    deck = list(deal_from(NEAR_GIN, LOOSE, "2h"))
    wanted = Card.parse("8h")
    at = deck.index(wanted)
    deck[at], deck[-1] = deck[-1], wanted
    match = play(start(tuple(deck), GIN.but(wall=0)), tuple(deck), "pass", "pass")
    match = draw_and_throw(match, tuple(deck), 30)

    match = play(match, tuple(deck), "draw_stock", "knock Kc")

    assert match.history[0].outcome is Outcome.GIN
    assert match.history[0].winner is SOUTH


def test_straight_gin_ends_with_gin_only(deal_from: Callable[..., DECK]) -> None:
    # With the two of hearts two points are loose; with the eight there are none.
    deck = deal_from(NEAR_GIN, LOOSE, "2h", "8h")
    match = play(start(deck, STRAIGHT), deck, "draw_upcard")
    knocks = [move for move in legal_moves(match, SOUTH) if isinstance(move, Knock)]

    assert knocks == []
    with pytest.raises(IllegalMoveError) as refused:
        play(match, deck, "knock Kc")
    assert refused.value.breach is Breach.KNOCK_ABOVE_LIMIT


@given(st.integers(0, 10_000))
@settings(max_examples=10)
def test_straight_gin_knows_no_knock_and_no_undercut(
    reach: Callable[..., Match], seed: int
) -> None:
    match = reach(seed, 300, STRAIGHT)

    outcomes = {summary.outcome for summary in match.history}
    assert outcomes <= {Outcome.GIN, Outcome.WALL, Outcome.TURN_CAP}


def test_big_gin_is_worth_its_bonus_and_is_not_forced(
    deal_from: Callable[..., DECK],
) -> None:
    deck = deal_from("5h 5d 5c 4s 5s 6s 9h Th Jh Qh", LOOSE, "8h")
    rules = GIN.but(big_gin_bonus=31)
    match = play(start(deck, rules), deck, "draw_upcard")
    legal = legal_moves(match, SOUTH)

    big = play(match, deck, "knock")
    plain = play(match, deck, "knock Qh")

    assert Knock() in legal
    assert Discard(Card.parse("Qh")) in legal
    assert big.history[0].outcome is Outcome.BIG_GIN
    assert plain.history[0].outcome is Outcome.GIN
    # Both leave the other seat with the same cards.
    assert big.history[0].points - plain.history[0].points == 31 - 25


def test_big_gin_is_refused_where_the_house_does_not_know_it(
    deal_from: Callable[..., DECK],
) -> None:
    deck = deal_from("5h 5d 5c 4s 5s 6s 9h Th Jh Qh", LOOSE, "8h")
    match = play(start(deck, GIN), deck, "draw_upcard")

    assert Knock() not in legal_moves(match, SOUTH)
    with pytest.raises(IllegalMoveError) as refused:
        play(match, deck, "knock")
    assert refused.value.breach is Breach.NO_BIG_GIN


def test_a_bonus_of_the_house_holds_in_every_round(
    deal_from: Callable[..., DECK],
) -> None:
    deck = deal_from(NEAR_GIN, LOOSE, "8h")
    rules = GIN.but(gin_bonus=20, game_target=1000)

    match = start(deck, rules)
    for _ in range(3):
        match = play(match, deck, "draw_upcard", "knock Kc")

    assert [summary.points for summary in match.history] == [64 + 20] * 3


def test_each_round_of_oklahoma_has_the_limit_of_its_own_upcard(
    deal_from: Callable[..., DECK],
) -> None:
    decks = [
        deal_from(NEAR_GIN, LOOSE, upcard, "2h 3h") for upcard in ("4d", "Ks", "Ah")
    ]
    rules = OKLAHOMA.but(turn_limit=2)
    match = start_match(rules, (NORTH, SOUTH), NORTH, decks.__getitem__)
    seen = []

    for _ in range(3):
        for text in ("pass", "draw_upcard", "discard Qs", "draw_stock"):
            view = public_view(match)
            seen.append((view.round_number, view.knock_limit, view.multiplier))
            assert match.to_act is not None
            match = apply(match, match.to_act, parse_move(text), decks.__getitem__)
        if match.round_number == 3:
            break
        drawn = match.round.deck[match.round.drawn - 1]
        assert match.to_act is not None
        throw = parse_move(f"discard {drawn}")
        match = apply(match, match.to_act, throw, decks.__getitem__)

    # Taken or buried, the upcard keeps what it has set.
    assert seen == [(1, 4, 1)] * 4 + [(2, 10, 2)] * 4 + [(3, 0, 1)] * 4


def test_an_undercut_under_a_spade_counts_twice(
    deal_from: Callable[..., DECK],
) -> None:
    # South knocks with nine; North holds nothing loose.
    deck = deal_from(
        "7s 7h 7c Ts Th Tc 4d 5d 6d 9h", "Js Jh Jd Qs Qh Qd Ks Kh Kd Kc", "8s", "2c"
    )
    match = play(start(deck, OKLAHOMA), deck, "pass", "pass", "draw_stock")

    assert match.round.knock_limit == 8
    with pytest.raises(IllegalMoveError):
        play(match, deck, "knock 2c")
    house = OKLAHOMA.but(knock_limit_from_upcard=False, spades_double=False)
    assert play(start(deck, house), deck, "pass", "pass", "draw_stock", "knock 2c")
    match = play(match, deck, "knock 9h")

    assert match.history[0].outcome is Outcome.UNDERCUT
    assert match.history[0].points == 2 * (2 + 10)


def test_a_spade_may_count_once(deal_from: Callable[..., DECK]) -> None:
    deck = deal_from("5h 5d 5c 4s 5s 6s 9h Th 8h Kc", LOOSE, "Ts", "Jh")
    rules = OKLAHOMA.but(spades_double=False)

    match = play(start(deck, rules), deck, "pass", "pass", "draw_stock", "knock Kc")

    assert match.history[0].outcome is Outcome.GIN
    assert match.history[0].points == 64 + 25
