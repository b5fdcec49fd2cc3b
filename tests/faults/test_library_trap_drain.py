"""L10: a referee that stops says so, and finishes what it has begun."""

import asyncio
import time
from pathlib import Path

import grpc.aio
import pytest
from tests.faults.trap import watched_referee
from tests.faults.wire import refusal_of

pytestmark = pytest.mark.slow

WATCHERS = 30
DRAINED_S = 8.0


async def test_open_streams_do_not_hold_up_the_end(folder: Path) -> None:
    async with watched_referee(folder, "ginref") as watched:
        wire = watched.wire()
        calls = [wire.watch(watched.match_id, "") for _ in range(WATCHERS)]
        cursors = [(await call.read()).cursor for call in calls]
        start = time.monotonic()
        stopping = asyncio.create_task(asyncio.to_thread(watched.referee.stop))
        ends = []
        for call in calls:
            with pytest.raises(grpc.aio.AioRpcError) as ended:
                await call.read()
            ends.append(refusal_of(ended.value).reason)
        code = await stopping
        took_s = time.monotonic() - start

        await asyncio.to_thread(watched.referee.start)
        again = watched.wire()
        await again.referee("AbortMatch", within=20, match_id=watched.match_id)
        resumed = [again.watch(watched.match_id, cursor) for cursor in cursors]
        heard = [[step async for step in call] for call in resumed]
    assert ends == ["REFEREE_DRAINING"] * WATCHERS
    assert code == 0
    assert took_s < DRAINED_S
    for (step,) in heard:
        assert [event.WhichOneof("event") for event in step.events] == ["ended"]
