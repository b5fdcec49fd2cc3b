import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ginref.engine.ruleset import (
    GIN,
    HOLLYWOOD,
    THREE_HANDED,
    Ruleset,
    Shutout,
    Table,
)
from ginref.engine.seat import Seat
from ginref.engine.settlement import Settlement, settle
from ginref.engine.sheet import ScoreSheet, close_open_games, enter, is_over, open_sheet

NORTH, SOUTH, EAST = Seat
BONUSES = GIN.but(name="club", game_bonus=100, line_bonus=25)
CUTTHROAT = THREE_HANDED.but(
    game_bonus=100, line_bonus=25, shutout="flat_bonus", shutout_bonus=100
)
HOUSES = [
    BONUSES,
    BONUSES.but(shutout="double_game_bonus"),
    BONUSES.but(shutout="double_total"),
    BONUSES.but(shutout="flat_bonus", shutout_bonus=100),
    BONUSES.but(games=3, shutout="double_total"),
    THREE_HANDED,
    CUTTHROAT,
    CUTTHROAT.but(name="box", table=Table.BOX),
]
WINS = st.lists(
    st.tuples(st.sampled_from(list(Seat)), st.integers(0, 123)), max_size=30
)


def sheets_of(
    rules: Ruleset, wins: list[tuple[Seat, int]]
) -> list[tuple[Seat, ScoreSheet]]:
    """The sheet after each win, up to the end of the match."""
    sheet, seen = open_sheet(rules), []
    for number, (seat, points) in enumerate(wins, 1):
        if is_over(sheet, rules):
            break
        winner = Seat(seat % rules.seat_count)
        idle = [Seat((winner + 1) % 3)] if rules.table is Table.BOX and seat else []
        sheet = enter(sheet, rules, winner, points, number, *idle)
        seen.append((winner, sheet))
    return seen


@pytest.mark.parametrize(
    ("rules", "points", "boxes", "totals", "balances"),
    [
        pytest.param(
            BONUSES, (105, 40), (3, 2), (280, 90), (190, -190), id="game and lines"
        ),
        pytest.param(
            GIN.but(name="x", game_bonus=100),
            (205, 40),
            (5, 2),
            (305, 40),
            (265, -265),
            id="the game alone",
        ),
        pytest.param(
            BONUSES, (100, 99), (1, 9), (225, 324), (-99, 99), id="lines cost the win"
        ),
        pytest.param(
            BONUSES, (110, 0), (2, 0), (260, 0), (260, -260), id="a shutout for free"
        ),
        pytest.param(
            BONUSES.but(shutout="double_game_bonus"),
            (110, 0),
            (2, 0),
            (360, 0),
            (360, -360),
            id="a shutout doubles the game bonus",
        ),
        pytest.param(
            BONUSES.but(shutout="double_total"),
            (110, 0),
            (2, 0),
            (520, 0),
            (520, -520),
            id="a shutout doubles everything",
        ),
        pytest.param(
            BONUSES.but(shutout="flat_bonus", shutout_bonus=100),
            (110, 0),
            (2, 0),
            (260, 0),
            (360, -360),
            id="a shutout costs a hundred",
        ),
        pytest.param(
            BONUSES.but(shutout="double_total"),
            (110, 0),
            (2, 1),
            (260, 25),
            (235, -235),
            id="a box of nothing is no shutout",
        ),
        pytest.param(
            THREE_HANDED,
            (104, 60, 35),
            (5, 3, 2),
            (104, 60, 35),
            (113, -19, -94),
            id="three pay the differences",
        ),
        pytest.param(
            CUTTHROAT,
            (104, 60, 0),
            (5, 3, 0),
            (329, 135, 0),
            (623, -59, -564),
            id="the one of three without a box pays more",
        ),
    ],
)
def test_a_game_is_settled(
    rules: Ruleset,
    points: tuple[int, ...],
    boxes: tuple[int, ...],
    totals: tuple[int, ...],
    balances: tuple[int, ...],
) -> None:
    assert settle(rules, NORTH, points, boxes) == Settlement(totals, balances)


@pytest.mark.parametrize(
    ("winner", "points", "balances"),
    [
        pytest.param(NORTH, (205, 40), (165, -165), id="the winner comes first"),
        pytest.param(SOUTH, (40, 205), (-165, 165), id="the loser comes first"),
    ],
)
def test_the_difference_does_not_depend_on_the_seat(
    winner: Seat, points: tuple[int, int], balances: tuple[int, int]
) -> None:
    assert settle(GIN, winner, points, (3, 2)) == Settlement(points, balances)


@given(
    st.sampled_from(HOUSES),
    st.permutations(list(Seat)),
    st.lists(st.tuples(st.integers(0, 200), st.integers(0, 9)), min_size=3, max_size=3),
)
def test_seats_that_change_places_take_their_settlement_along(
    rules: Ruleset, order: list[Seat], scores: list[tuple[int, int]]
) -> None:
    order = [seat for seat in order if seat < rules.seat_count]
    points, boxes = zip(*scores[: len(order)], strict=True)

    plain = settle(rules, NORTH, points, boxes)
    moved = settle(
        rules,
        Seat(order.index(NORTH)),
        [points[seat] for seat in order],
        [boxes[seat] for seat in order],
    )

    assert moved.totals == tuple(plain.totals[seat] for seat in order)
    assert moved.balances == tuple(plain.balances[seat] for seat in order)
    assert sum(plain.balances) == 0


