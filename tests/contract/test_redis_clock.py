"""Time as the script of a Redis store counts it, against the record's own count."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from redis.asyncio import Redis
from tests.contract.store_table import creation, move

from ginref.adapters.redis_script import match_keys
from ginref.adapters.redis_store import RedisStore
from ginref.app.match_store import Applied, Refusal
from ginref.record.clock import STANDARD, ClockPolicy, StoredClock, advance, is_late

pytestmark = pytest.mark.redis

FAR_MS = 4_000_000_000_000
"""A time that no clock shows yet."""

times = st.integers(0, 10_000_000)
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
    )
    held = await store.read("m1")
    assert held is not None
    assert held.clock == result.clock


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
