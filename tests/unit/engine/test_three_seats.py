from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.engine.played_match import DECK, play

from ginref.engine.card import CardSet
from ginref.engine.error import Breach, IllegalMoveError
from ginref.engine.match import (
    Ending,
    Match,
    MatchOver,
    RoundSummary,
    apply,
    forfeit,
    legal_moves,
    start_match,
)
from ginref.engine.move import DRAW_STOCK
from ginref.engine.rotation import Roles, credited, next_roles
from ginref.engine.ruleset import THREE_HANDED, Ruleset, Table
from ginref.engine.seat import Seat
from ginref.engine.showdown import Outcome
from ginref.engine.view import public_view, view_for

NORTH, SOUTH, EAST = Seat
BOX = THREE_HANDED.but(name="box", table=Table.BOX)
LONG = THREE_HANDED.but(game_target=1000)
TABLES = st.sampled_from([THREE_HANDED, BOX, BOX.but(turn_limit=12)])

# Gin with the upcard for the non-dealer, who throws the king of clubs.
GIN_HAND = "5h 5d 5c 4s 5s 6s 9h Th Jh Kc"
LOOSE = "As 2c 3d 4c 8s 9d Jc Qs Kh 7d"


@pytest.fixture
def gin_deck(deal_from: Callable[..., DECK]) -> DECK:
    """A deck that gives the non-dealer gin at once: 25 and 64 points."""
    return deal_from(GIN_HAND, LOOSE, "8h", "2h 3h")


def start(deck: DECK, rules: Ruleset = LONG) -> Match:
    return start_match(rules, tuple(Seat), NORTH, lambda _k: deck)


def win_round(match: Match, deck: DECK) -> Match:
    """The non-dealer wins 89."""
    return play(match, deck, "draw_upcard", "knock Kc")


def roles(match: Match) -> Roles:
    return Roles(match.dealer, match.round.non_dealer, match.idle)


def test_the_seat_after_the_dealer_plays_and_the_other_sits_out(
    gin_deck: DECK,
) -> None:
    match = start(gin_deck)

    assert roles(match) == Roles(NORTH, SOUTH, EAST)
    assert match.to_act is SOUTH


def test_the_idle_seat_deals_to_the_winner(gin_deck: DECK) -> None:
    match = win_round(start(gin_deck), gin_deck)

    assert roles(match) == Roles(EAST, SOUTH, NORTH)
    assert match.sheet.games[0].totals == (0, 89, 0)
    assert match.history == (
        RoundSummary(1, NORTH, Outcome.GIN, SOUTH, 89, (0,), EAST),
    )


def test_a_drawn_round_changes_no_role(gin_deck: DECK) -> None:
    match = start(gin_deck, LONG.but(turn_limit=2))

    match = play(
        match, gin_deck, "pass", "pass", *("draw_stock", "discard 2h"),
        *("draw_stock", "discard 3h"),
    )  # fmt: skip

    assert match.round_number == 2
    assert roles(match) == Roles(NORTH, SOUTH, EAST)


def test_both_who_play_against_the_box_are_credited(gin_deck: DECK) -> None:
    match = win_round(start(gin_deck, BOX.but(game_target=1000)), gin_deck)

    assert match.sheet.games[0].totals == (0, 89, 89)
    assert match.sheet.wins == (0, 1, 1)
    assert roles(match) == Roles(SOUTH, EAST, NORTH)


def test_the_box_is_credited_alone(deal_from: Callable[..., DECK]) -> None:
    deck = deal_from(LOOSE, GIN_HAND, "8h")

    match = play(
        start(deck, BOX.but(game_target=1000)),
        deck,
        *("pass", "draw_upcard", "knock Kc"),
    )

    assert match.sheet.games[0].totals == (89, 0, 0)
    assert roles(match) == Roles(NORTH, EAST, SOUTH)


def test_the_first_to_the_target_wins_the_match(gin_deck: DECK) -> None:
    match = start(gin_deck, THREE_HANDED)

    match = win_round(win_round(match, gin_deck), gin_deck)

    assert match.over == MatchOver(SOUTH, Ending.COMPLETED)
    settlement = match.sheet.games[0].settlement
    assert settlement is not None
    assert settlement.balances == (-178, 356, -178)


