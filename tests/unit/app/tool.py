"""Tools of a referee that tests can look into and set."""

import asyncio
import copy
import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from ginref.adapters.memory_store import MemoryStore
from ginref.app.match_store import (
    Applied,
    ApplyResult,
    Change,
    Creation,
    Duplicate,
    EntryId,
    StoredEntry,
    StoredMatch,
    SubmissionKey,
)
from ginref.app.port import (
    Archive,
    ArchiveConflictError,
    StoreUnavailableError,
)
from ginref.record.envelope import is_same_content


class Time:
    """A clock that stands still until a test moves it.

    While it moves somebody acts on deadlines, unless a test lets it jump.
    """

    def __init__(self) -> None:
        self._ms = 1_790_000_000_000
        self.tick: Callable[[], object] = lambda: None

    @property
    def ms(self) -> int:
        return self._ms

    @ms.setter
    def ms(self, ms: int) -> None:
        while self._ms < ms:
            self._ms = min(ms, self._ms + 1000)
            self.tick()

    def jump(self, by_ms: int) -> None:
        """Let time pass while nobody is there, or set the clock."""
        self._ms += by_ms

    def __call__(self) -> int:
        return self.ms

    def seconds(self) -> float:
        return self.ms / 1000


class CountedStore(MemoryStore):
    """Counts what is asked of it; can be slow to answer, or away.

    Who writes is told so before and after, and may die of it.

    Like a store behind a wire it does a thing first and answers a little later.
    """

    def __init__(self, clock: Callable[[], int]) -> None:
        super().__init__(clock)
        self.asked: Counter[str] = Counter()
        self.away = False
        self.answers: asyncio.Event | None = None
        self.meet: Callable[[str], object] = lambda _: None

    def tick(self) -> None:
        """Take a heartbeat from nobody in particular."""
        if not self.away:
            self._settle()

    def save(self) -> None:
        """Write all matches to a file, so to speak."""
        self._saved = copy.deepcopy(self._matches)

    def go_back(self) -> None:
        """Start again from that file, which knows nothing of what came later."""
        self._matches = self._saved

    async def beat(self) -> int:
        self._ask("beat")
        return await super().beat()

    async def identity_key(self) -> bytes:
        # The same matches in every run, hence the same cards.
        return bytes(32)

    def _ask(self, what: str) -> None:
        self.asked[what] += 1
        if self.away:
            raise StoreUnavailableError

    async def create(self, creation: Creation) -> Applied | Duplicate:
        self.meet("before creation")
        made = await super().create(creation)
        await asyncio.sleep(0)
        self.meet("after creation")
        return made

    async def acknowledge(self, match_id: str, keep_ms: int | None = None) -> None:
        self.meet("before acknowledging")
        await super().acknowledge(match_id, keep_ms)

    async def read(
        self, match_id: str, key: SubmissionKey | None = None
    ) -> StoredMatch | None:
        self._ask("read")
        found = await super().read(match_id, key)
        await asyncio.sleep(0)
        return found

    async def apply(self, change: Change) -> ApplyResult:
        self._ask("apply")
        result = await super().apply(change)
        await asyncio.sleep(0)
        if self.answers is not None:
            await self.answers.wait()
        return result

    async def log(
        self, match_id: str, *, after: EntryId | None = None
    ) -> Sequence[StoredEntry]:
        self._ask("log")
        found = await super().log(match_id, after=after)
        await asyncio.sleep(0)
        return found

    async def live_matches(self, bot: str) -> Sequence[str]:
        found = await super().live_matches(bot)
        await asyncio.sleep(0)
        return found


class MemoryArchive(Archive):
    """Records that live as long as the test."""

    def __init__(self) -> None:
        self.records: dict[str, bytes] = {}
        self.writes = 0
        self.written = asyncio.Event()
        self.meet: Callable[[str], object] = lambda _: None

    async def put(self, match_id: str, envelope: bytes) -> None:
        self.meet("before archiving")
        self.writes += 1
        self.written.set()
        kept = self.records.setdefault(match_id, envelope)
        if not is_same_content(kept, envelope):
            raise ArchiveConflictError(match_id)

    async def get(self, match_id: str) -> bytes | None:
        return self.records.get(match_id)


class SameChance:
    """Secrets that follow from how many were made before."""

    def __init__(self) -> None:
        self._made = 0

    def token(self, size: int) -> bytes:
        self._made += 1
        return hashlib.shake_256(b"%d" % self._made).digest(size)


class Tally:
    """Counts everything that is observed."""

    def __init__(self) -> None:
        self.seen: Counter[object] = Counter()
        self.tournament_states: Mapping[str, int] = {}
        self.fixture_states: Mapping[str, int] = {}
        self.times: list[tuple[int | None, float]] = []

    def move(self, kind: str, verdict: str) -> None:
        self.seen[kind, verdict] += 1
        self.seen[verdict] += 1

    def refusal(self, reason: str) -> None:
        self.seen["refusal", str(reason)] += 1

    def round_over(self, outcome: str) -> None:
        assert outcome
        self.seen["round_over"] += 1

    def match_created(self) -> None:
        self.seen["match_created"] += 1

    def match_over(self, ending: str, fault: str) -> None:
        self.seen["match_over", str(ending)] += 1
        self.seen["fault", str(fault)] += 1

    def move_times(self, waited_ms: int | None, referee_s: float) -> None:
        self.times.append((waited_ms, referee_s))

    def timeout(self, delay_ms: int) -> None:
        self.seen["timeout"] += 1
        self.seen["timeout", delay_ms] += 1

    def swept(self) -> None:
        self.seen["swept"] += 1

    def live(self, count: int) -> None:
        self.seen["live"] = count

    def outage(self, outage_ms: int) -> None:
        self.seen["outage", outage_ms] += 1

    def record_signed(self) -> None:
        self.seen["record_signed"] += 1

    def backlog(self, count: int, age_ms: int) -> None:
        """Leave it: how often it is told follows from the time that passes."""

    def tournaments(
        self, tournaments: Mapping[str, int], fixtures: Mapping[str, int]
    ) -> None:
        self.tournament_states, self.fixture_states = tournaments, fixtures

    def attached(self, change: int) -> None:
        self.seen["attached"] += change

    def watching(self, change: int) -> None:
        self.seen["watching"] += change
