"""Traps of the libraries below, sprung on purpose: small in a test, large in a soak.

Each function does something that has gone wrong elsewhere, and returns what came of
it. L01 to L10 are their names in this project.
"""

import asyncio
import random
import time
import urllib.request
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path

import grpc.aio
from tests.contract.redis_fleet import binary_of
from tests.contract.store_table import creation, key, move
from tests.e2e.referee_process import RefereeProcess
from tests.faults.proxy import FaultProxy, Mode
from tests.faults.rig import StoreServer, search_path
from tests.faults.wire import Wire, refusal_of

from ginref.adapters.redis_connection import RedisConnection
from ginref.adapters.redis_store import open_store
from ginref.app.match_store import Applied, Duplicate
from ginref.app.port import StoreUnavailableError
from ginref.v1 import referee_service_pb2 as referee_pb
from ginref.v1 import ruleset_pb2

BOTS = ("ada", "bob")


# --- the driver of the store --------------------------------------------------


@asynccontextmanager
async def delayed_store(folder: Path) -> AsyncIterator[tuple[StoreServer, FaultProxy]]:
    """Run a store behind a proxy."""
    store = StoreServer(binary_of("redis"), folder)
    try:
        await asyncio.to_thread(store.start)
        async with FaultProxy(store.port, seed=1) as proxy:
            yield store, proxy
    finally:
        store.kill()


async def cancel_storm(folder: Path, count: int, seed: int = 1) -> Counter[str]:
    """L01: cancel commands at any moment; the others must get their own answers."""
    chance = random.Random(seed)
    seen: Counter[str] = Counter()
    async with delayed_store(folder) as (store, proxy):
        connection = RedisConnection(f"redis://{proxy.address}")
        for number in range(200):
            store.ask("SET", f"key{number}", f"value{number}")
        proxy.set(Mode.DELAY, delay_s=0.02)

        async def one(number: int) -> None:
            name = number % 200
            call = asyncio.ensure_future(connection.command("GET", f"key{name}"))
            if chance.random() < 0.5:
                await asyncio.sleep(chance.uniform(0, 0.08))
                call.cancel()
            try:
                answer = await call
            except asyncio.CancelledError:
                seen["cancelled"] += 1
            except StoreUnavailableError:
                seen["unavailable"] += 1
            else:
                is_own = answer == f"value{name}".encode()
                seen["own" if is_own else "foreign"] += 1

        for start in range(0, count, 50):
            await asyncio.gather(*(one(start + number) for number in range(50)))
        proxy.set(Mode.PASS)
        await connection.aclose()
    return seen


async def lost_replies(folder: Path, count: int) -> Counter[str]:
    """L02: lose replies to counting and to moves; nothing may happen twice."""
    seen: Counter[str] = Counter()
    async with delayed_store(folder) as (store, proxy):
        connection = RedisConnection(f"redis://{proxy.address}")
        match_store = open_store(f"redis://{proxy.address}")
        await match_store.create(creation("m1"))
        proxy.set(Mode.DROP_REPLY, chance=0.3)
        for number in range(count):
            with suppress(StoreUnavailableError):
                seen["told"] += bool(await connection.command("INCR", "counter"))
            seen["sent"] += 1
            version = 1 + number
            change = move(
                version,
                match_id="m1",
                key=key(f"{version:010}"),
                entry=b"move",
                judge_time=False,
            )
            while True:
                try:
                    result = await match_store.apply(change)
                except StoreUnavailableError:
                    seen["tried again"] += 1
                    continue
                seen["applied"] += isinstance(result, Applied)
                seen["known already"] += isinstance(result, Duplicate)
                break
        proxy.set(Mode.PASS)
        seen["entries"] = len(await match_store.log("m1"))
        await connection.aclose()
        await match_store.aclose()
        seen["counted"] = int(store.ask("GET", "counter").split(b"\r\n")[-1])
    return seen


# --- gRPC ---------------------------------------------------------------------


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

    async def metric(self, name: str) -> float:
        """Return a figure that the referee tells."""
        url = f"http://{self.referee.admin}/metrics"

        def get() -> str:
            with urllib.request.urlopen(url, timeout=10) as answer:
                text: str = answer.read().decode()
                return text

        lines = (await asyncio.to_thread(get)).splitlines()
        return float(next(line.split()[1] for line in lines if line.startswith(name)))

    async def settles(self, name: str, value: float, patience_s: float) -> float:
        """Wait until a metric has a value; return how long it took."""
        start = time.monotonic()
        while await self.metric(name) != value:
            if time.monotonic() - start > patience_s:
                raise TimeoutError(f"{name} is {await self.metric(name)}")
            await asyncio.sleep(0.05)
        return time.monotonic() - start


@asynccontextmanager
async def watched_referee(folder: Path, program: str) -> AsyncIterator[Watched]:
    """Run a referee with a match to watch."""
    referee = RefereeProcess(
        folder / "data",
        program=program,
        environment={"PYTHONPATH": search_path()},
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


async def cancel_watches(watched: Watched, count: int) -> float:
    """L05: watch and go away again and again; return the growth in megabytes."""
    wire = watched.wire()

    async def one() -> None:
        call = wire.watch(watched.match_id, "")
        await call.read()
        call.cancel()

    async def many(number: int) -> None:
        for _ in range(number // 50):
            await asyncio.gather(*(one() for _ in range(50)))

    await many(500)
    before = watched.memory_mb()
    await many(count)
    await watched.settles("ginref_watchers", 0, 10)
    return watched.memory_mb() - before


async def burst(watched: Watched, count: int) -> Counter[str]:
    """L09: make many calls in one moment; return how they ended."""
    wires = [watched.wire() for _ in range(4)]
    request = referee_pb.GetMatchRequest(match_id=watched.match_id)
    ends: Counter[str] = Counter()

    async def one(number: int) -> None:
        try:
            await wires[number % 4].send("GetMatch", request, within=30)
        except grpc.aio.AioRpcError as error:
            ends[f"{error.code().name} {refusal_of(error).reason}"] += 1
        else:
            ends["answered"] += 1

    await asyncio.gather(*map(one, range(count)))
    return ends