@given(st.sampled_from([THREE_HANDED, CUTTHROAT]), st.permutations(list(Seat)), WINS)
def test_three_seats_that_change_places_take_their_scores_along(
    rules: Ruleset, order: list[Seat], wins: list[tuple[Seat, int]]
) -> None:
    moved = [(Seat(order.index(winner)), points) for winner, points in wins]

    for (_, one), (_, other) in zip(
        sheets_of(rules, wins), sheets_of(rules, moved), strict=True
    ):
        assert other.points == tuple(one.points[seat] for seat in order)
        assert other.games_won == tuple(one.games_won[seat] for seat in order)
        plain, placed = one.games[0].settlement, other.games[0].settlement
        assert (plain is None) is (placed is None)
        if plain and placed:
            assert placed.balances == tuple(plain.balances[seat] for seat in order)


@given(st.sampled_from(HOUSES), WINS)
def test_a_settlement_moves_no_winner_and_no_target(
    rules: Ruleset, wins: list[tuple[Seat, int]]
) -> None:
    unsettled = rules.but(
        game_bonus=0, line_bonus=0, shutout=Shutout.NONE, shutout_bonus=0
    )

    for (_, sheet), (_, plain) in zip(
        sheets_of(rules, wins), sheets_of(unsettled, wins), strict=True
    ):
        assert sheet.wins == plain.wins
        assert sheet.points == plain.points
        assert sheet.winner is plain.winner
        assert [
            (game.entries, game.winner, game.closed_in_round) for game in sheet.games
        ] == [(game.entries, game.winner, game.closed_in_round) for game in plain.games]


@given(st.sampled_from(HOUSES), WINS)
def test_every_closed_game_is_settled_once_and_for_all(
    rules: Ruleset, wins: list[tuple[Seat, int]]
) -> None:
    sheets = [sheet for _, sheet in sheets_of(rules, wins)]

    for sheet in sheets:
        for game in sheet.games:
            assert (game.settlement is None) is game.is_open
    for before, after in itertools.pairwise(sheets):
        for old, new in zip(before.games, after.games, strict=True):
            assert old.is_open or new == old


@given(st.sampled_from(HOUSES[-3:]), WINS)
def test_a_game_of_three_goes_to_who_has_most_of_those_that_scored(
    rules: Ruleset, wins: list[tuple[Seat, int]]
) -> None:
    for winner, sheet in sheets_of(rules, wins):
        (game,) = sheet.games
        if game.winner is not None:
            reached = [seat for seat in Seat if game.total(seat) >= rules.game_target]
            assert game.winner in reached
            assert game.total(game.winner) == max(game.totals)
            assert game.winner is winner or game.total(game.winner) > game.total(winner)
        else:
            assert max(game.totals) < rules.game_target


def test_bonuses_do_not_count_towards_the_target() -> None:
    sheet = open_sheet(BONUSES)
    for number, points in enumerate([45, 45], 1):
        sheet = enter(sheet, BONUSES, NORTH, points, number)

    # Ninety points and two boxes would be 140 with their bonuses.
    assert sheet.games[0].is_open
    assert sheet.games[0].settlement is None


def test_hollywood_settles_each_column_by_itself() -> None:
    rules = HOLLYWOOD.but(
        name="club", game_bonus=100, line_bonus=20, shutout="double_total"
    )
    sheet = open_sheet(rules)
    wins = [(NORTH, 60), (SOUTH, 12), (NORTH, 50), (NORTH, 60), (NORTH, 50)]
    for number, (winner, points) in enumerate(wins, 1):
        sheet = enter(sheet, rules, winner, points, number)

    first, second, third = (game.settlement for game in sheet.games)
    assert first == Settlement((110 + 100 + 40, 12 + 20), (218, -218))
    # South has no box in the second column: it counts twice there.
    assert second == Settlement((2 * (110 + 100 + 40), 0), (500, -500))
    assert third == Settlement((2 * (110 + 100 + 40), 0), (500, -500))


def test_a_game_given_away_is_not_settled() -> None:
    sheet = enter(open_sheet(BONUSES), BONUSES, NORTH, 90, 1)

    closed = close_open_games(sheet, SOUTH, 2)

    assert closed.games[0].winner is SOUTH
    assert closed.games[0].settlement is None


def test_plain_gin_settles_nothing() -> None:
    sheet = enter(open_sheet(GIN), GIN, NORTH, 100, 1)

    assert not sheet.games[0].is_open
    assert sheet.games[0].settlement is None


def test_partners_who_reach_the_target_with_equal_points() -> None:
    # Both partners reach it at once: the one that played the round wins.
    rules = THREE_HANDED.but(name="box", table=Table.BOX)
    sheet = open_sheet(rules)

    sheet = enter(sheet, rules, EAST, 100, 1, SOUTH)

    assert sheet.games[0].totals == (0, 100, 100)
    assert sheet.games[0].winner is EAST
    assert sheet.wins == (0, 1, 1)


def test_the_partner_wins_with_more_points() -> None:
    rules = THREE_HANDED.but(name="box", table=Table.BOX)
    sheet = enter(open_sheet(rules), rules, SOUTH, 30, 1)

    sheet = enter(sheet, rules, EAST, 90, 2, SOUTH)

    assert sheet.games[0].totals == (0, 120, 90)
    assert sheet.games[0].winner is SOUTH
