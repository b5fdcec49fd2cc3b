"""How matches leave a Redis store: only when their record is archived.

What stays of a match is its id with the hash of the request that created it, so that
the same request never deals the same match anew.
"""

from collections.abc import Sequence
from typing import Final

from ginref.adapters.redis_call import Argument
from ginref.adapters.redis_connection import RedisConnection
from ginref.adapters.redis_lua import CLOCK, INTEGER
from ginref.adapters.redis_script import (
    Script,
    bot_keys,
    match_keys,
    shard_keys,
    shard_of,
)

_BATCH: Final = 16
"""Expired matches that are taken off the lists when one is acknowledged."""

_LOG_MS: Final = 60_000
"""How much longer a log is kept: who has just read its match may ask for it."""

# It makes room, so it runs where there is none left. The outbox is last: whatever cuts
# the writes short, the match is found there and all of it is done again.
ACKNOWLEDGE: Final = Script(
    "acknowledge",
    "#!lua flags=allow-oom\n"
    + INTEGER
    + CLOCK
    + f"""
local match, log, idem, outbox, archived, expiry = unpack(KEYS, 1, 6)
local match_id, keep = ARGV[1], tonumber(ARGV[2])

local now = server_clock()
if redis.call('ZSCORE', outbox, match_id) then
  local request, bots = unpack(redis.call('HMGET', match, 'request', 'bots'), 1, 2)
  if keep and request then
    redis.call('HSET', archived, match_id, request)
    redis.call('ZADD', expiry, integer(now + keep), match_id .. '\\n' .. bots)
    redis.call('PEXPIRE', match, integer(keep))
    redis.call('PEXPIRE', log, integer(keep + {_LOG_MS}))
    redis.call('PEXPIRE', idem, integer(keep + {_LOG_MS}))
  end
  redis.call('ZREM', outbox, match_id)
end
return redis.call('ZRANGEBYSCORE', expiry, '-inf', '(' .. integer(now),
  'LIMIT', 0, {_BATCH})
""",
)


async def acknowledge(
    connection: RedisConnection, match_id: str, keep_ms: int | None
) -> None:
    """Let a match expire, or stay, and take others that have expired off the lists.

    Raises:
        StoreUnavailableError: What of it was done is unknown.
    """
    keys, shard = match_keys(match_id), shard_keys(shard_of(match_id))
    expired: Sequence[bytes] = await connection.run(
        ACKNOWLEDGE,
        [
            *(keys.match, keys.log, keys.idem),
            *(shard.outbox, shard.archived, shard.expiry),
        ],
        [match_id, "" if keep_ms is None else keep_ms],
    )
    if not expired:
        return
    named = [member.decode().split("\n") for member in expired]
    drops: list[tuple[Argument, ...]] = [
        ("ZREM", shard.created, *(expired_id for expired_id, *_ in named))
    ]
    for expired_id, *bots in named:
        for lists in map(bot_keys, dict.fromkeys(bots)):
            drops += [
                ("ZREM", lists.match, expired_id),
                ("ZREM", lists.live, expired_id),
            ]
    await connection.commands(drops)
    await connection.command("ZREM", shard.expiry, *expired)
