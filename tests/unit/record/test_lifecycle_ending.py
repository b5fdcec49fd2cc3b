from collections.abc import Callable

import pytest
from tests.unit.record.stage import (
    COMMITTED,
    NORTH,
    REVEALED,
    SOUTH,
    fold,
    other,
    reason,
    to_act,
)

from ginref.engine.ruleset import HOLLYWOOD
from ginref.engine.seat import Seat
from ginref.record.entry import (
    Aborted,
    Accepted,
    Declined,
    Entry,
    Resigned,
    StampedEntry,
    TimedOut,
    Voided,
)
from ginref.record.lifecycle import (
    Ending,
    EndingKind,
    Fault,
    MatchState,
    Stage,
    StepReason,
    step,
)
from ginref.record.setup import Setup

MakeSetup = Callable[..., Setup]
Play = Callable[..., tuple[Setup, tuple[StampedEntry, ...]]]


def test_a_seat_that_declines_does_not_show_up(setup: Setup) -> None:
    state = fold(setup, [Accepted(NORTH), Declined(SOUTH)])

    assert state.ending == Ending(EndingKind.NO_SHOW, NORTH, Fault.SEAT, (SOUTH,))
    assert state.stage is Stage.OVER
    assert state.awaited == ()


@pytest.mark.parametrize(
    ("before", "guilty"),
    [
        pytest.param([], (NORTH, SOUTH), id="nobody accepted"),
        pytest.param([Accepted(SOUTH)], (NORTH,), id="one did not accept"),
        pytest.param(COMMITTED[:3], (SOUTH,), id="one did not commit"),
        pytest.param(COMMITTED, (NORTH, SOUTH), id="nobody revealed"),
        pytest.param(REVEALED[:5], (SOUTH,), id="one did not reveal"),
    ],
)
def test_whoever_owes_something_before_play_is_a_no_show(
    setup: Setup, before: list[Entry], guilty: tuple[Seat, ...]
) -> None:
    state = fold(setup, [*before, TimedOut()])

    winner = other(guilty[0]) if len(guilty) == 1 else None
    assert state.ending == Ending(EndingKind.NO_SHOW, winner, Fault.SEAT, guilty)
    assert state.match is None


def test_the_seat_to_act_loses_when_its_time_is_up(playing: MatchState) -> None:
    slow = to_act(playing)

    after = step(playing, TimedOut())

    assert after.ending == Ending(
        EndingKind.TIMED_OUT, other(slow), Fault.SEAT, (slow,)
    )
    assert after.match is not None
    assert after.match.sheet.winner is other(slow)


@pytest.mark.parametrize("seat", [NORTH, SOUTH])
def test_a_seat_may_resign_at_any_time(any_stage: MatchState, seat: Seat) -> None:
    after = step(any_stage, Resigned(seat))

    ending = Ending(EndingKind.RESIGNED, other(seat), Fault.SEAT, (seat,))
    assert after.ending == ending
    assert after.version == any_stage.version + 1


@pytest.mark.parametrize(
    ("entry", "kind", "fault"),
    [
        pytest.param(Aborted(), EndingKind.ABORTED, Fault.ORGANIZER, id="abort"),
        pytest.param(Voided(), EndingKind.VOID, Fault.REFEREE, id="void"),
    ],
)
def test_nobody_wins_a_match_that_is_called_off(
    any_stage: MatchState, entry: Entry, kind: EndingKind, fault: Fault
) -> None:
    after = step(any_stage, entry)

    assert after.ending == Ending(kind, None, fault)
    assert after.to_act is None


@pytest.mark.parametrize(
    "entry", [Resigned(NORTH), Aborted(), TimedOut(), Voided(), Accepted(NORTH)]
)
def test_nothing_follows_the_end(any_stage: MatchState, entry: Entry) -> None:
    over = step(any_stage, Aborted())

    assert reason(over, entry) is StepReason.MATCH_OVER


def test_a_match_played_out_has_the_winner_of_its_sheet(play_match: Play) -> None:
    setup, entries = play_match(1)
    state = fold(setup, [stamped.entry for stamped in entries[1:]])

    assert state.match is not None
    winner = state.match.sheet.winner
    assert state.ending == Ending(EndingKind.COMPLETED, winner, Fault.NOBODY)


def test_a_match_that_runs_out_of_rounds_says_so(
    play_match: Play, make_setup: MakeSetup
) -> None:
    setup = make_setup(1, rules=HOLLYWOOD.but(name="brief", round_limit=1))
    _, entries = play_match(1, setup=setup)
    state = fold(setup, [stamped.entry for stamped in entries[1:]])

    assert state.ending is not None
    assert state.ending.kind is EndingKind.ROUND_CAP
    assert state.ending.fault is Fault.NOBODY
