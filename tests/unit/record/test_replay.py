from collections.abc import Callable
from dataclasses import replace

import pytest

from ginref.engine.ruleset import OKLAHOMA, THREE_HANDED
from ginref.engine.seat import Seat
from ginref.record.entry import (
    Aborted,
    Declined,
    Entry,
    Moved,
    Resigned,
    StampedEntry,
    TimedOut,
    Voided,
)
from ginref.record.lifecycle import EndingKind, Fault, Stage, step
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


@pytest.mark.parametrize("seats", [2, 3])
def test_every_state_has_a_deadline_and_a_way_out(
    play_match: Play, make_setup: MakeSetup, seats: int
) -> None:
    rules = (OKLAHOMA if seats == 2 else THREE_HANDED).but(game_target=40, name="brief")
    setup, entries = play_match(3, setup=make_setup(3, rules=rules), refusals=0.05)

    for size in (*range(1, 12), *range(12, len(entries), 7)):
        so_far = replay(setup, entries[:size])
        owing = so_far.state.awaited
        out = step(so_far.state, TimedOut()).ending

        assert so_far.clock.deadline_ms >= entries[size - 1].time_ms
        assert len(owing) > 0
        assert out is not None
        assert out.seats_at_fault == owing
    over = replay(setup, entries)
    assert over.clock.deadline_ms == 0
    assert over.state.awaited == ()


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


def credited(entry: StampedEntry, late_ms: int, credit_ms: int) -> StampedEntry:
    return replace(entry, time_ms=entry.time_ms + late_ms, credit_ms=credit_ms)


def test_an_outage_puts_a_deadline_off_and_costs_no_time(play_match: Play) -> None:
    setup, entries = play_match(1, refusals=0)
    start, moved = entries[:8], entries[8]
    in_time = replay(setup, (*start, moved))

    late = replay(setup, (*start, credited(moved, LONG_MS, LONG_MS)))

    assert late.credit_ms == LONG_MS
    assert late.clock.banks_ms == in_time.clock.banks_ms
    assert late.clock.elapsed_ms == in_time.clock.elapsed_ms
    assert late.clock.credit_ms == 0
    with pytest.raises(ReplayError, match="ms after its deadline"):
        replay(setup, (*start, credited(moved, LONG_MS, LONG_MS - 10_000)))


def test_nobody_is_timed_out_for_an_outage(play_match: Play) -> None:
    setup, entries = play_match(1, ending=TimedOut())
    *start, end = entries
    outage_ms = end.time_ms - start[-1].time_ms

    for credit_ms in (outage_ms, outage_ms - 1_000):
        with pytest.raises(ReplayError, match="ms left, grace included"):
            replay(setup, (*start, replace(end, credit_ms=credit_ms)))
    ending = replay(setup, (*start, replace(end, credit_ms=1_000))).state.ending
    assert ending is not None


@pytest.mark.parametrize("step_ms", [1, -1])
def test_no_credit_exceeds_the_time_that_a_clock_ran(
    play_match: Play, step_ms: int
) -> None:
    setup, entries = play_match(1, refusals=0)
    *start, moved = entries[:9]
    ran_ms = moved.time_ms + LONG_MS - start[-1].time_ms
    log = (*start, credited(moved, LONG_MS, ran_ms + step_ms))

    if step_ms < 0:
        assert replay(setup, log).move_count == 2
    else:
        with pytest.raises(ReplayError, match="cannot be the credit"):
            replay(setup, log)


def test_credit_of_a_clock_grows_with_its_refusals_and_is_counted_once(
    play_match: Play,
) -> None:
    setup, entries = play_match(3, refusals=0.3)
    place = next(at for at, entry in enumerate(entries) if entry.refusal)
    refused = credited(entries[place], 5_000, 4_000)
    rest = [credited(entry, 5_000, 0) for entry in entries[place + 1 :]]
    done = next(at for at, entry in enumerate(rest) if not entry.refusal)
    rest[: done + 1] = [replace(one, credit_ms=5_000) for one in rest[: done + 1]]
    log = (*entries[:place], refused, *rest)

    assert replay(setup, log).credit_ms == 5_000
    rest[done] = replace(rest[done], credit_ms=3_999)
    with pytest.raises(ReplayError, match="3999 ms cannot be the credit"):
        replay(setup, (*entries[:place], refused, *rest))


def test_a_void_may_come_after_versions_that_are_lost(play_match: Play) -> None:
    setup, entries = play_match(3, refusals=0.05)
    kept, at = entries[:40], entries[60].version
    lost = at - kept[-1].version - 1
    end = StampedEntry(at, 0, entries[60].time_ms, Voided(lost))

    ended = replay(setup, (*kept, end)).state

    assert ended.version == at
    assert ended.ending is not None
    assert (ended.ending.kind, ended.ending.fault) == (EndingKind.VOID, Fault.REFEREE)
    for wrong in (lost - 1, lost + 1):
        with pytest.raises(ReplayError, match="does not follow"):
            replay(setup, (*kept, replace(end, entry=Voided(wrong))))
    with pytest.raises(ReplayError, match="does not follow"):
        replay(setup, (*kept, replace(end, entry=Aborted())))


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
