"""Time as the script of a Redis store counts it, against the record's own count."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from redis.asyncio import Redis
from tests.contract.store_table import creation, move

from ginref.adapters.redis_lua import CLOCK, CREDIT, HEARTBEAT
from ginref.adapters.redis_script import BEAT, match_keys, shard_keys, shard_of
from ginref.adapters.redis_store import RedisStore
from ginref.app.match_store import Applied, Refusal
from ginref.record.clock import STANDARD, ClockPolicy, StoredClock, advance, is_late
from ginref.record.heartbeat import OUTAGE_LIMIT, Heartbeat, Outage

pytestmark = pytest.mark.redis

FAR_MS = 4_000_000_000_000
"""A time that no clock shows yet."""

times = st.integers(0, 10_000_000)
outages = st.lists(
    st.tuples(st.integers(0, 60_000), st.integers(0, 60_000)), max_size=5
)
seats = st.none() | st.sampled_from([0, 1])


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    elapsed_ms=times,
    thinking_ms=times,
    banks_ms=st.tuples(times, times),
    free_ms=times,
    cap_ms=times,
    mover=seats,
    to_act=seats,
    window_ms=st.none() | times,
    ending=st.booleans(),
    pauses_ms=outages,
)
async def test_the_script_and_the_record_agree_on_the_clock(  # noqa: PLR0913
    store: RedisStore,
    server: Redis,
    *,
    elapsed_ms: int,
    thinking_ms: int,
    banks_ms: tuple[int, int],
    free_ms: int,
    cap_ms: int,
    mover: int | None,
    to_act: int | None,
    window_ms: int | None,
    ending: bool,
    pauses_ms: list[tuple[int, int]],
) -> None:
    await server.flushall()
    policy = ClockPolicy(
        name="custom",
        start_ms=1,
        free_ms=free_ms,
        bank_ms=1,
        cap_ms=cap_ms,
        grace_ms=0,
    )
    await store.create(creation(clock=policy))
    before = StoredClock(
        to_act=0,
        started_ms=FAR_MS - elapsed_ms,
        deadline_ms=FAR_MS - elapsed_ms + thinking_ms,
        banks_ms=banks_ms,
    )
    facts: dict[Any, Any] = {"latest": FAR_MS, "started": before.started_ms}
    facts |= {"deadline": before.deadline_ms, "elapsed": 0}
    facts |= {f"bank{seat}": bank_ms for seat, bank_ms in enumerate(banks_ms)}
    await server.hset(match_keys("m1").match, mapping=facts)
    past = await _put_outages(server, pauses_ms)
    credit_ms = past.credit_ms(before.started_ms, FAR_MS)

    change = move(
        mover=mover,
        to_act=to_act,
        window_ms=window_ms,
        ending=ending,
        judge_time=False,
    )
    result = await store.apply(change)

    assert isinstance(result, Applied)
    assert result.now_ms == FAR_MS
    assert result.clock == advance(
        before,
        policy,
        now_ms=FAR_MS,
        mover=mover,
        to_act=to_act,
        window_ms=window_ms,
        ending=ending,
        credit_ms=credit_ms,
    )
    assert result.credit_ms == credit_ms
    held = await store.read("m1")
    assert held is not None
    assert held.clock == result.clock


async def _put_outages(server: Redis, pauses_ms: list[tuple[int, int]]) -> Heartbeat:
    """Let outages have been, with times between them, until `FAR_MS`."""
    to_ms, found = FAR_MS, []
    for length_ms, apart_ms in pauses_ms:
        found.append(Outage(to_ms - length_ms, to_ms))
        to_ms -= length_ms + apart_ms
    past = Heartbeat(at_ms=FAR_MS, outages=tuple(reversed(found)))
    keys = shard_keys(shard_of("m1"))
    ended_ms = past.outages[-1].to_ms if past.outages else 0
    await server.hset(keys.beat, mapping={"at": FAR_MS, "ended": ended_ms})
    for outage in past.outages:
        await server.rpush(keys.outage, f"{outage.from_ms}:{outage.to_ms}")
    return past


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    steps_ms=st.lists(
        st.sampled_from(
            [0, 1, -1, 99, 100, 250, 2_000, 2_001, -5_000, 5_001, 7_200_000]
        )
        | st.integers(-9_000, 9_000),
        min_size=1,
        max_size=25,
    ),
    started_ms=st.integers(-1_000, 100_000),
)
async def test_the_script_and_the_record_agree_on_heartbeats_and_credit(
    server: Redis, *, steps_ms: list[int], started_ms: int
) -> None:
    await server.flushall()
    keys = ["beat", "outage", "deadline"]
    clock_ms, twin = FAR_MS, Heartbeat()
    started_ms += FAR_MS
    for place, step_ms in enumerate(steps_ms):
        clock_ms += step_ms
        asked = await server.eval(
            _at(READ_HEARTBEAT, clock_ms), 2, *keys[:2], str(started_ms)
        )
        known = sum(
            max(0, outage.to_ms - max(outage.from_ms, started_ms))
            for outage in twin.outages
        )
        assert asked == [twin.now_ms(clock_ms), twin.at_ms or 0, known]
        # Now and then nobody is there to say so.
        if place % 3 == 2:
            continue
        before, twin = twin, twin.beat(clock_ms)
        outage_ms = await server.eval(_at(BEAT.text, clock_ms), 3, *keys, "wake")

        new = twin.outages if twin.outages != before.outages else ()
        assert outage_ms == sum(one.to_ms - one.from_ms for one in new[-1:])
        held = await server.hgetall("beat")
        assert (int(held["at"]), int(held["skew"])) == (twin.at_ms, twin.skew_ms)
        assert await server.lrange("outage", 0, -1) == [
            f"{one.from_ms}:{one.to_ms}" for one in twin.outages
        ]


READ_HEARTBEAT = (
    "#!lua flags=no-writes\n"
    + CLOCK
    + HEARTBEAT
    + CREDIT
    + """
