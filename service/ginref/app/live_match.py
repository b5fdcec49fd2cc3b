"""A match as a process knows it: its state, its clocks, and the end of its log."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ginref.app.match_store import EntryId, Seen
from ginref.record.clock import StoredClock, is_late
from ginref.record.entry import StampedEntry
from ginref.record.lifecycle import MatchState
from ginref.record.replay import replay
from ginref.record.setup import Setup

CREATION: Final = EntryId(1)
"""The log entry of the creation of a match."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveMatch:
    """A match as far as this process knows it.

    Attributes:
        state: What happened so far, hidden cards and all.
        clock: The clocks at the latest step.
        created_ms: When it was created.
        now_ms: The store's time when this was known.
        tail: The latest log entries, without a gap up to the state.
        seen: Earlier submission under the key that was asked about.
    """

    state: MatchState
    clock: StoredClock
    created_ms: int
    now_ms: int
    tail: tuple[StampedEntry, ...] = ()
    seen: Seen | None = None

    def reaches(self, after: EntryId) -> bool:
        """Say whether the tail holds all that came after a place."""
        if place_of(self) <= after:
            return True
        return bool(self.tail) and id_of(self.tail[0]) <= max(after, CREATION)

    def log_after(self, after: EntryId) -> Sequence[StampedEntry]:
        """Return the entries after a place, if the tail reaches it.

        `Keeper.reach` sees to it that it does.
        """
        tail = self.tail
        first = len(tail)
        while first and id_of(tail[first - 1]) > after:
            first -= 1
        return tail[first:]

    @property
    def is_late(self) -> bool:
        """The running deadline and its grace are past."""
        grace_ms = self.state.setup.clock.grace_ms
        late = is_late(self.now_ms, self.clock.due_ms, grace_ms)
        return late and not self.state.ending


def fold(setup: Setup, log: Sequence[StampedEntry]) -> LiveMatch:
    """Return the match that a log leads to, as it was known at its last entry.

    Raises:
        ReplayError: No referee could have written the log.
    """
    played = replay(setup, log)
    return LiveMatch(
        state=played.state,
        clock=played.clock,
        created_ms=log[0].time_ms,
        now_ms=log[-1].time_ms,
        tail=tuple(log),
    )


def place_of(live: LiveMatch) -> EntryId:
    """Return the log entry that a match stands at."""
    return EntryId(live.state.version, live.state.refusals)


def id_of(logged: StampedEntry) -> EntryId:
    """Return the place of a log entry."""
    return EntryId(logged.version, logged.refusal)
