"""What went wrong elsewhere, played through here."""

import itertools

import pytest

from ginref.tournament.standing_tally import Kind, Tally
from ginref.tournament.swiss import SwissRound, pair_swiss
from ginref.tournament.swiss_field import Candidate, bye_order, field_of

SEVEN = [*"1234567"]


def won(number: int, winner: str, loser: str) -> Tally:
    return Tally(round=number, first=winner, second=loser, winner=winner)


def bye(number: int, entrant: str) -> Tally:
    return Tally(round=number, first=entrant, kind=Kind.BYE)


DEAD_END = [
    won(1, "4", "1"),
    won(1, "5", "2"),
    won(1, "3", "6"),
    bye(1, "7"),
    won(2, "5", "3"),
    won(2, "7", "4"),
    won(2, "2", "1"),
    bye(2, "6"),
    won(3, "7", "5"),
    won(3, "3", "2"),
    won(3, "6", "4"),
    bye(3, "1"),
]


def pair_greedily(field: tuple[Candidate, ...]) -> list[tuple[str, str]]:
    """Give everyone from the top the next one it has not met, as long as it goes."""
    free = sorted(field, key=lambda entrant: -entrant.score)
    free.remove(bye_order(field)[0])
    pairs = []
    while free:
        first = free.pop(0)
        other = next((one for one in free if one.key not in first.met), None)
        if other is None:
            break
        free.remove(other)
        pairs.append((first.key, other.key))
    return pairs


def test_seven_entrants_whom_greed_leads_to_a_dead_end_are_all_paired() -> None:
    field = field_of(SEVEN, DEAD_END)

    paired = pair_swiss(field)

    assert pair_greedily(field) == [("7", "3"), ("5", "6")]
    assert paired == SwissRound((("7", "3"), ("5", "1"), ("6", "2")), "4", ())


def test_one_round_more_is_four_new_fixtures_for_eight_entrants() -> None:
    names = [*"12345678"]
    first = pair_swiss(field_of(names, ()))
    tallies = [won(1, a, b) for a, b in first.pairs]

    more = pair_swiss(field_of(names, tallies))

    assert len(more.pairs) == 4
    assert not {*map(frozenset, first.pairs)} & {*map(frozenset, more.pairs)}


def test_whoever_drops_after_a_result_is_paired_with_nobody() -> None:
    tallies = [won(1, "1", "2"), won(1, "3", "4")]

    paired = pair_swiss(field_of(["1", "3", "4"], tallies))

    here = [*itertools.chain(*paired.pairs), paired.bye]
    assert sorted(filter(None, here)) == ["1", "3", "4"]
    assert all(a != b for a, b in paired.pairs)


def test_leaving_and_coming_back_brings_one_free_win_at_most() -> None:
    tallies = [bye(1, "5")]
    tallies += [Tally(round=2, first="5", kind=Kind.ABSENCE)]
    tallies += [won(1, "1", "3"), won(1, "2", "4"), won(2, "1", "2"), won(2, "3", "4")]

    paired = pair_swiss(field_of([*"12345"], tallies))

    assert paired.bye == "4"


def test_a_rematch_that_can_be_avoided_is_avoided() -> None:
    tallies = [won(1, "1", "2"), won(1, "3", "4")]

    paired = pair_swiss(field_of([*"1234"], tallies))

    assert paired.pairs == (("1", "3"), ("2", "4"))


@pytest.mark.parametrize("size", [1, 3, 7, 13, 27])
def test_of_an_odd_field_one_sits_out_and_all_others_play(size: int) -> None:
    names = [f"bot {seed}" for seed in range(size)]

    paired = pair_swiss(field_of(names, ()))

    assert paired.bye == names[-1]
    assert sorted(itertools.chain(*paired.pairs)) == sorted(names[:-1])


def test_five_hundred_and_twelve_entrants_are_paired_round_by_round() -> None:
    names = [f"bot {seed:03}" for seed in range(512)]
    tallies: list[Tally] = []

    for number in range(1, 5):
        paired = pair_swiss(field_of(names, tallies), 9 - number)
        assert sorted(itertools.chain(*paired.pairs)) == names
        assert not paired.is_irregular
        # Every third favourite stumbles.
        tallies += [
            won(number, b, a) if (at + number) % 3 == 0 else won(number, a, b)
            for at, (a, b) in enumerate(paired.pairs)
        ]

    scores = {entrant.key: entrant.score for entrant in field_of(names, tallies)}
    last = pair_swiss(field_of(names, tallies))
    assert sum(scores[a] - scores[b] for a, b in last.pairs) <= 4


def test_beyond_half_of_a_large_field_no_more_rematches_than_needed() -> None:
    names = [f"{seed:02}" for seed in range(14)]
    tallies: list[Tally] = []

    rematches = []
    for number in range(1, 14):
        paired = pair_swiss(field_of(names, tallies))
        rematches.append(len(paired.rematches))
        tallies += [won(number, *sorted(pair)) for pair in paired.pairs]

    assert rematches[:7] == [0] * 7
    assert sum(rematches) <= 14
