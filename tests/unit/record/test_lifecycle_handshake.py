from collections.abc import Callable

import pytest
from tests.unit.record.stage import (
    ACCEPTED,
    COMMITTED,
    EAST,
    MATCH,
    NORTH,
    REVEALED,
    SHARES,
    SOUTH,
    fold,
    reason,
)

from ginref.engine.seat import Seat
from ginref.record.entry import (
    Accepted,
    Committed,
    Created,
    Declined,
    Entry,
    Revealed,
)
from ginref.record.lifecycle import MatchState, Stage, StepReason, begin
from ginref.record.setup import Setup
from ginref.record.share import commit_seat

MakeSetup = Callable[..., Setup]


def test_a_match_begins_at_version_one_and_waits_for_all_seats(setup: Setup) -> None:
    state = begin(setup)

    assert (state.version, state.refusals, state.stage) == (1, 0, Stage.FORMING)
    assert state.awaited == (NORTH, SOUTH)
    assert state.to_act is None


@pytest.mark.parametrize(
    ("entries", "stage", "awaited"),
    [
        pytest.param([Accepted(SOUTH)], Stage.FORMING, (NORTH,), id="one accepted"),
        pytest.param(ACCEPTED, Stage.COMMITTING, (NORTH, SOUTH), id="all accepted"),
        pytest.param(COMMITTED[:3], Stage.COMMITTING, (SOUTH,), id="one has committed"),
        pytest.param(COMMITTED, Stage.REVEALING, (NORTH, SOUTH), id="all committed"),
        pytest.param(REVEALED[:5], Stage.REVEALING, (SOUTH,), id="one has revealed"),
        pytest.param(
            [*COMMITTED[:3], Committed(SOUTH, None)],
            Stage.REVEALING,
            (NORTH,),
            id="a seat without a share reveals nothing",
        ),
    ],
)
def test_a_match_waits_for_the_seats_that_owe_something(
    setup: Setup, entries: list[Entry], stage: Stage, awaited: tuple[Seat, ...]
) -> None:
    state = fold(setup, entries)

    assert (state.stage, state.awaited) == (stage, awaited)
    assert state.version == 1 + len(entries)
    assert state.match is None


def test_play_begins_with_the_last_share(playing: MatchState) -> None:
    assert playing.stage is Stage.PLAYING
    assert playing.awaited == (playing.to_act,)
    assert playing.version == 7


def test_play_begins_at_once_when_no_seat_has_a_share(setup: Setup) -> None:
    state = fold(setup, [*ACCEPTED, Committed(NORTH, None), Committed(SOUTH, None)])

    assert state.stage is Stage.PLAYING


def test_a_seeded_match_begins_when_all_seats_are_taken(make_setup: MakeSetup) -> None:
    state = fold(make_setup(seeded=True), ACCEPTED)

    assert state.stage is Stage.PLAYING
    assert state.version == 3


def test_every_share_counts_for_the_cards(setup: Setup) -> None:
    def deck(*entries: Entry) -> object:
        return fold(setup, [*ACCEPTED, *entries]).deck_for(0)

    north, south = COMMITTED[2:]
    none_north, none_south = Committed(NORTH, None), Committed(SOUTH, None)
    decks = {
        deck(north, south, *REVEALED[4:]),
        deck(north, none_south, REVEALED[4]),
        deck(none_north, south, REVEALED[5]),
        deck(none_north, none_south),
    }

    assert len(decks) == 4


@pytest.mark.parametrize(
    ("before", "entry"),
    [
        pytest.param([Accepted(NORTH)], Accepted(NORTH), id="taken twice"),
        pytest.param([Accepted(NORTH)], Declined(NORTH), id="left after it was taken"),
        pytest.param([], Accepted(EAST), id="a seat the match has not"),
        pytest.param([], COMMITTED[2], id="committed before all seats are taken"),
        pytest.param(ACCEPTED, Accepted(NORTH), id="taken when all seats are"),
        pytest.param(COMMITTED[:3], COMMITTED[2], id="committed twice"),
        pytest.param(COMMITTED[:3], REVEALED[4], id="revealed before all committed"),
        pytest.param(REVEALED[:5], REVEALED[4], id="revealed twice"),
        pytest.param(
            [*COMMITTED[:3], Committed(SOUTH, None)],
            REVEALED[5],
            id="revealed without a commitment",
        ),
        pytest.param(REVEALED, Declined(NORTH), id="declined in play"),
        pytest.param(REVEALED, REVEALED[4], id="revealed in play"),
        pytest.param([], Created(), id="created twice"),
    ],
)
def test_an_entry_out_of_order_is_refused(
    setup: Setup, before: list[Entry], entry: Entry
) -> None:
    assert reason(fold(setup, before), entry) is StepReason.OUT_OF_ORDER


@pytest.mark.parametrize(
    ("before", "entry"),
    [
        pytest.param(COMMITTED, Revealed(NORTH, b"x" * 32), id="another share"),
        pytest.param(
            COMMITTED, Revealed(NORTH, SHARES[SOUTH]), id="the share of another seat"
        ),
        pytest.param(COMMITTED, Revealed(NORTH, b"n" * 31), id="a short share"),
        pytest.param(ACCEPTED, Committed(NORTH, b"c" * 31), id="a short commitment"),
        pytest.param(ACCEPTED, Committed(NORTH, b""), id="an empty commitment"),
    ],
)
def test_a_share_must_be_the_one_committed_to(
    setup: Setup, before: list[Entry], entry: Entry
) -> None:
    assert reason(fold(setup, before), entry) is StepReason.COMMITMENT_BROKEN


def test_a_commitment_copied_from_another_seat_does_not_open(setup: Setup) -> None:
    copied = Committed(SOUTH, commit_seat(MATCH, NORTH, SHARES[NORTH]))
    state = fold(setup, [*COMMITTED[:3], copied, REVEALED[4]])

    stolen = Revealed(SOUTH, SHARES[NORTH])

    assert reason(state, stolen) is StepReason.COMMITMENT_BROKEN
