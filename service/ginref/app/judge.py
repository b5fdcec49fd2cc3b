"""Judges submitted moves: the one path from a submission to a stored entry."""

from collections.abc import Callable
from typing import Final

from ginref.app.error import Reason, RefusedError, moment, reason_of
from ginref.app.fault import to_its_end
from ginref.app.hub import Hub
from ginref.app.keeper import Draft, Keeper, Stored
from ginref.app.live_match import LiveMatch, id_of, place_of
from ginref.app.match_store import (
    ApplyResult,
    Duplicate,
    Refusal,
    Seen,
    Stale,
    SubmissionKey,
    Wake,
)
from ginref.app.port import Observer
from ginref.app.receipt_writer import ReceiptWriter
from ginref.app.report import MoveReport
from ginref.app.reporting import load_seat_report
from ginref.app.turn_times import TurnTimes
from ginref.engine.error import IllegalMoveError
from ginref.engine.move import move_kind
from ginref.record.entry import Moved, Refused, StampedEntry, TimedOut
from ginref.record.lifecycle import EndingKind, MatchState, Stage, StepError, step
from ginref.record.submission import Submission

_ATTEMPTS: Final = 8


class Judge:
    """Judges moves and deadlines, and takes the steps that follow.

    Attributes:
        turn_times: When turns were sent from here.
    """

    def __init__(  # noqa: PLR0913
        self,
        keeper: Keeper,
        observer: Observer,
        receipts: ReceiptWriter,
        *,
        hub: Hub,
        ended: Callable[[str], None],
        monotonic: Callable[[], float],
    ) -> None:
        """Work on the keeper's matches and count.

        Args:
            keeper: Reads and changes matches.
            observer: Counts.
            receipts: Signs what submissions come to.
            hub: Told of each change.
            ended: Called with each match that has ended.
            monotonic: Tells seconds.
        """
        self._keeper = keeper
        self._observer = observer
        self._receipts = receipts
        self._hub = hub
        self._ended = ended
        self._monotonic = monotonic
        self.turn_times = TurnTimes(monotonic)

    async def submit(
        self, live: LiveMatch, submission: Submission, received: float
    ) -> MoveReport:
        """Judge a move of a seat that the caller holds.

        In this order: a known request id gets its first answer; then over, late,
        not in play, another version, not to act; then the rules. Nobody may cancel
        this: see `to_its_end`.

        Args:
            live: The match, perhaps out of date.
            submission: The move.
            received: Monotonic time in seconds when it arrived.

        Raises:
            RefusedError: REQUEST_ID_REUSED, MATCH_OVER, MOVE_LATE,
                MATCH_NOT_PLAYING, VERSION_STALE, NOT_YOUR_TURN, or the broken rule;
                only the last costs a strike.
        """
        key = SubmissionKey(
            digest=submission.digest, request_hash=submission.request_hash
        )
        for attempt in range(_ATTEMPTS):
            if attempt or not _is_turn(live, submission):
                # The hint was old, or somebody was faster: look, and judge by that.
                live = await self._keeper.load(submission.match_id, key)
                if live.seen:
                    return await self._answer_again(live, live.seen, submission)
                if error := await self._objection(live, submission):
                    raise self._acknowledged(error, live, submission)
            waited_ms = self.turn_times.waited_ms(
                submission.match_id, submission.expected_version, received
            )
            draft, illegal = self._rule(live, submission, key, received, waited_ms)
            result = await self._take(draft, self._observe)
            if isinstance(result, Duplicate):
                return await self._answer_again(live, result.seen, submission)
            if isinstance(result, Stored):
                after, entry = result.after, result.entry
                if illegal:
                    raise self._broken_rule(illegal, after, submission, entry)
                referee_s = self._monotonic() - received
                self._observer.move_times(waited_ms, referee_s)
                return await self._accepted(after, submission, entry)
        # Nothing was found out about it, so there is nothing to acknowledge.
        raise _stale(live, submission)

    def _rule(
        self,
        live: LiveMatch,
        submission: Submission,
        key: SubmissionKey,
        received: float,
        waited_ms: int | None,
    ) -> tuple[Draft, IllegalMoveError | None]:
        """Ask the rules; the draft says what becomes of the move."""
        spent_ms = max(0, round((self._monotonic() - received) * 1000))
        seat, signature = submission.seat, submission.signature
        if signature is not None and live.state.setup.key_of(seat) is None:
            # Nobody could ever judge it.
            signature = None
        said = submission.request_id, submission.move
        facts = seat, *said, spent_ms, signature, waited_ms
        moved = Moved(*facts)
        try:
            state = step(live.state, moved)
        except IllegalMoveError as error:
            return Draft(live=live, entry=Refused(*facts), key=key), error
        return Draft(live=live, entry=moved, state=state, key=key), None

    async def _objection(
        self, live: LiveMatch, submission: Submission
    ) -> RefusedError | None:
        """Return why a move is refused before the rules are asked, or None."""
        state = live.state
        if state.ending:
            return RefusedError(
                Reason.MATCH_OVER, "the match is over", ending=state.ending.kind
            )
        if live.is_late and await self.time_out(live):
            return self.late(live)
        if state.stage is not Stage.PLAYING:
            return RefusedError(
                Reason.MATCH_NOT_PLAYING,
                "the match has not begun to play",
                stage=state.stage,
            )
        if state.version != submission.expected_version:
            return _stale(live, submission)
        if state.to_act is not submission.seat:
            return RefusedError(
                Reason.NOT_YOUR_TURN, "another seat is to act", to_act=state.to_act
            )
        return None

    def _acknowledged(
        self, error: RefusedError, live: LiveMatch, submission: Submission
    ) -> RefusedError:
        """Add the receipt to a refusal that is answered from the match as it is."""
        error.receipt = self._receipts.refused(live, submission, error.reason)
        return error

    async def _answer_again(
        self, live: LiveMatch, seen: Seen, submission: Submission
    ) -> MoveReport:
        """Give the first answer: a function of the log up to its entry."""
        if not seen.same_request:
            error = RefusedError(
                Reason.REQUEST_ID_REUSED,
                "the request id was used for another submission",
                request_id=submission.request_id,
            )
            raise self._acknowledged(error, live, submission)
        then = await self._keeper.at(submission.match_id, seen.entry_id)
        logged = then.tail[-1]
        if id_of(logged) != seen.entry_id:
            # What is signed of it is signed of the match as it is, and not as it was
            # when this process had last looked.
            live = await self._keeper.load(submission.match_id)
            message = "the match is void, and what became of the move is lost"
            error = RefusedError(Reason.MATCH_OVER, message, ending=EndingKind.VOID)
            raise self._acknowledged(error, live, submission)
        if isinstance(logged.entry, Moved):
            return await self._accepted(then, submission, logged)
        before = await self._keeper.at(submission.match_id, id_of(then.tail[-2]))
        illegal = _breach(before.state, submission)
        raise self._broken_rule(illegal, then, submission, logged)

    async def _accepted(
        self, after: LiveMatch, submission: Submission, logged: StampedEntry
    ) -> MoveReport:
        turn = None
        if after.state.to_act is submission.seat:
            turn = await load_seat_report(self._keeper, after, submission.seat)
            self.turn_times.note(submission.match_id, after.state.version)
        return MoveReport(
            version=after.state.version,
            time_ms=logged.time_ms,
            elapsed_ms=after.clock.elapsed_ms,
            referee_ms=after.state.referee_ms,
            turn=turn,
            ending=after.state.ending,
            receipt=self._receipts.stored(after, submission, logged),
        )

    def _broken_rule(
        self,
        illegal: IllegalMoveError,
        after: LiveMatch,
        submission: Submission,
        logged: StampedEntry,
    ) -> RefusedError:
        """Return the refusal of a move that was counted."""
        error = RefusedError(
            reason_of(illegal.breach),
            str(illegal),
            **illegal.facts,
            strikes_left=after.state.strikes_left(submission.seat),
        )
        error.receipt = self._receipts.stored(after, submission, logged, error.reason)
        return error

    async def time_out(self, live: LiveMatch) -> bool:
        """End a match whose deadline is past; say whether the store finds that it is.

        After an outage it may find that there is time left, or that there was and the
        match has moved on.
        """
        draft = Draft(live=live, entry=TimedOut(), judge_time=False, due_only=True)
        try:
            result = await to_its_end(self._take(draft, self._timed_out))
        except StepError:
            # It is over already.
            return True
        return result is not Refusal.NOT_DUE and not isinstance(result, Stale)

    def late(self, live: LiveMatch) -> RefusedError:
        """Say that a submission came after the deadline."""
        return RefusedError(
            Reason.MOVE_LATE,
            "the deadline had passed",
            deadline=moment(live.clock.due_ms),
        )

    async def take(self, draft: Draft) -> Stored | ApplyResult:
        """Take a step that is no move, unless the match has gone on meanwhile.

        Once begun it runs to its end, whatever becomes of the caller.

        Raises:
            StepError: The match is not at a point where the entry can follow.
        """
        return await to_its_end(self._take(draft, self._observe))

    async def _take(
        self, draft: Draft, then: Callable[[Stored], None]
    ) -> Stored | ApplyResult:
        match_id = draft.live.state.setup.match_id
        self._hub.hold(match_id)
        try:
            return await self._keeper.commit(draft, then)
        finally:
            self._hub.release(match_id)

    def _observe(self, stored: Stored) -> None:
        """Count what a stored step did, and wake whoever follows the match."""
        entry = stored.entry.entry
        if isinstance(entry, Moved):
            self._observer.move(move_kind(entry.move), "accepted")
        before, after = stored.before.state, stored.after.state
        if after.match and before.match:
            for summary in after.match.history[len(before.match.history) :]:
                self._observer.round_over(summary.outcome)
        if after.ending:
            self._observer.match_over(after.ending.kind, after.ending.fault)
            self.turn_times.forget(after.setup.match_id)
            self._ended(after.setup.match_id)
        self._hub.notify(Wake(after.setup.match_id, place_of(stored.after)))

    def _timed_out(self, stored: Stored) -> None:
        policy = stored.before.state.setup.clock
        due_ms = stored.before.clock.due_ms + policy.grace_ms
        self._observer.timeout(max(0, stored.entry.time_ms - due_ms))
        self._observe(stored)


def _is_turn(live: LiveMatch, submission: Submission) -> bool:
    state = live.state
    return (
        state.version == submission.expected_version and state.to_act is submission.seat
    )


def _breach(state: MatchState, submission: Submission) -> IllegalMoveError:
    """Return the rule that a counted refusal was about."""
    try:
        step(state, Moved(submission.seat, submission.request_id, submission.move, 0))
    except IllegalMoveError as error:
        return error
    message = f"a legal move was refused in match {submission.match_id}"
    raise AssertionError(message)


def _stale(live: LiveMatch, submission: Submission) -> RefusedError:
    return RefusedError(
        Reason.VERSION_STALE,
        "the match is at another version",
        version=live.state.version,
        expected_version=submission.expected_version,
    )
