from collections.abc import Callable, Sequence

import pytest

from ginref.engine.card import Card
from ginref.engine.error import IllegalMoveError
from ginref.engine.match import legal_moves
from ginref.engine.move import DRAW_STOCK, PASS, Discard
from ginref.engine.ruleset import HOLLYWOOD
from ginref.engine.seat import Seat
from ginref.record.entry import (
    Aborted,
    Accepted,
    Committed,
    Created,
    Declined,
    Entry,
    Moved,
    Refused,
    Resigned,
    Revealed,
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
    StepError,
    StepReason,
    Timing,
    begin,
    step,
    timing,
)
from ginref.record.setup import Setup
from ginref.record.share import commit_seat

MakeSetup = Callable[..., Setup]
Play = Callable[..., tuple[Setup, tuple[StampedEntry, ...]]]

NORTH, SOUTH, EAST = Seat
MATCH = "match-0"
SHARES = {NORTH: b"n" * 32, SOUTH: b"s" * 32}

ACCEPTED: list[Entry] = [Accepted(NORTH), Accepted(SOUTH)]
COMMITTED: list[Entry] = [
    *ACCEPTED,
    Committed(NORTH, commit_seat(MATCH, NORTH, SHARES[NORTH])),
    Committed(SOUTH, commit_seat(MATCH, SOUTH, SHARES[SOUTH])),
]
REVEALED: list[Entry] = [
    *COMMITTED,
    Revealed(NORTH, SHARES[NORTH]),
    Revealed(SOUTH, SHARES[SOUTH]),
]
STAGES: dict[Stage, list[Entry]] = {
    Stage.FORMING: [],
    Stage.COMMITTING: [*ACCEPTED],
    Stage.REVEALING: [*COMMITTED],
    Stage.PLAYING: [*REVEALED],
}
BEFORE_PLAY = [Stage.FORMING, Stage.COMMITTING, Stage.REVEALING]


def fold(setup: Setup, entries: Sequence[Entry]) -> MatchState:
    state = begin(setup)
    for entry in entries:
        state = step(state, entry)
    return state


def reason(state: MatchState, entry: Entry) -> StepReason:
    with pytest.raises(StepError) as caught:
        step(state, entry)
    return caught.value.reason


@pytest.fixture
def setup(make_setup: MakeSetup) -> Setup:
    return make_setup()


@pytest.fixture(params=STAGES.values(), ids=[str(stage) for stage in STAGES])
def any_stage(request: pytest.FixtureRequest, setup: Setup) -> MatchState:
    return fold(setup, request.param)


@pytest.fixture
def playing(setup: Setup) -> MatchState:
    return fold(setup, REVEALED)


def to_act(state: MatchState) -> Seat:
    assert state.to_act is not None
    return state.to_act


def other(seat: Seat) -> Seat:
    return SOUTH if seat is NORTH else NORTH


def illegal(state: MatchState) -> Refused:
    return Refused(to_act(state), "r", Discard(next(iter(hand(state)))), 0)


def hand(state: MatchState) -> list[Card]:
    assert state.match is not None
    return list(state.match.round.hand(to_act(state)))


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


def test_a_step_leaves_the_state_before_it_untouched(playing: MatchState) -> None:
    before = repr(playing)

    for move in legal_moves(playing.match, to_act(playing)) if playing.match else ():
        step(playing, Moved(to_act(playing), "r", move, 0))
    step(playing, illegal(playing))

    assert repr(playing) == before


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
