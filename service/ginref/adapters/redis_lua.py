"""Functions in Lua that the scripts of a Redis store begin with.

Time is that of a shard: what the server's clock shows, but never before the latest
heartbeat. Whether a pause between two heartbeats was an outage, and how much of it is
credited to a clock, is decided as `ginref.record.heartbeat` does.
"""

from typing import Final

from ginref.record.submission import DIGEST_SIZE, HASH_SIZE

IDEM_RECORD_SIZE: Final = DIGEST_SIZE + HASH_SIZE + 4 + 2
"""Bytes of a known submission: digest, request hash, version, refusal."""

INTEGER: Final = """
local function integer(number)
  return string.format('%.0f', number)
end
"""

CLOCK: Final = """
local function server_clock()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
"""

# Returns now, the latest heartbeat or nil, and the end of the latest outage or 0.
HEARTBEAT: Final = """
local function shard_time(beat)
  local held = redis.call('HMGET', beat, 'at', 'skew', 'ended')
  local at, skew = tonumber(held[1]), tonumber(held[2]) or 0
  local now = math.max(server_clock() + skew, at or 0)
  return now, at, tonumber(held[3]) or 0
end
"""

# Outages are looked at from the latest one back, as far as they are of any account.
CREDIT: Final = """
local function credit_since(outages, ended, started)
  local credit, place = 0, -1
  while ended > started do
    local outage = redis.call('LINDEX', outages, place)
    if not outage then
      break
    end
    local from, to = string.match(outage, '^(%d+):(%d+)$')
    ended = tonumber(to)
    credit = credit + math.max(0, ended - math.max(tonumber(from), started))
    place = place - 1
  end
  return credit
end
"""

LOOKUP: Final = f"""
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
WAKE: Final = """
local function wake(channel, topic)
  redis.pcall('PUBLISH', channel, topic)
end
"""
