from collections.abc import Callable

import pytest
from tests.unit.record.stage import (
    BEFORE_PLAY,
    NORTH,
    REVEALED,
    STAGES,
    fold,
    illegal,
    other,
    reason,
    to_act,
)

from ginref.engine.error import IllegalMoveError
from ginref.engine.match import legal_moves
from ginref.engine.move import DRAW_STOCK, PASS
from ginref.record.entry import Moved, Refused
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


def test_a_move_counts_and_is_remembered(playing: MatchState) -> None:
    mover = to_act(playing)

    after = step(playing, Moved(mover, "r", PASS, 7))

    assert after.version == playing.version + 1
    assert after.last_moved[mover] == after.version
    assert after.last_moved[other(mover)] == 0
    assert after.referee_ms == 7


def test_an_illegal_move_is_no_step(playing: MatchState) -> None:
    with pytest.raises(IllegalMoveError):
        step(playing, Moved(to_act(playing), "r", DRAW_STOCK, 0))
    with pytest.raises(IllegalMoveError):
        step(playing, Moved(other(to_act(playing)), "r", PASS, 0))


@pytest.mark.parametrize("stage", BEFORE_PLAY, ids=str)
@pytest.mark.parametrize("kind", [Moved, Refused])
def test_no_move_is_possible_before_play(
    setup: Setup, stage: Stage, kind: type[Moved | Refused]
) -> None:
    state = fold(setup, STAGES[stage])

    assert reason(state, kind(NORTH, "r", PASS, 0)) is StepReason.NOT_PLAYING


def test_a_strike_is_counted_and_changes_nothing_else(playing: MatchState) -> None:
    after = step(playing, illegal(playing))

    assert after.strikes[to_act(playing)] == 1
    assert after.strikes_left(to_act(playing)) == 2
    assert (after.version, after.refusals) == (playing.version, 1)
    assert (after.match, after.stage) == (playing.match, Stage.PLAYING)


def test_refusals_are_counted_for_each_version(playing: MatchState) -> None:
    twice = step(step(playing, illegal(playing)), illegal(playing))
    moved = step(twice, Moved(to_act(playing), "r", PASS, 0))

    assert twice.refusals == 2
    assert moved.refusals == 0
    assert moved.strikes == twice.strikes


@pytest.mark.parametrize("allowed", [0, 1, 3])
def test_the_strike_over_the_allowance_loses(
    make_setup: MakeSetup, allowed: int
) -> None:
    state = fold(make_setup(strikes_allowed=allowed), REVEALED)
    wild, version = to_act(state), state.version
    for _ in range(allowed):
        state = step(state, illegal(state))
    assert state.ending is None

    after = step(state, illegal(state))

    assert after.ending == Ending(EndingKind.STRIKES, other(wild), Fault.SEAT, (wild,))
    assert (after.version, after.refusals) == (version + 1, 0)
    assert after.strikes[wild] == allowed + 1
    assert after.strikes_left(wild) == 0


def test_a_legal_move_cannot_be_refused(playing: MatchState) -> None:
    entry = Refused(to_act(playing), "r", PASS, 0)

    assert reason(playing, entry) is StepReason.LEGAL_AFTER_ALL


def test_only_the_seat_to_act_can_earn_a_strike(playing: MatchState) -> None:
    entry = Refused(other(to_act(playing)), "r", PASS, 0)

    assert reason(playing, entry) is StepReason.OUT_OF_ORDER


def test_a_step_leaves_the_state_before_it_untouched(playing: MatchState) -> None:
    before = repr(playing)

    for move in legal_moves(playing.match, to_act(playing)) if playing.match else ():
        step(playing, Moved(to_act(playing), "r", move, 0))
    step(playing, illegal(playing))

    assert repr(playing) == before
