import itertools
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ginref.tournament.standing_tally import Kind, Tally
from ginref.tournament.swiss import (
    SwissRound,
    explain_rounds,
    guaranteed_rounds,
    pair_swiss,
)
from ginref.tournament.swiss_field import field_of

GOLDEN = Path(__file__).parents[2] / "golden" / "tournament_vectors.json"
VECTORS: dict[str, Any] = json.loads(GOLDEN.read_text(encoding="utf-8"))["swiss"]
CASES: list[dict[str, Any]] = VECTORS["gin_swiss_GS1"]["cases"]


def names(size: int) -> list[str]:
    return [str(seed) for seed in range(1, size + 1)]


def tallies_of(
    number: int, paired: SwissRound, winners: Sequence[str | None]
) -> list[Tally]:
    played = [
        Tally(round=number, first=a, second=b, winner=winner)
        for (a, b), winner in zip(paired.pairs, winners, strict=True)
    ]
    if paired.bye is None:
        return played
    return [*played, Tally(round=number, first=paired.bye, kind=Kind.BYE)]


def by_seed(paired: SwissRound) -> list[list[int]]:
    return sorted(sorted((int(a), int(b))) for a, b in paired.pairs)


def paired_from(games: Sequence[Sequence[int]], bye: int | None = None) -> SwissRound:
    pairs = tuple((str(a), str(b)) for a, b, *_ in games)
    return SwissRound(pairs, None if bye is None else str(bye), ())


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=case["name"]) for case in CASES if "rounds" in case]
)
def test_whole_events_are_paired_as_published(case: dict[str, Any]) -> None:
    active = names(case["players"])
    tallies: list[Tally] = []

    for played in case["rounds"]:
        for event, seed, *points in played["events"]:
            if event == "withdraw":
                active.remove(str(seed))
            else:
                active.append(str(seed))
                absence = Tally(
                    round=1, first=str(seed), kind=Kind.ABSENCE, points=points[0]
                )
                tallies.append(absence)
        field = field_of(active, tallies)
        paired = pair_swiss(field)

        if played.get("rematch_free_pairing_exists", True):
            assert {c.key: c.score for c in field} == played["scores_before"]
            assert by_seed(paired) == sorted(map(sorted, played["pairs"]))
            assert paired.bye == (played["bye"] and str(played["bye"]))
            assert not paired.is_irregular
            winners = set(map(str, played["results_winner"]))
            won = [a if a in winners else b for a, b in paired.pairs]
            tallies += tallies_of(played["round"], paired, won)
        else:
            assert by_seed(paired) == played["fallback_min_rematch_pairs"]
            assert len(paired.rematches) == played["fallback_rematches"]
            assert paired.is_irregular


def test_a_trapped_field_repeats_one_pair_only() -> None:
    (case,) = [case for case in CASES if "history_pairs" in case]
    tallies: list[Tally] = []
    for number, games in enumerate(case["history_pairs"], 1):
        paired = paired_from(games)
        won = [min(pair, key=int) for pair in paired.pairs]
        tallies += tallies_of(number, paired, won)

    paired = pair_swiss(field_of(names(6), tallies))

    assert by_seed(paired) == case["fallback_min_rematch_pairs"]
    assert paired.rematches == (("3", "4"),)


def stuck_states(
    size: int, round_count: int, *, looks_ahead: bool
) -> Iterator[tuple[int, list[Tally]]]:
    """Play every course of an event; yield the rounds that needed a rematch."""
    seen: set[tuple[tuple[Any, ...], ...]] = set()
    pending: list[list[Tally]] = [[]]
    while pending:
        tallies = pending.pop()
        number = max((tally.round for tally in tallies), default=0) + 1
        field = field_of(names(size), tallies)
        state = tuple((c.score, c.met, c.floated, c.has_free_win) for c in field)
        if number > round_count or state in seen:
            continue
        seen.add(state)
        left = round_count - number if looks_ahead else 0
        paired = pair_swiss(field, left)
        if paired.is_irregular:
            yield number, tallies
            continue
        pending.extend(
            [*tallies, *tallies_of(number, paired, won)]
            for won in itertools.product(*paired.pairs)
        )


@pytest.mark.parametrize("event", ["4p_3r", "5p_4r", "6p_3r", "6p_4r", "7p_4r"])
def test_an_event_gets_stuck_where_the_exhaustive_search_says_so(event: str) -> None:
    expected = VECTORS["gs1_can_get_stuck_exhaustive"][event]
    size, round_count = int(event[0]), int(event[3])

    stuck = list(stuck_states(size, round_count, looks_ahead=False))

    assert bool(stuck) == expected["can_get_stuck"]
    assert all(number == expected["first_stuck_round"] for number, _ in stuck)


