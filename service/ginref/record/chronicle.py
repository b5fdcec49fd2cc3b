"""What a record tells of a match, to look things up that somebody else says of it."""

from functools import cached_property

from ginref.engine.error import IllegalMoveError
from ginref.engine.seat import Seat
from ginref.record.clock import is_late
from ginref.record.document import Record
from ginref.record.entry import (
    Aborted,
    Committed,
    Moved,
    Refused,
    Revealed,
    StampedEntry,
    TimedOut,
    Voided,
)
from ginref.record.lifecycle import MatchState, Stage, begin, step
from ginref.record.proof import submission_of
from ginref.record.receipt import Receipt, submission_hash
from ginref.record.replay import Replay, replay
from ginref.record.submission import Submission

Place = tuple[int, int]
"""Version and refusal number of an entry."""

_BACK_MS = 1_000
"""How much later a look at the match may seem than the step after it: the store's
clock can have been set back in between, but hardly further than its last heartbeat."""


class Chronicle:
    """What happened in a match, by a record that is true in itself."""

    def __init__(self, record: Record, replayed: Replay | None) -> None:
        """Look things up in a record; None if its deal is not open."""
        self.setup = record.setup
        self.entries = record.entries
        self.is_open = replayed is not None
        self._at = {(one.version, one.refusal): one for one in record.entries}
        self._steps = [one for one in record.entries if not one.refusal]

    def entry(self, place: Place) -> StampedEntry | None:
        """Return the entry at a place, or None."""
        return self._at.get(place)

    @cached_property
    def submitted(self) -> dict[bytes, list[StampedEntry]]:
        """Every entry that a bot has submitted, by the hash that receipts have."""
        found: dict[bytes, list[StampedEntry]] = {}
        for stamped in self.entries:
            submission = submission_of(self.setup, stamped)
            if submission is not None:
                found.setdefault(submission_hash(submission), []).append(stamped)
        return found

    @cached_property
    def _states(self) -> dict[int, MatchState]:
        """The match right after each step, by version."""
        state = begin(self.setup)
        states = {state.version: state}
        for stamped in self.entries[1:]:
            state = step(state, stamped.entry)
            states.setdefault(state.version, state)
        return states

    def committed(self, seat: Seat, version: int | None = None) -> bytes | None:
        """Return what a seat had committed to at a version, or in the end.

        None says that it had not committed, or has no share.
        """
        for stamped in self.entries:
            entry = stamped.entry
            if isinstance(entry, Committed) and entry.seat is seat:
                is_early = version is not None and version < stamped.version
                return None if is_early else entry.commitment
        return None

    def has_committed(self, seat: Seat) -> bool:
        """Say whether a seat has committed to a share, or said that it has none."""
        return any(
            isinstance(stamped.entry, Committed) and stamped.entry.seat is seat
            for stamped in self.entries
        )

    def share(self, seat: Seat) -> bytes | None:
        """Return the share that a seat has put into the deal, or None."""
        for stamped in self.entries:
            if isinstance(stamped.entry, Revealed) and stamped.entry.seat is seat:
                return stamped.entry.share
        return None

    def rule_broken(self, stamped: StampedEntry) -> str | None:
        """Name the rule that a refused move breaks; None for a move that was taken."""
        entry = stamped.entry
        if not isinstance(entry, Refused):
            return None
        version = stamped.version if stamped.refusal else stamped.version - 1
        moved = Moved(entry.seat, entry.request_id, entry.move, 0)
        try:
            step(self._states[version], moved)
        except IllegalMoveError as error:
            return error.breach.name
        return None

    @property
    def _lost(self) -> int:
        """Versions of which the record says that nobody can read them any more."""
        end = self.entries[-1].entry
        return end.lost if isinstance(end, Voided) else 0

    @property
    def has_lost(self) -> bool:
        """Whether the record says that versions of the match are lost."""
        return self._lost > 0

    def is_lost(self, version: int) -> bool:
        """Say whether the record itself says that a version is lost."""
        end = self.entries[-1].version
        return end - self._lost <= version < end

    def was_at(self, version: int, time_ms: int) -> bool:
        """Say whether the match can have been at a version when somebody looked."""
        step_made = self.entry((version, 0))
        if step_made is None or time_ms < step_made.time_ms:
            return False
        after = self._after(version)
        return after is None or time_ms <= after.time_ms + _BACK_MS

    def bears_out(self, receipt: Receipt, submission: Submission | None) -> bool:
        """Say whether there was reason to refuse a submission without a strike.

        The record must be open, and have the version of the receipt.
        """
        state, after = self._states[receipt.version], self._after(receipt.version)
        is_playing = state.stage is Stage.PLAYING
        expected = submission and submission.expected_version
        was_ended = after and isinstance(after.entry, TimedOut | Aborted | Voided)
        reasons = {
            "MATCH_OVER": state.ending is not None,
            "MOVE_LATE": bool(was_ended) and self._was_late(receipt.at_ms),
            "MATCH_NOT_PLAYING": not is_playing and state.ending is None,
            "VERSION_STALE": is_playing and expected != receipt.version,
            "NOT_YOUR_TURN": is_playing and state.to_act is not receipt.seat,
            "REQUEST_ID_REUSED": self._lost > 0 or self._is_used_otherwise(receipt),
        }
        # Whatever else was wrong with it, it could not be read.
        return reasons.get(receipt.reason or "", receipt.submission is None)

    def _was_late(self, time_ms: int) -> bool:
        """Say whether the deadline before the ending was past."""
        # Of what was credited for an outage some may have been unknown then: a credit
        # puts the deadline off, so without any nobody is accused who was right.
        grace_ms = self.setup.clock.grace_ms
        return is_late(time_ms, self._last_deadline_ms, grace_ms)

    @cached_property
    def _last_deadline_ms(self) -> int:
        return replay(self.setup, self.entries[:-1]).clock.deadline_ms

    def _is_used_otherwise(self, receipt: Receipt) -> bool:
        others = (
            submission_of(self.setup, stamped)
            for hashed, listed in self.submitted.items()
            if hashed != receipt.submission
            for stamped in listed
        )
        return any(one and one.digest == receipt.request for one in others)

    def _after(self, version: int) -> StampedEntry | None:
        """Return the step that was taken after a version, or None."""
        later = (one for one in self._steps if one.version > version)
        return next(later, None)