local now, at, ended = shard_time(KEYS[1])
return {now, at or 0, credit_since(KEYS[2], ended, tonumber(ARGV[1]))}
"""
)


def _at(text: str, clock_ms: int) -> str:
    """Return a script for which the server's clock shows a time."""
    seconds, rest_ms = divmod(clock_ms, 1000)
    shown = f"{{'{seconds}', '{rest_ms * 1000 + 999}'}}"
    assert "redis.call('TIME')" in text
    return text.replace("redis.call('TIME')", shown)


async def test_of_many_outages_the_server_keeps_the_latest(server: Redis) -> None:
    twin = Heartbeat()
    for clock_ms in range(FAR_MS, FAR_MS + 3_000 * (OUTAGE_LIMIT + 5), 3_000):
        twin = twin.beat(clock_ms)
        await server.eval(_at(BEAT.text, clock_ms), 3, "beat", "outage", "due", "wake")

    kept = await server.lrange("outage", 0, -1)
    assert kept == [f"{one.from_ms}:{one.to_ms}" for one in twin.outages]
    assert len(kept) == OUTAGE_LIMIT


@pytest.mark.parametrize("after_ms", [0, 249, 250, 251, 10_000])
@pytest.mark.parametrize("refusal", [False, True], ids=["move", "refusal"])
async def test_the_script_and_the_record_agree_on_what_is_late(
    store: RedisStore, server: Redis, after_ms: int, *, refusal: bool
) -> None:
    await store.create(creation())
    await server.hset(
        match_keys("m1").match,
        mapping={"latest": FAR_MS, "deadline": FAR_MS - after_ms},
    )
    late = is_late(FAR_MS, FAR_MS - after_ms, STANDARD.grace_ms)

    if not refusal:
        timeout = await store.apply(move(9, due_only=True))
        assert (timeout is Refusal.NOT_DUE) == (not late)
    result = await store.apply(move(refusal=refusal))

    assert (result is Refusal.LATE) == late
    assert isinstance(result, Applied) == (not late)


async def test_time_stands_still_after_a_step_back_of_the_servers_clock(
    store: RedisStore, server: Redis
) -> None:
    await store.create(creation())
    await server.hset(match_keys("m1").match, "latest", FAR_MS)

    first = await store.apply(move(1, judge_time=False))
    second = await store.apply(move(2))

    assert isinstance(first, Applied)
    assert isinstance(second, Applied)
    assert first.now_ms == second.now_ms == FAR_MS
    assert [entry.time_ms for entry in await store.log("m1")][1:] == [FAR_MS, FAR_MS]
    held = await store.read("m1")
    assert held is not None
    assert held.now_ms == FAR_MS


async def test_the_latest_time_of_a_match_is_kept_with_every_step(
    store: RedisStore, server: Redis
) -> None:
    await store.create(creation())
    changes = [move(1, refusal=True), move(1, expected_refusals=1), move(2)]
    for change in changes:
        # Whatever was kept before, this step must replace it.
        await server.hset(match_keys("m1").match, "latest", 0)
        result = await store.apply(change)
        assert isinstance(result, Applied)
        kept = await server.hget(match_keys("m1").match, "latest")
        assert kept == str(result.now_ms)
