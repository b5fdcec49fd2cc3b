import itertools
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ginref.tournament.berger import (
    BergerRound,
    double_round_robin,
    round_robin,
    snake_groups,
)

GOLDEN = Path(__file__).parents[2] / "golden" / "tournament_vectors.json"
TABLES: dict[str, Any] = json.loads(GOLDEN.read_text(encoding="utf-8"))["round_robin"]
SIZES = st.integers(2, 40)


def field(size: int) -> list[str]:
    return [str(seed) for seed in range(1, size + 1)]


def pairs_of(rounds: tuple[BergerRound, ...]) -> list[list[list[int]]]:
    return [[[int(a), int(b)] for a, b in played.pairs] for played in rounds]


def longest_same_seat(rounds: tuple[BergerRound, ...], entrant: str) -> int:
    seats = [
        pair.index(entrant)
        for played in rounds
        for pair in played.pairs
        if entrant in pair
    ]
    return max(len(list(run)) for _, run in itertools.groupby(seats))


@pytest.mark.parametrize("size", sorted(TABLES["berger"]))
def test_the_published_tables_are_met(size: str) -> None:
    rounds = round_robin(field(int(size)))

    expected = TABLES["berger"][size]
    assert pairs_of(rounds) == [played["games"] for played in expected]
    byes = [
        None if played["bye"] is None else str(played["bye"]) for played in expected
    ]
    assert [played.bye for played in rounds] == byes


@pytest.mark.parametrize("size", sorted(TABLES["double"]))
def test_two_cycles_are_the_published_ones(size: str) -> None:
    rounds = double_round_robin(field(int(size)))

    expected = TABLES["double"][size]
    assert pairs_of(rounds) == expected["rounds"]
    longest = max(longest_same_seat(rounds, entrant) for entrant in field(int(size)))
    assert longest == expected["max_same_seat_run"]


@given(SIZES)
def test_everyone_meets_everyone_once_and_sits_out_at_most_once(size: int) -> None:
    rounds = round_robin(field(size))

    met = Counter(frozenset(pair) for played in rounds for pair in played.pairs)
    assert met == Counter(map(frozenset, itertools.combinations(field(size), 2)))
    byes = [played.bye for played in rounds if played.bye]
    assert sorted(byes) == (sorted(field(size)) if size % 2 else [])
    for played in rounds:
        here = [*itertools.chain(*played.pairs), *filter(None, [played.bye])]
        assert sorted(here) == sorted(field(size))


@given(st.integers(2, 24))
def test_in_two_cycles_each_pair_meets_once_in_either_seat(size: int) -> None:
    rounds = double_round_robin(field(size))

    met = Counter(pair for played in rounds for pair in played.pairs)
    assert met == Counter(itertools.permutations(field(size), 2))
    assert [played.number for played in rounds] == list(range(1, len(rounds) + 1))


@given(st.integers(5, 24))
def test_nobody_keeps_a_seat_three_times_running(size: int) -> None:
    rounds = double_round_robin(field(size))

    assert all(longest_same_seat(rounds, entrant) <= 2 for entrant in field(size))


def test_groups_are_dealt_there_and_back_again() -> None:
    groups = snake_groups(field(8), 2)

    assert groups == (("1", "4", "5", "8"), ("2", "3", "6", "7"))


@given(st.integers(2, 40), st.integers(1, 8))
def test_groups_hold_everyone_and_differ_by_one_at_most(size: int, count: int) -> None:
    if size < 2 * count:
        with pytest.raises(ValueError, match="groups of two"):
            snake_groups(field(size), count)
        return

    groups = snake_groups(field(size), count)

    assert sorted(itertools.chain(*groups)) == sorted(field(size))
    sizes = [len(group) for group in groups]
    assert max(sizes) - min(sizes) <= 1


def test_groups_of_unequal_size_have_no_fixture_between_absent_entrants() -> None:
    groups = snake_groups(field(7), 2)

    rounds = [round_robin(group) for group in groups]
    assert [len(group) for group in groups] == [3, 4]
    assert [sum(len(r.pairs) for r in played) for played in rounds] == [3, 6]
    assert [[r.bye for r in played] for played in rounds] == [
        ["1", "5", "4"],
        [None, None, None],
    ]


@pytest.mark.parametrize(
    ("entrants", "reason"),
    [
        pytest.param([], "two entrants or more", id="nobody"),
        pytest.param(["a"], "two entrants or more", id="one alone"),
        pytest.param(["a", "b", "a"], "named twice", id="one twice"),
    ],
)
def test_a_field_that_cannot_play_is_refused(entrants: list[str], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        round_robin(entrants)
