"""Keys and Lua text of a match in Redis or Valkey, 7.0 and later.

Every key of one match carries the tag of its shard, so that one script may change
them together, on a cluster too. A script first reads and judges, then only writes:
the server does not take back what a failing script has written.

The scripts compare and store; the one rule of the game in them is the clock, whose
twin is `ginref.record.clock`.
"""

import hashlib
import zlib
from dataclasses import dataclass
from typing import Final

from ginref.record.submission import DIGEST_SIZE, HASH_SIZE

PREFIX: Final = "ginref"
SHARD_COUNT: Final = 16
SHARDS: Final = tuple(f"{{s{number:02}}}" for number in range(SHARD_COUNT))

IDENTITY_KEY: Final = f"{PREFIX}:identity"

IDEM_RECORD_SIZE: Final = DIGEST_SIZE + HASH_SIZE + 4 + 2
"""Bytes of a known submission: digest, request hash, version, refusal."""


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
        wake: Channel: topics that changed; after a match id, its log entry.
    """

    deadline: str
    outbox: str
    created: str
    wake: str


def match_keys(match_id: str) -> MatchKeys:
    """Return the keys of a match."""
    start = f"{PREFIX}:{shard_of(match_id)}"
    return MatchKeys(
        f"{start}:match:{match_id}",
        f"{start}:log:{match_id}",
        f"{start}:idem:{match_id}",
    )


def shard_keys(shard: str) -> ShardKeys:
    """Return the shared keys of a shard."""
    start = f"{PREFIX}:{shard}"
    return ShardKeys(
        f"{start}:deadline", f"{start}:outbox", f"{start}:created", f"{start}:wake"
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
    """A Lua script with its name in the server's cache."""

    __slots__ = ("sha", "text")

    def __init__(self, text: str) -> None:
        """Hash the text the way the server does."""
        self.text = text
        self.sha = hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()


_INTEGER: Final = """
local function integer(number)
  return string.format('%.0f', number)
end
"""

_NOW: Final = """
local function server_now(latest)
  local time = redis.call('TIME')
  local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
  return math.max(now, tonumber(latest) or 0)
end
"""

_LOOKUP: Final = f"""
local function lookup(bucket, digest)
  local from = 1
  while bucket do
    local at = string.find(bucket, digest, from, true)
    if not at then
      return false
    end
    if (at - 1) % {IDEM_RECORD_SIZE} == 0 then
      return string.sub(bucket, at, at + {IDEM_RECORD_SIZE - 1})
    end
    from = at + 1
  end
  return false
end
"""

# A failing wake-up must not fail a script that has written already.
_WAKE: Final = """
local function wake(channel, topic)
  redis.pcall('PUBLISH', channel, topic)
end
"""

CREATED, EXISTS = 1, 0

CREATE: Final = Script(
    "#!lua\n"
    + _INTEGER
    + _NOW
    + _WAKE
    + """
local match, log, deadlines, created = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local match_id, request, setup, state, entry = unpack(ARGV, 1, 5)
local start, free, bank, cap, grace = unpack(ARGV, 6, 10)
local seats, bots, channel = unpack(ARGV, 11, 13)

local known = redis.call('HGET', match, 'request')
if known then
  return {0, known}
end

local now = server_now(0)
local deadline = now + tonumber(start)
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
return {1, integer(now), integer(deadline)}
"""
)

MISSING, DUPLICATE, OVER, LATE, NOT_DUE, STALE, APPLIED = range(7)

