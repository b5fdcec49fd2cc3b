"""Traps of the store's driver, sprung on purpose: small in a test, large in a soak.

Each function does something that has gone wrong elsewhere, sees that it does not go
wrong here, and returns what it has counted. L01 and L02 are their names.
"""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from tests.contract.redis_fleet import binary_of
from tests.contract.store_table import creation, key, move
from tests.faults.proxy import FaultProxy, Mode
from tests.faults.store_server import StoreServer

from ginref.adapters.redis_connection import RedisConnection
from ginref.adapters.redis_store import open_store
from ginref.app.match_store import Applied, Duplicate
from ginref.app.port import StoreUnavailableError


@asynccontextmanager
async def delayed_store(folder: Path) -> AsyncIterator[tuple[StoreServer, FaultProxy]]:
    """Run a store behind a proxy."""
    store = StoreServer(binary_of("valkey"), folder)
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
    assert seen["foreign"] == seen["unavailable"] == 0, seen
    assert seen["own"], seen
    assert seen["cancelled"], seen
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
    assert seen["told"] < seen["counted"] <= seen["sent"] == count, seen
    assert seen["applied"] + seen["known already"] == count, seen
    assert seen["entries"] == count + 1, seen
    assert seen["known already"], seen
    return seen
