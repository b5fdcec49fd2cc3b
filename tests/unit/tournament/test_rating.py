import itertools
import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ginref.tournament.rating import (
    RatedGame,
    rate,
    rate_intervals,
    rated_games,
    winning_chance,
)
from ginref.tournament.standing_tally import Board, Kind, Tally

GOLDEN = Path(__file__).parents[2] / "golden" / "tournament_vectors.json"
VECTOR: dict[str, Any] = json.loads(GOLDEN.read_text(encoding="utf-8"))["ratings"][
    "bradley_terry"
]
NAMES = [*"abcde"]


@st.composite
def played(draw: st.DrawFn) -> list[RatedGame]:
    games = st.builds(
        RatedGame,
        st.sampled_from(NAMES),
        st.sampled_from(NAMES),
        st.sampled_from([0, 0.5, 1]),
    )
    return draw(
        st.lists(games.filter(lambda game: game.first != game.second), max_size=30)
    )


def triangle() -> list[RatedGame]:
    games = []
    for a, b in itertools.combinations(range(3), 2):
        won, lost = VECTOR["win_matrix"][a][b], VECTOR["win_matrix"][b][a]
        # Whole games and halves of the same sums.
        games += [RatedGame(str(a), str(b), 1)] * int(won)
        games += [RatedGame(str(a), str(b), 0)] * int(lost)
        games += [RatedGame(str(a), str(b), 0.5)] * int(won % 1 + lost % 1)
    return games


def test_a_triangle_of_known_odds_has_the_published_ratings() -> None:
    ratings = rate([*"012"], triangle(), prior=0)

    assert [round(rating - 1500, 2) for rating in ratings.values()] == VECTOR["elo"]


@given(played())
def test_everyone_scores_what_the_ratings_expect(games: list[RatedGame]) -> None:
    ratings = rate(NAMES, games, prior=2)

    # The average bot that everyone has drawn against is at zero strength, which is
    # not the mean rating: it is found where the sums of scores and chances agree.
    expected, scored = dict.fromkeys(NAMES, 0.0), dict.fromkeys(NAMES, 0.0)
    for first, second, score in games:
        chance = winning_chance(ratings[first], ratings[second])
        expected[first] += chance
        expected[second] += 1 - chance
        scored[first] += score
        scored[second] += 1 - score
    average = [
        ratings[name] + 400 * math.log10(1 / share - 1)
        for name in NAMES
        for share in [(scored[name] - expected[name] + 1) / 2]
    ]
    assert max(average) - min(average) < 1e-3


@given(played())
@settings(max_examples=40)
def test_ratings_are_those_of_the_slower_textbook_method(
    games: list[RatedGame],
) -> None:
    ratings = rate(NAMES, games, prior=2)

    weights = dict.fromkeys(NAMES, 1.0)
    for _ in range(3000):
        for name in NAMES:
            won, share = 1.0, 2 / (weights[name] + 1)
            for first, second, score in games:
                if name in {first, second}:
                    won += score if name == first else 1 - score
                    share += 1 / (weights[first] + weights[second])
            weights[name] = won / share
    textbook = {name: 400 * math.log10(weights[name]) for name in NAMES}
    shift = ratings["a"] - textbook["a"]
    for name in NAMES:
        assert ratings[name] == pytest.approx(textbook[name] + shift, abs=0.01)


@given(st.data(), played())
def test_the_order_of_the_games_plays_no_part(
    data: st.DataObject, games: list[RatedGame]
) -> None:
    shuffled = data.draw(st.permutations(games))

    assert rate(NAMES, shuffled) == pytest.approx(rate(NAMES, games))


def test_a_beats_b_and_b_beats_a_leaves_them_level() -> None:
    games = [RatedGame("a", "b", 1), RatedGame("b", "a", 1)]

    ratings = rate(["a", "b"], games)

    assert ratings == pytest.approx({"a": 1500, "b": 1500})


def test_an_anchor_has_the_level_rating() -> None:
    games = [RatedGame("house", "a", 1), RatedGame("a", "b", 0.5)]

    free = rate(["house", "a", "b"], games)
    anchored = rate(["house", "a", "b"], games, anchor="house")

    assert anchored["house"] == 1500
    assert anchored["a"] - anchored["b"] == pytest.approx(free["a"] - free["b"])


def test_a_bot_that_won_everything_has_a_rating_all_the_same() -> None:
    games = [RatedGame("a", "b", 1)] * 20

    assert 1700 < rate(["a", "b"], games)["a"] < 2000
    assert math.isfinite(rate(["a", "b"], games, prior=0)["a"])


def test_forfeits_and_byes_say_nothing_about_skill() -> None:
    boards = (Board(9), Board(0, ("c",)))
    tallies = [
        Tally(round=1, first="a", kind=Kind.BYE),
        Tally(round=1, first="b", second="c", winner="b", kind=Kind.FORFEIT),
        Tally(round=2, first="a", second="b", kind=Kind.DOUBLE_FORFEIT),
        Tally(round=3, first="a", second="c", winner="a", boards=boards),
    ]

    assert rated_games(tallies) == ()
    assert rated_games(tallies, by_board=True) == (RatedGame("a", "c", 1),)


def test_legs_of_a_deck_are_one_game() -> None:
    boards = (Board(9, deck=0), Board(-9, deck=0), Board(-2, deck=1), Board(1, deck=1))
    tally = Tally(round=1, first="a", second="b", winner="b", boards=boards)

    games = rated_games([tally], by_board=True)

    assert games == (RatedGame("a", "b", 0.5), RatedGame("a", "b", 0))
    assert rated_games([tally]) == (RatedGame("a", "b", 0),)


def test_intervals_hold_the_rating_and_narrow_with_more_games() -> None:
    few = triangle()
    many = few * 8

    widths = []
    for games in (few, many):
        ratings = rate([*"012"], games)
        intervals = rate_intervals([*"012"], games, b"seed", resamples=80)
        for name, (low, high) in intervals.items():
            assert low <= ratings[name] <= high
        widths.append(sum(high - low for low, high in intervals.values()))
    assert widths[1] < widths[0] / 2


def test_intervals_follow_from_the_seed() -> None:
    games = triangle()

    first, again, other = (
        rate_intervals([*"012"], games, seed, resamples=40)
        for seed in (b"one", b"one", b"two")
    )

    assert first == again != other


def test_nobody_is_rated_without_being_named() -> None:
    with pytest.raises(ValueError, match="not both rated"):
        rate(["a"], [RatedGame("a", "b", 1)])
    with pytest.raises(ValueError, match="c is not rated"):
        rate(["a", "b"], [RatedGame("a", "b", 1)], anchor="c")
    assert rate([], []) == {}
