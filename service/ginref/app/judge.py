"""Judges submitted moves: the one path from a submission to a stored entry."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

from ginref.app.error import Reason, RefusedError, reason_of
from ginref.app.keeper import Keeper, LiveMatch, Stored, id_of
from ginref.app.match_store import Duplicate, Refusal, Seen, SubmissionKey
from ginref.app.port import Observer
from ginref.app.report import MoveReport
from ginref.app.reporting import seat_report
from ginref.engine.error import IllegalMoveError
from ginref.engine.move import move_kind
from ginref.record.entry import Moved, Refused, StampedEntry, TimedOut
from ginref.record.lifecycle import Stage, StepError, step
from ginref.record.submission import Submission

_ATTEMPTS: Final = 8


class Judge:
    """Judges moves and deadlines."""

    def __init__(
        self,
        keeper: Keeper,
        observer: Observer,
        *,
        wake: Callable[[str], None],
        monotonic: Callable[[], float],
    ) -> None:
        """Work on the keeper's matches, count, and tell `wake` of each change."""
        self._keeper = keeper
        self._observer = observer
        self._wake = wake
        self._monotonic = monotonic

    async def submit(
        self, live: LiveMatch, submission: Submission, received: float
    ) -> MoveReport:
        """Judge a move of a seat that the caller holds.

        In this order: a known request id gets its first answer; then over, late,
        not in play, another version, not to act; then the rules.

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
        try:
            return await self._submit(live, submission, key, received)
        except RefusedError as error:
            self._observer.move(move_kind(submission.move), "refused")
            self._observer.refusal(error.reason)
            raise

    async def _submit(
        self,
        live: LiveMatch,
        submission: Submission,
        key: SubmissionKey,
        received: float,
    ) -> MoveReport:
        for _ in range(_ATTEMPTS):
            if not _is_turn(live, submission):
                live = await self._keeper.load(submission.match_id, key)
                if live.seen:
                    return await self._answer_again(live.seen, submission)
                await self._refuse_unless_turn(live, submission)
            entry, illegal = self._rule(live, submission, received)
            result = await self._keeper.commit(live, entry, key=key)
            if isinstance(result, Stored):
                self.observe(result)
                if illegal:
                    raise _broken_rule(illegal, result.after, submission)
                self._observer.move(move_kind(submission.move), "accepted")
                return await self._accepted(result.after, submission, result.entry)
            if isinstance(result, Duplicate):
                return await self._answer_again(result.seen, submission)
            if result is Refusal.LATE:
                await self.time_out(live)
                raise self.late(live)
            # Somebody was faster, or the hint was old: look and judge again.
            live = await self._keeper.load(submission.match_id, key)
            if live.seen:
                return await self._answer_again(live.seen, submission)
            await self._refuse_unless_turn(live, submission)
        raise _stale(live, submission)

    def _rule(
        self, live: LiveMatch, submission: Submission, received: float
    ) -> tuple[Moved | Refused, IllegalMoveError | None]:
        """Ask the rules; the entry says what becomes of the move."""
        spent_ms = max(0, round((self._monotonic() - received) * 1000))
        moved = Moved(submission.seat, submission.request_id, submission.move, spent_ms)
        try:
            step(live.state, moved)
        except IllegalMoveError as error:
            refused = Refused(
                submission.seat, submission.request_id, submission.move, spent_ms
            )
            return refused, error
        return moved, None

    async def _refuse_unless_turn(
        self, live: LiveMatch, submission: Submission
    ) -> None:
        state = live.state
        if state.ending:
            raise RefusedError(
                Reason.MATCH_OVER, "the match is over", ending=state.ending.kind
            )
        if live.is_late:
            await self.time_out(live)
            raise self.late(live)
        if state.stage is not Stage.PLAYING:
            raise RefusedError(
                Reason.MATCH_NOT_PLAYING,
                "the match has not begun to play",
                stage=state.stage,
            )
        if state.version != submission.expected_version:
            raise _stale(live, submission)
        if state.to_act is not submission.seat:
            raise RefusedError(
                Reason.NOT_YOUR_TURN, "another seat is to act", to_act=state.to_act
            )

    async def _answer_again(self, seen: Seen, submission: Submission) -> MoveReport:
        """Give the first answer: a function of the log up to its entry."""
        if not seen.same_request:
            raise RefusedError(
                Reason.REQUEST_ID_REUSED,
                "the request id was used for another submission",
                request_id=submission.request_id,
            )
        live = await self._keeper.replay(submission.match_id, seen.entry_id)
        logged = live.tail[-1]
        if isinstance(logged.entry, Moved):
            return await self._accepted(live, submission, logged)
        before = await self._keeper.replay(submission.match_id, id_of(live.tail[-2]))
        _, illegal = self._rule(before, submission, self._monotonic())
        if illegal is None:
            message = "a counted refusal that the rules do not explain"
            raise AssertionError(message)
        raise _broken_rule(illegal, live, submission)

    async def _accepted(
        self, after: LiveMatch, submission: Submission, logged: StampedEntry
    ) -> MoveReport:
        turn = None
        if after.state.to_act is submission.seat:
            turn = await seat_report(self._keeper, after, submission.seat)
        return MoveReport(
            version=after.state.version,
            time_ms=logged.time_ms,
            elapsed_ms=after.clock.elapsed_ms,
            referee_ms=after.state.referee_ms,
            turn=turn,
            ending=after.state.ending,
        )

    async def time_out(self, live: LiveMatch) -> bool:
        """End a match whose deadline is past; the store decides whether it is."""
        try:
            result = await self._keeper.commit(
                live, TimedOut(), judge_time=False, due_only=True
            )
        except StepError:
            return False
        if not isinstance(result, Stored):
            return False
        self._observer.timeout()
        self.observe(result)
        return True

    def late(self, live: LiveMatch) -> RefusedError:
        """Say that a submission came after the deadline."""
        deadline = datetime.fromtimestamp(live.clock.deadline_ms / 1000, UTC)
        return RefusedError(
            Reason.MOVE_LATE,
            "the deadline had passed",
            deadline=deadline.isoformat(timespec="milliseconds"),
        )

    def observe(self, stored: Stored) -> None:
        """Count what a stored step did, and wake whoever follows the match."""
        before, after = stored.before.state, stored.after.state
        if after.match and before.match:
            for summary in after.match.history[len(before.match.history) :]:
                self._observer.round_over(summary.outcome)
        if after.ending:
            self._observer.match_over(after.ending.kind)
        self._wake(after.setup.match_id)


def _is_turn(live: LiveMatch, submission: Submission) -> bool:
    state = live.state
    return (
        state.version == submission.expected_version and state.to_act is submission.seat
    )


def _stale(live: LiveMatch, submission: Submission) -> RefusedError:
    return RefusedError(
        Reason.VERSION_STALE,
        "the match is at another version",
        version=live.state.version,
        expected_version=submission.expected_version,
    )


def _broken_rule(
    illegal: IllegalMoveError, live: LiveMatch, submission: Submission
) -> RefusedError:
    return RefusedError(
        reason_of(illegal.breach),
        str(illegal),
        **illegal.facts,
        strikes_left=live.state.strikes_left(submission.seat),
    )
