from collections.abc import Sequence

import pytest

from ginref.tournament.figure_leak import leak_tests
from ginref.tournament.standing_tally import Board, Tally


def mirrored(legs: Sequence[tuple[int, int]], first: str = "a") -> Tally:
    """First legs of all decks, then their second legs."""
    before = [Board(leg, deck=deck) for deck, (leg, _) in enumerate(legs)]
    after = [Board(leg, deck=deck) for deck, (_, leg) in enumerate(legs)]
    return Tally(round=1, first=first, second="b", boards=(*before, *after))


def test_who_gains_on_second_legs_is_found_out() -> None:
    legs = [(-20, 25), (10, 45), (-5, 30), (0, 38), (12, 50), (-30, 15)]

    a, b = leak_tests([mirrored(legs)])

    assert (a.entrant, a.decks) == ("a", 6)
    assert a.gain > 30
    assert a.deviations is not None
    assert a.deviations > 3
    assert (b.gain, b.deviations) == (-a.gain, -a.deviations)


def test_honest_legs_gain_nothing_worth_speaking_of() -> None:
    legs = [(20, -18), (-31, 35), (12, -15), (-8, 5), (40, -35), (-25, 22)]

    a, _ = leak_tests([mirrored(legs)])

    assert a.deviations is not None
    assert abs(a.deviations) < 1


def test_decks_that_were_not_played_twice_say_nothing() -> None:
    boards = (Board(5), Board(6, deck=1), Board(3, deck=2), Board(0, ("b",), deck=2))
    tally = Tally(round=1, first="a", second="b", boards=boards)

    assert leak_tests([tally, Tally(round=1, first="c")]) == ()


@pytest.mark.parametrize("legs", [[(3, 9)], [(1, 4), (2, 5)]])
def test_gains_without_spread_have_no_deviations(legs: list[tuple[int, int]]) -> None:
    a, _ = leak_tests([mirrored(legs)])

    assert a.deviations is None


def test_gains_of_all_opponents_count_together() -> None:
    tests = leak_tests([mirrored([(1, 2)]), mirrored([(3, 5)], first="c")])

    assert {test.entrant: test.decks for test in tests} == {"a": 1, "b": 2, "c": 1}