APPLY: Final = Script(
    "#!lua\n"
    + _INTEGER
    + _NOW
    + _LOOKUP
    + _WAKE
    + f"""
local match, log, idem, deadlines, outbox = unpack(KEYS, 1, 5)
local match_id, channel, expected_version, expected_refusals = unpack(ARGV, 1, 4)
local entry_id, entry, refusal, state = unpack(ARGV, 5, 8)
local bucket_name, digest, idem_record = unpack(ARGV, 9, 11)
local mover, to_act, window, ending, judge = unpack(ARGV, 12, 16)

local held = redis.call('HMGET', match, 'version', 'refusals', 'over', 'latest',
  'to_act', 'started', 'deadline', 'free', 'cap', 'grace', 'seats', 'elapsed')
local version, refusals, over, latest = unpack(held, 1, 4)
if not version then
  return {{{MISSING}}}
end

local bucket = false
if digest ~= '' then
  bucket = redis.call('HGET', idem, bucket_name)
  local known = lookup(bucket, digest)
  if known then
    return {{{DUPLICATE}, known}}
  end
end

if over == '1' then
  return {{{OVER}}}
end

local clock_to_act, started = held[5], tonumber(held[6])
local deadline, free = tonumber(held[7]), tonumber(held[8])
local cap, grace, seats = tonumber(held[9]), tonumber(held[10]), tonumber(held[11])
local elapsed = tonumber(held[12])
local now = server_now(latest)
local past = now > deadline + grace
if judge == 'late' and past then
  return {{{LATE}}}
end
if judge == 'due' and not past then
  return {{{NOT_DUE}}}
end

if version ~= expected_version or refusals ~= expected_refusals then
  return {{{STALE}, version, refusals}}
end

local bank_names = {{}}
for seat = 0, seats - 1 do
  bank_names[seat + 1] = 'bank' .. seat
end
local banks = redis.call('HMGET', match, unpack(bank_names))
for seat = 1, seats do
  banks[seat] = tonumber(banks[seat])
end

-- A script that fails after a write is not undone: so all sums come first.
local bank = false
if refusal ~= '1' then
  if mover ~= '' then
    local seat = tonumber(mover) + 1
    elapsed = now - started
    local used = math.max(0, elapsed - free)
    banks[seat] = banks[seat] - math.min(banks[seat], used)
    bank = seat
  end
  clock_to_act = to_act
  started = now
  if ending == '1' then
    deadline = 0
  elseif window ~= '' then
    deadline = now + tonumber(window)
  elseif to_act ~= '' then
    deadline = now + math.min(free + banks[tonumber(to_act) + 1], cap)
  end
end
local next_version = integer(tonumber(version) + 1)
local next_refusals = integer(tonumber(refusals) + 1)

redis.call('XADD', log, entry_id, 't', integer(now), 'e', entry)
if digest ~= '' then
  redis.call('HSET', idem, bucket_name, (bucket or '') .. idem_record)
end
if refusal == '1' then
  redis.call('HSET', match, 'refusals', next_refusals, 'latest', integer(now))
else
  if bank then
    redis.call('HSET', match, bank_names[bank], integer(banks[bank]))
  end
  redis.call('HSET', match,
    'version', next_version, 'refusals', 0, 'over', ending,
    'state', state, 'to_act', to_act, 'started', integer(started),
    'deadline', integer(deadline), 'elapsed', integer(elapsed),
    'latest', integer(now))
  if ending == '1' then
    redis.call('ZREM', deadlines, match_id)
    redis.call('ZADD', outbox, integer(now), match_id)
  else
    redis.call('ZADD', deadlines, integer(deadline + grace), match_id)
  end
end
wake(channel, match_id .. ' ' .. entry_id)

local facts = {{integer(now), clock_to_act, integer(started), integer(deadline),
  integer(elapsed)}}
for seat = 1, seats do
  facts[5 + seat] = integer(banks[seat])
end
return {{{APPLIED}, table.concat(facts, ',')}}
"""
)

READ: Final = Script(
    "#!lua flags=no-writes\n"
    + _INTEGER
    + _NOW
    + _LOOKUP
    + """
local match, idem = KEYS[1], KEYS[2]
local bucket_name, digest = ARGV[1], ARGV[2]

local held = redis.call('HMGET', match, 'setup', 'state', 'latest',
  'version', 'refusals', 'over', 'created',
  'to_act', 'started', 'deadline', 'elapsed', 'bank0', 'bank1', 'bank2')
local setup, state, latest = unpack(held, 1, 3)
if not setup then
  return {}
end
local known = false
if digest ~= '' then
  known = lookup(redis.call('HGET', idem, bucket_name), digest)
end
local facts = {integer(server_now(latest)), unpack(held, 4, 13)}
facts[#facts + 1] = held[14] or nil
return {setup, state, known or '', table.concat(facts, ',')}
"""
)

INDEX: Final = Script(
    "#!lua\n"
    + _INTEGER
    + _NOW
    + """
local now = integer(server_now(0))
redis.call('ZADD', KEYS[1], 'NX', now, ARGV[1])
redis.call('ZADD', KEYS[2], 'NX', now, ARGV[1])
return 1
"""
)

REPLACE: Final = Script(
    """#!lua
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then
  return 0
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 1
"""
)

# What stands here does not matter: a write makes WAIT count all that came before.
TOUCH: Final = Script(
    """#!lua flags=allow-oom
return redis.call('SET', KEYS[1], '')
"""
)

DUE: Final = Script(
    "#!lua flags=no-writes\n"
    + _INTEGER
    + _NOW
    + """
return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', '(' .. integer(server_now(0)),
  'WITHSCORES', 'LIMIT', 0, ARGV[1])
"""
)
