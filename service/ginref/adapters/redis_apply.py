"""The script that takes one step of a match, with all that follows from it.

It first reads and judges, then only writes: the server does not take back what a
failing script has written. The one rule of the game in it is the clock, whose twin is
`ginref.record.clock`.
"""

from functools import lru_cache
from typing import Final

from ginref.adapters import redis_reply
from ginref.adapters.redis_call import Argument, Words, words_of
from ginref.adapters.redis_lua import (
    CLOCK,
    CREDIT,
    HEARTBEAT,
    INTEGER,
    LOOKUP,
    WAKE,
)
from ginref.adapters.redis_script import Script, match_keys, shard_keys, shard_of
from ginref.app.match_store import Change, EntryId, SubmissionKey
from ginref.record.heartbeat import OUTAGE_MS

_MATCHES_KEPT: Final = 4096
_STEPS_KEPT: Final = 1024
"""How much of what was written is kept for the next change."""

_WORD_COUNT: Final = 1 + 7 + 16
"""The number of keys, the keys, and the arguments."""

_NO_KEY: Final = words_of((b"", b"", b"")).data
_REFUSAL, _NO_REFUSAL = words_of((1,)).data, words_of((0,)).data

MISSING, DUPLICATE, OVER, UNSETTLED, LATE, NOT_DUE, STALE, APPLIED = range(8)

APPLY: Final = Script(
    "apply",
    "#!lua\n"
    + INTEGER
    + CLOCK
    + HEARTBEAT
    + CREDIT
    + LOOKUP
    + WAKE
    + f"""
local match, log, idem, deadlines, outbox, beat, outages = unpack(KEYS, 1, 7)
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

local now, at, ended = shard_time(beat)
if not at or now - at > {OUTAGE_MS} then
  return {{{UNSETTLED}}}
end
now = math.max(now, tonumber(latest))

local clock_to_act, started = held[5], tonumber(held[6])
local deadline, free = tonumber(held[7]), tonumber(held[8])
local cap, grace, seats = tonumber(held[9]), tonumber(held[10]), tonumber(held[11])
local elapsed = tonumber(held[12])
local credit = credit_since(outages, ended, started)
local past = now > deadline + credit + grace
if judge == 'late' and past then
  return {{{LATE}}}
end
if judge == 'due' and not past then
  if credit > 0 then
    -- So that it is not taken for due again.
    redis.call('ZADD', deadlines, integer(deadline + credit + grace), match_id)
  end
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
local running = credit
if refusal ~= '1' then
  if mover ~= '' then
    local seat = tonumber(mover) + 1
    elapsed = now - started - credit
    local used = math.max(0, elapsed - free)
    banks[seat] = banks[seat] - math.min(banks[seat], used)
    bank = seat
  end
  clock_to_act = to_act
  started = now
  deadline = deadline + credit
  running = 0
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

local stamped = {{'t', integer(now), 'e', entry}}
if credit > 0 then
  stamped[5], stamped[6] = 'c', integer(credit)
end
redis.call('XADD', log, entry_id, unpack(stamped))
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

local facts = {{integer(now), integer(credit), clock_to_act, integer(started),
  integer(deadline), integer(elapsed), integer(running)}}
for seat = 1, seats do
  facts[#facts + 1] = integer(banks[seat])
end
return {{{APPLIED}, table.concat(facts, ',')}}
""",
)


def call_of(change: Change, entry_id: EntryId) -> tuple[str, Words]:
    """Return the key of the script that stores a change, and what the script is given.

    Most of it has been written for an earlier change.
    """
    key, place = _place(change.match_id)
    entry, state = change.entry, change.state
    written = b"%b%b$%d\r\n%b\r\n%b$%d\r\n%b\r\n%b%b" % (
        place,
        _step(change.expected_version, change.expected_refusals, entry_id),
        len(entry),
        entry,
        _REFUSAL if change.refusal else _NO_REFUSAL,
        len(state),
        state,
        _NO_KEY if change.key is None else _known(change.key, entry_id),
        _time(
            change.mover,
            change.to_act,
            change.window_ms,
            int(change.ending),
            "due" if change.due_only else "late" if change.judge_time else "",
        ),
    )
    return key, Words(written, _WORD_COUNT)


def _known(key: SubmissionKey, entry_id: EntryId) -> bytes:
    """Write what makes a retry known, and where it is kept."""
    record = redis_reply.idem_record(key, entry_id)
    return b"$1\r\n%b\r\n$%d\r\n%b\r\n$%d\r\n%b\r\n" % (
        redis_reply.bucket_of(key).encode(),
        len(key.digest),
        key.digest,
        len(record),
        record,
    )


def _written(*arguments: Argument) -> bytes:
    return words_of(arguments).data


@lru_cache(_MATCHES_KEPT)
def _place(match_id: str) -> tuple[str, bytes]:
    """Write how many keys there are, the keys, the match id and its channel."""
    keys, shard = match_keys(match_id), shard_keys(shard_of(match_id))
    names = (keys.match, keys.log, keys.idem)
    shared = (shard.deadline, shard.outbox, shard.beat, shard.outage)
    count = len(names) + len(shared)
    return keys.match, _written(count, *names, *shared, match_id, shard.wake)


@lru_cache(_STEPS_KEPT)
def _step(version: int, refusals: int, entry_id: EntryId) -> bytes:
    """Write from where to where a match goes."""
    return _written(version, refusals, f"{entry_id.version}-{entry_id.refusal}")


@lru_cache(_STEPS_KEPT)
def _time(
    mover: int | None,
    to_act: int | None,
    window_ms: int | None,
    ending: int,
    judge: str,
) -> bytes:
    """Write who has moved, who is to move, and how time is judged."""
    return _written(
        "" if mover is None else int(mover),
        "" if to_act is None else int(to_act),
        "" if window_ms is None else window_ms,
        ending,
        judge,
    )
