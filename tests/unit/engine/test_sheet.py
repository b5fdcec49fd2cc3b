import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ginref.engine.ruleset import GIN, HOLLYWOOD, ClosedPolicy, Ruleset, Stop
from ginref.engine.seat import Seat
from ginref.engine.sheet import (
    Entry,
    ScoreSheet,
    close_open_games,
    decide_by_count,
    enter,
    is_over,
    next_columns,
    open_sheet,
)

NORTH, SOUTH = Seat.NORTH, Seat.SOUTH
WINS = st.lists(
    st.tuples(st.sampled_from([NORTH, SOUTH]), st.integers(0, 123)), max_size=40
)
POLICIES = st.sampled_from(ClosedPolicy)


def sheet_of(
    wins: list[tuple[Seat, int]], rules: Ruleset = HOLLYWOOD
) -> list[ScoreSheet]:
    """The sheet after each win, up to the end of the match."""
    sheets = [open_sheet(rules)]
    for number, (winner, points) in enumerate(wins, 1):
        if is_over(sheets[-1], rules):
            break
        sheets.append(enter(sheets[-1], rules, winner, points, number))
    return sheets


def test_a_win_of_nothing_is_an_entry_all_the_same() -> None:
    sheet = sheet_of([(NORTH, 0)])[-1]

    assert sheet.games[0].entries == ((Entry(1, 0),), ())
    assert sheet.wins == (1, 0)
    assert next_columns(sheet, HOLLYWOOD, NORTH) == (0, 1)


def test_totals_are_the_sums_of_the_entries() -> None:
    sheet = sheet_of([(NORTH, 10), (SOUTH, 18), (NORTH, 30), (NORTH, 4)])[-1]

    assert [game.totals for game in sheet.games] == [(44, 18), (34, 0), (4, 0)]
    assert sheet.points == (82, 18)
    assert sheet.wins == (3, 1)
    assert sheet.games[1].entries[NORTH] == (Entry(3, 30), Entry(4, 4))


@given(WINS, POLICIES)
def test_hollywood_games_close_in_order(
    wins: list[tuple[Seat, int]], policy: ClosedPolicy
) -> None:
    rules = HOLLYWOOD.but(closed_policy=policy)

    for sheet in sheet_of(wins, rules):
        closed = [game.closed_in_round for game in sheet.games]
        ordered = [number for number in closed if number is not None]
        assert closed == ordered + [None] * (len(closed) - len(ordered))
        assert ordered == sorted(ordered)


@given(WINS, POLICIES)
def test_a_closed_game_never_changes(
    wins: list[tuple[Seat, int]], policy: ClosedPolicy
) -> None:
    sheets = sheet_of(wins, HOLLYWOOD.but(closed_policy=policy))

    for before, after in itertools.pairwise(sheets):
        for old, new in zip(before.games, after.games, strict=True):
            assert old.is_open or new == old


@given(WINS, POLICIES)
def test_a_win_enters_exactly_the_announced_columns(
    wins: list[tuple[Seat, int]], policy: ClosedPolicy
) -> None:
    rules = HOLLYWOOD.but(closed_policy=policy)
    sheets = sheet_of(wins, rules)

    for (winner, points), before, after in zip(wins, sheets, sheets[1:], strict=False):
        columns = next_columns(before, rules, winner)
        for at, (old, new) in enumerate(zip(before.games, after.games, strict=True)):
            gained = points if at in columns else 0
            assert new.total(winner) == old.total(winner) + gained
            added = len(new.entries[winner]) - len(old.entries[winner])
            assert added == (at in columns)


@given(WINS)
def test_seats_that_change_places_change_nothing_else(
    wins: list[tuple[Seat, int]],
) -> None:
    swapped = [(SOUTH if winner is NORTH else NORTH, points) for winner, points in wins]

    for one, other in zip(sheet_of(wins), sheet_of(swapped), strict=True):
        assert [game.totals for game in one.games] == [
            game.totals[::-1] for game in other.games
        ]
        assert one.games_won == other.games_won[::-1]


def test_an_open_game_takes_every_win_while_the_match_goes_on() -> None:
    sheet = sheet_of([(NORTH, 99)] * 3)[-1]

    assert [game.is_open for game in sheet.games] == [False, False, True]
    assert next_columns(sheet, HOLLYWOOD, SOUTH) == (2,)


@pytest.mark.parametrize(
    ("stop", "over"),
    [
        pytest.param(Stop.ALL_CLOSED, False, id="all games are played"),
        pytest.param(Stop.MAJORITY, True, id="two games are enough"),
    ],
)
def test_two_games_decide_the_match_and_may_end_it(stop: Stop, *, over: bool) -> None:
    rules = HOLLYWOOD.but(stop=stop)

    sheet = sheet_of([(NORTH, 60), (NORTH, 60), (NORTH, 60)], rules)[-1]

    assert sheet.winner is NORTH
    assert sheet.games_won == (2, 0)
    assert is_over(sheet, rules) is over


def test_a_single_game_has_one_column() -> None:
    sheet = sheet_of([(SOUTH, 60), (SOUTH, 40)], GIN)[-1]

    assert len(sheet.games) == 1
    assert sheet.winner is SOUTH
    assert is_over(sheet, GIN)


@pytest.mark.parametrize(
    ("wins", "winner"),
    [
        pytest.param([], None, id="nothing played"),
        pytest.param([(NORTH, 5), (SOUTH, 5)], None, id="equal points"),
        pytest.param([(NORTH, 5), (SOUTH, 6)], SOUTH, id="more points"),
        pytest.param(
            [(NORTH, 100), (SOUTH, 90), (SOUTH, 9)], NORTH, id="games before points"
        ),
    ],
)
def test_a_match_out_of_rounds_is_decided_by_games_then_points(
    wins: list[tuple[Seat, int]], winner: Seat | None
) -> None:
    assert decide_by_count(sheet_of(wins)[-1]) is winner


def test_open_games_go_to_a_seat_with_their_entries_as_they_are() -> None:
    sheet = sheet_of([(NORTH, 100), (NORTH, 50), (SOUTH, 7)])[-1]

    closed = close_open_games(sheet, SOUTH, 4)

    assert [game.winner for game in closed.games] == [NORTH, SOUTH, SOUTH]
    assert [game.closed_in_round for game in closed.games] == [1, 4, 4]
    assert [game.entries for game in closed.games] == [
        game.entries for game in sheet.games
    ]
    assert closed.wins == sheet.wins
