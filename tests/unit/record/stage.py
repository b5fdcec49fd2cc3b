"""Entries that lead to each stage of a match, and steps from there."""

from collections.abc import Sequence

import pytest

from ginref.engine.card import Card
from ginref.engine.move import Discard
from ginref.engine.seat import Seat
from ginref.record.entry import Accepted, Committed, Entry, Refused, Revealed
from ginref.record.lifecycle import (
    MatchState,
    Stage,
    StepError,
    StepReason,
    begin,
    step,
)
from ginref.record.setup import Setup
from ginref.record.share import commit_seat

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
