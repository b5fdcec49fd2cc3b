from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ginref.tournament.standing_tally import Kind, Tally
from ginref.tournament.swiss_exchange import pair_by_exchange
from ginref.tournament.swiss_field import (
    Candidate,
    Float,
    Table,
    bye_order,
    field_of,
)
from ginref.tournament.swiss_search import Lookahead, Pairs, fewest_rematches


@st.composite
def fields(draw: st.DrawFn, sizes: tuple[int, ...] = (2, 4, 6, 8)) -> list[Candidate]:
    """Fields with any history, possible or not, as long as both sides agree on it."""
    size = draw(st.sampled_from(sizes))
    met = [draw(st.sets(st.integers(0, size - 1))) for _ in range(size)]
    field = []
    for seed in range(size):
        opponents = met[seed] | {other for other in range(size) if seed in met[other]}
        floated = draw(st.sampled_from(Float))
        score = draw(st.sampled_from([0.0, 0.5, 1.0, 2.0, 2.5]))
        others = frozenset(str(other) for other in opponents - {seed})
        field.append(Candidate(key=str(seed), score=score, met=others, floated=floated))
    return field


def all_pairings(free: tuple[int, ...]) -> Iterator[Pairs]:
    if not free:
        yield ()
    for other in free[1:]:
        rest = tuple(one for one in free[1:] if one != other)
        for pairs in all_pairings(rest):
            yield ((free[0], other), *pairs)


def definition(field: list[Candidate], pairs: Pairs) -> tuple[Any, ...]:
    """The cost of a pairing of seeds, criterion by criterion."""
    order = sorted(range(len(field)), key=lambda seed: (-field[seed].score, seed))
    rematches, differences, floats, slide = 0, [], 0, 0
    for pair in pairs:
        upper, lower = sorted(pair, key=order.index)
        groups = [
            [seed for seed in order if field[seed].score == field[one].score]
            for one in (upper, lower)
        ]
        high, low = groups[0].index(upper), groups[1].index(lower)
        rematches += field[lower].key in field[upper].met
        differences.append(field[upper].score - field[lower].score)
        if differences[-1]:
            floats += field[upper].floated is Float.DOWN
            floats += field[lower].floated is Float.UP
            slide += (len(groups[0]) - 1 - high) ** 2 + low**2
        else:
            slide += (low - high - len(groups[0]) // 2) ** 2
    return rematches, sorted(differences, reverse=True), floats, slide, sorted(pairs)


@given(fields())
@settings(max_examples=60)
def test_the_pairing_of_a_small_field_is_the_best_of_all(
    field: list[Candidate],
) -> None:
    table = Table(field)

    best = next(fewest_rematches(table))

    expected = min(
        all_pairings(tuple(range(len(field)))),
        key=lambda pairs: definition(field, pairs),
    )
    assert table.by_seed(best) == list(expected)


@given(fields())
@settings(max_examples=60)
def test_one_number_orders_pairings_as_the_criteria_do(field: list[Candidate]) -> None:
    table = Table(field)
    place = {seed: at for at, seed in enumerate(table.seeds)}
    weighed = []
    for pairs in all_pairings(tuple(range(len(field)))):
        cost = sum(table.costs(place[a])[place[b]] for a, b in pairs)
        weighed.append((cost, definition(field, pairs)[:-1]))

    assert sorted(weighed) == sorted(weighed, key=lambda entry: entry[1])
    assert len({cost for cost, _ in weighed}) == len({repr(key) for _, key in weighed})


@given(fields(sizes=(4, 6, 8, 10)))
@settings(max_examples=60)
def test_an_exchange_needs_as_few_rematches_as_any_pairing(
    field: list[Candidate],
) -> None:
    table = Table(field)

    pairs = pair_by_exchange(table)

    assert sorted(place for pair in pairs for place in pair) == [*range(len(field))]
    best = next(fewest_rematches(table))
    assert table.rematches(pairs) == table.rematches(best)


@given(fields(sizes=(20, 30)))
@settings(max_examples=20)
def test_in_an_exchanged_pairing_no_two_pairs_gain_by_another_exchange(
    field: list[Candidate],
) -> None:
    table = Table(field)

    pairs = pair_by_exchange(table)

    for a, b in pairs:
        for c, d in pairs:
            if a < c:
                now = table.costs(a)[b] + table.costs(c)[d]
                assert table.costs(a)[c] + table.costs(b)[d] >= now
                assert table.costs(a)[d] + table.costs(b)[c] >= now


@pytest.mark.parametrize(
    ("tally", "floats"),
    [
        pytest.param(
            Tally(round=2, first="a", second="c", winner="c"),
            [Float.DOWN, Float.NONE, Float.UP],
            id="down and up",
        ),
        pytest.param(
            Tally(round=2, first="c", kind=Kind.BYE),
            [Float.NONE, Float.NONE, Float.DOWN],
            id="a bye is a float down",
        ),
        pytest.param(
            Tally(round=2, first="c", second="a", winner="c", kind=Kind.FORFEIT),
            [Float.NONE, Float.NONE, Float.DOWN],
            id="so is a win without playing",
        ),
        pytest.param(
            Tally(round=2, first="c", kind=Kind.ABSENCE),
            [Float.NONE, Float.NONE, Float.NONE],
            id="an absence is none",
        ),
        pytest.param(
            Tally(round=2, first="b", second="c", winner="c"),
            [Float.NONE, Float.NONE, Float.NONE],
            id="equal scores do not float",
        ),
    ],
)
def test_floats_are_those_of_the_latest_round(
    tally: Tally, floats: list[Float]
) -> None:
    first = Tally(round=1, first="a", second="b", winner="a")

    field = field_of(["a", "b", "c"], [first, tally])

    assert [entrant.floated for entrant in field] == floats


def test_the_lowest_score_sits_out_then_whoever_played_most_then_the_lowest_seed() -> (
    None
):
    field = [
        Candidate(key="leader", score=2),
        Candidate(key="late", score=0, unplayed=1),
        Candidate(key="better seed", score=0),
        Candidate(key="lower seed", score=0),
        Candidate(key="sat out", score=0, has_free_win=True),
    ]

    order = [entrant.key for entrant in bye_order(field)]

    assert order == ["lower seed", "better seed", "late", "leader"]


def test_a_second_bye_is_given_only_when_everybody_had_one() -> None:
    field = [Candidate(key=key, has_free_win=True) for key in "abc"]

    assert [entrant.key for entrant in bye_order(field)] == ["c", "b", "a"]


def everyone_of(names: str) -> dict[str, set[str]]:
    return {name: set(names) - {name} for name in names}


@pytest.mark.parametrize(
    ("names", "rounds"),
    [("abcd", 3), ("abcdef", 5), ("abcdefgh", 7), ("abcdefghij", 9)],
)
def test_a_fresh_field_has_room_for_a_round_robin_and_no_more(
    names: str, rounds: int
) -> None:
    assert Lookahead().fits(everyone_of(names), rounds)
    assert not Lookahead().fits(everyone_of(names), rounds + 1)


def test_two_triangles_have_no_room_for_a_round() -> None:
    unmet = {**everyone_of("abc"), **everyone_of("def")}

    assert Lookahead().fits(unmet, 0)
    assert not Lookahead().fits(unmet, 1)


def test_without_patience_a_round_that_takes_a_search_counts_as_impossible() -> None:
    unmet = everyone_of("abcdef")

    assert not Lookahead(patience=2).fits(unmet, 5)
