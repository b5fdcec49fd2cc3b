from collections.abc import Callable
from dataclasses import replace

import pytest

from ginref.engine.ruleset import OKLAHOMA
from ginref.engine.seat import Seat
from ginref.record.entry import (
    Aborted,
    Declined,
    Entry,
    Moved,
    Resigned,
    StampedEntry,
)
from ginref.record.lifecycle import Stage
from ginref.record.replay import ReplayError, check_order, replay
from ginref.record.setup import Setup

MakeSetup = Callable[..., Setup]
Log = tuple[StampedEntry, ...]
Play = Callable[..., tuple[Setup, Log]]

LONG_MS = 10**7


def test_a_replay_counts_what_was_played(play_match: Play) -> None:
    setup, entries = play_match(3, refusals=0.05)

    replayed = replay(setup, entries)

    summaries = tuple(played.summary for played in replayed.rounds)
    assert replayed.state.match is not None
    assert summaries == replayed.state.match.history
    assert replayed.state.version == entries[-1].version
    assert replayed.clock.started_ms == entries[-1].time_ms
    assert replayed.clock.deadline_ms == 0


def test_a_replay_may_stop_anywhere(play_match: Play) -> None:
    setup, entries = play_match(3, refusals=0.05)

    for size in range(1, len(entries), 5):
        state = replay(setup, entries[:size]).state
        last = entries[size - 1]
        assert (state.version, state.refusals) == (last.version, last.refusal)


def test_a_round_is_told_with_its_first_upcard_and_limit(
    play_match: Play, make_setup: MakeSetup
) -> None:
    rules = OKLAHOMA.but(name="short oklahoma", game_target=40)
    setup, entries = play_match(5, setup=make_setup(5, rules=rules))

    for played in replay(setup, entries).rounds:
        upcard = played.first_upcard
        expected = 0 if str(upcard)[0] == "A" else upcard.points
        assert played.knock_limit == expected
        assert played.multiplier == (2 if str(upcard)[1] == "s" else 1)


@pytest.mark.parametrize("stage", [Stage.FORMING, Stage.REVEALING, Stage.PLAYING])
@pytest.mark.parametrize("entry", [Resigned(Seat.NORTH), Declined(Seat.SOUTH)])
def test_no_seat_acts_after_its_deadline(
    play_match: Play, stage: Stage, entry: Entry
) -> None:
    # Whether the entry could follow at all is not asked before its time is judged.
    setup, entries = play_match(1, ending=Aborted(), ends_in=stage)
    late = replace(entries[-1], entry=entry, time_ms=entries[-2].time_ms + LONG_MS)

    with pytest.raises(ReplayError, match="ms after its deadline"):
        replay(setup, (*entries[:-1], late))


def test_the_organizer_may_act_after_a_deadline(play_match: Play) -> None:
    setup, entries = play_match(1, ending=Aborted())
    late = replace(entries[-1], time_ms=entries[-2].time_ms + LONG_MS)

    assert replay(setup, (*entries[:-1], late)).state.ending is not None


def test_a_move_in_its_grace_is_in_time(play_match: Play) -> None:
    setup, entries = play_match(1)
    moves = entries[7:9]
    running = replay(setup, entries[:8]).clock
    graced = replace(setup, clock=replace(setup.clock, grace_ms=250))

    def at(time_ms: int) -> Log:
        return (*entries[:8], replace(moves[1], time_ms=time_ms))

    end_ms = running.deadline_ms + 250
    assert replay(graced, at(end_ms)).move_count == 2
    with pytest.raises(ReplayError, match="it came 251 ms after its deadline"):
        replay(graced, at(end_ms + 1))


@pytest.mark.parametrize(
    "places",
    [
        pytest.param([(2, 0)], id="no creation"),
        pytest.param([(0, 1)], id="a refusal first"),
        pytest.param([(1, 0), (1, 2)], id="a refusal is missing"),
        pytest.param([(1, 0), (2, 1)], id="a refusal of a version not reached"),
        pytest.param([(1, 0), (1, 1), (1, 1)], id="a refusal twice"),
        pytest.param([(1, 0), (3, 0)], id="a version is missing"),
        pytest.param([(1, 0), (1, 0)], id="a version twice"),
        pytest.param([(1, 0), (2, 0), (1, 1)], id="back to an earlier version"),
    ],
)
def test_a_log_with_a_gap_is_refused(
    play_match: Play, places: list[tuple[int, int]]
) -> None:
    _, entries = play_match(1)
    log = [
        replace(entries[at], version=version, refusal=refusal)
        for at, (version, refusal) in enumerate(places)
    ]

    version, refusal = places[-1]
    number = f"{version}-{refusal}" if refusal else str(version)
    with pytest.raises(ReplayError, match=f"^entry {number}: it does not follow"):
        check_order(log)


def test_a_request_id_of_a_seat_is_stored_once(play_match: Play) -> None:
    setup, entries = play_match(3)
    first, second, *_ = (
        place
        for place, stamped in enumerate(entries)
        if isinstance(stamped.entry, Moved) and stamped.entry.seat is Seat.NORTH
    )
    known, again = entries[first].entry, entries[second]
    assert isinstance(known, Moved)
    assert isinstance(again.entry, Moved)
    repeated = replace(again.entry, request_id=known.request_id)
    log = (*entries[:second], replace(again, entry=repeated), *entries[second + 1 :])

    with pytest.raises(ReplayError, match="used before") as refused:
        replay(setup, log)

    assert refused.value.version == again.version