@pytest.mark.parametrize("event", ["5p_4r", "6p_4r"])
def test_looking_ahead_a_small_field_is_never_stuck(event: str) -> None:
    size, round_count = int(event[0]), int(event[3])

    assert not list(stuck_states(size, round_count, looks_ahead=True))


def play(
    size: int, round_count: int, draw: st.DataObject | None = None
) -> list[SwissRound]:
    """Play an event to its end; without draws the better seed always wins."""
    tallies: list[Tally] = []
    rounds = []
    for number in range(1, round_count + 1):
        paired = pair_swiss(field_of(names(size), tallies), round_count - number)
        won = [
            draw.draw(st.sampled_from([a, b, None])) if draw else min(a, b, key=int)
            for a, b in paired.pairs
        ]
        tallies += tallies_of(number, paired, won)
        rounds.append(paired)
    return rounds


def test_six_entrants_in_six_rounds_are_warned_and_end_with_the_fewest_rematches() -> (
    None
):
    warning = explain_rounds(6, 6)

    rounds = play(6, 6)

    assert warning
    assert "round robin" in warning
    assert [len(paired.rematches) for paired in rounds] == [0, 0, 0, 0, 0, 3]


def test_eight_entrants_complete_seven_rounds_as_a_round_robin() -> None:
    rounds = play(8, 7)

    met = Counter(frozenset(pair) for paired in rounds for pair in paired.pairs)
    assert met == Counter(map(frozenset, itertools.combinations(names(8), 2)))


def test_seven_entrants_in_three_rounds_have_three_different_byes() -> None:
    byes = [paired.bye for paired in play(7, 3)]

    assert None not in byes
    assert len(set(byes)) == 3


@given(st.data())
@settings(max_examples=15)
def test_within_the_promise_nobody_meets_twice_or_sits_out_twice(
    data: st.DataObject,
) -> None:
    size = data.draw(st.integers(2, 19))
    promised = guaranteed_rounds(size)
    round_count = data.draw(st.integers(1, min(promised, 6)))

    rounds = play(size, round_count, data)

    met = Counter(frozenset(pair) for paired in rounds for pair in paired.pairs)
    assert set(met.values()) <= {1}
    assert not any(paired.is_irregular for paired in rounds)
    byes = [paired.bye for paired in rounds if paired.bye]
    assert len(byes) == len(set(byes)) == (round_count if size % 2 else 0)
    for paired in rounds:
        here = [*itertools.chain(*paired.pairs), *filter(None, [paired.bye])]
        assert sorted(here) == sorted(names(size))


def test_whoever_won_by_forfeit_is_not_given_a_bye_as_well() -> None:
    tallies = [
        Tally(round=1, first="1", second="3", winner="3", kind=Kind.FORFEIT),
        Tally(round=1, first="2", second="4", winner="2"),
        Tally(round=1, first="5", kind=Kind.BYE),
        Tally(round=2, first="3", second="5", winner="5"),
        Tally(round=2, first="2", second="1", winner="2"),
        Tally(round=2, first="4", kind=Kind.BYE),
    ]

    paired = pair_swiss(field_of(names(5), tallies))

    assert paired.bye == "1"


def test_a_fixture_that_was_never_begun_may_be_paired_again() -> None:
    tallies = [Tally(round=1, first="1", second="2", winner="1", kind=Kind.FORFEIT)]

    paired = pair_swiss(field_of(names(2), tallies))

    assert paired == SwissRound((("1", "2"),), None, ())


def test_rematches_do_not_follow_each_other_if_others_will_do() -> None:
    rounds = play(4, 6)

    for before, after in itertools.pairwise(rounds):
        assert not {*map(frozenset, before.pairs)} & {*map(frozenset, after.pairs)}


def test_four_withdrawals_of_four_leave_nothing_to_pair() -> None:
    assert pair_swiss(()) == SwissRound((), None, ())


def test_one_entrant_left_has_a_bye() -> None:
    assert pair_swiss(field_of(["1"], ())) == SwissRound((), "1", ())


@pytest.mark.parametrize(
    ("size", "promised"), VECTORS["guarantee"]["max_guaranteed_rounds"].items()
)
def test_half_of_the_field_is_promised(size: str, promised: int) -> None:
    assert guaranteed_rounds(int(size)) == promised
    assert explain_rounds(int(size), promised) is None
    assert explain_rounds(int(size), promised + 1)
