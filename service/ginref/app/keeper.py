"""Live matches: read from the store, folded, sealed, and changed one step at a time.

A process keeps the latest state it knows of each match as a hint; the store's
compare-and-set decides whether the hint was right.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Final

from ginref.app.error import Reason, RefusedError
from ginref.app.live_match import LiveMatch, fold, id_of, place_of
from ginref.app.match_store import (
    Applied,
    ApplyResult,
    Change,
    EntryId,
    MatchStore,
    StoredMatch,
    SubmissionKey,
)
from ginref.app.packing import DamageError, Packer
from ginref.app.port import Sealer, SealError
from ginref.engine.snapshot import SnapshotError
from ginref.record.entry import Entry, Moved, StampedEntry
from ginref.record.lifecycle import MatchState, step, timing
from ginref.record.replay import ReplayError
from ginref.record.setup import Setup

_LOG: Final = logging.getLogger(__name__)

_HINTS: Final = 12_000
"""Matches whose latest state a process remembers, about 7 KB each."""

_TAIL: Final = 12
"""Log entries remembered with it: enough for the events of a turn."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A step that is stored: the match before and after it."""

    before: LiveMatch
    after: LiveMatch
    entry: StampedEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A step to be stored.

    Attributes:
        live: The match as this process knows it.
        entry: What happens.
        state: The state after it, if the caller has worked it out already.
        key: Recognises a retry.
        judge_time: Refuse it when it is late.
        due_only: Refuse it unless the deadline is past.
        place: Where the store has the match, if that is not where it is known to be.
    """

    live: LiveMatch
    entry: Entry
    state: MatchState | None = None
    key: SubmissionKey | None = None
    judge_time: bool = True
    due_only: bool = False
    place: EntryId | None = None


class Keeper:
    """Reads and changes live matches.

    Attributes:
        packer: Packs what the store keeps.
    """

    def __init__(self, store: MatchStore, sealer: Sealer) -> None:
        """Work on a store, with hidden state sealed."""
        self._store = store
        self.packer = Packer(sealer)
        self._hints: OrderedDict[str, LiveMatch] = OrderedDict()
        self._doubted: set[str] = set()
        self._folding = asyncio.Lock()

    def hint(self, match_id: str) -> LiveMatch | None:
        """Return the latest state this process knows; it may be out of date."""
        return None if match_id in self._doubted else self._hints.get(match_id)

    def doubt(self) -> None:
        """Rely on nothing that is remembered until it has been compared.

        A store that was away may have started again with less than it had; what
        other processes have then stored at the same place is another story.
        """
        self._doubted = set(self._hints)

    def forget(self, match_id: str) -> None:
        """Drop what this process knows of a match."""
        self._hints.pop(match_id, None)
        self._doubted.discard(match_id)

    def remember(self, live: LiveMatch) -> None:
        """Keep a state as the latest one, unless a later one is known."""
        match_id = live.state.setup.match_id
        known = self._hints.get(match_id)
        if known and place_of(known) > place_of(live):
            return
        if live.seen or len(live.tail) > _TAIL:
            live = replace(live, seen=None, tail=live.tail[-_TAIL:])
        self._hints[match_id] = live
        self._doubted.discard(match_id)
        # What is over is hardly asked for again, so it is dropped first.
        self._hints.move_to_end(match_id, last=not live.state.ending)
        while len(self._hints) > _HINTS:
            self._hints.popitem(last=False)

    async def latest(self, match_id: str, place: EntryId | None) -> LiveMatch:
        """Return a match that has come to a place at least, as cheaply as possible.

        Args:
            match_id: The match.
            place: The place; None for wherever the match is now.

        Raises:
            RefusedError: MATCH_NOT_FOUND or MATCH_EXPIRED.
        """
        if place is not None:
            known = self.hint(match_id)
            if known and place_of(known) >= place:
                return known
        return await self.load(match_id)

    async def load(self, match_id: str, key: SubmissionKey | None = None) -> LiveMatch:
        """Read a match as it is now.

        Raises:
            RefusedError: MATCH_NOT_FOUND or MATCH_EXPIRED.
        """
        known = self._hints.get(match_id)
        stored = await self._read(match_id, key)
        place = EntryId(stored.version, stored.refusals)
        if known and _has_lost(stored, known):
            # It was asked after it had said that all of this was stored.
            _LOG.error(
                "the store has lost steps of match %s: it was at version %s, now at %s",
                *(match_id, known.state.version, place.version),
            )
            self.forget(match_id)
            known = None
        if known and place_of(known) == place:
            live = replace(
                known, clock=stored.clock, now_ms=stored.now_ms, seen=stored.seen
            )
        else:
            live = await self._unpack(match_id, stored)
        self.remember(live)
        return live

    async def commit(
        self, draft: Draft, then: Callable[[Stored], None]
    ) -> Stored | ApplyResult:
        """Take one step of a match, if it still is where this process thinks it is.

        `then` is called as soon as the step is stored. Nobody may cancel this, or else
        the process does not know what it has stored: see `to_its_end`.

        Raises:
            IllegalMoveError: The rules refuse the move.
            StepError: The match is not at a point where the entry can follow.
        """
        state = draft.state or step(draft.live.state, draft.entry)
        result = await self._store.apply(self._change(draft, state))
        if not isinstance(result, Applied):
            return result
        stored = self._settle(draft, state, result)
        then(stored)
        return stored

    def _change(self, draft: Draft, state: MatchState) -> Change:
        live = draft.live
        means = timing(live.state, state)
        refusal = state.version == live.state.version
        place = draft.place or place_of(live)
        match_id = state.setup.match_id
        entry_id = EntryId(state.version, state.refusals)
        return Change(
            match_id=match_id,
            expected_version=place.version,
            expected_refusals=place.refusal,
            entry=self.packer.pack_entry(match_id, entry_id, draft.entry),
            refusal=refusal,
            key=draft.key,
            state=b"" if refusal else self.packer.pack_state(state),
            mover=means.mover,
            to_act=means.to_act,
            window_ms=means.window_ms,
            ending=means.ending,
            judge_time=draft.judge_time,
            due_only=draft.due_only,
        )

    def _settle(self, draft: Draft, state: MatchState, result: Applied) -> Stored:
        live = draft.live
        logged = StampedEntry(
            version=state.version,
            refusal=state.refusals,
            time_ms=result.now_ms,
            entry=draft.entry,
            credit_ms=result.credit_ms,
        )
        after = LiveMatch(
            state=state,
            clock=result.clock,
            created_ms=live.created_ms,
            now_ms=result.now_ms,
            tail=(*live.tail, logged)[-_TAIL:],
        )
        self.remember(after)
        return Stored(live, after, logged)

    async def reach(self, live: LiveMatch, after: EntryId) -> LiveMatch:
        """Return a match with its log from a place on, up to its state."""
        if live.reaches(after):
            return live
        match_id, upto = live.state.setup.match_id, place_of(live)
        # One step more than asked for, so that the tail is known to be enough.
        start = EntryId(max(0, after.version - 1))
        stored = await self._store.log(match_id, after=start)
        opened = (self.packer.open_entry(match_id, entry) for entry in stored)
        tail = tuple(logged for logged in opened if id_of(logged) <= upto)
        known = self.hint(match_id)
        if known and place_of(known) == upto and len(known.tail) < len(tail):
            self.remember(replace(known, tail=tail))
        return replace(live, tail=tail)

    async def history(
        self, match_id: str, upto: EntryId | None = None
    ) -> tuple[Setup, tuple[StampedEntry, ...]]:
        """Return how a match was set up, and its log up to an entry or to the end.

        What was lost before a void is left out.

        Raises:
            RefusedError: MATCH_NOT_FOUND or MATCH_EXPIRED.
        """
        stored, log = await asyncio.gather(
            self._read(match_id), self._store.log(match_id)
        )
        entries: Iterable[StampedEntry]
        if stored.over:
            entries = self.packer.open_sound(match_id, stored.created_ms, log)
        else:
            entries = (self.packer.open_entry(match_id, entry) for entry in log)
        if upto is not None:
            entries = takewhile(lambda entry: id_of(entry) <= upto, entries)
        return self._open_setup(match_id, stored), tuple(entries)

    async def at(self, match_id: str, place: EntryId) -> LiveMatch:
        """Return a match as it was right after a log entry, the last one of its tail.

        For an entry that is no move, the tail is the whole log up to there. If what
        led to a void is lost, it ends before.

        Raises:
            RefusedError: MATCH_NOT_FOUND or MATCH_EXPIRED.
        """
        known = self.hint(match_id)
        is_here = known and known.tail and place_of(known) == place
        if known and is_here and isinstance(known.tail[-1].entry, Moved):
            # A bot that has lost the answer to its move asks again at once.
            clock = replace(known.clock, credit_ms=0)
            return replace(known, clock=clock, now_ms=known.tail[-1].time_ms)
        return await self.replay(match_id, place)

    async def replay(self, match_id: str, upto: EntryId | None = None) -> LiveMatch:
        """Fold a match from its log, up to an entry or to the end.

        The time known is that of the last entry, and the tail is the whole log.

        Raises:
            RefusedError: MATCH_NOT_FOUND or MATCH_EXPIRED.
        """
        setup, log = await self.history(match_id, upto)
        # A long match takes a while: one at a time, and the moves of others go on.
        async with self._folding:
            return await asyncio.to_thread(fold, setup, log)

    async def _read(
        self, match_id: str, key: SubmissionKey | None = None
    ) -> StoredMatch:
        stored = await self._store.read(match_id, key)
        if stored is None:
            reason, message = Reason.MATCH_NOT_FOUND, f"there is no match {match_id}"
            if await self._store.has_expired(match_id):
                message = f"only the record of match {match_id} is kept"
                reason = Reason.MATCH_EXPIRED
            raise RefusedError(reason, message, match_id=match_id)
        return stored

    async def _unpack(self, match_id: str, stored: StoredMatch) -> LiveMatch:
        setup = self._open_setup(match_id, stored)
        try:
            state = self.packer.open_state(setup, stored.version, stored.state)
        except (SnapshotError, SealError):
            # Damaged, or written by another version of this code. The match goes on
            # from its log, which says the same.
            place = EntryId(stored.version, stored.refusals)
            resumed = await self._resume(match_id, place)
            return replace(
                resumed, clock=stored.clock, now_ms=stored.now_ms, seen=stored.seen
            )
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
        upto = EntryId(stored.version, stored.refusals)
        for entry in await self._store.log(match_id, after=EntryId(stored.version)):
            if entry.id <= upto:
                logged = self.packer.open_entry(match_id, entry)
                live = replace(live, state=step(live.state, logged.entry))
        return live

    async def _resume(self, match_id: str, place: EntryId) -> LiveMatch:
        try:
            resumed = await self.replay(match_id, place)
        except ReplayError as error:
            message = f"the log of match {match_id} is damaged"
            raise DamageError(message) from error
        if place_of(resumed) != place:
            message = f"the log of match {match_id} has lost its end"
            raise DamageError(message)
        return resumed

    def _open_setup(self, match_id: str, stored: StoredMatch) -> Setup:
        known = self.hint(match_id)
        if known:
            return known.state.setup
        return self.packer.open_setup(match_id, stored.setup)


def _has_lost(stored: StoredMatch, known: LiveMatch) -> bool:
    """Say whether a store has less of a match than it had, or another story."""
    place = EntryId(stored.version, stored.refusals)
    if place == place_of(known):
        return stored.clock.started_ms != known.clock.started_ms
    return place < place_of(known)
