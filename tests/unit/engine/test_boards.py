from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ginref.engine.card import Card
from ginref.engine.match import Ending, Match, MatchOver, apply, forfeit, start_match
from ginref.engine.move import parse_move
from ginref.engine.ruleset import GIN, NextDealer, Ruleset
from ginref.engine.seat import Seat

DECK = tuple[Card, ...]
NORTH, SOUTH = Seat.NORTH, Seat.SOUTH
BOARDS = GIN.but(name="boards", boards=4, next_dealer="board_parity")

# Gin with the upcard for its holder, who throws the king of clubs: 25 and 64 points.
GIN_HAND = "5h 5d 5c 4s 5s 6s 9h Th Jh Kc"
LOOSE = "As 2c 3d 4c 8s 9d Jc Qs Kh 7d"

NON_DEALER_WINS = ("draw_upcard", "knock Kc")
DEALER_WINS = ("pass", "draw_upcard", "knock Kc")
NOBODY_WINS = (
    *("pass", "pass", "draw_stock", "discard 2h"),
    *("draw_stock", "discard 3h"),
)


@pytest.fixture
def boards(deal_from: Callable[..., DECK]) -> Callable[..., Match]:
    """Play boards by their scripts, each on the deck that its script needs."""
    to_non_dealer = deal_from(GIN_HAND, LOOSE, "8h", "2h 3h")
    to_dealer = deal_from(LOOSE, GIN_HAND, "8h", "2h 3h")

    def play(
        *scripts: tuple[str, ...], rules: Ruleset = BOARDS, asked: list[int]
    ) -> Match:
        decks = [
            to_dealer if script == DEALER_WINS else to_non_dealer for script in scripts
        ]

        def deck_for(k: int) -> DECK:
            asked.append(k)
            return decks[min(k, len(decks) - 1)]

        match = start_match(rules, (NORTH, SOUTH), NORTH, deck_for)
        for script in scripts:
            for text in script:
                assert match.to_act is not None
                match = apply(match, match.to_act, parse_move(text), deck_for)
        return match

    return play


def test_boards_are_played_to_the_last_and_beyond_the_target(
    boards: Callable[..., Match],
) -> None:
    # South, South, South and North win: 267 points to 89.
    match = boards(
        NON_DEALER_WINS, DEALER_WINS, NON_DEALER_WINS, NON_DEALER_WINS, asked=[]
    )

    assert match.over == MatchOver(SOUTH, Ending.COMPLETED)
    assert match.sheet.points == (89, 267)
    assert match.sheet.games[0].winner is SOUTH
    assert match.sheet.games[0].closed_in_round == 4
    assert match.round_number == 4


def test_equal_points_are_a_drawn_match(boards: Callable[..., Match]) -> None:
    match = boards(
        NON_DEALER_WINS, NON_DEALER_WINS, rules=BOARDS.but(boards=2), asked=[]
    )

    assert match.sheet.points == (89, 89)
    assert match.over == MatchOver(None, Ending.COMPLETED)
    assert match.sheet.games[0].winner is None
    assert not match.sheet.games[0].is_open


def test_a_drawn_board_is_not_dealt_again(boards: Callable[..., Match]) -> None:
    asked: list[int] = []
    rules = BOARDS.but(boards=2, turn_limit=2)

    match = boards(NOBODY_WINS, NON_DEALER_WINS, rules=rules, asked=asked)

    assert asked == [0, 1]
    assert [summary.winner for summary in match.history] == [None, NORTH]
    assert match.over == MatchOver(NORTH, Ending.COMPLETED)


@pytest.mark.parametrize(
    "scripts",
    [
        pytest.param((NON_DEALER_WINS,) * 4, id="the non-dealer wins"),
        pytest.param((DEALER_WINS,) * 4, id="the dealer wins"),
        pytest.param((NOBODY_WINS,) * 4, id="nobody wins"),
    ],
)
def test_the_parity_of_the_board_names_its_dealer(
    boards: Callable[..., Match], scripts: tuple[tuple[str, ...], ...]
) -> None:
    match = boards(*scripts, rules=BOARDS.but(turn_limit=2), asked=[])

    dealers = [summary.dealer for summary in match.history]
    assert dealers == [NORTH, SOUTH, NORTH, SOUTH]


def test_a_drawn_board_keeps_its_dealer_where_the_winner_deals(
    boards: Callable[..., Match],
) -> None:
    rules = BOARDS.but(boards=3, next_dealer=NextDealer.WINNER, turn_limit=2)

    match = boards(NOBODY_WINS, NON_DEALER_WINS, NON_DEALER_WINS, rules=rules, asked=[])

    assert [summary.dealer for summary in match.history] == [NORTH, NORTH, SOUTH]


def test_a_forfeit_loses_the_boards_whatever_the_points(
    boards: Callable[..., Match],
) -> None:
    match = boards(NON_DEALER_WINS, asked=[])

    ended = forfeit(match, [SOUTH])

    assert ended.over == MatchOver(NORTH, Ending.FORFEIT, (SOUTH,))
    assert ended.sheet.points == (0, 89)


@given(st.integers(0, 10_000), st.integers(1, 6))
@settings(max_examples=15)
def test_boards_go_to_the_seat_with_more_points(
    reach: Callable[..., Match], seed: int, count: int
) -> None:
    match = reach(seed, 2000, BOARDS.but(boards=count))

    assert match.over is not None
    assert len(match.history) == count
    north, south = match.sheet.points
    leader = NORTH if north > south else SOUTH if south > north else None
    assert match.over.winner is leader
    parities = {summary.dealer for summary in match.history if summary.number % 2}
    assert len(parities) == 1
