"""Very many deadlines that pass at the same moment, and two processes that sweep.

`TIMEOUTS=10000` makes it as many as a referee is built for.
"""

import asyncio
import os
import re
import secrets
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from tests.e2e.referee_process import RefereeProcess
from tests.e2e.table import PATIENCE
from tests.unit.app.tool import MemoryArchive, SameChance, Tally

from ginref.adapters.key_folder import KeyFolder
from ginref.adapters.redis_store import RedisStore, open_store
from ginref.adapters.sealing import AesSealer
from ginref.app.caller import Caller, Role
from ginref.app.desk import Desk, Tools
from ginref.app.gate import Gate
from ginref.app.keeper import Keeper
from ginref.app.port import StoreUnavailableError
from ginref.app.report import MatchFacts
from ginref.app.request import NewMatch
from ginref.engine.ruleset import GIN
from ginref.record.clock import FAST
from ginref.record.entry import TimedOut, decode_entry
from ginref.record.setup import DealSource

COUNT = int(os.environ.get("TIMEOUTS", "2000"))
AT_ONCE = 200
HOST = Caller(token_id="t-host", role=Role.ORGANIZER)


async def _desk(store: RedisStore, keys: Path) -> Desk:
    """Return a referee that creates matches, and two bots that it knows."""
    registry, chance = store.registry(), SameChance()
    gate = Gate(registry, chance, lambda: 0)
    await gate.create_owner(HOST, "lab")
    for bot in ("eve", "zoe"):
        await gate.create_bot(HOST, bot, "lab", house=False)
    return Desk(
        Tools(
            store=store,
            registry=registry,
            keeper=Keeper(store, AesSealer.open_or_create(keys)),
            signer=KeyFolder.open_or_create(keys).signer,
            archive=MemoryArchive(),
            chance=chance,
            observer=Tally(),
            engine="0.1.0",
        )
    )


def _new_match(start_ms: int) -> NewMatch:
    return NewMatch(
        request_id=secrets.token_hex(8),
        ruleset=GIN,
        bots=("eve", "zoe"),
        clock=replace(FAST, name="custom", start_ms=start_ms),
        strikes_allowed=3,
        deal_source=DealSource.SHARES,
        seed=None,
    )


async def _made(desk: Desk, new: NewMatch) -> MatchFacts:
    """Create a match, however often a busy machine keeps the store from answering."""
    while True:
        try:
            return await desk.create_match(HOST, new)
        except StoreUnavailableError:
            await asyncio.sleep(0.1)


async def _create(desk: Desk, store: RedisStore) -> tuple[list[str], int]:
    """Create matches whose deadlines are all in the same moment, and that moment."""
    loop = asyncio.get_running_loop()
    probe = await _made(desk, _new_match(PATIENCE * 1000))
    held = await store.read(probe.match_id)
    assert held is not None
    await desk.abort_match(HOST, probe.match_id)
    start, due_ms = loop.time(), held.now_ms + 4_000 + COUNT * 4
    match_ids: list[str] = []
    while len(match_ids) < COUNT:
        passed_ms = round((loop.time() - start) * 1000)
        new = _new_match(due_ms - held.now_ms - passed_ms)
        count = min(AT_ONCE, COUNT - len(match_ids))
        made = await asyncio.gather(
            *(
                _made(desk, replace(new, request_id=secrets.token_hex(8)))
                for _ in range(count)
            )
        )
        match_ids += [facts.match_id for facts in made]
    return match_ids, due_ms


async def _metric(sweeper: RefereeProcess, name: str) -> float:
    """Return what a process says of itself."""
    async with httpx.AsyncClient(trust_env=False, timeout=PATIENCE) as client:
        answer = await client.get(f"http://{sweeper.admin}/metrics")
    found = re.search(rf"^{name} (\S+)$", answer.text, re.MULTILINE)
    assert found is not None
    return float(found[1])


async def _metrics(sweepers: Sequence[RefereeProcess], name: str) -> list[float]:
    return [await _metric(sweeper, name) for sweeper in sweepers]


@pytest.mark.slow
@pytest.mark.timeout(300 + COUNT // 10)
async def test_all_that_is_due_at_once_is_timed_out_once_each(
    folder: Path, valkey_url: str
) -> None:
    keys, store = folder / "keys", open_store(valkey_url)
    options = ("--roles", "sweeper", "--keys", str(keys))
    sweepers = [
        RefereeProcess(folder / name, store=valkey_url, options=options)
        for name in ("one", "two")
    ]
    try:
        for sweeper in sweepers:
            await asyncio.to_thread(sweeper.start)
        match_ids, due_ms = await _create(await _desk(store, keys), store)

        idle_s = await _metrics(sweepers, "process_cpu_seconds_total")
        counts = [0.0]
        async with asyncio.timeout(PATIENCE + COUNT / 20):
            while sum(counts) < COUNT:
                await asyncio.sleep(0.5)
                counts = await _metrics(sweepers, "ginref_timeouts_total")
        busy_s = await _metrics(sweepers, "process_cpu_seconds_total")
        due = await store.due(1)
        logs = [
            log
            for start in range(0, COUNT, AT_ONCE)
            for log in await asyncio.gather(
                *map(store.log, match_ids[start : start + AT_ONCE])
            )
        ]
    finally:
        for sweeper in sweepers:
            sweeper.kill()
        await store.aclose()
    times_ms = []
    for log in logs:
        _, end = log
        assert decode_entry(end.entry) == TimedOut()
        times_ms.append(end.time_ms)
    assert due == ()
    assert sum(counts) == COUNT
    assert min(times_ms) > due_ms - 1_000
    lags = sorted(time_ms - due_ms for time_ms in times_ms)
    print(  # noqa: T201 - figures for whoever asks
        f"{COUNT} timeouts by two sweepers ({counts[0]:.0f} + {counts[1]:.0f}):"
        f" half after {lags[COUNT // 2]} ms, the last after {lags[-1]} ms;"
        f" {sum(busy_s) - sum(idle_s):.1f} s of processor time"
    )
