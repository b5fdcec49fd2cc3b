"""The port to where matches are kept, and what the use cases may rely on.

Times are milliseconds since the Unix epoch by the store's clock; durations are
milliseconds. Byte strings are opaque to the store: it compares and keeps them.
"""

import abc
import enum
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from ginref.record.clock import ClockPolicy, StoredClock
from ginref.record.submission import DIGEST_SIZE, HASH_SIZE


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionKey:
    """What makes a retry recognisable.

    Attributes:
        digest: 10 bytes: seat and request id, hashed.
        request_hash: 8 bytes of the hash over the submission's canonical bytes.
    """

    digest: bytes
    request_hash: bytes

    def __post_init__(self) -> None:
        """Check the sizes.

        Raises:
            ValueError: The digest is not 10 bytes or the hash is not 8.
        """
        if len(self.digest) != DIGEST_SIZE or len(self.request_hash) != HASH_SIZE:
            raise ValueError("a submission key is a 10-byte digest and an 8-byte hash")


@dataclass(frozen=True, slots=True, kw_only=True)
class Creation:
    """A match to be made, at version 1.

    Attributes:
        match_id: Derived from the caller and its request id.
        request_hash: 8 bytes over the canonical creation request.
        setup: Sealed facts that never change.
        state: Sealed snapshot at version 1.
        entry: Log entry of the creation.
        clock: Time rules; `start_ms` is the first deadline.
        seat_count: 2 or 3.
        bots: Bot of each seat, whose match lists gain this match.
    """

    match_id: str
    request_hash: bytes
    setup: bytes
    state: bytes
    entry: bytes
    clock: ClockPolicy
    seat_count: int
    bots: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One step: a transition to `expected_version + 1`, or a counted refusal.

    Attributes:
        match_id: The match.
        expected_version: Version it was made for.
        expected_refusals: Counted refusals at that version it was made for.
        entry: Log entry to append.
        refusal: True for a counted refusal: nothing but log, count and key change.
        key: Recognises a retry; None for steps that no caller submitted.
        state: Sealed snapshot after a transition; empty for a refusal.
        mover: Seat index whose clock is debited, or None.
        to_act: Seat index whose clock runs afterwards, or None.
        window_ms: Fixed time until the next deadline, for steps before play;
            None takes the deadline from the clock of `to_act`, or keeps the
            deadline as it is when `to_act` is None, too.
        ending: The match is over with this transition.
        judge_time: Refuse it as late after the deadline and grace.
        due_only: Refuse it as not due before the deadline and grace are past;
            such a change is never late.
    """

    match_id: str
    expected_version: int
    expected_refusals: int
    entry: bytes
    refusal: bool = False
    key: SubmissionKey | None = None
    state: bytes = b""
    mover: int | None = None
    to_act: int | None = None
    window_ms: int | None = None
    ending: bool = False
    judge_time: bool = True
    due_only: bool = False


class EntryId(NamedTuple):
    """Place in a match's log: `refusal` 0 is the transition to `version`."""

    version: int
    refusal: int = 0


@dataclass(frozen=True, slots=True)
class Wake:
    """Word that something may have changed: a hint, never the truth.

    Attributes:
        topic: A match id, or `bot/<name>` when a bot has a new match or a new
            attachment; empty when everything may have changed.
        place: For a match, the log entry that it has come to.
    """

    topic: str
    place: EntryId | None = None


