"""Faults of the store's server: it dies, loads, forgets, is full, busy or away."""

import asyncio
import time

import grpc.aio
from tests.faults.note import note_creation
from tests.faults.player import Player
from tests.faults.rig import ALIVE_S, Rig
from tests.faults.short_match import EXTRAS
from tests.faults.wire import refusal_of

from ginref.v1 import referee_service_pb2 as referee_pb
from ginref.v1 import ruleset_pb2

LOADING_S = 30.0
"""How long a store would read its file, if it were let."""

TRIES = 20
"""How often something is tried that wants a moment."""


async def f04_kill_store(rig: Rig, _: float) -> None:
    """Kill the store under load, and start it again: its file has every move."""
    assert rig.store is not None
    rig.store.kill()
    rig.saw("store killed")
    await asyncio.sleep(rig.random.uniform(0, 0.5))
    await asyncio.to_thread(rig.store.start)
    await rig.acknowledged()


async def f05_slow_loading(rig: Rig, _: float) -> None:
    """Let the store read its file for a while: not ready, but alive, and no more.

    Callers are told that the store is unavailable, and nothing else.
    """
    assert rig.store is not None
    keys = int(rig.ask_store("DBSIZE").strip(b":") or 1)
    delay_us = int(LOADING_S * 1e6 / (20 * max(keys, 1)))
    rig.store.kill()
    slowly = ("--key-load-delay", str(max(1, delay_us)))
    rig.store.launch(*slowly, "--loading-process-events-interval-bytes", "1024")
    number = rig.pick()
    is_loading = await asyncio.to_thread(rig.store.tells, b"-LOADING", LOADING_S)
    rig.saw("store loading", is_loading)
    not_ready = await rig.reaches(number, "/readyz", 503, LOADING_S)
    rig.expect(not_ready, "ready while loading")
    rig.expect(await rig.probe(number, "/livez") == 200, "dead while loading")
    await asyncio.to_thread(rig.store.kill)
    await asyncio.to_thread(rig.store.start)
    await rig.acknowledged()
    rig.expect(await rig.reaches(number, "/readyz", 200, ALIVE_S), "never ready again")


async def f06_flush_scripts(rig: Rig, scale: float) -> None:
    """Make the store forget its scripts again and again: nobody notices."""
    await rig.calm()
    failed, missed = rig.failures, rig.store_errors("NOSCRIPT")
    end = time.monotonic() + min(10.0, 1.5 * scale)
    while time.monotonic() < end:
        await asyncio.to_thread(rig.ask_store, "SCRIPT", "FLUSH")
        await asyncio.sleep(0.1)
    await rig.acknowledged()
    rig.expect(rig.failures == failed, "calls failed without scripts")
    rig.saw("scripts missed", rig.store_errors("NOSCRIPT") > missed)


async def f10_full_memory(rig: Rig, _: float) -> None:
    """Fill the store: no new match is taken, and moves wait until there is room."""
    used = _memory(rig)
    player = Player(rig, EXTRAS[:2], rig.tokens)
    made: list[str] = []
    refused = ""
    rig.ask_store("CONFIG", "SET", "maxmemory", str(used + 200_000))
    try:
        # What a referee knows of its store is up to a second old.
        for _ in range(TRIES):
            try:
                made.append(await _create(rig, player))
            except grpc.aio.AioRpcError as error:
                refused = refusal_of(error).reason
                if refused in {"LIMIT_EXCEEDED", "STORE_UNAVAILABLE"}:
                    rig.saw("creation refused")
                    break
            await asyncio.sleep(0.5)
        else:
            rig.expect(kept=False, what=f"created without memory: {refused}")
        await asyncio.sleep(0.5)
    finally:
        rig.ask_store("CONFIG", "SET", "maxmemory", "0")
    for match_id in made:
        await player.abort(match_id)
    await rig.acknowledged()


async def _create(rig: Rig, player: Player) -> str:
    """Create a match with a call that is made once."""
    request = referee_pb.CreateMatchRequest(
        request_id=rig.random.randbytes(8).hex(),
        ruleset=ruleset_pb2.RulesetChoice(preset="gin"),
        bots=EXTRAS[:2],
    )
    made = await player.wire.send("CreateMatch", request)
    note_creation(rig, made.match.match_id, request.request_id)
    match_id: str = made.match.match_id
    return match_id


def _memory(rig: Rig) -> int:
    lines = rig.ask_store("INFO", "memory").split(b"\r\n")
    return int(next(line[12:] for line in lines if line.startswith(b"used_memory:")))


async def f10_full_disk(rig: Rig, _: float) -> None:
    """Let the store's file not grow: it is not ready, and recovers with room.

    A store that must write before it answers ends then, and is started again.
    """
    assert rig.store is not None
    rig.store.limit_files(rig.store.file_size() + 20_000)
    try:
        fails = await rig.reaches(rig.pick(), "/readyz", 503, ALIVE_S)
        rig.expect(fails, "ready without disk")
        rig.saw("not ready, no disk", fails)
        # Callers may see it go before the system does.
        rig.expect(await rig.store.ended(ALIVE_S), "it goes on without disk")
    finally:
        rig.store.kill()
        await asyncio.to_thread(rig.store.start)
    await rig.acknowledged()


async def f10_evicting_policy(rig: Rig, _: float) -> None:
    """Let the store throw keys away when it is full: the referee gets no new work."""
    rig.ask_store("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
    try:
        fails = await rig.reaches(rig.pick(), "/readyz", 503, ALIVE_S)
        rig.expect(fails, "ready, may evict")
        rig.saw("not ready, may evict", fails)
    finally:
        rig.ask_store("CONFIG", "SET", "maxmemory-policy", "noeviction")
    await rig.acknowledged()


async def f11_busy_store(rig: Rig, scale: float) -> None:
    """Hold the store up with a slow script: calls fail for now, no move is lost."""
    rig.ask_store("CONFIG", "SET", "busy-reply-threshold", "50")
    before = rig.store_errors("BUSY")
    seconds = min(2.0, 0.6 * scale)
    text = f"""
    local function now()
      local time = redis.call('TIME')
      return time[1] + time[2] / 1e6
    end
    local stop = now() + {seconds}
    while now() < stop do end
    return 1
    """
    for _ in range(TRIES):
        await asyncio.to_thread(rig.ask_store, "EVAL", text, "0")
        await rig.acknowledged()
        if rig.store_errors("BUSY") > before:
            rig.saw("store busy")
            break
    rig.ask_store("CONFIG", "SET", "busy-reply-threshold", "5000")


async def f13_store_outage(rig: Rig, scale: float) -> None:
    """Take the store away for a while: nobody loses by it."""
    assert rig.store is not None
    rig.store.kill()
    rig.saw("store away")
    await asyncio.sleep(min(30.0, 3 * scale))
    await asyncio.to_thread(rig.store.start)
    await rig.acknowledged()
