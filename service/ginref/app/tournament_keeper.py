"""Tournaments: read from the store, folded, and added to.

A process keeps what it knows of each tournament as a hint, and reads only what is new;
the store's compare-and-set decides whether the hint was right.
"""

import asyncio
import contextlib
import functools
import hashlib
import json
import logging
import math
from collections import OrderedDict
from collections.abc import AsyncIterator
from typing import Final
from weakref import WeakValueDictionary

from ginref.app.live_tournament import (
    LiveTournament,
    configured_digest,
    made_live,
    read_entries,
)
from ginref.app.next_read import NextRead
from ginref.app.tournament_refusal import no_tournament
from ginref.app.tournament_store import Addition, StoredLog, TournamentStore
from ginref.record.setup import canonical
from ginref.tournament.configuration import Configuration
from ginref.tournament.configuration_read import read_configuration
from ginref.tournament.configuration_write import (
    configuration_digest,
    configuration_to_json,
)
from ginref.tournament.error import LogError
from ginref.tournament.ledger import Ledger
from ginref.tournament.lifecycle import Lifecycle
from ginref.tournament.log import LogEntry, encode_entry
from ginref.tournament.name import is_name
from ginref.tournament.plan import Plan, plan_ledger

_LOG: Final = logging.getLogger(__name__)

_HINTS: Final = 64
"""Tournaments that a process remembers."""

_SHORTER: Final = 8
"""Of these, how many it remembers as those see them who may not see all."""

_FRESH_MS: Final = 1_000
_FRESH_LONGER_MS: Final = 5_000
"""How old a plan may be before the start, and after it: what is due by time may be
found so much later."""

_BEFORE_START: Final = frozenset(
    {Lifecycle.REGISTRATION, Lifecycle.CHECK_IN, Lifecycle.SEEDING}
)


