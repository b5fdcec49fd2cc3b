"""L07 to L09: limits are told at once, and are no silence."""

import asyncio
from pathlib import Path

import grpc.aio
import pytest
from tests.faults.hasty_referee import CALL_LIMIT, STREAM_LIMIT
from tests.faults.proxy import FaultProxy, Mode
from tests.faults.trap import burst, watched_referee
from tests.faults.wire import refusal_of

from ginref_client.referee import Referee

pytestmark = pytest.mark.slow


async def test_a_call_too_many_is_refused_at_once(folder: Path) -> None:
    async with watched_referee(folder, "tests.faults.hasty_referee") as watched:
        wires = [watched.wire() for _ in range(CALL_LIMIT // STREAM_LIMIT)]
        calls = [
            wire.watch(watched.match_id, "")
            for wire in wires
            for _ in range(STREAM_LIMIT)
        ]
        for call in calls:
            await call.read()
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await watched.wire().referee(
                "GetMatch", within=20, match_id=watched.match_id
            )
        for call in calls:
            call.cancel()
    assert refused.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert not refusal_of(refused.value).is_final


async def test_watching_many_matches_starves_no_call_of_the_client(
    folder: Path,
) -> None:
    async with watched_referee(folder, "tests.faults.hasty_referee") as watched:
        address, token = watched.referee.address, watched.referee.token()
        async with Referee(address, token, attempts=1, deadline=20) as referee:
            steps = [referee.watch(watched.match_id) for _ in range(STREAM_LIMIT)]
            for step in steps:
                await anext(step)
            found = await referee.get_match(watched.match_id)
            for step in steps:
                await step.aclose()  # type: ignore[attr-defined]
    assert found.match.match_id == watched.match_id


async def test_a_burst_of_calls_is_answered(folder: Path) -> None:
    async with watched_referee(folder, "ginref") as watched:
        ends = await burst(watched, 1_500)

    assert ends == {"answered": 1_500}


async def test_a_way_that_is_slow_is_a_way(folder: Path) -> None:
    async with watched_referee(folder, "ginref") as watched:
        port = int(watched.referee.address.rpartition(":")[2])
        async with FaultProxy(port) as proxy:
            # What a handshake takes from the other side of the world, and then some.
            proxy.set(Mode.DELAY, delay_s=0.7)
            token = watched.referee.token()
            async with Referee(
                proxy.address, token, attempts=1, deadline=20
            ) as referee:
                async with asyncio.timeout(20):
                    found = await referee.get_match(watched.match_id)
    assert found.match.match_id == watched.match_id
