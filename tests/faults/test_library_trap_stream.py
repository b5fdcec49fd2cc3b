"""L05 and L06: streams that are left, and streams that are not read."""

from collections import Counter
from pathlib import Path
from typing import Any

import grpc.aio
import pytest
from tests.e2e.table import Table, play
from tests.faults.trap import BOTS, cancel_watches, watched_referee
from tests.faults.wire import refusal_of

from ginref_client.bots.simple import Simple
from ginref_client.session import Session

pytestmark = pytest.mark.slow

UNREAD = 10

SMALL_WINDOW = (("grpc.http2.lookahead_bytes", 4096), ("grpc.http2.bdp_probe", 0))
"""Options of a caller that takes little beyond what it reads."""


async def test_streams_that_are_left_leave_nothing_behind(folder: Path) -> None:
    async with watched_referee(folder, "ginref") as watched:
        grown_mb = await cancel_watches(watched, 2_000)

        assert await watched.metric("ginref_watchers") == 0
    assert grown_mb < 10


async def test_a_stream_that_is_not_read_is_dropped_and_holds_up_nobody(
    folder: Path,
) -> None:
    async with watched_referee(folder, "tests.faults.hasty_referee") as watched:
        address, token = watched.referee.address, watched.referee.token()
        wire = watched.wire(*SMALL_WINDOW)
        match_id = await Table(address, token).create_match("gin", bots=BOTS)
        calls = [wire.watch(match_id, "") for _ in range(UNREAD)]
        for call in calls:
            await call.read()
        before_mb = watched.memory_mb()

        await play([Session(address, one, Simple) for one in watched.tokens.values()])

        await watched.settles("ginref_watchers", 0, 10)
        grown_mb = watched.memory_mb() - before_mb
        ends = Counter([await _end(call) for call in calls])
    assert ends == {"LIMIT_EXCEEDED": UNREAD}
    assert grown_mb < 20


async def _end(call: Any) -> str:  # noqa: ANN401 - a stream
    """Read what has come, and return why there is no more."""
    try:
        while await call.read() is not grpc.aio.EOF:
            pass
    except grpc.aio.AioRpcError as error:
        return refusal_of(error).reason
    return "whole"
