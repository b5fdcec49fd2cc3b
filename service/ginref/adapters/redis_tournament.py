"""Tournaments in Redis or Valkey, 7.0 and later.

All keys of a tournament carry the tag of its shard, as those of a match do, so that one
script may change them together, on a cluster too. What is told of a tournament is on
all replicas, where there are some.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ginref.adapters import redis_list
from ginref.adapters.cursor import format_cursor, parse_cursor
from ginref.adapters.redis_connection import RedisConnection
from ginref.adapters.redis_lua import CLOCK, HEARTBEAT, INTEGER, WAKE
from ginref.adapters.redis_script import (
    INDEX,
    PREFIX,
    Script,
    shard_keys,
    shard_of,
)
from ginref.app.tournament_store import (
    Addition,
    StoredLog,
    TournamentNames,
    TournamentStore,
    tournament_topic,
)

ALL: Final = f"{PREFIX}:{{tournament}}:all"
LIVE: Final = f"{PREFIX}:{{tournament}}:live"


@dataclass(frozen=True, slots=True)
class TournamentKeys:
    """The keys of one tournament.

    Attributes:
        log: List: the entries of its log.
        configuration: Hash: every configuration that it has had, by digest.
        secret: The referee's sealed share of its secret.
        beat: Hash: how far the shard's time is ahead of the server's clock.
        wake: Channel that says when its log has grown.
    """

    log: str
    configuration: str
    secret: str
    beat: str
    wake: str


def tournament_keys(tournament: str) -> TournamentKeys:
    """Return the keys of a tournament."""
    shard = shard_of(tournament)
    start = f"{PREFIX}:{shard}:tournament:{tournament}"
    return TournamentKeys(
        log=f"{start}:log",
        configuration=f"{start}:configuration",
        secret=f"{start}:secret",
        beat=shard_keys(shard).beat,
        wake=shard_keys(shard).wake,
    )


READ_LOG: Final = Script(
    "read_log",
    "#!lua flags=no-writes\n"
    + INTEGER
    + CLOCK
    + HEARTBEAT
    + """
return {integer((shard_time(KEYS[2]))), redis.call('LLEN', KEYS[1]),
  redis.call('LRANGE', KEYS[1], ARGV[1], -1)}
""",
)

APPEND: Final = Script(
    "append",
    "#!lua\n"
    + WAKE
    + """
local expected, channel, topic, digest, form = unpack(ARGV, 1, 5)
if redis.call('LLEN', KEYS[1]) ~= tonumber(expected) then
  return 0
end
if digest ~= '' then
  redis.call('HSET', KEYS[2], digest, form)
end
for place = 6, #ARGV do
  redis.call('RPUSH', KEYS[1], ARGV[place])
end
wake(channel, topic)
return 1
""",
)


class RedisTournaments(TournamentStore):
    """Tournaments on servers that are shared with every other referee."""

    def __init__(self, connection: RedisConnection) -> None:
        """Use connections that somebody else closes."""
        self._connection = connection

    async def read(self, tournament: str, *, after: int = 0) -> StoredLog:
        """Return the entries of a log after so many."""
        keys = tournament_keys(tournament)
        now, length, entries = await self._connection.run(
            READ_LOG, [keys.log, keys.beat], [after], replicated=True
        )
        return StoredLog(length=length, entries=tuple(entries), now_ms=int(now))

    async def append(self, addition: Addition) -> bool:
        """Add entries to a log that is as long as expected; say whether it was."""
        name = addition.tournament
        if not addition.expected:
            # First the lists, then the log: a reader skips what is not there yet, but
            # nobody could find what is missing from a list.
            await self._connection.run(INDEX, [ALL, LIVE], [name], replicated=True)
        keys = tournament_keys(name)
        stored = await self._connection.run(
            APPEND,
            [keys.log, keys.configuration],
            [
                addition.expected,
                keys.wake,
                tournament_topic(name),
                *(addition.configuration or ("", b"")),
                *addition.entries,
            ],
            replicated=True,
        )
        if not stored:
            self._connection.observer.store_conflict("tournament")
        return bool(stored)

    async def configuration(self, tournament: str, digest: str) -> bytes | None:
        """Return a configuration that the log names, or None."""
        kept: bytes | None = await self._connection.command(
            "HGET", tournament_keys(tournament).configuration, digest
        )
        return kept

    async def keep_secret(self, tournament: str, sealed: bytes) -> bytes:
        """Keep a sealed secret unless there is one; return the one that is kept."""
        key = tournament_keys(tournament).secret
        await self._connection.command("SET", key, sealed, "NX", replicated=True)
        kept: bytes = await self._connection.command("GET", key, replicated=True)
        return kept

    async def secret(self, tournament: str) -> bytes | None:
        """Return the sealed secret that is kept, or None."""
        kept: bytes | None = await self._connection.command(
            "GET", tournament_keys(tournament).secret, replicated=True
        )
        return kept

    async def live(self) -> Sequence[str]:
        """Return tournaments of which something is to be done, oldest first."""
        names = await self._connection.command("ZRANGE", LIVE, 0, -1)
        return tuple(name.decode() for name in names)

    async def leave_live(self, tournament: str) -> None:
        """Take a tournament off the live ones; doing it twice is fine."""
        await self._connection.command("ZREM", LIVE, tournament)

    async def list_tournaments(self, limit: int, cursor: str | None) -> TournamentNames:
        """Return tournaments, newest first.

        Raises:
            ValueError: The cursor was not made by this store.
        """
        place = None if cursor is None else parse_cursor(cursor)
        found = await redis_list.newest(self._connection, [ALL], place, limit + 1)
        page = found[:limit]
        return TournamentNames(
            names=tuple(name for _, name in page),
            cursor=format_cursor(*page[-1]) if len(found) > limit else None,
        )

    async def wake(self, topic: str) -> None:
        """Wake whoever follows a topic, in every process."""
        channel = shard_keys(shard_of(topic)).wake
        await self._connection.command("PUBLISH", channel, topic)
