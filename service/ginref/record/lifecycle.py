"""The life of a match as a fold over its log.

`begin` is the state after creation and `step` the state after one more entry; the
referee, the retry of an answer and the verifier all use these two. The state knows
no time: `timing` says what an entry means for the clock, and `clock` does the sums.

    FORMING -> COMMITTING -> REVEALING -> PLAYING -> OVER     (shares)
    FORMING -------------------------> PLAYING -> OVER        (tournament, seeded)
"""

import enum
from dataclasses import dataclass, field, replace
from typing import TypeVar, assert_never

from ginref.engine.card import Card
from ginref.engine.deck import derive_deck, draw_first_dealer
from ginref.engine.error import IllegalMoveError
from ginref.engine.match import Match, abandon, apply, forfeit, start_match
from ginref.engine.seat import Seat
from ginref.record.entry import (
    Aborted,
    Accepted,
    Committed,
    Created,
    Declined,
    Entry,
    Moved,
    RareEntry,
    Refused,
    Resigned,
    Revealed,
    TimedOut,
    Voided,
)
from ginref.record.setup import DealSource, Setup
from ginref.record.share import SHARE_SIZE, mix, opens

_T = TypeVar("_T")


class Stage(enum.StrEnum):
    """How far a match has come."""

    FORMING = "forming"
    COMMITTING = "committing"
    REVEALING = "revealing"
    PLAYING = "playing"
    OVER = "over"


class EndingKind(enum.StrEnum):
    """How a match ended."""

    COMPLETED = "completed"
    ROUND_CAP = "round_cap"
    RESIGNED = "resigned"
    TIMED_OUT = "timed_out"
    STRIKES = "strikes"
    NO_SHOW = "no_show"
    ABORTED = "aborted"
    VOID = "void"


class Fault(enum.StrEnum):
    """Who is answerable for an ending."""

    NOBODY = "nobody"
    SEAT = "seat"
    REFEREE = "referee"
    ORGANIZER = "organizer"


@dataclass(frozen=True, slots=True)
class Ending:
    """How a match ended, and for whom.

    Attributes:
        kind: How.
        winner: The seat that won; None when drawn, void or aborted.
        fault: Who is answerable.
        seats_at_fault: The seats at fault, if any.
    """

    kind: EndingKind
    winner: Seat | None
    fault: Fault
    seats_at_fault: tuple[Seat, ...] = ()


class StepReason(enum.StrEnum):
    """Why a step is impossible."""

    MATCH_OVER = "match_over"
    NOT_PLAYING = "not_playing"
    OUT_OF_ORDER = "out_of_order"
    COMMITMENT_BROKEN = "commitment_broken"
    LEGAL_AFTER_ALL = "legal_after_all"


class StepError(Exception):
    """A step that the state of the match does not allow; nothing has changed."""

    def __init__(self, reason: StepReason) -> None:
        """Keep the reason."""
        super().__init__(str(reason))
        self.reason = reason


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchState:
    """A match at one moment, hidden cards and secrets and all.

    Per-seat tuples go by seat number.

    Attributes:
        setup: What was fixed at creation.
        version: Accepted steps; creation is 1.
        refusals: Counted refusals at this version.
        stage: How far the match has come.
        accepted: Which seats are taken.
        commitments: Commitments so far; None while a seat has not committed, and
            empty bytes when it has no share.
        shares: Shares revealed so far.
        strikes: Illegal moves counted so far.
        last_moved: Version of each seat's latest move; 0 before its first.
        referee_ms: What the referee spent on the latest move.
        match: The game; None before play.
        ending: How the match ended; None while it goes on.
    """

    setup: Setup
    version: int
    refusals: int
    stage: Stage
    accepted: tuple[bool, ...]
    commitments: tuple[bytes | None, ...]
    shares: tuple[bytes | None, ...] = field(repr=False)
    strikes: tuple[int, ...]
    last_moved: tuple[int, ...]
    referee_ms: int
    match: Match | None
    ending: Ending | None

    @property
    def to_act(self) -> Seat | None:
        """The seat that is to move; None outside play."""
        return self.match.to_act if self.match and not self.ending else None

    @property
    def awaited(self) -> tuple[Seat, ...]:
        """The seats that owe something now."""
        match self.stage:
            case Stage.FORMING:
                owed = [not done for done in self.accepted]
            case Stage.COMMITTING:
                owed = [commitment is None for commitment in self.commitments]
            case Stage.REVEALING:
                owed = [
                    bool(commitment) and share is None
                    for commitment, share in zip(
                        self.commitments, self.shares, strict=True
                    )
                ]
            case Stage.PLAYING:
                owed = [seat is self.to_act for seat in self.setup.seats]
            case Stage.OVER:
                owed = [False for _ in self.setup.seats]
            case _:
                assert_never(self.stage)
        return tuple(
            seat for seat, owes in zip(self.setup.seats, owed, strict=True) if owes
        )

    def strikes_left(self, seat: Seat) -> int:
        """Illegal moves that a seat may still make without losing."""
        return max(0, self.setup.strikes_allowed - self.strikes[seat])

    def deck_for(self, k: int) -> tuple[Card, ...]:
        """Return the deck of the deal `k`, counted from 0."""
        return derive_deck(self._secret, k)

    @property
    def _secret(self) -> bytes:
        fixed = self.setup.fixed_secret
        if fixed is not None:
            return fixed
        return mix(self.setup.match_id, self.setup.referee_share, self.shares)


