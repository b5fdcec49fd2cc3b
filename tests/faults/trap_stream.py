"""Traps of gRPC, sprung on purpose: small in a test, large in a soak.

Each function does something that has gone wrong elsewhere, sees that it does not go
wrong here, and returns what it has counted. L05 to L10 are their names.
"""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import grpc.aio
from tests.e2e.referee_process import RefereeProcess
from tests.e2e.table import Table, play
from tests.faults.rig import search_path
from tests.faults.wire import Wire, refusal_of

from ginref.v1 import referee_service_pb2 as referee_pb
from ginref.v1 import ruleset_pb2
from ginref_client.bots.simple import Simple
from ginref_client.referee import Referee
from ginref_client.session import Session

BOTS = ("ada", "bob")

HASTY = "tests.faults.hasty_referee"

STREAMS = 16
"""Streams that a hasty referee allows on a connection."""

SETTLED_S = 60.0

SMALL_WINDOW = (("grpc.http2.lookahead_bytes", 4096), ("grpc.http2.bdp_probe", 0))
"""Options of a caller that takes little beyond what it reads."""


class Watched:
    """A referee with a match that can be watched."""

    def __init__(self, referee: RefereeProcess) -> None:
        self.referee = referee
        self.match_id = ""
        self.tokens: dict[str, str] = {}
        self._stack = AsyncExitStack()

    def wire(self, *options: tuple[str, int]) -> Wire:
        """Return a channel of its own."""
        wire = Wire(self.referee.address, self.referee.token(), options)
        self._stack.push_async_callback(wire.close)
        return wire

    async def prepare(self) -> None:
        """Create the match."""
        wire = self.wire()
        self.tokens = await wire.register(list(BOTS))
        made = await wire.send(
            "CreateMatch",
            referee_pb.CreateMatchRequest(
                request_id="watched",
                ruleset=ruleset_pb2.RulesetChoice(preset="gin"),
                bots=BOTS,
                clock_preset="research",
            ),
            within=20,
        )
        self.match_id = made.match.match_id

    async def close(self) -> None:
        await self._stack.aclose()

    def memory_mb(self) -> float:
        """Return the memory that the referee holds, in megabytes."""
        assert self.referee.process is not None
        text = Path(f"/proc/{self.referee.process.pid}/status").read_text()
        line = next(line for line in text.splitlines() if line.startswith("VmRSS"))
        return int(line.split()[1]) / 1024

    async def settles(
        self, name: str, value: float, patience_s: float = SETTLED_S
    ) -> float:
        """Wait until a metric has a value; return how long it took."""
        start = time.monotonic()
        while (found := await asyncio.to_thread(self.referee.metric, name)) != value:
            if time.monotonic() - start > patience_s:
                raise TimeoutError(f"{name} is {found}")
            await asyncio.sleep(0.05)
        return time.monotonic() - start


@asynccontextmanager
async def watched_referee(
    folder: Path, program: str = "ginref", call_limit: int = 64
) -> AsyncIterator[Watched]:
    """Run a referee with a match to watch; only a hasty one heeds the limit."""
    referee = RefereeProcess(
        folder / "data",
        program=program,
        environment={"PYTHONPATH": search_path(), "CALL_LIMIT": str(call_limit)},
        options=("--dev",),
    )
    watched = Watched(referee)
    try:
        await asyncio.to_thread(referee.start)
        await watched.prepare()
        yield watched
    finally:
        await watched.close()
        referee.kill()


