from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ginref.tournament.berger import round_robin
from ginref.tournament.figure_chance import Chance
from ginref.tournament.figure_order import certainties
from ginref.tournament.standing_tally import Board, Kind, Tally


def fixture(number: int, first: str, second: str, *nets: int) -> Tally:
    net = sum(nets)
    winner = None if not net else first if net > 0 else second
    boards = tuple(map(Board, nets))
    return Tally(round=number, first=first, second=second, winner=winner, boards=boards)


@st.composite
def events(draw: st.DrawFn) -> tuple[list[str], list[Tally]]:
    names = [*"abcde"][: draw(st.integers(2, 5))]
    nets = st.lists(st.integers(-60, 60), max_size=4)
    tallies = [
        fixture(played.number, a, b, *draw(nets))
        for played in round_robin(names)
        for a, b in played.pairs
    ]
    return names, tallies


@given(events())
@settings(max_examples=25)
def test_somebody_comes_first_and_nobody_leaves_the_table(
    event: tuple[list[str], list[Tally]],
) -> None:
    names, tallies = event

    lines = certainties(names, tallies, b"seed", resamples=40)

    assert [line.entrant for line in lines] == names
    assert sum(line.first for line in lines) == pytest.approx(1)
    for line in lines:
        assert 1 <= line.best_rank <= line.worst_rank <= len(names)
    assert [line.above_next is None for line in lines] == [
        *[False] * (len(names) - 1),
        True,
    ]


def test_boards_that_agree_make_an_order_sure_and_others_do_not() -> None:
    sure = [fixture(1, "a", "b", 30, 28, 31, 25)]
    unsure = [fixture(1, "a", "b", 60, -58, 40, -38)]

    clear, _ = certainties(["a", "b"], sure, b"seed", resamples=200)
    level, _ = certainties(["a", "b"], unsure, b"seed", resamples=200)

    assert (clear.first, clear.above_next) == (1, 1)
    assert (clear.best_rank, clear.worst_rank) == (1, 1)
    assert 0.4 < level.first < 0.7
    assert (level.best_rank, level.worst_rank) == (1, 2)


def test_level_entrants_split_the_first_place() -> None:
    tallies = [fixture(1, "a", "b", 0, 0, 0)]

    lines = certainties(["a", "b"], tallies, b"seed", resamples=20)

    assert [line.first for line in lines] == [0.5, 0.5]
    assert [line.worst_rank for line in lines] == [1, 1]
    assert lines[0].above_next == 0.5


def test_forfeits_stay_as_they_are() -> None:
    boards = (Board(50), Board(40), Board(0, ("a",)))
    tallies = [
        Tally(round=1, first="a", second="b", winner="b", boards=boards),
        Tally(round=2, first="a", second="b", winner="b", kind=Kind.FORFEIT),
        Tally(round=3, first="b", kind=Kind.BYE),
    ]

    lines = certainties(["b", "a"], tallies, b"seed", resamples=20)

    assert [line.first for line in lines] == [1, 0]


def test_a_single_race_is_no_proof() -> None:
    tallies = [Tally(round=1, first="a", second="b", winner="a")]

    line, _ = certainties(["a", "b"], tallies, b"seed", resamples=300)

    assert 0.55 < line.first < 0.85


def test_the_same_seed_gives_the_same_figures() -> None:
    tallies = [fixture(1, "a", "b", 60, -58, 40, -38)]

    one, again, other = (
        certainties(["a", "b"], tallies, seed, resamples=100)
        for seed in (b"one", b"one", b"other")
    )

    assert one == again
    assert one != other


def test_numbers_of_a_seed_are_fair_and_known() -> None:
    chance = Chance(b"seed")

    drawn = Counter(side for _ in range(1000) for side in chance.resample(range(6)))

    assert sorted(drawn) == [0, 1, 2, 3, 4, 5]
    assert all(880 < count < 1120 for count in drawn.values())
    assert Chance(b"seed").resample("cards") == ["d", "a", "a", "d", "a"]
    assert Chance(b"seed").share() == pytest.approx(0.790, abs=0.001)
