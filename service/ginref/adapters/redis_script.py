"""Keys and Lua text of a match in Redis or Valkey, 7.0 and later.

Every key of one match carries the tag of its shard, so that one script may change
them together, on a cluster too. A script first reads and judges, then only writes:
the server does not take back what a failing script has written.

The scripts compare and store. What changes a match is in `redis_apply`.
"""

import functools
import hashlib
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ginref.adapters.redis_lua import (
    CLOCK,
    CREDIT,
    HEARTBEAT,
    INTEGER,
    LOOKUP,
    WAKE,
)
from ginref.app.match_store import Creation
from ginref.record.heartbeat import OUTAGE_LIMIT, OUTAGE_MS, PULSE_MS

PREFIX: Final = "ginref"
SHARD_COUNT: Final = 16
SHARDS: Final = tuple(f"{{s{number:02}}}" for number in range(SHARD_COUNT))

IDENTITY_KEY: Final = f"{PREFIX}:identity"


def shard_of(name: str) -> str:
    """Return the tag of the shard that a match lives in or a bot is woken by."""
    return SHARDS[zlib.crc32(name.encode()) % SHARD_COUNT]


@dataclass(frozen=True, slots=True)
class MatchKeys:
    """The keys of one match.

    Attributes:
        match: Hash: what `StoredMatch` holds.
        log: Stream: entries under `version-refusal`.
        idem: Hash of 16 buckets of known submissions, by first hex digit.
    """

    match: str
    log: str
    idem: str


@dataclass(frozen=True, slots=True)
class ShardKeys:
    """The keys that all matches of a shard share.

    Attributes:
        deadline: Sorted set: live matches by deadline plus grace.
        outbox: Sorted set: ended matches without a record, by end.
        created: Sorted set: all matches by creation.
        archived: Hash: request hash of each match that expires or has expired.
        expiry: Sorted set: these, each with its bots, by when they expire, until
            nothing lists them any more.
        beat: Hash: the latest heartbeat, and how far time is ahead of the clock.
        outage: List: `from:to` of the latest outages, oldest first.
        wake: Channel: topics that changed; after a match id, its log entry.
    """

    deadline: str
    outbox: str
    created: str
    archived: str
    expiry: str
    beat: str
    outage: str
    wake: str


def match_keys(match_id: str) -> MatchKeys:
    """Return the keys of a match."""
    start = f"{PREFIX}:{shard_of(match_id)}"
    return MatchKeys(
        f"{start}:match:{match_id}",
        f"{start}:log:{match_id}",
        f"{start}:idem:{match_id}",
    )


@functools.cache
def shard_keys(shard: str) -> ShardKeys:
    """Return the shared keys of a shard."""
    start = f"{PREFIX}:{shard}"
    return ShardKeys(
        deadline=f"{start}:deadline",
        outbox=f"{start}:outbox",
        created=f"{start}:created",
        archived=f"{start}:archived",
        expiry=f"{start}:expiry",
        beat=f"{start}:beat",
        outage=f"{start}:outage",
        wake=f"{start}:wake",
    )


@dataclass(frozen=True, slots=True)
class BotKeys:
    """The keys of one bot.

    Attributes:
        match: Sorted set: all its matches by creation.
        live: Sorted set: its matches that are not known to be over, by creation.
        attachment: Its newest attachment.
        wake: Channel: `bot/<name>` when it has a new match or attachment.
    """

    match: str
    live: str
    attachment: str
    wake: str


def bot_keys(bot: str) -> BotKeys:
    """Return the keys of a bot; its tag keeps them on one node of a cluster."""
    start = f"{PREFIX}:bot:{{{bot}}}"
    return BotKeys(
        f"{start}:match",
        f"{start}:live",
        f"{start}:attachment",
        shard_keys(shard_of(bot)).wake,
    )


def bot_topic(bot: str) -> str:
    """Return the topic that wakes whoever serves a bot."""
    return f"bot/{bot}"


def registry_key(kind: str) -> str:
    """Return the key of all rows of a kind."""
    return f"{PREFIX}:registry:{kind}"


class Script:
    """A Lua script with its name in the server's cache.

    Attributes:
        name: What it is called here.
        text: What it does.
        sha: Its name.
        by_name: How a command begins, as the protocol has it, that runs it by name.
        in_full: How one begins that brings the text along.
    """

    __slots__ = ("by_name", "in_full", "name", "sha", "text")

    def __init__(self, name: str, text: str) -> None:
        """Hash the text the way the server does."""
        code = text.encode()
        self.name = name
        self.text = text
        self.sha = hashlib.sha1(code, usedforsecurity=False).hexdigest()
        self.by_name = b"$7\r\nEVALSHA\r\n$40\r\n%b\r\n" % self.sha.encode()
        self.in_full = b"$4\r\nEVAL\r\n$%d\r\n%b\r\n" % (len(code), code)


EXISTS, CREATED, CREATED_NOT_YET = range(3)

