from collections.abc import Callable

import pytest

from ginref.engine.move import PASS
from ginref.engine.notation import parse_match, write_match
from ginref.engine.seat import Seat
from ginref.engine.transcript import replay as replay_transcript
from ginref.record.entry import Aborted, Entry, Moved, Resigned, StampedEntry
from ginref.record.lifecycle import Stage
from ginref.record.replay import ReplayError, replay
from ginref.record.setup import Setup
from ginref.record.transcribe import transcribe

Play = Callable[..., tuple[Setup, tuple[StampedEntry, ...]]]
MakeSetup = Callable[..., Setup]


@pytest.mark.parametrize("number", range(4))
def test_the_match_of_a_record_is_the_match_that_was_played(
    play_match: Play, make_setup: MakeSetup, number: int
) -> None:
    setup, log = play_match(
        number, setup=make_setup(number, seeded=number % 2 == 0), refusals=0.1
    )

    transcript = transcribe(setup, log)

    assert transcript is not None
    *_, last = replay_transcript(transcript)
    state = replay(setup, log).state
    assert state.match is not None
    assert last.match.history == state.match.history
    assert last.match.sheet == state.match.sheet
    assert last.match.over == state.match.over
    assert transcript.seed == setup.seed
    assert transcript.bots == setup.bots
    moves = [move for played in transcript.rounds for move in played.moves]
    assert moves == [
        stamped.entry.move for stamped in log if isinstance(stamped.entry, Moved)
    ]
    assert parse_match(write_match(transcript)) == transcript


def test_a_match_that_ended_early_ends_as_the_rules_call_it(
    play_match: Play, early_ending: Entry
) -> None:
    setup, log = play_match(1, ending=early_ending)

    transcript = transcribe(setup, log)

    assert transcript is not None
    *_, last = replay_transcript(transcript)
    state = replay(setup, log).state
    assert state.match is not None
    assert last.match.over == state.match.over
    assert parse_match(write_match(transcript)) == transcript


def test_a_match_without_cards_leaves_nothing_to_write(play_match: Play) -> None:
    log = play_match(1, ending=Aborted(), ends_in=Stage.COMMITTING)

    assert transcribe(*log) is None


def test_a_log_that_no_referee_wrote_is_refused(play_match: Play) -> None:
    setup, log = play_match(1, ending=Resigned(Seat.SOUTH))
    after_the_end = StampedEntry(
        log[-1].version + 1, 0, log[-1].time_ms, Moved(Seat.NORTH, "a", PASS, 0)
    )

    with pytest.raises(ReplayError, match="the match is over before it"):
        transcribe(setup, (*log, after_the_end))