def begin(setup: Setup) -> MatchState:
    """Return the state of a match that has just been created: version 1."""
    count = len(setup.bots)
    return MatchState(
        setup=setup,
        version=1,
        refusals=0,
        stage=Stage.FORMING,
        accepted=(False,) * count,
        commitments=(None,) * count,
        shares=(None,) * count,
        strikes=(0,) * count,
        last_moved=(0,) * count,
        referee_ms=0,
        match=None,
        ending=None,
    )


def step(state: MatchState, entry: Entry) -> MatchState:
    """Return the state after one more entry.

    Raises:
        IllegalMoveError: The entry is a move that the rules refuse.
        StepError: The match is not at a point where the entry can follow.
    """
    if state.ending:
        raise StepError(StepReason.MATCH_OVER)
    if isinstance(entry, Moved):
        return _move(state, entry)
    if isinstance(entry, Refused):
        return _refuse(state, entry)
    after = _transition(state, entry)
    lost = entry.lost if isinstance(entry, Voided) else 0
    return replace(after, version=state.version + lost + 1, refusals=0)


def _transition(  # noqa: PLR0911 - one case for each kind of entry
    state: MatchState, entry: RareEntry
) -> MatchState:
    match entry:
        case Accepted(seat):
            return _accept(state, seat)
        case Declined(seat):
            _expect(state, Stage.FORMING, seat)
            return _end(state, EndingKind.NO_SHOW, Fault.SEAT, (seat,))
        case Committed(seat, commitment):
            return _commit(state, seat, commitment)
        case Revealed(seat, share):
            return _reveal(state, seat, share)
        case Resigned(seat):
            return _end(state, EndingKind.RESIGNED, Fault.SEAT, (seat,))
        case TimedOut():
            playing = state.stage is Stage.PLAYING
            kind = EndingKind.TIMED_OUT if playing else EndingKind.NO_SHOW
            return _end(state, kind, Fault.SEAT, state.awaited)
        case Aborted():
            return _end(state, EndingKind.ABORTED, Fault.ORGANIZER, ())
        case Voided():
            return _end(state, EndingKind.VOID, Fault.REFEREE, ())
        case Created():
            raise StepError(StepReason.OUT_OF_ORDER)
        case _:
            assert_never(entry)


def _expect(state: MatchState, stage: Stage, seat: Seat) -> None:
    if state.stage is not stage or seat not in state.awaited:
        raise StepError(StepReason.OUT_OF_ORDER)


def _put(values: tuple[_T, ...], seat: Seat, value: _T) -> tuple[_T, ...]:
    return (*values[:seat], value, *values[seat + 1 :])


def _accept(state: MatchState, seat: Seat) -> MatchState:
    _expect(state, Stage.FORMING, seat)
    state = replace(state, accepted=_put(state.accepted, seat, value=True))
    if state.awaited:
        return state
    if state.setup.deal_source is not DealSource.SHARES:
        return _start(state)
    return replace(state, stage=Stage.COMMITTING)


def _commit(state: MatchState, seat: Seat, commitment: bytes | None) -> MatchState:
    _expect(state, Stage.COMMITTING, seat)
    if commitment is not None and len(commitment) != SHARE_SIZE:
        raise StepError(StepReason.COMMITMENT_BROKEN)
    commitments = _put(state.commitments, seat, commitment or b"")
    state = replace(state, commitments=commitments)
    if state.awaited:
        return state
    state = replace(state, stage=Stage.REVEALING)
    return state if state.awaited else _start(state)


