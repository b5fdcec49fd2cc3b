"""What is measured of times is what it says."""

import random

from tests.leaks.dealing_referee import seed_of
from tests.leaks.timing import TURNS, Waits, decks, interval

from ginref.engine.card import PACK, CardSet
from ginref.engine.deadwood import best_arrangement
from ginref.transport.codec_request import SEED_LENGTH


def test_the_two_matches_differ_in_the_hidden_hand_alone() -> None:
    poor, rich = decks()
    thrown = slice(21, 21 + 2 * TURNS)

    assert set(poor) == set(rich) == set(PACK)
    assert poor[1:20:2] == rich[1:20:2]
    assert poor[20] == rich[20]
    assert poor[thrown] == rich[thrown]
    assert len(best_arrangement(CardSet.of(rich[0:20:2])).melds) == 3
    assert best_arrangement(CardSet.of(poor[0:20:2])).melds == ()
    assert len(seed_of(poor)) <= SEED_LENGTH


def test_the_interval_of_a_difference_tells_it_from_none() -> None:
    chance = random.Random(1)
    none = [chance.gauss(0, 100) for _ in range(400)]
    some = [one + 50 for one in none]

    low, high = interval(none, 1)
    assert low < 0 < high
    assert interval(some, 1)[0] > 0


def test_a_report_tells_which_hand_takes_longer() -> None:
    waits = Waits("an answer")
    for poor_us in (120, 130, 140):
        waits.add(poor_us / 1e6, 100 / 1e6)

    report = waits.report(1)

    assert report["median_difference_us"] == 30.0
    assert report["poor_hand_slower"] == 1.0
    assert report["pairs"] == 3
