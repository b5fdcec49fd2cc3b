"""Matches in Redis or Valkey, 7.0 and later.

Where the store has replicas, what is told of a match is on all of them: neither a
move that was acknowledged nor one that was only seen can be undone by a failover.
"""

import asyncio
import secrets
from collections.abc import AsyncGenerator, Sequence
from typing import Final

from ginref.adapters import (
    redis_apply,
    redis_durability,
    redis_error,
    redis_expiry,
    redis_list,
    redis_reply,
    redis_wake,
)
from ginref.adapters.cursor import format_cursor, parse_cursor
from ginref.adapters.redis_apply import APPLY
from ginref.adapters.redis_connection import RedisConnection
from ginref.adapters.redis_observer import StoreObserver
from ginref.adapters.redis_registry import RedisRegistry
from ginref.adapters.redis_script import (
    BEAT,
    CREATE,
    CREATED_NOT_YET,
    DUE,
    EXISTS,
    IDENTITY_KEY,
    INDEX,
    READ,
    SHARDS,
    bot_keys,
    bot_topic,
    creation_call,
    match_keys,
    shard_keys,
    shard_of,
)
from ginref.adapters.redis_tournament import RedisTournaments
from ginref.adapters.redis_trace import TracedConnection
from ginref.app.error import Reason, RefusedError
from ginref.app.match_store import (
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
    Stale,
    StoredEntry,
    StoredMatch,
    SubmissionKey,
    Wake,
)
from ginref.app.port import StoreUnavailableError
from ginref.app.trace import Tracer
from ginref.record.clock import StoredClock

_IDENTITY_SIZE: Final = 32

_REFUSALS: Final = {
    redis_apply.MISSING: Refusal.MISSING,
    redis_apply.OVER: Refusal.OVER,
    redis_apply.LATE: Refusal.LATE,
    redis_apply.NOT_DUE: Refusal.NOT_DUE,
}

_SETTLEMENTS: Final = 3
"""Times that a change is tried while it is not known how long an outage lasted."""


def open_store(url: str, tracer: Tracer | None = None) -> "RedisStore":
    """Open the store at a URL: one server, or a group with Sentinels, or a cluster.

    The server is not asked yet: see `RedisStore.durability`.

    Raises:
        UnsupportedStoreError: The URL has another scheme, or cannot be read.
    """
    if tracer is None:
        return RedisStore(RedisConnection(url))
    return RedisStore(TracedConnection(url, tracer))