def _reveal(state: MatchState, seat: Seat, share: bytes) -> MatchState:
    _expect(state, Stage.REVEALING, seat)
    commitment = state.commitments[seat] or b""
    if len(share) != SHARE_SIZE or not opens(
        commitment, state.setup.match_id, seat, share
    ):
        raise StepError(StepReason.COMMITMENT_BROKEN)
    state = replace(state, shares=_put(state.shares, seat, share))
    return state if state.awaited else _start(state)


def _start(state: MatchState) -> MatchState:
    setup = state.setup
    dealer = draw_first_dealer(state._secret, setup.seats)  # noqa: SLF001
    game = start_match(setup.ruleset, setup.seats, dealer, state.deck_for)
    return replace(state, stage=Stage.PLAYING, match=game)


def _move(state: MatchState, entry: Moved) -> MatchState:
    if state.match is None:
        raise StepError(StepReason.NOT_PLAYING)
    game = apply(state.match, entry.seat, entry.move, state.deck_for)
    version = state.version + 1
    ending = None
    if game.over is not None:
        kind = EndingKind(game.over.how)
        ending = Ending(kind, game.over.winner, Fault.NOBODY)
    # Almost every step is a move, and `replace` takes three times as long.
    return MatchState(
        setup=state.setup,
        version=version,
        refusals=0,
        stage=state.stage if ending is None else Stage.OVER,
        accepted=state.accepted,
        commitments=state.commitments,
        shares=state.shares,
        strikes=state.strikes,
        last_moved=_put(state.last_moved, entry.seat, version),
        referee_ms=entry.referee_ms,
        match=game,
        ending=ending,
    )


def _refuse(state: MatchState, entry: Refused) -> MatchState:
    if state.match is None:
        raise StepError(StepReason.NOT_PLAYING)
    if entry.seat is not state.to_act:
        raise StepError(StepReason.OUT_OF_ORDER)
    try:
        apply(state.match, entry.seat, entry.move, state.deck_for)
    except IllegalMoveError:
        pass
    else:
        raise StepError(StepReason.LEGAL_AFTER_ALL)
    allowed = state.strikes_left(entry.seat) > 0
    strikes = _put(state.strikes, entry.seat, state.strikes[entry.seat] + 1)
    state = replace(state, strikes=strikes)
    if allowed:
        return replace(state, refusals=state.refusals + 1)
    ended = _end(state, EndingKind.STRIKES, Fault.SEAT, (entry.seat,))
    return replace(ended, version=state.version + 1, refusals=0)


def _end(
    state: MatchState, kind: EndingKind, fault: Fault, at_fault: tuple[Seat, ...]
) -> MatchState:
    left = [seat for seat in state.setup.seats if seat not in at_fault]
    # Of two seats that never played a card neither is ahead.
    winner = left[0] if at_fault and len(left) == 1 else None
    game = state.match
    if game is not None:
        game = forfeit(game, at_fault) if at_fault else abandon(game)
        winner = game.over.winner if game.over else None
    ending = Ending(kind, winner, fault, at_fault)
    return replace(state, stage=Stage.OVER, match=game, ending=ending)


@dataclass(frozen=True, slots=True)
class Timing:
    """What a step means for the clock.

    Attributes:
        mover: The seat whose clock is debited, or None.
        to_act: The seat whose clock runs afterwards, or None.
        window_ms: A fixed time until the next deadline, or None.
        ending: The match is over with it.
    """

    mover: Seat | None
    to_act: Seat | None
    window_ms: int | None
    ending: bool


def timing(before: MatchState, after: MatchState) -> Timing:
    """Say what the step between two states means for the clock.

    Nobody pays for the time that a referee takes before it gives up.
    """
    if after.ending:
        is_void = after.ending.kind is EndingKind.VOID
        mover = None if is_void else before.to_act
        return Timing(mover, None, None, ending=True)
    if after.stage is Stage.PLAYING:
        return Timing(before.to_act, after.to_act, None, ending=False)
    # The time of a stage runs for all seats together: one seat's answer does
    # not give the other one more of it.
    fresh = before.stage is not after.stage
    window_ms = after.setup.clock.start_ms if fresh else None
    return Timing(None, None, window_ms, ending=False)
