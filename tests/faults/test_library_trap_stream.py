"""L05 to L10: streams that are left or not read, limits, bursts, and stops."""

import asyncio
from pathlib import Path

import pytest
from tests.faults.proxy import FaultProxy, Mode
from tests.faults.trap_stream import (
    STREAMS,
    burst,
    calls_too_many,
    cancel_watches,
    drain,
    many_watches,
    unread_streams,
    watched_referee,
)

from ginref_client.referee import Referee

pytestmark = pytest.mark.slow


async def test_streams_that_are_left_leave_nothing_behind(folder: Path) -> None:
    await cancel_watches(folder, 2_000)


async def test_a_stream_that_is_not_read_is_dropped_and_holds_up_nobody(
    folder: Path,
) -> None:
    await unread_streams(folder, 10)


async def test_a_call_too_many_is_refused_at_once(folder: Path) -> None:
    await calls_too_many(folder, 3)


async def test_watching_many_matches_starves_no_call_of_the_client(
    folder: Path,
) -> None:
    await many_watches(folder, STREAMS)


async def test_a_burst_of_calls_is_answered(folder: Path) -> None:
    await burst(folder, 1_500)


async def test_open_streams_do_not_hold_up_the_end(folder: Path) -> None:
    await drain(folder, 30)


async def test_a_way_that_is_slow_is_a_way(folder: Path) -> None:
    async with watched_referee(folder) as watched:
        port = int(watched.referee.address.rpartition(":")[2])
        async with FaultProxy(port) as proxy:
            # What a handshake takes from the other side of the world, and then some.
            proxy.set(Mode.DELAY, delay_s=0.7)
            token = watched.referee.token()
            async with Referee(
                proxy.address, token, attempts=1, deadline=60
            ) as referee:
                async with asyncio.timeout(60):
                    found = await referee.get_match(watched.match_id)
    assert found.match.match_id == watched.match_id