EVERYTHING: Final = Wake("")
"""Some wakes may have been missed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredEntry:
    """One log entry, stamped by the store.

    Attributes:
        id: Its place.
        time_ms: When it was stored.
        entry: As given.
        credit_ms: What outages had cost since the running clock started.
    """

    id: EntryId
    time_ms: int
    entry: bytes
    credit_ms: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """An earlier submission under the same key.

    Attributes:
        entry_id: The entry that answers it.
        same_request: False when the id was used for another submission.
    """

    entry_id: EntryId
    same_request: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredMatch:
    """A match as stored, read in one step.

    Attributes:
        version: Accepted transitions.
        refusals: Counted refusals at this version.
        over: The match has ended.
        setup: As given at creation.
        state: As given by the last transition.
        clock: Clock fields, with the credit of the running clock up to now.
        created_ms: When it was created.
        now_ms: The store's time at reading.
        seen: Earlier submission under the key that was asked about, if any.
    """

    version: int
    refusals: int
    over: bool
    setup: bytes
    state: bytes
    clock: StoredClock
    created_ms: int
    now_ms: int
    seen: Seen | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """The change is stored, with its log entry, in one step.

    Attributes:
        entry_id: The entry's place.
        now_ms: When it was stored.
        clock: The clocks after it.
        credit_ms: What outages had cost since the clock before it started.
    """

    entry_id: EntryId
    now_ms: int
    clock: StoredClock
    credit_ms: int = 0


@dataclass(frozen=True, slots=True)
class Duplicate:
    """The key is known: nothing was written."""

    seen: Seen


@dataclass(frozen=True, slots=True)
class Stale:
    """The match is at another version or refusal count: nothing was written."""

    version: int
    refusals: int


class Refusal(enum.Enum):
    """Why nothing was written, where no detail is needed."""

    MISSING = enum.auto()
    OVER = enum.auto()
    LATE = enum.auto()
    NOT_DUE = enum.auto()


ApplyResult = Applied | Duplicate | Stale | Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class Durability:
    """What the store reports about its own promises.

    Attributes:
        mode: `replicated/everysec`, `local/always`, `memory` and so on.
        problems: Why a referee should not take work on this store; empty if fine.
    """

    mode: str
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchPage:
    """One page of match ids, newest first; `cursor` is None on the last page."""

    match_ids: tuple[str, ...]
    cursor: str | None


class Backlog(NamedTuple):
    """Ended matches whose record is not archived.

    Attributes:
        records: How many there are.
        age_ms: How long ago the first of them ended, in milliseconds; 0 without any.
    """

    records: int
    age_ms: int


class MatchStore(abc.ABC):
    """Keeps matches. Every method may raise `StoreUnavailableError`.

    A change is judged in this order, then written as a whole or not at all:
    missing, known key, over, late (or not due), version and refusal count.

    Time that passes without a heartbeat is an outage, see `record.heartbeat`: no
    clock is charged for it, and no time is judged before it is known whether there
    was one.
    """

    @abc.abstractmethod
    async def create(self, creation: Creation) -> Applied | Duplicate:
        """Store a new match, index it and set its first deadline.

        A second creation under the same match id writes nothing and is a
        `Duplicate` whose `same_request` compares the request hashes, also when the
        match has expired.

        Raises:
            RefusedError: `LIMIT_EXCEEDED`: the store takes no new matches now.
        """

    @abc.abstractmethod
    async def read(
        self, match_id: str, key: SubmissionKey | None = None
    ) -> StoredMatch | None:
        """Return the match, or None when there is none."""

    @abc.abstractmethod
    async def apply(self, change: Change) -> ApplyResult:
        """Store one step of a match, or say why not."""

    @abc.abstractmethod
    async def log(
        self, match_id: str, *, after: EntryId | None = None
    ) -> Sequence[StoredEntry]:
        """Return log entries in order, from the first one after `after`."""

    @abc.abstractmethod
    async def beat(self) -> int:
        """Say that somebody acts on deadlines; due four times a second.

        Every live match that an outage was credited to is woken.

        Returns:
            Milliseconds of the outage that ends with it; 0 if there was none.
        """

    @abc.abstractmethod
    async def due(self, limit: int) -> Sequence[str]:
        """Return ids of matches whose deadline and grace are past, oldest first.

        After an outage there may be some among them that are not due any more.
        """

    @abc.abstractmethod
    async def list_matches(
        self, *, bot: str | None, limit: int, cursor: str | None
    ) -> MatchPage:
        """Return matches, newest first, of one bot or of everyone.

        Raises:
            ValueError: The cursor was not made by this store.
        """

    @abc.abstractmethod
    async def finished(self, limit: int) -> Sequence[str]:
        """Return ids of ended matches whose record is not archived, oldest first."""

    @abc.abstractmethod
    async def backlog(self) -> Backlog:
        """Return how much `finished` would list without a limit."""

    @abc.abstractmethod
    async def live_count(self) -> int:
        """Return how many matches are not over."""

    @abc.abstractmethod
    async def acknowledge(self, match_id: str, keep_ms: int | None = None) -> None:
        """Take an ended match, whose record is archived, off the list of `finished`.

        Doing it twice is fine.

        Args:
            match_id: The match.
            keep_ms: Milliseconds after which the match expires; None for never. Then
                it is neither read nor listed, and never created again.
        """

    @abc.abstractmethod
    async def has_expired(self, match_id: str) -> bool:
        """Say whether there was a match that has expired."""

    @abc.abstractmethod
    async def live_matches(self, bot: str) -> Sequence[str]:
        """Return ids of matches of a bot that are not known to be over, oldest first.

        Ended ones may be among them until `drop_live` takes them off.
        """

    @abc.abstractmethod
    async def drop_live(self, bot: str, match_id: str) -> None:
        """Take an ended match off a bot's live matches; doing it twice is fine."""

    @abc.abstractmethod
    async def attach(self, bot: str, attachment: str) -> None:
        """Make this the bot's newest attachment, and wake `bot/<name>`."""

    @abc.abstractmethod
    async def attachment(self, bot: str) -> str | None:
        """Return the bot's newest attachment."""

    @abc.abstractmethod
    async def wakes(self) -> AsyncGenerator[Wake, None]:
        """Yield word of what may have changed.

        `EVERYTHING` is the first one, once subscribed, and follows every gap.
        """
        yield EVERYTHING

    @abc.abstractmethod
    async def identity_key(self) -> bytes:
        """Return the 32-byte key that match ids are derived with; made once."""

    @abc.abstractmethod
    async def durability(self) -> Durability:
        """Ask the server what it promises."""

    @abc.abstractmethod
    async def aclose(self) -> None:
        """Give back connections."""
