"""Matches in the memory of one process, for tests and the arena."""

import asyncio
import heapq
import secrets
import time
from bisect import bisect_right
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Final

from ginref.adapters.cursor import format_cursor, parse_cursor
from ginref.adapters.memory_match import HeldMatch
from ginref.app.match_store import (
    EVERYTHING,
    Applied,
    ApplyResult,
    Backlog,
    Change,
    Creation,
    Duplicate,
    Durability,
    EntryId,
    MatchPage,
    MatchStore,
    Refusal,
    Seen,
    StoredEntry,
    StoredMatch,
    SubmissionKey,
    Wake,
)
from ginref.record.clock import StoredClock, advance, is_late
from ginref.record.heartbeat import Heartbeat

_TOPIC_LIMIT: Final = 1024
_IDENTITY_SIZE: Final = 32


def _system_time_ms() -> int:
    return time.time_ns() // 1_000_000


class MemoryStore(MatchStore):
    """Matches that live as long as the process.

    No method gives up the event loop half-way, so every change is one step.
    """

    def __init__(self, clock: Callable[[], int] = _system_time_ms) -> None:
        """Take the clock: a function that returns milliseconds since the epoch."""
        self._clock = clock
        self._matches: dict[str, HeldMatch] = {}
        self._live: dict[str, list[str]] = {}
        self._attachments: dict[str, str] = {}
        self._topics: set[asyncio.Queue[Wake]] = set()
        self._heartbeat = Heartbeat()
        self._identity = secrets.token_bytes(_IDENTITY_SIZE)
        self._expiring: list[tuple[int, str]] = []
        self._expired: dict[str, bytes] = {}

    async def create(self, creation: Creation) -> Applied | Duplicate:
        """Store a new match, index it and set its first deadline."""
        entry_id = EntryId(1)
        held = self._held(creation.match_id)
        known = self._expired.get(creation.match_id)
        if held is not None:
            known = held.creation.request_hash
        if known is not None:
            same = known == creation.request_hash
            return Duplicate(Seen(entry_id=entry_id, same_request=same))
        if not self._heartbeat.is_settled(self._clock()):
            self._settle()
        now_ms = self._heartbeat.now_ms(self._clock())
        clock = StoredClock(
            to_act=None,
            started_ms=now_ms,
            deadline_ms=now_ms + creation.clock.start_ms,
            banks_ms=(creation.clock.bank_ms,) * creation.seat_count,
        )
        entry = StoredEntry(id=entry_id, time_ms=now_ms, entry=creation.entry)
        self._matches[creation.match_id] = HeldMatch(
            creation=creation,
            created_ms=now_ms,
            latest_ms=now_ms,
            due_ms=clock.deadline_ms,
            clock=clock,
            state=creation.state,
            log=[entry],
        )
        self.wake(Wake(creation.match_id, entry_id))
        # A bot may hold more than one seat.
        for bot in dict.fromkeys(creation.bots):
            self._live.setdefault(bot, []).append(creation.match_id)
            self.wake(Wake(f"bot/{bot}"))
        return Applied(entry_id=entry_id, now_ms=now_ms, clock=clock)

    async def read(
        self, match_id: str, key: SubmissionKey | None = None
    ) -> StoredMatch | None:
        """Return the match, or None when there is none."""
        held = self._held(match_id)
        if held is None:
            return None
        return StoredMatch(
            version=held.version,
            refusals=held.refusals,
            over=held.ended_ms is not None,
            setup=held.creation.setup,
            state=held.state,
            clock=replace(held.clock, credit_ms=self._credit_ms(held)),
            created_ms=held.created_ms,
            now_ms=self._now_ms(held),
            seen=held.seen(key),
        )

    async def apply(self, change: Change) -> ApplyResult:
        """Store one step of a match, or say why not."""
        held = self._held(change.match_id)
        if held is None:
            return Refusal.MISSING
        seen = held.seen(change.key)
        if seen is not None:
            return Duplicate(seen)
        if held.ended_ms is not None:
            return Refusal.OVER
        if not self._heartbeat.is_settled(self._clock()):
            self._settle()
        now_ms, credit_ms = self._now_ms(held), self._credit_ms(held)
        problem = held.objection(change, now_ms, credit_ms)
        if problem is Refusal.NOT_DUE:
            held.due_ms = held.clock.deadline_ms + credit_ms
        if problem is not None:
            return problem

        clock = replace(held.clock, credit_ms=credit_ms)
        if change.refusal:
            held.refusals += 1
            entry_id = EntryId(held.version, held.refusals)
        else:
            held.clock = advance(
                held.clock,
                held.creation.clock,
                now_ms=now_ms,
                mover=change.mover,
                to_act=change.to_act,
                window_ms=change.window_ms,
                ending=change.ending,
                credit_ms=credit_ms,
            )
            clock = held.clock
            held.due_ms = clock.deadline_ms
            held.version += 1
            held.refusals = 0
            held.state = change.state
            held.ended_ms = now_ms if change.ending else None
            entry_id = EntryId(held.version)
        held.latest_ms = now_ms
        held.log.append(
            StoredEntry(
                id=entry_id, time_ms=now_ms, entry=change.entry, credit_ms=credit_ms
            )
        )
        if change.key is not None:
            held.known[change.key.digest] = (change.key.request_hash, entry_id)
        self.wake(Wake(change.match_id, entry_id))
        return Applied(
            entry_id=entry_id, now_ms=now_ms, clock=clock, credit_ms=credit_ms
        )

    async def log(
        self, match_id: str, *, after: EntryId | None = None
    ) -> Sequence[StoredEntry]:
        """Return log entries in order, from the first one after `after`."""
        held = self._held(match_id)
        if held is None:
            return ()
        start = 0
        if after is not None:
            start = bisect_right(held.log, after, key=attrgetter("id"))
        return tuple(held.log[start:])

    async def beat(self) -> int:
        """Say that somebody acts on deadlines; due four times a second.

        Every live match that an outage was credited to is woken.

        Returns:
            Milliseconds of the outage that ends with it; 0 if there was none.
        """
        return self._settle()

    async def due(self, limit: int) -> Sequence[str]:
        """Return ids of matches whose deadline and grace are past, oldest first.

        After an outage there may be some among them that are not due any more.
        """
        now_ms = self._heartbeat.now_ms(self._clock())
        return _first(
            limit,
            (
                (held.due_ms + held.creation.clock.grace_ms, match_id)
                for match_id, held in self._matches.items()
                if held.ended_ms is None
                and is_late(now_ms, held.due_ms, held.creation.clock.grace_ms)
            ),
        )

    async def finished(self, limit: int) -> Sequence[str]:
        """Return ids of ended matches whose record is not archived, oldest first."""
        return _first(limit, self._outbox())

    async def backlog(self) -> Backlog:
        """Return how much `finished` would list without a limit."""
        ended = self._outbox()
        return Backlog(len(ended), self._clock() - min(ended)[0] if ended else 0)

    async def live_count(self) -> int:
        """Return how many matches are not over."""
        return sum(held.ended_ms is None for held in self._matches.values())

    def _outbox(self) -> list[tuple[int, str]]:
        return [
            (held.ended_ms, match_id)
            for match_id, held in self._matches.items()
            if held.ended_ms is not None and not held.archived
        ]

    async def acknowledge(self, match_id: str, keep_ms: int | None = None) -> None:
        """Take an ended match, whose record is archived, off the list of `finished`.

        Doing it twice is fine.

        Args:
            match_id: The match.
            keep_ms: Milliseconds after which the match expires; None for never.
        """
        held = self._matches.get(match_id)
        if held is None or held.ended_ms is None or held.archived:
            return
        held.archived = True
        if keep_ms is not None:
            heapq.heappush(self._expiring, (self._clock() + keep_ms, match_id))

    async def has_expired(self, match_id: str) -> bool:
        """Say whether there was a match that has expired."""
        return self._held(match_id) is None and match_id in self._expired

    async def list_matches(
        self, *, bot: str | None, limit: int, cursor: str | None
    ) -> MatchPage:
        """Return matches, newest first, of one bot or of everyone.

        Raises:
            ValueError: The cursor was not made by this store.
        """
        place = None if cursor is None else parse_cursor(cursor)
        self._drop_expired()
        places = sorted(
            (
                (held.created_ms, match_id)
                for match_id, held in self._matches.items()
                if bot is None or bot in held.creation.bots
            ),
            reverse=True,
        )
        found = [one for one in places if place is None or one < place]
        page = found[:limit]
        return MatchPage(
            match_ids=tuple(match_id for _, match_id in page),
            cursor=format_cursor(*page[-1]) if page and len(found) > limit else None,
        )

    async def live_matches(self, bot: str) -> Sequence[str]:
        """Return ids of matches of a bot that are not known to be over, oldest first.

        Ended ones may be among them until `drop_live` takes them off.
        """
        self._drop_expired()
        return tuple(self._live.get(bot, ()))

    async def drop_live(self, bot: str, match_id: str) -> None:
        """Take an ended match off a bot's live matches; doing it twice is fine."""
        live = self._live.get(bot, [])
        if match_id in live:
            live.remove(match_id)

    async def attach(self, bot: str, attachment: str) -> None:
        """Make this the bot's newest attachment, and wake `bot/<name>`."""
        self._attachments[bot] = attachment
        self.wake(Wake(f"bot/{bot}"))

    async def attachment(self, bot: str) -> str | None:
        """Return the bot's newest attachment."""
        return self._attachments.get(bot)

    async def wakes(self) -> AsyncGenerator[Wake, None]:
        """Yield word of what may have changed."""
        topics: asyncio.Queue[Wake] = asyncio.Queue(_TOPIC_LIMIT)
        topics.put_nowait(EVERYTHING)
        self._topics.add(topics)
        try:
            while True:
                yield await topics.get()
        finally:
            self._topics.discard(topics)

    def now_ms(self) -> int:
        """Return the time, which goes on when the clock is set back."""
        return self._heartbeat.now_ms(self._clock())

    def wake(self, wake: Wake) -> None:
        """Pass on word of what may have changed."""
        for topics in self._topics:
            if topics.full():
                while not topics.empty():
                    topics.get_nowait()
                topics.put_nowait(EVERYTHING)
            topics.put_nowait(wake)

    async def identity_key(self) -> bytes:
        """Return the 32-byte key that match ids are derived with; made once."""
        return self._identity

    async def durability(self) -> Durability:
        """Say that nothing is promised."""
        return Durability(
            mode="memory", problems=("matches are lost when the process ends",)
        )

    async def aclose(self) -> None:
        """Give nothing back: there are no connections."""

    def _settle(self) -> int:
        """Take a heartbeat; return the milliseconds of the outage that it ends."""
        before = self._heartbeat
        self._heartbeat = before.beat(self._clock())
        if self._heartbeat.outages == before.outages:
            return 0
        for match_id, held in self._matches.items():
            if held.ended_ms is None:
                self.wake(Wake(match_id))
        outage = self._heartbeat.outages[-1]
        return outage.to_ms - outage.from_ms

    def _held(self, match_id: str) -> HeldMatch | None:
        self._drop_expired()
        return self._matches.get(match_id)

    def _drop_expired(self) -> None:
        while self._expiring and self._expiring[0][0] < self._clock():
            _, match_id = heapq.heappop(self._expiring)
            creation = self._matches.pop(match_id).creation
            self._expired[match_id] = creation.request_hash
            for bot in dict.fromkeys(creation.bots):
                if match_id in self._live[bot]:
                    self._live[bot].remove(match_id)

    def _now_ms(self, held: HeldMatch) -> int:
        return max(self._heartbeat.now_ms(self._clock()), held.latest_ms)

    def _credit_ms(self, held: HeldMatch) -> int:
        if held.ended_ms is not None:
            return 0
        return self._heartbeat.credit_ms(held.clock.started_ms, self._clock())


def _first(limit: int, places: Iterable[tuple[int, str]]) -> Sequence[str]:
    return tuple(match_id for _, match_id in sorted(places)[:limit])
