import pytest
from tests.unit.record.stage import (
    ACCEPTED,
    COMMITTED,
    NORTH,
    REVEALED,
    SOUTH,
    fold,
    other,
    to_act,
)

from ginref.engine.move import PASS
from ginref.record.entry import Accepted, Entry, Moved, Resigned, Voided
from ginref.record.lifecycle import MatchState, Timing, step, timing
from ginref.record.setup import Setup


@pytest.mark.parametrize(
    ("before", "entry", "window"),
    [
        pytest.param([], Accepted(NORTH), None, id="the same stage goes on"),
        pytest.param([Accepted(NORTH)], Accepted(SOUTH), 10_000, id="a new stage"),
        pytest.param(ACCEPTED, COMMITTED[2], None, id="one has committed"),
        pytest.param(COMMITTED[:3], COMMITTED[3], 10_000, id="all have committed"),
        pytest.param(COMMITTED, REVEALED[4], None, id="one has revealed"),
    ],
)
def test_a_stage_before_play_has_one_window_for_all_seats(
    setup: Setup, before: list[Entry], entry: Entry, window: int | None
) -> None:
    state = fold(setup, before)

    assert timing(state, step(state, entry)) == Timing(None, None, window, ending=False)


def test_the_clock_of_the_seat_to_act_starts_with_play(setup: Setup) -> None:
    before = fold(setup, REVEALED[:5])
    after = step(before, REVEALED[5])

    assert timing(before, after) == Timing(None, after.to_act, None, ending=False)


def test_a_move_stops_one_clock_and_starts_the_next(playing: MatchState) -> None:
    after = step(playing, Moved(to_act(playing), "r", PASS, 0))

    meaning = timing(playing, after)
    assert meaning == Timing(playing.to_act, after.to_act, None, ending=False)
    assert after.to_act is other(to_act(playing))


def test_the_end_stops_the_clock_for_good(playing: MatchState) -> None:
    after = step(playing, Resigned(other(to_act(playing))))

    assert timing(playing, after) == Timing(playing.to_act, None, None, ending=True)


def test_nobody_pays_for_the_time_until_the_referee_gives_up(
    playing: MatchState,
) -> None:
    after = step(playing, Voided())

    assert timing(playing, after) == Timing(None, None, None, ending=True)
