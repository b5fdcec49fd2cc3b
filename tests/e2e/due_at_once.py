"""Very many deadlines that pass at the same moment, and two processes that sweep."""

import asyncio
import secrets
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tests.e2e.referee_process import RefereeProcess
from tests.e2e.table import PATIENCE
from tests.unit.app.tool import MemoryArchive, SameChance, Tally

from ginref.adapters.key_folder import KeyFolder
from ginref.adapters.redis_store import RedisStore, open_store
from ginref.adapters.sealing import AesSealer
from ginref.app.caller import Caller, Role
from ginref.app.desk import Desk
from ginref.app.gate import Gate
from ginref.app.hub import Hub
from ginref.app.keeper import Keeper
from ginref.app.port import StoreUnavailableError
from ginref.app.report import MatchFacts
from ginref.app.request import NewMatch
from ginref.app.tools import Tools
from ginref.engine.ruleset import GIN
from ginref.record.clock import FAST
from ginref.record.entry import decode_entry
from ginref.record.setup import DealSource

AT_ONCE = 200
HOST = Caller(token_id="t-host", role=Role.ORGANIZER)


@dataclass(frozen=True, kw_only=True)
class Swept:
    """What came of matches that nobody came to.

    Attributes:
        ends: How often each list of steps came after the creation of a match.
        counts: How many matches each process says that it has timed out.
        left: Matches that are still due.
        lags_ms: How long after its deadline each match was ended, in order.
        apart_ms: Between the first of the deadlines and the last.
        cpu_s: Processor time of the sweepers meanwhile.
    """

    ends: Counter[tuple[str, ...]]
    counts: tuple[int, ...]
    left: int
    lags_ms: tuple[int, ...]
    apart_ms: int
    cpu_s: float


async def sweep_at_once(folder: Path, store_url: str, count: int) -> Swept:
    """Create matches that are due together, and let two processes end them."""
    keys, store = folder / "keys", open_store(store_url)
    options = ("--roles", "sweeper", "--keys", str(keys))
    sweepers = [
        RefereeProcess(folder / name, store=store_url, options=options)
        for name in ("one", "two")
    ]
    try:
        for sweeper in sweepers:
            await asyncio.to_thread(sweeper.start)
        due_ms = await _create(await _desk(store, keys), count)

        idle_s = await _metrics(sweepers, "process_cpu_seconds_total")
        counts = [0.0]
        async with asyncio.timeout(PATIENCE + count / 20):
            while sum(counts) < count:
                await asyncio.sleep(0.5)
                counts = await _metrics(sweepers, "ginref_timeouts_total")
        busy_s = await _metrics(sweepers, "process_cpu_seconds_total")
        # Whoever counted one twice would do so before the next sweep is over.
        await asyncio.sleep(1)
        counts = await _metrics(sweepers, "ginref_timeouts_total")
        left = len(await store.due(1))
        ends, lags_ms = await _ends(store, due_ms)
    finally:
        for sweeper in sweepers:
            sweeper.kill()
        await store.aclose()
    return Swept(
        ends=ends,
        counts=tuple(map(int, counts)),
        left=left,
        lags_ms=tuple(sorted(lags_ms)),
        apart_ms=max(due_ms.values()) - min(due_ms.values()),
        cpu_s=sum(busy_s) - sum(idle_s),
    )


async def _desk(store: RedisStore, keys: Path) -> Desk:
    """Return a referee that creates matches, and two bots that it knows."""
    registry, chance = store.registry(), SameChance()
    folder = KeyFolder.open_or_create(keys)
    gate = Gate(registry, chance, lambda: 0)
    await gate.create_owner(HOST, "lab")
    for bot in ("eve", "zoe"):
        await gate.create_bot(HOST, bot, "lab", house=False)
    return Desk(
        Tools(
            store=store,
            registry=registry,
            keeper=Keeper(store, AesSealer.open_or_create(keys)),
            signer=lambda: folder.signer,
            archive=MemoryArchive(),
            chance=chance,
            observer=Tally(),
            engine="0.1.0",
            hub=Hub(store),
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


async def _create(desk: Desk, count: int) -> dict[str, int]:
    """Create matches whose deadlines are all in the same moment; return these."""
    loop = asyncio.get_running_loop()
    start, wait_ms = loop.time(), 4_000 + count * 4
    due_ms: dict[str, int] = {}
    while len(due_ms) < count:
        passed_ms = round((loop.time() - start) * 1000)
        new = _new_match(wait_ms - passed_ms)
        made = await asyncio.gather(
            *(
                _made(desk, replace(new, request_id=secrets.token_hex(8)))
                for _ in range(min(AT_ONCE, count - len(due_ms)))
            )
        )
        due_ms |= {one.match_id: one.created_ms + new.clock.start_ms for one in made}
    return due_ms


async def _ends(
    store: RedisStore, due_ms: dict[str, int]
) -> tuple[Counter[tuple[str, ...]], list[int]]:
    """Return how matches ended, and how long after their deadline the first step was.

    Their clock has no grace.
    """
    ends: Counter[tuple[str, ...]] = Counter()
    lags_ms: list[int] = []
    match_ids = list(due_ms)
    for start in range(0, len(match_ids), AT_ONCE):
        some = match_ids[start : start + AT_ONCE]
        logs = await asyncio.gather(*map(store.log, some))
        for match_id, (_, *steps) in zip(some, logs, strict=True):
            ends[tuple(type(decode_entry(one.entry)).__name__ for one in steps)] += 1
            lags_ms += [one.time_ms - due_ms[match_id] for one in steps[:1]]
    return ends, lags_ms


async def _metrics(sweepers: Sequence[RefereeProcess], name: str) -> list[float]:
    return [await asyncio.to_thread(one.metric, name) for one in sweepers]
