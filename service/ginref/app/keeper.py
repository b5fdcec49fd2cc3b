"""Live matches: read from the store, folded, sealed, and changed one step at a time.

A process keeps the latest state it knows of each match as a hint; the store's
compare-and-set decides whether the hint was right.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from ginref.app.error import Reason, RefusedError
from ginref.app.match_store import (
    Applied,
    ApplyResult,
    Change,
    EntryId,
    MatchStore,
    Seen,
    StoredEntry,
    StoredMatch,
    SubmissionKey,
)
from ginref.app.port import Sealer
from ginref.engine.seat import Seat
from ginref.engine.snapshot import SnapshotError
from ginref.record.clock import StoredClock, is_late
from ginref.record.entry import (
    Entry,
    Refused,
    StampedEntry,
    decode_entry,
    encode_entry,
)
from ginref.record.lifecycle import MatchState, step, timing
from ginref.record.replay import replay
from ginref.record.setup import Setup, canonical, read_setup, setup_to_json
from ginref.record.snapshot import decode_state, encode_state

_HINTS: Final = 20_000
"""Matches whose latest state a process remembers."""

_TAIL: Final = 12
"""Log entries remembered with it: enough for the events of a turn."""


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

    @property
    def is_late(self) -> bool:
        """The running deadline and its grace are past."""
        grace_ms = self.state.setup.clock.grace_ms
        late = is_late(self.now_ms, self.clock.deadline_ms, grace_ms)
        return late and not self.state.ending


@dataclass(frozen=True, slots=True)
class Stored:
    """A step that is stored: the match before and after it."""

    before: LiveMatch
    after: LiveMatch
    entry: StampedEntry


class Keeper:
    """Reads and changes live matches."""

    def __init__(self, store: MatchStore, sealer: Sealer) -> None:
        """Work on a store, with hidden state sealed."""
        self._store = store
        self._sealer = sealer
        self._hints: OrderedDict[str, LiveMatch] = OrderedDict()

    def pack_setup(self, setup: Setup) -> bytes:
        """Return a setup as the store may keep it."""
        plain = canonical(setup_to_json(setup))
        return self._sealer.seal(plain, f"{setup.match_id}/setup")

    def pack_state(self, state: MatchState) -> bytes:
        """Return a state as the store may keep it."""
        context = f"{state.setup.match_id}/{state.version}"
        return self._sealer.seal(encode_state(state), context)

    def pack_entry(self, match_id: str, entry_id: EntryId, entry: Entry) -> bytes:
        """Return an entry as the store may keep it.

        A refused move can name cards that nobody else knows, so it is sealed;
        everything else in a log is public or useless without the setup.
        """
        plain = encode_entry(entry)
        if not isinstance(entry, Refused):
            return plain
        return self._sealer.seal(plain, _entry_context(match_id, entry_id))

    def hint(self, match_id: str) -> LiveMatch | None:
        """Return the latest state this process knows; it may be out of date."""
        return self._hints.get(match_id)

    def forget(self, match_id: str) -> None:
        """Drop what this process knows of a match."""
        self._hints.pop(match_id, None)

    def remember(self, live: LiveMatch) -> None:
        """Keep a state as the latest one, unless a later one is known."""
        match_id = live.state.setup.match_id
        known = self._hints.get(match_id)
        if known and place_of(known) > place_of(live):
            return
        self._hints[match_id] = replace(live, seen=None)
        self._hints.move_to_end(match_id)
        while len(self._hints) > _HINTS:
            self._hints.popitem(last=False)

    async def load(self, match_id: str, key: SubmissionKey | None = None) -> LiveMatch:
        """Read a match as it is now.

        Raises:
            RefusedError: MATCH_NOT_FOUND.
        """
        stored = await self._store.read(match_id, key)
        if stored is None:
            message = f"there is no match {match_id}"
            raise RefusedError(Reason.MATCH_NOT_FOUND, message, match_id=match_id)
        known = self._hints.get(match_id)
        place = EntryId(stored.version, stored.refusals)
        if known and place_of(known) == place:
            live = replace(
                known, clock=stored.clock, now_ms=stored.now_ms, seen=stored.seen
            )
        else:
            live = await self._unpack(match_id, stored)
        self.remember(live)
        return live

    async def commit(
        self,
        live: LiveMatch,
        entry: Entry,
        *,
        key: SubmissionKey | None = None,
        judge_time: bool = True,
        due_only: bool = False,
    ) -> Stored | ApplyResult:
        """Take one step of a match, if it still is where this process thinks it is.

        Raises:
            IllegalMoveError: The rules refuse the move.
            StepError: The match is not at a point where the entry can follow.
        """
        state = step(live.state, entry)
        means = timing(live.state, state)
        refusal = state.version == live.state.version
        match_id = state.setup.match_id
        entry_id = EntryId(state.version, state.refusals)
        result = await self._store.apply(
            Change(
                match_id=match_id,
                expected_version=live.state.version,
                expected_refusals=live.state.refusals,
                entry=self.pack_entry(match_id, entry_id, entry),
                refusal=refusal,
                key=key,
                state=b"" if refusal else self.pack_state(state),
                mover=_number(means.mover),
                to_act=_number(means.to_act),
                window_ms=means.window_ms,
                ending=means.ending,
                judge_time=judge_time,
                due_only=due_only,
            )
        )
        if not isinstance(result, Applied):
            return result
        logged = _stamp(entry_id, result.now_ms, entry)
        after = replace(
            live,
            state=state,
            clock=result.clock,
            now_ms=result.now_ms,
            tail=(*live.tail, logged)[-_TAIL:],
            seen=None,
        )
        self.remember(after)
        return Stored(live, after, logged)

    async def entries(self, live: LiveMatch, after: EntryId) -> Sequence[StampedEntry]:
        """Return the log entries of a match after a place, up to its state."""
        tail, upto = live.tail, place_of(live)
        if not tail or id_of(tail[0]) > after:
            match_id = live.state.setup.match_id
            stored = await self._store.log(match_id, after=after)
            tail = tuple(self._open(match_id, entry) for entry in stored)
        return [logged for logged in tail if after < id_of(logged) <= upto]

    async def replay(self, match_id: str, upto: EntryId | None = None) -> LiveMatch:
        """Fold a match from its log, up to an entry or to the end.

        The time known is that of the last entry, and the tail is the whole log.

        Raises:
            RefusedError: MATCH_NOT_FOUND.
        """
        stored = await self._store.read(match_id)
        if stored is None:
            message = f"there is no match {match_id}"
            raise RefusedError(Reason.MATCH_NOT_FOUND, message, match_id=match_id)
        setup = self._open_setup(match_id, stored)
        log = [
            self._open(match_id, entry)
            for entry in await self._store.log(match_id)
            if upto is None or entry.id <= upto
        ]
        played = replay(setup, log)
        return LiveMatch(
            state=played.state,
            clock=played.clock,
            created_ms=stored.created_ms,
            now_ms=log[-1].time_ms,
            tail=tuple(log),
        )

    async def _unpack(self, match_id: str, stored: StoredMatch) -> LiveMatch:
        setup = self._open_setup(match_id, stored)
        context = f"{match_id}/{stored.version}"
        try:
            plain = self._sealer.open(stored.state, context)
            state = decode_state(plain, setup)
        except SnapshotError:
            # Written by another version of this code: the log says the same.
            replayed = await self.replay(match_id)
            return replace(replayed, now_ms=stored.now_ms, seen=stored.seen)
        live = LiveMatch(
            state=state,
            clock=stored.clock,
            created_ms=stored.created_ms,
            now_ms=stored.now_ms,
            seen=stored.seen,
        )
        if not stored.refusals:
            return live
        # A refusal changes no snapshot: its strikes are in the log only.
        after = EntryId(stored.version)
        for entry in await self._store.log(match_id, after=after):
            if entry.id <= EntryId(stored.version, stored.refusals):
                logged = self._open(match_id, entry)
                live = replace(live, state=step(live.state, logged.entry))
        return live

    def _open_setup(self, match_id: str, stored: StoredMatch) -> Setup:
        known = self._hints.get(match_id)
        if known:
            return known.state.setup
        return read_setup(self._sealer.open(stored.setup, f"{match_id}/setup"))

    def _open(self, match_id: str, stored: StoredEntry) -> StampedEntry:
        plain = stored.entry
        if not plain.startswith(b"["):
            plain = self._sealer.open(plain, _entry_context(match_id, stored.id))
        return _stamp(stored.id, stored.time_ms, decode_entry(plain))


def place_of(live: LiveMatch) -> EntryId:
    """Return the log entry that a match stands at."""
    return EntryId(live.state.version, live.state.refusals)


def id_of(logged: StampedEntry) -> EntryId:
    """Return the place of a log entry."""
    return EntryId(logged.version, logged.refusal)


def _stamp(entry_id: EntryId, time_ms: int, entry: Entry) -> StampedEntry:
    return StampedEntry(
        version=entry_id.version,
        refusal=entry_id.refusal,
        time_ms=time_ms,
        entry=entry,
    )


def _number(seat: Seat | None) -> int | None:
    return None if seat is None else int(seat)


def _entry_context(match_id: str, entry_id: EntryId) -> str:
    return f"{match_id}/{entry_id.version}-{entry_id.refusal}"
