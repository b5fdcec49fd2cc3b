"""One match in the memory of a process, and how a change of it is judged."""

from dataclasses import dataclass, field

from ginref.app.match_store import (
    Change,
    Creation,
    EntryId,
    Refusal,
    Seen,
    Stale,
    StoredEntry,
    SubmissionKey,
)
from ginref.record.clock import StoredClock, is_late


@dataclass(slots=True, kw_only=True)
class HeldMatch:
    """One match and all that belongs to it.

    Attributes:
        creation: What it was made of.
        created_ms: When that was.
        latest_ms: When it was last changed.
        due_ms: Its deadline, with what was credited when that was last looked at.
        clock: Its clocks.
        state: Sealed snapshot.
        version: Accepted transitions.
        refusals: Counted refusals at this version.
        ended_ms: When it ended; None while it goes on.
        archived: Its record is confirmed.
        log: Its entries in order.
        known: Request hash and entry of each submission, by digest.
    """

    creation: Creation
    created_ms: int
    latest_ms: int
    due_ms: int
    clock: StoredClock
    state: bytes
    version: int = 1
    refusals: int = 0
    ended_ms: int | None = None
    archived: bool = False
    log: list[StoredEntry] = field(default_factory=list)
    known: dict[bytes, tuple[bytes, EntryId]] = field(default_factory=dict)

    def seen(self, key: SubmissionKey | None) -> Seen | None:
        """Return the earlier submission under a key."""
        if key is None or key.digest not in self.known:
            return None
        request_hash, entry_id = self.known[key.digest]
        return Seen(entry_id=entry_id, same_request=request_hash == key.request_hash)

    def is_past(self, now_ms: int, credit_ms: int) -> bool:
        """Say whether the deadline, the credit and the grace are past."""
        grace_ms = self.creation.clock.grace_ms
        return is_late(now_ms, self.clock.deadline_ms + credit_ms, grace_ms)

    def objection(
        self, change: Change, now_ms: int, credit_ms: int
    ) -> Refusal | Stale | None:
        """Judge a change that is not a retry: time, version, refusals."""
        past = self.is_past(now_ms, credit_ms)
        if change.due_only and not past:
            return Refusal.NOT_DUE
        if change.judge_time and not change.due_only and past:
            return Refusal.LATE
        expected = (change.expected_version, change.expected_refusals)
        if expected != (self.version, self.refusals):
            return Stale(self.version, self.refusals)
        return None
