"""The one store of a run, and what it knows to be true."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.simulation.journal import Journal

from ginref.adapters.memory_store import MemoryStore
from ginref.app.match_store import (
    Applied,
    ApplyResult,
    Change,
    Creation,
    Duplicate,
    Refusal,
    Stale,
    StoredMatch,
    SubmissionKey,
)
from ginref.record.clock import StoredClock

EPOCH_MS = 1_790_000_000_000
"""When the world begins, by the store's clock."""


@dataclass(slots=True, kw_only=True)
class Truth:
    """What the store knows of one match.

    Attributes:
        version: Its version.
        to_act: Seat index whose clock runs, or None.
        changed: When that became so, in seconds of the run.
        bots: Bot of each seat.
        over: It has ended.
    """

    version: int
    to_act: int | None
    changed: float
    bots: tuple[str, ...]
    over: bool = False


class StoreServer(MemoryStore):
    """A store in memory with a virtual clock that can be set.

    Attributes:
        skew_ms: How far its clock is off.
        has_jumped: Its clock was set.
        beats_ms: When a sweeper said that it is there, by the store's clock.
        stored: When each version was stored, in seconds of the run.
        clocks: The clocks at each version.
        truths: What is the case, by match.
        unheard: Submissions that were stored and not answered, and why not.
        watched: Called before each change with the match and what was the case.
    """

    def __init__(
        self, now: Callable[[], float], identity: bytes, journal: Journal
    ) -> None:
        """Take the time in seconds of the run from `now`."""
        super().__init__(self.clock_ms)
        self.skew_ms = 0
        self.has_jumped = False
        self.beats_ms: list[int] = []
        self.stored: dict[tuple[str, int], float] = {}
        self.clocks: dict[tuple[str, int], StoredClock] = {}
        self.truths: dict[str, Truth] = {}
        self.unheard: dict[tuple[str, bytes], str] = {}
        self.watched: Callable[[str, Truth], None] = lambda *_: None
        self._now = now
        self._own_identity = identity
        self._journal = journal

    def clock_ms(self) -> int:
        """Return what the store's clock shows."""
        return EPOCH_MS + round(self._now() * 1000) + self.skew_ms

    async def identity_key(self) -> bytes:
        return self._own_identity

    async def beat(self) -> int:
        self.beats_ms.append(self.clock_ms())
        return await super().beat()

    async def create(self, creation: Creation) -> Applied | Duplicate:
        result = await super().create(creation)
        match_id = creation.match_id
        if isinstance(result, Duplicate):
            self._journal.count("creation again")
        else:
            self.truths[match_id] = Truth(
                version=1, to_act=None, changed=self._now(), bots=creation.bots
            )
            self.stored[match_id, 1] = self._now()
            self.clocks[match_id, 1] = result.clock
            if not self.beats_ms:
                self.beats_ms.append(self.clock_ms())
            self._journal.note("created", match_id, *creation.bots)
        return result

    async def read(
        self, match_id: str, key: SubmissionKey | None = None
    ) -> StoredMatch | None:
        found = await super().read(match_id, key)
        if key is not None and found is not None and found.seen is not None:
            self._journal.count("duplicate found by reading")
            self._note_duplicate(match_id, key)
        return found

    async def apply(self, change: Change) -> ApplyResult:
        result = await super().apply(change)
        match_id, count = change.match_id, self._journal.count
        match result:
            case Applied(entry_id=place):
                self._note_change(change, result)
                self._journal.note(
                    "stored", match_id, place.version, place.refusal, result.now_ms
                )
            case Duplicate():
                count("duplicate found by writing")
                self._note_duplicate(match_id, change.key)
            case Stale():
                count("race lost")
            case Refusal.LATE:
                count("late by the store")
            case Refusal.NOT_DUE:
                count("not due")
            case Refusal.OVER:
                count("over by the store")
            case Refusal.MISSING:
                self._journal.problem(f"{match_id} is not in the store")
        return result

    def leave_unheard(self, change: Change, why: str) -> None:
        """Note that nobody hears of a change that is stored."""
        if change.key is not None:
            self.unheard[change.match_id, change.key.digest] = why

    def _note_duplicate(self, match_id: str, key: SubmissionKey | None) -> None:
        why = key and self.unheard.pop((match_id, key.digest), None)
        if why:
            self._journal.count(f"asked again after {why}")

    def _note_change(self, change: Change, applied: Applied) -> None:
        truth = self.truths[change.match_id]
        self.watched(change.match_id, truth)
        if change.refusal:
            return
        truth.version = applied.entry_id.version
        self.stored[change.match_id, truth.version] = self._now()
        self.clocks[change.match_id, truth.version] = applied.clock
        truth.to_act = None if change.ending else change.to_act
        truth.changed = self._now()
        truth.over = change.ending
