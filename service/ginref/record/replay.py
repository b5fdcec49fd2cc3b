"""A whole log played again from its setup: the state, the clocks and the rounds.

The referee builds a record from it and the verifier checks a record against it, so
both come to the same facts by the same rules.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from ginref.engine.card import Card
from ginref.engine.error import IllegalMoveError
from ginref.engine.match import Match, RoundSummary
from ginref.engine.phase import Showdown
from ginref.engine.seat import Seat
from ginref.record.clock import StoredClock, advance, is_late
from ginref.record.entry import (
    Accepted,
    Committed,
    Created,
    Declined,
    Moved,
    Refused,
    Resigned,
    Revealed,
    StampedEntry,
    TimedOut,
    Voided,
)
from ginref.record.flaw import Flaw
from ginref.record.lifecycle import (
    MatchState,
    StepError,
    StepReason,
    begin,
    step,
    timing,
)
from ginref.record.setup import Setup


class ReplayError(ValueError):
    """A log that no referee could have written.

    Attributes:
        version: Version of the first wrong entry.
        refusal: Its refusal number; 0 for a step.
        what: What is wrong with it.
        flaw: What kind of thing that is.
    """

    def __init__(self, version: int, refusal: int, what: str, flaw: Flaw) -> None:
        """Keep the place and what is wrong; the message is made of both."""
        number = f"{version}-{refusal}" if refusal else str(version)
        super().__init__(f"entry {number}: {what}")
        self.version = version
        self.refusal = refusal
        self.what = what
        self.flaw = flaw


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedRound:
    """A finished round, as a record tells it.

    Attributes:
        summary: Number, dealer, outcome, winner, points, columns and idle seat.
        first_upcard: The card turned up after the deal.
        knock_limit: Most deadwood to knock with, in points.
        multiplier: What its score was multiplied by.
        showdown: Both hands; None when nobody knocked.
    """

    summary: RoundSummary
    first_upcard: Card
    knock_limit: int
    multiplier: int
    showdown: Showdown | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """A log played again.

    Attributes:
        state: The state after its last entry.
        clock: The clocks after it.
        rounds: The finished rounds.
        move_count: Accepted moves.
        credit_ms: What outages have cost, by what the referee says.
    """

    state: MatchState
    clock: StoredClock
    rounds: tuple[PlayedRound, ...]
    move_count: int
    credit_ms: int


# What a seat does is judged by the clock before it is stored; what the organizer
# or the referee decides is possible at any time.
_JUDGED: Final = (Accepted, Declined, Committed, Revealed, Moved, Refused, Resigned)

_WHY: Final = {
    StepReason.MATCH_OVER: ("the match is over before it", Flaw.ENDING),
    StepReason.NOT_PLAYING: ("it is a move, but no cards are dealt", Flaw.MOVE),
    StepReason.OUT_OF_ORDER: (
        "it cannot follow at this point of the match",
        Flaw.DEAL,
    ),
    StepReason.COMMITMENT_BROKEN: (
        "the share is not the one committed to",
        Flaw.DEAL,
    ),
    StepReason.LEGAL_AFTER_ALL: ("the refused move is legal", Flaw.MOVE),
}


def check_order(entries: Sequence[StampedEntry]) -> None:
    """Check that a log begins with a creation, has no gap, and never goes back.

    Raises:
        ReplayError: Naming the first entry that is out of order.
    """
    if not entries:
        raise ReplayError(1, 0, "the creation is missing", Flaw.CHAIN)
    version, refusal, time_ms = 0, 0, entries[0].time_ms
    for stamped in entries:
        here = stamped.version, stamped.refusal
        # Only the word that versions are lost may leave some of them out.
        lost = stamped.entry.lost if isinstance(stamped.entry, Voided) else 0
        following = {(version + lost + 1, 0), (version, refusal + 1)}
        if here[0] < 1 or here not in following:
            place = f"{version}-{refusal}" if refusal else str(version)
            what = f"it does not follow entry {place}"
            raise ReplayError(*here, what, Flaw.CHAIN)
        if stamped.time_ms < time_ms:
            what = "its time is before that of the one before it"
            raise ReplayError(*here, what, Flaw.CLOCK)
        if isinstance(stamped.entry, Moved | Refused) and not _is_timely(stamped.entry):
            what = "a turn is sent, its move received, and then it is stored"
            raise ReplayError(*here, what, Flaw.CLOCK)
        if isinstance(stamped.entry, Created) is not (here == (1, 0)):
            what = "a match is created once, by its first entry"
            raise ReplayError(*here, what, Flaw.CHAIN)
        version, refusal, time_ms = *here, stamped.time_ms


def _is_timely(entry: Moved | Refused) -> bool:
    return entry.referee_ms >= 0 and (entry.waited_ms is None or entry.waited_ms >= 0)


def replay(setup: Setup, entries: Sequence[StampedEntry]) -> Replay:
    """Play a log again, and judge every entry as the referee did.

    Raises:
        ReplayError: Naming the first entry that no referee could have written.
    """
    check_order(entries)
    policy, created_ms = setup.clock, entries[0].time_ms
    state = begin(setup)
    clock = StoredClock(
        to_act=None,
        started_ms=created_ms,
        deadline_ms=created_ms + policy.start_ms,
        banks_ms=(policy.bank_ms,) * len(setup.bots),
    )
    rounds: list[PlayedRound] = []
    move_count = credit_ms = 0
    known: set[tuple[Seat, str]] = set()
    for stamped in entries[1:]:
        clock = _credited(clock, stamped)
        _judge_time(setup, clock, stamped)
        after = _step(state, stamped)
        _note_submission(known, stamped)
        if (after.version, after.refusals) != (stamped.version, stamped.refusal):
            raise _wrong(stamped, "a step and a counted refusal are mixed up")
        if not stamped.refusal:
            clock = _advance(clock, state, after, stamped.time_ms)
            credit_ms += stamped.credit_ms
        if isinstance(stamped.entry, Moved):
            move_count += 1
            rounds += _finished(state.match, after.match)
        state = after
    return Replay(
        state=state,
        clock=clock,
        rounds=tuple(rounds),
        move_count=move_count,
        credit_ms=credit_ms,
    )


def _wrong(stamped: StampedEntry, what: str, flaw: Flaw = Flaw.MOVE) -> ReplayError:
    return ReplayError(stamped.version, stamped.refusal, what, flaw)


def _credited(clock: StoredClock, stamped: StampedEntry) -> StoredClock:
    """Take the credit of an entry, which can neither fall nor exceed the time."""
    if isinstance(stamped.entry, Voided) and stamped.entry.lost:
        # It belongs to a clock that started in what is lost.
        return clock
    if not clock.credit_ms <= stamped.credit_ms <= stamped.time_ms - clock.started_ms:
        what = f"{stamped.credit_ms} ms cannot be the credit of the running clock"
        raise _wrong(stamped, what, Flaw.CLOCK)
    return replace(clock, credit_ms=stamped.credit_ms)


def _judge_time(setup: Setup, clock: StoredClock, stamped: StampedEntry) -> None:
    late = is_late(stamped.time_ms, clock.due_ms, setup.clock.grace_ms)
    # The clock of a match that is over says nothing; the step itself is refused.
    if clock.deadline_ms == 0:
        return
    if late and isinstance(stamped.entry, _JUDGED):
        over_ms = stamped.time_ms - clock.due_ms
        what = f"it came {over_ms} ms after its deadline"
        raise _wrong(stamped, what, Flaw.CLOCK)
    if not late and isinstance(stamped.entry, TimedOut):
        left_ms = clock.due_ms + setup.clock.grace_ms - stamped.time_ms
        what = f"the seat had {left_ms} ms left, grace included"
        raise _wrong(stamped, what, Flaw.CLOCK)


def _note_submission(known: set[tuple[Seat, str]], stamped: StampedEntry) -> None:
    """Let each request id of a seat stand for one submission."""
    if isinstance(stamped.entry, Moved | Refused):
        submission = stamped.entry.seat, stamped.entry.request_id
        if submission in known:
            raise _wrong(stamped, "its request id was used before")
        known.add(submission)


def _step(state: MatchState, stamped: StampedEntry) -> MatchState:
    entry = stamped.entry
    seat = getattr(entry, "seat", None)
    if seat is not None and seat not in state.setup.seats:
        raise _wrong(stamped, f"the match has no seat {seat}")
    try:
        return step(state, entry)
    except StepError as error:
        what, flaw = _WHY[error.reason]
        # Everything else that may be out of order prepares the deal.
        if isinstance(entry, Refused) and error.reason is StepReason.OUT_OF_ORDER:
            flaw = Flaw.MOVE
        raise _wrong(stamped, what, flaw) from error
    except IllegalMoveError as error:
        raise _wrong(stamped, f"the accepted move is illegal ({error})") from error


def _advance(
    clock: StoredClock, before: MatchState, after: MatchState, now_ms: int
) -> StoredClock:
    meaning = timing(before, after)
    return advance(
        clock,
        before.setup.clock,
        now_ms=now_ms,
        mover=meaning.mover,
        to_act=meaning.to_act,
        window_ms=meaning.window_ms,
        ending=meaning.ending,
        credit_ms=clock.credit_ms,
    )


def _finished(before: Match | None, after: Match | None) -> list[PlayedRound]:
    """Return the round that a move has ended, if it has."""
    if before is None or after is None or len(before.history) == len(after.history):
        return []
    played = before.round
    return [
        PlayedRound(
            summary=after.history[-1],
            first_upcard=played.first_upcard,
            knock_limit=played.knock_limit,
            multiplier=played.multiplier,
            showdown=after.last_result.showdown if after.last_result else None,
        )
    ]
