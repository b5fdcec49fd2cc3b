from collections.abc import Callable, Iterator

import pytest

from ginref.engine.ruleset import HOLLYWOOD
from ginref.record.entry import Entry, StampedEntry
from ginref.record.lifecycle import MatchState, Stage, begin, step
from ginref.record.setup import Setup
from ginref.record.snapshot import SnapshotError, decode_state, encode_state

Log = tuple[StampedEntry, ...]
Play = Callable[..., tuple[Setup, Log]]
MakeSetup = Callable[..., Setup]


def states(setup: Setup, entries: Log) -> Iterator[MatchState]:
    state = begin(setup)
    yield state
    for stamped in entries[1:]:
        state = step(state, stamped.entry)
        yield state


@pytest.mark.parametrize("number", [1, 2])
def test_a_state_comes_back_at_every_step_of_a_match(
    play_match: Play, number: int
) -> None:
    setup, entries = play_match(number, refusals=0.1)

    for state in states(setup, entries):
        assert decode_state(encode_state(state), setup) == state


def test_a_seeded_match_comes_back(play_match: Play, make_setup: MakeSetup) -> None:
    setup, entries = play_match(3, setup=make_setup(3, seeded=True), moves=30)

    for state in states(setup, entries):
        assert decode_state(encode_state(state), setup) == state


@pytest.mark.parametrize("stage", [stage for stage in Stage if stage != Stage.OVER])
def test_an_early_ending_comes_back(
    play_match: Play, early_ending: Entry, stage: Stage
) -> None:
    setup, entries = play_match(
        4, ending=early_ending, ends_in=stage, shares=(True, False)
    )

    *_, last = states(setup, entries)

    assert last.ending is not None
    assert decode_state(encode_state(last), setup) == last


def test_a_state_of_a_long_match_stays_small(
    play_match: Play, make_setup: MakeSetup
) -> None:
    setup, entries = play_match(5, setup=make_setup(5, rules=HOLLYWOOD))

    assert max(len(encode_state(state)) for state in states(setup, entries)) < 4096


@pytest.mark.parametrize("first", [b"", b"\x00", b"\x02", b"["])
def test_another_format_is_refused(make_setup: MakeSetup, first: bytes) -> None:
    data = encode_state(begin(make_setup()))

    with pytest.raises(SnapshotError, match="not a snapshot of format 1"):
        decode_state(first + data[1:] if first else b"", make_setup())


def test_damage_is_refused_wherever_a_snapshot_is_cut_off(play_match: Play) -> None:
    setup, entries = play_match(5)
    state = list(states(setup, entries))[12]
    data = encode_state(state)
    after_line = data.index(b"\n") + 1

    for size in range(len(data)):
        # Cut after its first line, it is a whole snapshot of a match before play.
        if size not in {after_line - 1, after_line}:
            with pytest.raises(SnapshotError):
                decode_state(data[:size], setup)


def test_a_match_under_other_rules_is_refused(
    play_match: Play, make_setup: MakeSetup
) -> None:
    *_, last = states(*play_match(7))

    with pytest.raises(SnapshotError, match="damaged"):
        decode_state(encode_state(last), make_setup(7, rules=HOLLYWOOD))


def test_a_state_of_another_table_is_refused(make_setup: MakeSetup) -> None:
    setup = make_setup()
    data = encode_state(begin(setup)).replace(b"[0,0]", b"[0,0,0]", 1)

    with pytest.raises(SnapshotError, match="damaged"):
        decode_state(data, setup)
