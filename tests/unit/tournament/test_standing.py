import itertools
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ginref.tournament.berger import round_robin
from ginref.tournament.figure import Estimate
from ginref.tournament.standing import Rules, Standing, cross_table, stand
from ginref.tournament.standing_tally import Board, Kind, Tally, observations
from ginref.tournament.tiebreak import ROUND_ROBIN_ORDER, Criterion

RULES = Rules(ROUND_ROBIN_ORDER, award=60, round_count=3)


def tally(number: int, first: str, second: str, *nets: int) -> Tally:
    net = sum(nets)
    winner = None if not net else first if net > 0 else second
    boards = tuple(map(Board, nets))
    return Tally(round=number, first=first, second=second, winner=winner, boards=boards)


@st.composite
def events(draw: st.DrawFn) -> list[Tally]:
    names = [*"abcdef"][: draw(st.integers(2, 6))]
    nets = st.lists(st.integers(-120, 120), max_size=4)
    return [
        tally(played.number, a, b, *draw(nets))
        for played in round_robin(names)
        for a, b in played.pairs
    ]


def by_entrant(tallies: list[Tally], names: str) -> dict[str, Standing]:
    return {line.entrant: line for line in stand([*names], tallies, RULES)}


def test_a_line_tells_apart_what_was_played_and_what_was_not() -> None:
    tallies = [
        tally(1, "a", "b", 12, -2),
        Tally(
            round=1,
            first="c",
            second="d",
            winner="c",
            kind=Kind.FORFEIT,
            boards=(Board(0, ("d",)),),
        ),
        tally(2, "a", "c"),
        Tally(round=2, first="b", kind=Kind.BYE),
        tally(3, "a", "d", -30),
        Tally(round=3, first="c", kind=Kind.ABSENCE),
    ]

    lines = by_entrant(tallies, "abcd")

    a, c, d = lines["a"], lines["c"], lines["d"]
    assert (a.won, a.drawn, a.lost, a.unplayed) == (1, 1, 1, ())
    assert (c.won, c.drawn, c.lost) == (0, 1, 0)
    assert c.unplayed == (Kind.FORFEIT, Kind.ABSENCE)
    assert (d.won, d.lost, d.boards_forfeited) == (1, 0, 1)
    assert lines["b"].unplayed == (Kind.BYE,)
    assert lines["b"].points == 1


def test_a_forfeited_board_counts_for_the_rank_and_not_for_the_skill() -> None:
    boards = (Board(20), Board(10), Board(0, ("a",)))
    tallies = [Tally(round=1, first="a", second="b", boards=boards, winner="b")]

    lines = by_entrant(tallies, "ab")

    assert lines["a"].net_per_board == (20 + 10 - 60) / 3
    assert lines["a"].skill.mean == 15
    assert lines["b"].net_per_board == lines["b"].skill.mean == -15
    assert lines["a"].boards_forfeited == 1
    assert lines["b"].boards_forfeited == 0


def test_legs_of_one_deck_are_one_observation() -> None:
    boards = (
        Board(30, deck=0),
        Board(-5, deck=1),
        Board(-20, deck=0),
        Board(7, ("b",), deck=1),
        Board(8),
    )

    assert observations(Tally(round=1, first="a", second="b", boards=boards)) == (5, 8)


def test_luck_is_taken_off_beside_the_raw_figures_and_ranks_nobody() -> None:
    boards = (Board(30, luck=25.0), Board(4, luck=-6.0), Board(9, ("b",)))
    tallies = [Tally(round=1, first="a", second="b", winner="a", boards=boards)]

    lines = by_entrant(tallies, "ab")

    a, b = lines["a"], lines["b"]
    assert a.adjusted is not None
    assert b.adjusted is not None
    assert (a.skill.mean, a.adjusted.mean) == (17, 7.5)
    assert (b.skill.mean, b.adjusted.mean) == (-17, -7.5)
    assert a.net_per_board == 17


