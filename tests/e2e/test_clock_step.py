"""A store whose clock is set: by hours, forward and back, in the middle of matches."""

import asyncio
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from redis.asyncio import Redis
from tests.e2e.referee_process import RefereeProcess
from tests.e2e.table import PATIENCE, Table, play, verify

from ginref.adapters.embedded_server import server_binary
from ginref.record.lifecycle import EndingKind
from ginref.record.verify import Finding
from ginref.v1 import clock_pb2
from ginref_client.bots.careful import Careful
from ginref_client.bots.simple import Simple
from ginref_client.session import Session

BRIEF = clock_pb2.ClockPolicy(
    name="custom", start_ms=4_000, free_ms=100, bank_ms=20_000, cap_ms=3_000, grace_ms=0
)
_LISTS = (":live", ":deadline", ":outbox")
HOURS_MS = 2 * 3_600_000


def _libraries() -> list[Path]:
    return sorted(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))


@dataclass
class ClockedStore:
    """A server whose clock a test can set."""

    url: str
    offset: Path

    def turn(self, offset: str) -> None:
        """Set the clock off from the true time, such as `+2h`."""
        fresh = self.offset.with_suffix(".new")
        fresh.write_text(f"{offset}\n")
        fresh.replace(self.offset)

    async def now_s(self) -> int:
        """Return the time that the server's clock shows."""
        async with Redis.from_url(self.url) as client:
            return int((await client.time())[0])

    async def keys(self) -> set[str]:
        """Return all keys but those of lists that may run empty; none may expire."""
        async with Redis.from_url(self.url, decode_responses=True) as client:
            names = [str(name) for name in await client.keys()]
            assert {await client.ttl(name) for name in names} == {-1}
        return {name for name in names if not name.endswith(_LISTS)}


@pytest.fixture
def clocked(folder: Path) -> Iterator[ClockedStore]:
    """Return a store that believes what a file says about the time."""
    libraries = _libraries()
    if not libraries:
        pytest.skip("libfaketime is not installed")
    path = folder / "store.sock"
    store = ClockedStore(f"unix://{path}", folder / "offset")
    store.turn("+0")
    environment = {
        "LD_PRELOAD": str(libraries[0]),
        "FAKETIME_TIMESTAMP_FILE": str(store.offset),
        "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }
    command = [
        *(str(server_binary()), "--port", "0", "--unixsocket", str(path)),
        *("--dir", str(folder)),
        *("--save", "", "--appendonly", "yes"),
    ]
    with (folder / "store.log").open("wb") as log:
        process = subprocess.Popen(
            command, stdout=log, stderr=log, env={**os.environ, **environment}
        )
    yield store
    process.kill()
    process.wait()


async def _until(store: ClockedStore, shown_s: int) -> None:
    """Wait until the server's clock shows about a time."""
    async with asyncio.timeout(PATIENCE):
        while abs(await store.now_s() - shown_s) > 60:  # noqa: ASYNC110 - it is elsewhere
            await asyncio.sleep(0.02)


async def test_a_clock_that_jumps_flags_nobody_and_still_runs(
    folder: Path, clocked: ClockedStore
) -> None:
    referee = RefereeProcess(folder / "data", store=clocked.url)
    async with asyncio.timeout(PATIENCE):
        while not (folder / "store.sock").exists():  # noqa: ASYNC110 - it is elsewhere
            await asyncio.sleep(0.02)
    try:
        await asyncio.to_thread(referee.start)
        table = Table(referee.address, referee.token())
        careful, simple, *_ = await table.bot_tokens(("ada", "bob", "eve", "zoe"))
        match_id = await table.create_match(clock=BRIEF)
        playing = asyncio.create_task(
            play(
                [
                    Session(referee.address, careful, Careful),
                    Session(referee.address, simple, Simple),
                ]
            )
        )
        await table.reach(match_id, 30)
        start_s, keys = await clocked.now_s(), await clocked.keys()

        clocked.turn("+2h")
        await _until(clocked, start_s + HOURS_MS // 1000)
        await table.reach(match_id, 60)
        silent = await table.create_match(bots=("eve", "zoe"), clock=BRIEF)
        keys_ahead = await clocked.keys()
        clocked.turn("-2h")
        await _until(clocked, start_s - HOURS_MS // 1000)
        await table.reach(match_id, 90)
        unheard = await table.create_match(bots=("eve", "zoe"), clock=BRIEF)

        heard = await playing
        keys_behind = await clocked.keys()
        verdict, *others = [
            verify(await table.record(one), referee.data / "keys")
            for one in (match_id, silent, unheard)
        ]
    finally:
        referee.kill()
    assert keys <= keys_ahead <= keys_behind
    assert [one.ending.kind for (one,) in heard] == [EndingKind.COMPLETED] * 2
    assert verdict.finding is Finding.VALID, verdict.problem
    assert verdict.replayed is not None
    assert HOURS_MS * 0.99 < verdict.replayed.credit_ms < HOURS_MS * 1.01
    # Nobody took these seats, and time went on for them all the same.
    for other in others:
        assert other.finding is Finding.VALID, other.problem
        assert other.record is not None
        created, end = (one.time_ms for one in other.record.entries)
        assert BRIEF.start_ms < end - created < HOURS_MS / 10
        assert other.record.document["ending"]["kind"] == EndingKind.NO_SHOW