class TournamentKeeper:
    """Reads tournaments and adds to their logs."""

    def __init__(self, store: TournamentStore) -> None:
        """Work on a store."""
        self._store = store
        self._known: OrderedDict[str, LiveTournament] = OrderedDict()
        self._plans: OrderedDict[tuple[str, int], tuple[str, int, Plan]] = OrderedDict()
        self._shorter: OrderedDict[str, LiveTournament] = OrderedDict()
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        # All who follow a tournament ask at once, whenever something is added to it.
        self._reads: WeakValueDictionary[str, NextRead[LiveTournament]]
        self._reads = WeakValueDictionary()
        self._planning: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @contextlib.asynccontextmanager
    async def turn(self, name: str) -> AsyncIterator[None]:
        """Add to a log one after the other, rather than race within the process."""
        async with _lock(self._turns, name):
            yield

    async def load(self, name: str) -> LiveTournament:
        """Read a tournament as it is now.

        Raises:
            RefusedError: TOURNAMENT_NOT_FOUND.
            LogError: No referee could have written its log.
            FieldError: Its log or its configuration cannot be read.
        """
        if not is_name(name):
            raise no_tournament(name)
        reads = self._reads.get(name)
        if reads is None:
            reads = NextRead(functools.partial(self._load, name))
            self._reads[name] = reads
        return await reads.get()

    async def _load(self, name: str) -> LiveTournament:
        known = self._known.get(name)
        # The last entry that is known is read again: it must still be the same one.
        after = 0 if known is None else len(known.entries) - 1
        stored = await self._store.read(name, after=after)
        if known is not None and not _goes_on(known, stored):
            _LOG.error(
                "the store has lost entries of tournament %s: %s were known, it has %s",
                *(name, len(known.entries), stored.length),
            )
            self._known.pop(name, None)
            known, stored = None, await self._store.read(name)
        if not stored.length:
            raise no_tournament(name)
        if known is None:
            live = await self._unpack(name, stored)
        elif stored.length == len(known.entries):
            live = known.at(stored.now_ms)
        else:
            live = await self._continue(known, stored)
        self._remember(live)
        return live

    async def until(self, live: LiveTournament, length: int) -> LiveTournament:
        """Return a tournament as it was after so many entries, one at least.

        Raises:
            LogError: What was declared then is lost.
        """
        if length == len(live.entries):
            return live
        async with _lock(self._planning, live.name):
            known = self._shorter.get(live.name)
            if known is None or known.entries != live.entries[:length]:
                known = await self._fold_until(live, length)
                self._shorter[live.name] = known
                self._shorter.move_to_end(live.name)
                while len(self._shorter) > _SHORTER:
                    self._shorter.popitem(last=False)
        return known.at(live.now_ms)

    async def _fold_until(self, live: LiveTournament, length: int) -> LiveTournament:
        shorter, configuration = live.entries[:length], live.configuration
        digest = configured_digest(shorter)
        if digest != live.ledger.configured:
            configuration = await self._configuration(live.name, digest)
        return await _fold(live.name, configuration, shorter, live.now_ms)

    async def plan(self, live: LiveTournament) -> Plan:
        """Return how a tournament stands and what comes next, at about this time."""
        async with _lock(self._planning, live.name):
            return self._planned(live) or await self._plan(live)

    def _planned(self, live: LiveTournament) -> Plan | None:
        """Return a plan that was made of the same log a moment ago, if one was."""
        key = live.name, len(live.entries)
        digest, planned_ms, planned = self._plans.get(key, ("", 0, None))
        if (
            planned is not None
            and digest == live.head.digest
            and abs(live.now_ms - planned_ms) < _fresh_ms(live.ledger)
        ):
            return planned
        return None

    async def _plan(self, live: LiveTournament) -> Plan:
        planned = await asyncio.to_thread(plan_ledger, live.ledger, live.now_ms)
        key = live.name, len(live.entries)
        self._plans[key] = live.head.digest, live.now_ms, planned
        self._plans.move_to_end(key)
        while len(self._plans) > _HINTS:
            self._plans.popitem(last=False)
        return planned

    async def append(self, before: LiveTournament, after: LiveTournament) -> bool:
        """Store what a tournament has more than it had; say whether it was so.

        Of several processes that add to the same log at once, one succeeds.
        """
        added = after.entries[len(before.entries) :]
        is_stored = await self._store.append(
            Addition(
                tournament=before.name,
                expected=len(before.entries),
                entries=tuple(map(encode_entry, added)),
                configuration=None
                if after.configuration is before.configuration
                else _packed(after.configuration),
            )
        )
        if is_stored:
            self._remember(after)
        return is_stored

    async def create(self, live: LiveTournament) -> bool:
        """Store a new tournament unless there is one of its name; say which."""
        return await self._store.append(
            Addition(
                tournament=live.name,
                expected=0,
                entries=tuple(map(encode_entry, live.entries)),
                configuration=_packed(live.configuration),
            )
        )

    async def now_ms(self, name: str) -> int:
        """Return the time by the clock of the store of a tournament."""
        return (await self._store.read(name)).now_ms

    def _remember(self, live: LiveTournament) -> None:
        known = self._known.get(live.name)
        if known and len(known.entries) > len(live.entries):
            return
        self._known[live.name] = live
        self._known.move_to_end(live.name)
        while len(self._known) > _HINTS:
            self._known.popitem(last=False)

    async def _unpack(self, name: str, stored: StoredLog) -> LiveTournament:
        entries = read_entries(None, stored.entries)
        configuration = await self._configuration(name, configured_digest(entries))
        return await _fold(name, configuration, entries, stored.now_ms)

    async def _continue(
        self, known: LiveTournament, stored: StoredLog
    ) -> LiveTournament:
        added = read_entries(known.head, stored.entries[1:])
        entries = *known.entries, *added
        configuration = known.configuration
        digest = configured_digest(entries)
        if digest != known.ledger.configured:
            configuration = await self._configuration(known.name, digest)
        return await _fold(known.name, configuration, entries, stored.now_ms)

    async def _configuration(self, name: str, digest: str) -> Configuration:
        packed = await self._store.configuration(name, digest)
        if packed is None:
            raise LogError(1, f"the configuration {digest} is lost")
        return read_configuration(json.loads(packed))


def _lock(locks: WeakValueDictionary[str, asyncio.Lock], name: str) -> asyncio.Lock:
    """Return a lock that lasts as long as somebody has it or waits for it."""
    lock = locks.get(name)
    if lock is None:
        lock = locks[name] = asyncio.Lock()
    return lock


async def _fold(
    name: str, configuration: Configuration, entries: tuple[LogEntry, ...], now_ms: int
) -> LiveTournament:
    # A long log takes a while, and the moves of matches go on.
    return await asyncio.to_thread(made_live, name, configuration, entries, now_ms)


def _goes_on(known: LiveTournament, stored: StoredLog) -> bool:
    """Say whether a log still has all that is known of it."""
    if stored.length < len(known.entries) or not stored.entries:
        return False
    return hashlib.sha256(stored.entries[0]).hexdigest() == known.head.digest


def _fresh_ms(ledger: Ledger) -> float:
    """Return how long a plan is as good as new while nothing is appended."""
    schedule = ledger.configuration.schedule
    if ledger.lifecycle in _BEFORE_START:
        return _FRESH_MS
    expires = ledger.lifecycle is Lifecycle.RUNNING and schedule.fixture_ms is not None
    if expires or ledger.lifecycle is Lifecycle.FINISHING:
        return _FRESH_LONGER_MS
    # Time changes nothing.
    return math.inf


def _packed(configuration: Configuration) -> tuple[str, bytes]:
    form = canonical(configuration_to_json(configuration))
    return configuration_digest(configuration), form