def test_luck_that_is_known_of_some_boards_only_is_not_taken_off() -> None:
    boards = (Board(30, luck=25.0), Board(4))
    tallies = [Tally(round=1, first="a", second="b", winner="a", boards=boards)]

    assert by_entrant(tallies, "ab")["a"].adjusted is None


@given(events())
def test_points_of_a_round_robin_are_shared_out(tallies: list[Tally]) -> None:
    names = sorted({name for one in tallies for name in (one.first, one.second or "")})

    lines = stand(names, tallies, RULES)

    assert sum(line.points for line in lines) == len(tallies)
    assert [line.rank for line in lines] == sorted(line.rank for line in lines)
    assert sorted(line.entrant for line in lines) == names
    for line in lines:
        assert line.won + line.drawn + line.lost == len(names) - 1
        assert line.score_interval is not None
        low, high = line.score_interval
        assert low <= line.points / (len(names) - 1) <= high


@given(events())
def test_values_can_be_recomputed_from_their_contributions(
    tallies: list[Tally],
) -> None:
    names = sorted({name for one in tallies for name in (one.first, one.second or "")})
    unsummed = {Criterion.HEAD_TO_HEAD, Criterion.LOTS}
    rules = Rules(tuple(Criterion), award=60, round_count=5)

    for line in stand(names, tallies, rules):
        for value in line.tie_breaks:
            if value.criterion not in unsummed:
                parts = [one.value for one in value.contributions if not one.is_cut]
                boards = sum(one.boards for one in value.contributions)
                assert value.value == sum(parts) / (boards or 1)
            if value.criterion is Criterion.HEAD_TO_HEAD and value.value is not None:
                assert value.value == sum(one.value for one in value.contributions)


@given(events())
def test_a_cross_table_is_its_own_mirror_image(tallies: list[Tally]) -> None:
    cells = cross_table(tallies)

    names = {name for pair in cells for name in pair}
    assert set(cells) == set(itertools.permutations(sorted(names), 2))
    for (a, b), cell in cells.items():
        other = cells[b, a]
        assert cell.fixtures == other.fixtures == 1
        assert cell.points + other.points == 1
        assert cell.net.mean == (None if other.net.mean is None else -other.net.mean)


def test_a_cell_says_whether_its_net_points_are_clear() -> None:
    tallies = [
        tally(1, "a", "b", 30, 28, 35, 31),
        tally(2, "c", "a", 30, -28, 5, -3),
        replace(tally(3, "b", "c"), winner="c", kind=Kind.FORFEIT),
    ]

    cells = cross_table(tallies)

    assert cells["a", "b"].net.is_clear
    assert not cells["a", "c"].net.is_clear
    assert cells["b", "c"].net == Estimate(None, None, 0)
    assert (cells["b", "c"].points, cells["c", "b"].points) == (0, 1)


def test_nobody_is_missing_from_a_table_of_which_nothing_was_played() -> None:
    lines = stand([*"ab"], [], RULES)

    assert [line.entrant for line in lines] == ["a", "b"]
    assert [line.rank for line in lines] == [1, 1]
    assert lines[0].score_interval is None
    assert lines[0].skill == Estimate(None, None, 0)


@pytest.mark.parametrize("award", [0, 60, 200])
def test_the_declared_award_is_what_a_forfeit_costs(award: int) -> None:
    boards = (Board(0, ("a",)), Board(0, ("a",)))
    tallies = [
        Tally(
            round=1,
            first="a",
            second="b",
            boards=boards,
            winner="b",
            kind=Kind.FORFEIT,
        )
    ]

    a, b = (
        line.net_per_board
        for line in sorted(
            stand([*"ab"], tallies, Rules(ROUND_ROBIN_ORDER, award, 1)),
            key=lambda line: line.entrant,
        )
    )

    assert (a, b) == (-award, 0)
