"""Who wins a fixture: majority, net points, boards, deciders, and the higher seed."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ginref.record.lifecycle import EndingKind
from ginref.tournament.configuration import ForfeitScope, MatchFormat
from ginref.tournament.result import (
    Cause,
    Decision,
    DoubleForfeited,
    Drawn,
    Forfeited,
    Outcome,
    Result,
    Voided,
    Won,
    winner_of,
)
from ginref.tournament.score import Meeting, judge_games, judge_unfinished

VECTORS = json.loads(
    (Path(__file__).parents[2] / "golden" / "tournament_vectors.json").read_text()
)["gin_rules"]

A, B = "ann", "bob"


def meeting(**changes: Any) -> Meeting:  # noqa: ANN401
    best_of = changes.pop("best_of", 1)
    deciders = changes.pop("deciders", 3)
    facts: dict[str, Any] = {
        "a": A,
        "b": B,
        "match": MatchFormat(best_of=best_of, deciders=deciders),
        "legs": 1,
        "stronger": A,
        "forfeit_scope": ForfeitScope.MATCH,
        **changes,
    }
    return Meeting(**facts)


def played(winner: str | None, *boards: int) -> Outcome:
    return Outcome(ending=EndingKind.COMPLETED, winner=winner, boards=boards)


def lost_on_time(*losers: str) -> Outcome:
    winner = {A: B, B: A}[losers[0]] if len(losers) == 1 else None
    return Outcome(ending=EndingKind.TIMED_OUT, winner=winner, at_fault=losers)


@pytest.mark.parametrize("case", VECTORS["best_of"], ids=str)
def test_a_best_of_stops_when_it_is_decided(case: dict[str, Any]) -> None:
    names = {"A": A, "B": B}
    outcomes = [
        lost_on_time(names[result[-1]])
        if result.startswith("forfeit")
        else played(names[result])
        for result in case["results"]
    ]
    series = meeting(best_of=case["bestOf"], stronger=None)

    decided = [
        at for at in range(1, len(outcomes) + 1) if judge_games(series, outcomes[:at])
    ]

    assert decided == [case["stops_after"]]
    if "winner" in case:
        result = judge_games(series, outcomes)
        assert result is not None
        assert winner_of(result, (A, B)) == names[case["winner"]]


@pytest.mark.parametrize(
    ("changes", "outcomes", "expected"),
    [
        pytest.param({}, [played(A, 16)], Won(A), id="a match that was won"),
        pytest.param(
            {}, [lost_on_time(A)], Forfeited(A, Cause.TIMED_OUT), id="out of time"
        ),
        pytest.param(
            {}, [lost_on_time(A, B)], DoubleForfeited(Cause.TIMED_OUT), id="both absent"
        ),
        pytest.param(
            {"best_of": 3},
            [Outcome(ending=EndingKind.NO_SHOW, winner=B, at_fault=(A,))],
            Forfeited(A, Cause.NO_SHOW),
            id="who does not come loses all of it",
        ),
        pytest.param(
            {"best_of": 3}, [lost_on_time(A)], None, id="out of time loses one match"
        ),
        pytest.param(
            {"best_of": 3, "forfeit_scope": ForfeitScope.FIXTURE},
            [lost_on_time(A)],
            Forfeited(A, Cause.TIMED_OUT),
            id="or all of it, if so declared",
        ),
        pytest.param(
            {"best_of": 3},
            [played(None, 12), played(A, 5), played(B, -30)],
            Won(B, Decision.POINTS),
            id="equal matches: net points",
        ),
        pytest.param(
            {},
            [played(None, 30, -15, -15)],
            Won(B, Decision.BOARDS),
            id="equal points: boards won",
        ),
        pytest.param({}, [played(None, 0)], None, id="level: a decider is needed"),
        pytest.param(
            {},
            [played(None, 0), played(B, -9)],
            Won(B, Decision.DECIDER),
            id="won by the decider",
        ),
        pytest.param(
            {},
            [played(None, 0)] * 4,
            Won(A, Decision.SEED),
            id="level after all deciders: the higher seed",
        ),
        pytest.param(
            {"deciders": 0}, [played(None, 0)], Won(A, Decision.SEED), id="no deciders"
        ),
        pytest.param(
            {"stronger": None}, [played(None, 0)], Drawn(), id="drawn where that may be"
        ),
        pytest.param(
            {"legs": 2}, [played(A, 31)], None, id="mirrored boards have two legs"
        ),
        pytest.param(
            {"legs": 2},
            [played(A, 31), played(B, -18)],
            Won(A, Decision.POINTS),
            id="net points over both legs",
        ),
        pytest.param(
            {"legs": 2},
            [played(A, 18), played(B, -18)],
            None,
            id="level legs: another pair",
        ),
        pytest.param(
            {"legs": 2},
            [played(A, 900), lost_on_time(A)],
            Forfeited(A, Cause.TIMED_OUT),
            id="a lead does not save who forfeits a leg",
        ),
        pytest.param(
            {"legs": 2},
            [lost_on_time(B)],
            Forfeited(B, Cause.TIMED_OUT),
            id="a forfeited first leg is enough",
        ),
    ],
)
def test_a_fixture_is_decided_by_its_matches(
    changes: dict[str, Any], outcomes: list[Outcome], expected: Result | None
) -> None:
    assert judge_games(meeting(**changes), outcomes) == expected


@pytest.mark.parametrize(
    ("changes", "outcomes", "expected"),
    [
        ({}, [], Voided(A)),
        ({"stronger": None}, [], Voided()),
        ({"best_of": 5}, [played(B, -9)], Won(B)),
        ({"best_of": 5}, [played(B, -9), played(A, 10)], Won(A, Decision.POINTS)),
        ({"best_of": 5, "stronger": None}, [played(None, 0)], Drawn()),
        ({"best_of": 5}, [played(None, 0)], Won(A, Decision.SEED)),
    ],
)
def test_a_fixture_without_time_is_decided_by_what_was_played(
    changes: dict[str, Any], outcomes: list[Outcome], expected: Result
) -> None:
    assert judge_unfinished(meeting(**changes), outcomes) == expected


OUTCOMES = st.one_of(
    st.builds(
        lambda net: played(A if net > 0 else B if net < 0 else None, net),
        st.integers(-50, 50),
    ),
    st.sampled_from([lost_on_time(A), lost_on_time(B), lost_on_time(A, B)]),
)


@given(
    best_of=st.sampled_from([1, 3, 5]),
    legs=st.sampled_from([1, 2]),
    stronger=st.sampled_from([A, None]),
    outcomes=st.lists(OUTCOMES, min_size=20, max_size=20),
)
def test_every_fixture_ends_and_never_changes_its_mind(
    best_of: int, legs: int, stronger: str | None, outcomes: list[Outcome]
) -> None:
    series = meeting(best_of=best_of if legs == 1 else 1, legs=legs, stronger=stronger)

    results = [judge_games(series, outcomes[:at]) for at in range(len(outcomes) + 1)]

    first = next(result for result in results if result is not None)
    assert results[-1] is not None
    assert all(result == first for result in results if result is not None)


@given(
    best_of=st.sampled_from([1, 3, 5]),
    stronger=st.sampled_from([A, B, None]),
    outcomes=st.lists(OUTCOMES, min_size=9, max_size=9),
    at=st.integers(0, 8),
    net=st.integers(-50, -1),
)
def test_to_forfeit_a_match_is_never_better_than_to_lose_it(
    best_of: int, stronger: str | None, outcomes: list[Outcome], at: int, net: int
) -> None:
    series = meeting(best_of=best_of, stronger=stronger)

    def value(match: Outcome) -> float:
        result = judge_games(series, [*outcomes[:at], match, *outcomes[at + 1 :]])
        assert result is not None
        winner = winner_of(result, (A, B))
        drawn = 0.5 if isinstance(result, Drawn) else 0.0
        return drawn if winner is None else float(winner == A)

    assert value(lost_on_time(A)) <= value(played(B, net))