async def cancel_watches(folder: Path, count: int) -> dict[str, float]:
    """L05: watch and go away again and again; it leaves nothing behind.

    Args:
        folder: For the referee.
        count: Of watches, in five parts of which each is a multiple of 50.
    """
    async with watched_referee(folder) as watched:
        wire = watched.wire()

        async def one() -> None:
            call = wire.watch(watched.match_id, "")
            await call.read()
            call.cancel()

        async def many(number: int) -> None:
            for _ in range(number // 50):
                await asyncio.gather(*(one() for _ in range(50)))

        await many(500)
        sizes_mb = [watched.memory_mb()]
        for _ in range(5):
            await many(count // 5)
            await watched.settles("ginref_watchers", 0)
            sizes_mb.append(watched.memory_mb())
    grown_mb = sizes_mb[-1] - sizes_mb[0]
    assert grown_mb < 10, sizes_mb
    return {
        "watches": count,
        "grown_mb": round(grown_mb, 1),
        "grown_mb_in_the_last_fifth": round(sizes_mb[-1] - sizes_mb[-2], 1),
    }


async def unread_streams(folder: Path, count: int) -> dict[str, float]:
    """L06: watch and do not read; it is dropped, and holds up nobody."""
    async with watched_referee(folder, HASTY, call_limit=count + 16) as watched:
        address, token = watched.referee.address, watched.referee.token()
        wires = [watched.wire(*SMALL_WINDOW) for _ in range(-(-count // STREAMS))]
        match_id = await Table(address, token).create_match("gin", bots=BOTS)
        calls = [wires[n // STREAMS].watch(match_id, "") for n in range(count)]
        for call in calls:
            await call.read()
        before_mb = watched.memory_mb()
        await play([Session(address, one, Simple) for one in watched.tokens.values()])
        await watched.settles("ginref_watchers", 0)
        grown_mb = watched.memory_mb() - before_mb
        ends = Counter([await _end(call) for call in calls])
    assert ends == {"LIMIT_EXCEEDED": count}, ends
    assert grown_mb < 20, grown_mb
    return {"dropped": count, "grown_mb": round(grown_mb, 1)}


async def _end(call: Any) -> str:  # noqa: ANN401 - a stream
    """Read what has come, and return why there is no more."""
    try:
        while await call.read() is not grpc.aio.EOF:
            pass
    except grpc.aio.AioRpcError as error:
        return refusal_of(error).reason
    return "whole"


async def calls_too_many(folder: Path, count: int, *, limit: int = 64) -> Counter[str]:
    """L07: call when a referee has as many calls as it takes; it refuses at once."""
    ends: Counter[str] = Counter()
    async with watched_referee(folder, HASTY, call_limit=limit) as watched:
        wires = [watched.wire() for _ in range(limit // STREAMS)]
        calls = [wire.watch(watched.match_id, "") for wire in wires * STREAMS]
        for call in calls:
            await call.read()
        wire = watched.wire()
        for _ in range(count):
            try:
                await wire.referee("GetMatch", within=60, match_id=watched.match_id)
            except grpc.aio.AioRpcError as error:
                word = "finally " if refusal_of(error).is_final else ""
                ends[word + error.code().name] += 1
        for call in calls:
            call.cancel()
    assert ends == {"RESOURCE_EXHAUSTED": count}, ends
    return ends


async def many_watches(folder: Path, count: int, program: str = HASTY) -> Counter[str]:
    """L08: watch as many matches as a connection takes; other calls go through."""
    async with watched_referee(folder, program) as watched:
        address, token = watched.referee.address, watched.referee.token()
        async with Referee(address, token, attempts=1, deadline=60) as referee:
            steps = [referee.watch(watched.match_id) for _ in range(count)]
            for step in steps:
                await anext(step)
            found = await referee.get_match(watched.match_id)
            for step in steps:
                await step.aclose()  # type: ignore[attr-defined]
    assert found.match.match_id == watched.match_id
    return Counter(watches=count, answered=1)


async def burst(folder: Path, count: int) -> Counter[str]:
    """L09: make many calls in one moment; all of them are answered."""
    ends: Counter[str] = Counter()
    async with watched_referee(folder) as watched:
        wires = [watched.wire() for _ in range(4)]
        request = referee_pb.GetMatchRequest(match_id=watched.match_id)

        async def one(number: int) -> None:
            try:
                await wires[number % 4].send("GetMatch", request, within=120)
            except grpc.aio.AioRpcError as error:
                ends[f"{error.code().name} {refusal_of(error).reason}"] += 1
            else:
                ends["answered"] += 1

        await asyncio.gather(*map(one, range(count)))
    assert ends == {"answered": count}, ends
    return ends


async def drain(folder: Path, count: int) -> dict[str, float]:
    """L10: stop a referee with open streams; they are told, and go on afterwards."""
    async with watched_referee(folder) as watched:
        wire = watched.wire()
        calls, cursors = [], []
        # One after another: a burst of them is another trap.
        for _ in range(count):
            calls.append(wire.watch(watched.match_id, ""))
            cursors.append((await calls[-1].read()).cursor)
        start = time.monotonic()
        stopping = asyncio.create_task(asyncio.to_thread(watched.referee.stop))
        ends = Counter([await _end(call) for call in calls])
        code = await stopping
        took_s = time.monotonic() - start
        await asyncio.to_thread(watched.referee.start)
        again = watched.wire()
        await again.referee("AbortMatch", within=60, match_id=watched.match_id)
        heard = [
            [step async for step in again.watch(watched.match_id, cursor)]
            for cursor in cursors
        ]
    assert ends == {"REFEREE_DRAINING": count}, ends
    assert code == 0
    for (step,) in heard:
        assert [event.WhichOneof("event") for event in step.events] == ["ended"]
    return {"drained": count, "seconds": round(took_s, 1)}