CREATE: Final = Script(
    "create",
    "#!lua\n"
    + INTEGER
    + CLOCK
    + HEARTBEAT
    + WAKE
    + f"""
local match, log, deadlines, created, beat, archived = unpack(KEYS, 1, 6)
local match_id, request, setup, state, entry = unpack(ARGV, 1, 5)
local start, free, bank, cap, grace = unpack(ARGV, 6, 10)
local seats, bots, channel = unpack(ARGV, 11, 13)

local known = redis.call('HGET', match, 'request')
  or redis.call('HGET', archived, match_id)
if known then
  return {{{EXISTS}, known}}
end

local now, at = shard_time(beat)
if at and now - at > {OUTAGE_MS} then
  return {{{CREATED_NOT_YET}}}
end
local deadline = now + tonumber(start)
if not at then
  redis.call('HSET', beat, 'at', integer(now), 'skew', 0)
end
redis.call('XADD', log, '1-0', 't', integer(now), 'e', entry)
redis.call('HSET', match,
  'version', 1, 'refusals', 0, 'over', 0, 'request', request,
  'setup', setup, 'state', state, 'bots', bots, 'seats', seats,
  'free', free, 'cap', cap, 'grace', grace,
  'to_act', '', 'started', integer(now), 'deadline', integer(deadline),
  'elapsed', 0, 'created', integer(now), 'latest', integer(now))
for seat = 0, tonumber(seats) - 1 do
  redis.call('HSET', match, 'bank' .. seat, bank)
end
redis.call('ZADD', deadlines, integer(deadline + tonumber(grace)), match_id)
redis.call('ZADD', created, integer(now), match_id)
wake(channel, match_id .. ' 1-0')
for topic = 14, #ARGV do
  wake(channel, ARGV[topic])
end
return {{{CREATED}, integer(now), integer(deadline)}}
""",
)


def creation_call(
    creation: Creation,
) -> tuple[Sequence[str], Sequence[str | bytes | int]]:
    """Return the keys and the arguments of the script that creates a match."""
    match_id, clock = creation.match_id, creation.clock
    keys, shard = match_keys(match_id), shard_keys(shard_of(match_id))
    return (
        [
            *(keys.match, keys.log),
            *(shard.deadline, shard.created, shard.beat, shard.archived),
        ],
        [
            match_id,
            creation.request_hash,
            creation.setup,
            creation.state,
            creation.entry,
            clock.start_ms,
            clock.free_ms,
            clock.bank_ms,
            clock.cap_ms,
            clock.grace_ms,
            creation.seat_count,
            "\n".join(creation.bots),
            shard.wake,
            *(bot_topic(bot) for bot in creation.bots),
        ],
    )


READ: Final = Script(
    "read",
    "#!lua flags=no-writes\n"
    + INTEGER
    + CLOCK
    + HEARTBEAT
    + CREDIT
    + LOOKUP
    + f"""
local match, idem, beat, outages = unpack(KEYS, 1, 4)
local bucket_name, digest = ARGV[1], ARGV[2]

local held = redis.call('HMGET', match, 'setup', 'state', 'latest',
  'version', 'refusals', 'over', 'created',
  'to_act', 'started', 'deadline', 'elapsed', 'bank0', 'bank1', 'bank2')
local setup, state, latest = unpack(held, 1, 3)
if not setup then
  return {{}}
end
local known = false
if digest ~= '' then
  known = lookup(redis.call('HGET', idem, bucket_name), digest)
end
local now, at, ended = shard_time(beat)
local credit = 0
if held[6] ~= '1' then
  local started = tonumber(held[9])
  credit = credit_since(outages, ended, started)
  if at and now - at > {OUTAGE_MS} then
    credit = credit + math.max(0, now - math.max(at, started))
  end
end
local facts = {{integer(math.max(now, tonumber(latest)))}}
for place = 4, 11 do
  facts[#facts + 1] = held[place]
end
facts[#facts + 1] = integer(credit)
for place = 12, 14 do
  facts[#facts + 1] = held[place] or nil
end
return {{setup, state, known or '', table.concat(facts, ',')}}
""",
)

INDEX: Final = Script(
    "index",
    "#!lua\n"
    + INTEGER
    + CLOCK
    + """
local now = integer(server_clock())
redis.call('ZADD', KEYS[1], 'NX', now, ARGV[1])
redis.call('ZADD', KEYS[2], 'NX', now, ARGV[1])
return 1
""",
)

REPLACE: Final = Script(
    "replace",
    """#!lua
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then
  return 0
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 1
""",
)

# What stands here does not matter: a write makes WAIT count all that came before.
TOUCH: Final = Script(
    "touch",
    """#!lua flags=allow-oom
return redis.call('SET', KEYS[1], '')
""",
)

# One long answer is read faster than thousands of short ones.
DUE: Final = Script(
    "due",
    "#!lua flags=no-writes\n"
    + INTEGER
    + CLOCK
    + HEARTBEAT
    + """
local now = shard_time(KEYS[2])
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', '(' .. integer(now),
  'WITHSCORES', 'LIMIT', 0, ARGV[1])
return table.concat(due, ' ')
""",
)

# The twin of `ginref.record.heartbeat`.
BEAT: Final = Script(
    "beat",
    "#!lua\n"
    + INTEGER
    + CLOCK
    + WAKE
    + f"""
local beat, outages, deadlines, channel = KEYS[1], KEYS[2], KEYS[3], ARGV[1]

local held = redis.call('HMGET', beat, 'at', 'skew')
local at, skew = tonumber(held[1]), tonumber(held[2]) or 0
local clock = server_clock()
if not at then
  redis.call('HSET', beat, 'at', integer(clock), 'skew', 0)
  return 0
end
local pause = clock + skew - at
if pause >= 0 and pause < {PULSE_MS} then
  return 0
end
if pause < 0 then
  skew, pause = skew - pause, 0
elseif pause > {OUTAGE_MS} then
  local back = math.min(skew, pause)
  skew, pause = skew - back, pause - back
end
local now = at + pause
redis.call('HSET', beat, 'at', integer(now), 'skew', integer(skew))
if pause <= {OUTAGE_MS} then
  return 0
end
redis.call('HSET', beat, 'ended', integer(now))
redis.call('RPUSH', outages, integer(at) .. ':' .. integer(now))
redis.call('LTRIM', outages, -{OUTAGE_LIMIT}, -1)
for _, match_id in ipairs(redis.call('ZRANGE', deadlines, 0, -1)) do
  wake(channel, match_id)
end
return pause
""",
)