def test_an_idle_seat_may_not_move(gin_deck: DECK) -> None:
    match = start(gin_deck)

    assert legal_moves(match, EAST) == ()
    with pytest.raises(IllegalMoveError) as refused:
        apply(match, EAST, DRAW_STOCK, lambda _k: gin_deck)
    assert refused.value.breach is Breach.NOT_YOUR_TURN


def test_an_idle_seat_has_no_hand_and_no_opponent(gin_deck: DECK) -> None:
    match = start(gin_deck)

    with pytest.raises(ValueError, match="sits this round out"):
        match.round.hand(EAST)
    with pytest.raises(ValueError, match="sits this round out"):
        match.round.opponent(EAST)


def test_an_idle_seat_sees_what_the_public_sees(gin_deck: DECK) -> None:
    match = play(start(gin_deck), gin_deck, "draw_upcard", "discard Kc", "draw_stock")

    view, public = view_for(match, EAST), public_view(match)

    assert view.is_idle
    assert view.idle is public.idle is EAST
    assert view.hand == CardSet()
    assert view.drawn is None
    assert view.opponents == public.players[:2]
    assert public.players[EAST].hand_count == 0
    assert view.legal == ()
    assert view.discards == ()
    assert view.best_knock is None
    assert view.deadwood == view.upcard_saves == 0
    assert view.next_columns == (0,)


def test_a_seat_that_plays_has_one_opponent(gin_deck: DECK) -> None:
    view = view_for(start(gin_deck), SOUTH)

    assert [other.seat for other in view.opponents] == [NORTH]
    assert not view.is_idle
    assert len(view.hand) == 10


@pytest.mark.parametrize(
    ("at_fault", "winner"),
    [
        pytest.param([NORTH], SOUTH, id="the one with more points wins"),
        pytest.param([SOUTH], None, id="equal points win nothing"),
        pytest.param([NORTH, EAST], SOUTH, id="one is left"),
        pytest.param([NORTH, SOUTH], EAST, id="one is left without points"),
        pytest.param([NORTH, SOUTH, EAST], None, id="nobody is left"),
    ],
)
def test_a_forfeit_of_three(
    gin_deck: DECK, at_fault: list[Seat], winner: Seat | None
) -> None:
    match = win_round(start(gin_deck), gin_deck)

    ended = forfeit(match, at_fault)

    assert ended.over == MatchOver(winner, Ending.FORFEIT, tuple(at_fault))
    assert ended.sheet.games[0].winner is winner
    assert ended.sheet.games[0].entries == match.sheet.games[0].entries
    assert ended.sheet.games[0].settlement is None


@given(st.integers(0, 10_000), st.integers(0, 900), TABLES)
@settings(max_examples=40)
def test_roles_and_scores_follow_from_the_rounds(
    reach: Callable[..., Match], seed: int, moves: int, rules: Ruleset
) -> None:
    match = reach(seed, moves, rules)

    totals = [0, 0, 0]
    expected = None
    for summary in match.history:
        played = {summary.dealer, summary.idle}
        (non_dealer,) = set(Seat) - played
        here = Roles(summary.dealer, non_dealer, summary.idle)
        assert expected in (None, here)
        expected = next_roles(rules, here, summary.winner)
        scorers = credited(rules, here.dealer, here.idle, summary.winner)
        for seat in scorers:
            totals[seat] += summary.points
        assert summary.winner is not summary.idle
    assert tuple(totals) == match.sheet.points
    if not match.over:
        assert expected in (None, roles(match))


@given(st.integers(0, 10_000))
@settings(max_examples=10)
def test_a_match_of_three_is_played_out(reach: Callable[..., Match], seed: int) -> None:
    match = reach(seed, 5000, THREE_HANDED)

    assert match.over is not None
    assert match.over.how is Ending.COMPLETED
    assert match.over.winner is match.sheet.games[0].winner
    assert max(match.sheet.points) >= THREE_HANDED.game_target