class RedisStore(MatchStore):
    """Matches on servers that are shared with every other referee that uses them."""

    def __init__(self, connection: RedisConnection) -> None:
        """Use connections, which the store closes."""
        self._connection = connection

    def observed_by(self, observer: StoreObserver) -> None:
        """Let somebody count what is asked from now on."""
        self._connection.observer = observer

    def registry(self) -> RedisRegistry:
        """Return the registry on the same server, with the same connections."""
        return RedisRegistry(self._connection)

    def tournaments(self) -> RedisTournaments:
        """Return the tournaments on the same server, with the same connections."""
        return RedisTournaments(self._connection)

    async def create(self, creation: Creation) -> Applied | Duplicate:
        """Store a new match, index it and set its first deadline.

        Raises:
            RefusedError: `LIMIT_EXCEEDED`: the server's memory fills up, and what
                is left is for moves. Nothing was written.
        """
        match_id, clock = creation.match_id, creation.clock
        keys = match_keys(match_id)
        archived = shard_keys(shard_of(match_id)).archived
        for known in await self._connection.commands(
            [("HGET", keys.match, "request"), ("HGET", archived, match_id)],
            replicated=True,
        ):
            if known is not None:
                return redis_reply.known_creation(known, creation)
        if self._connection.is_filling(keys.match):
            raise RefusedError(
                Reason.LIMIT_EXCEEDED,
                "the store fills up: no new matches until there is room",
                limit="store_memory",
            )

        # First the lists, then the match: a reader skips what is not there yet,
        # but nobody could find what is missing from a list.
        for bot in creation.bots:
            lists = bot_keys(bot)
            await self._connection.run(
                INDEX, [lists.match, lists.live], [match_id], replicated=True
            )
        for _ in range(_SETTLEMENTS):
            made, *facts = await self._connection.run(
                CREATE, *creation_call(creation), replicated=True
            )
            if made != CREATED_NOT_YET:
                break
            await self._beat(shard_of(match_id))
        else:
            raise StoreUnavailableError("the store is too slow to judge time")
        if made == EXISTS:
            return redis_reply.known_creation(facts[0], creation)
        now_ms, deadline_ms = (int(fact) for fact in facts)
        return Applied(
            entry_id=redis_reply.CREATION_ENTRY,
            now_ms=now_ms,
            clock=StoredClock(
                to_act=None,
                started_ms=now_ms,
                deadline_ms=deadline_ms,
                banks_ms=(clock.bank_ms,) * creation.seat_count,
            ),
        )

    async def read(
        self, match_id: str, key: SubmissionKey | None = None
    ) -> StoredMatch | None:
        """Return the match, or None when there is none.

        Raises:
            DamageError: What is kept of it is not what was written.
        """
        keys, shard = match_keys(match_id), shard_keys(shard_of(match_id))
        bucket, digest = (
            ("", b"") if key is None else (redis_reply.bucket_of(key), key.digest)
        )
        with redis_error.sound(match_id):
            answer = await self._connection.run(
                READ,
                [keys.match, keys.idem, shard.beat, shard.outage],
                [bucket, digest],
                replicated=True,
            )
            return redis_reply.stored_match(answer, key) if answer else None

    async def apply(self, change: Change) -> ApplyResult:
        """Store one step of a match, or say why not.

        Raises:
            DamageError: What is kept of the match is not what was written.
        """
        entry_id = redis_reply.entry_id_of(change)
        key, words = redis_apply.call_of(change, entry_id)
        with redis_error.sound(change.match_id):
            for _ in range(_SETTLEMENTS):
                status, *facts = await self._connection.run_words(APPLY, key, words)
                if status != redis_apply.UNSETTLED:
                    break
                await self._beat(shard_of(change.match_id))
            else:
                raise StoreUnavailableError("the store is too slow to judge time")
            if status == redis_apply.APPLIED:
                return redis_reply.applied(entry_id, facts[0])
            if status == redis_apply.STALE:
                self._connection.observer.store_conflict("match")
                return Stale(int(facts[0]), int(facts[1]))
            if status == redis_apply.DUPLICATE and change.key is not None:
                return Duplicate(redis_reply.seen_of(facts[0], change.key))
        return _REFUSALS[status]

    async def log(
        self, match_id: str, *, after: EntryId | None = None
    ) -> Sequence[StoredEntry]:
        """Return log entries in order, from the first one after `after`."""
        start = "-" if after is None else f"({after.version}-{after.refusal}"
        entries = await self._connection.command(
            "XRANGE", match_keys(match_id).log, start, "+", replicated=True
        )
        return tuple(redis_reply.stored_entry(name, fields) for name, fields in entries)

    async def beat(self) -> int:
        """Say that somebody acts on deadlines; due four times a second.

        Every live match that an outage was credited to is woken.

        Returns:
            Milliseconds of the outage that ends with it; 0 if there was none.
        """
        # One server that is away must not keep the others from being told.
        beats = await asyncio.gather(*map(self._beat, SHARDS), return_exceptions=True)
        outage_ms = 0
        for beat in beats:
            if isinstance(beat, BaseException):
                raise beat
            outage_ms = max(outage_ms, beat)
        return outage_ms

    async def _beat(self, shard: str) -> int:
        keys = shard_keys(shard)
        if self._connection.is_replicated:
            # While replicas are away no move can be acknowledged: that is an outage.
            await self._connection.command("HGET", keys.beat, "at", replicated=True)
        outage_ms: int = await self._connection.run(
            BEAT, [keys.beat, keys.outage, keys.deadline], [keys.wake]
        )
        return outage_ms

    async def due(self, limit: int) -> Sequence[str]:
        """Return ids of matches whose deadline and grace are past, oldest first.

        After an outage there may be some among them that are not due any more.
        """
        shards = map(shard_keys, SHARDS)
        answers = await self._connection.run_for_each(
            DUE, [(shard.deadline, shard.beat) for shard in shards], [limit]
        )
        return redis_reply.oldest([answer.split() for answer in answers], limit)

    async def finished(self, limit: int) -> Sequence[str]:
        """Return ids of ended matches whose record is not archived, oldest first."""
        answers = await self._connection.commands(
            [
                ("ZRANGE", shard_keys(shard).outbox, 0, limit - 1, "WITHSCORES")
                for shard in SHARDS
            ]
        )
        return redis_reply.oldest(answers, limit)

    async def backlog(self) -> Backlog:
        """Return how much `finished` would list without a limit."""
        keys = [shard_keys(shard).outbox for shard in SHARDS]
        time, *answers = await self._connection.commands(
            [
                ("TIME",),
                *(("ZCARD", key) for key in keys),
                *(("ZRANGE", key, 0, 0, "WITHSCORES") for key in keys),
            ]
        )
        return redis_reply.backlog_of(time, answers[: len(keys)], answers[len(keys) :])

    async def live_count(self) -> int:
        """Return how many matches are not over."""
        counts = await self._connection.commands(
            [("ZCARD", shard_keys(shard).deadline) for shard in SHARDS]
        )
        return sum(counts)

    async def acknowledge(self, match_id: str, keep_ms: int | None = None) -> None:
        """Take an ended match, whose record is archived, off the list of `finished`.

        Doing it twice is fine.

        Args:
            match_id: The match.
            keep_ms: Milliseconds after which the match expires; None for never.
        """
        await redis_expiry.acknowledge(self._connection, match_id, keep_ms)

    async def has_expired(self, match_id: str) -> bool:
        """Say whether there was a match that has expired."""
        archived = shard_keys(shard_of(match_id)).archived
        is_there, was_archived = await self._connection.commands(
            [("EXISTS", match_keys(match_id).match), ("HEXISTS", archived, match_id)]
        )
        return bool(was_archived and not is_there)

    async def list_matches(
        self, *, bot: str | None, limit: int, cursor: str | None
    ) -> MatchPage:
        """Return matches, newest first, of one bot or of everyone.

        Raises:
            ValueError: The cursor was not made by this store.
        """
        place = None if cursor is None else parse_cursor(cursor)
        if bot is None:
            keys = [shard_keys(shard).created for shard in SHARDS]
        else:
            keys = [bot_keys(bot).match]
        found: list[tuple[int, str]] = []
        more_to_read = True
        while more_to_read and len(found) <= limit:
            batch = await redis_list.newest(self._connection, keys, place, limit + 1)
            more_to_read = len(batch) > limit
            if batch:
                place = batch[-1]
                found += await redis_list.kept(self._connection, batch, bot)
        page = found[:limit]
        more = len(found) > limit
        return MatchPage(
            match_ids=tuple(match_id for _, match_id in page),
            cursor=format_cursor(*page[-1]) if more and page else None,
        )

    async def live_matches(self, bot: str) -> Sequence[str]:
        """Return ids of matches of a bot that are not known to be over, oldest first.

        Ended ones may be among them until `drop_live` takes them off.
        """
        answer = await self._connection.command(
            "ZRANGE", bot_keys(bot).live, 0, -1, "WITHSCORES"
        )
        places = await redis_list.kept(
            self._connection, redis_reply.scored(answer), bot
        )
        return tuple(match_id for _, match_id in places)

    async def drop_live(self, bot: str, match_id: str) -> None:
        """Take an ended match off a bot's live matches; doing it twice is fine."""
        await self._connection.command("ZREM", bot_keys(bot).live, match_id)

    async def attach(self, bot: str, attachment: str) -> None:
        """Make this the bot's newest attachment, and wake `bot/<name>`."""
        keys = bot_keys(bot)
        # One after the other: whoever is woken must find the newest attachment.
        await self._connection.command("SET", keys.attachment, attachment)
        await self._connection.command("PUBLISH", keys.wake, bot_topic(bot))

    async def attachment(self, bot: str) -> str | None:
        """Return the bot's newest attachment."""
        kept = await self._connection.command("GET", bot_keys(bot).attachment)
        return None if kept is None else kept.decode()

    def wakes(self) -> AsyncGenerator[Wake, None]:
        """Yield word of what may have changed."""
        return redis_wake.wakes(self._connection)

    async def identity_key(self) -> bytes:
        """Return the 32-byte key that match ids are derived with; made once."""
        made = secrets.token_bytes(_IDENTITY_SIZE)
        await self._connection.command("SET", IDENTITY_KEY, made, "NX")
        kept: bytes = await self._connection.command(
            "GET", IDENTITY_KEY, replicated=True
        )
        return kept

    async def durability(self) -> Durability:
        """Ask the servers what they promise.

        Raises:
            UnsupportedServerError: One of them is too old.
        """
        return await redis_durability.durability(self._connection)

    async def aclose(self) -> None:
        """Give back connections."""
        await self._connection.aclose()
