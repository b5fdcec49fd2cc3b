"""Faults of the network: F08, everything that can happen to bytes on their way."""

import asyncio
import time

from tests.faults.proxy import FaultProxy, Mode
from tests.faults.rig import Rig

HIT_S = 30.0
"""How long a trouble may take until it has hit something."""


async def _troubled(
    rig: Rig, proxies: list[FaultProxy], seconds: float, mode: Mode, **how: float
) -> None:
    """Make trouble for a while, and until it has hit something."""
    before = _hits(proxies, mode)
    end = time.monotonic() + HIT_S
    for proxy in proxies:
        proxy.set(mode, **how)
    try:
        await asyncio.sleep(seconds)
        while _hits(proxies, mode) == before and time.monotonic() < end:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    finally:
        for proxy in proxies:
            proxy.set(Mode.PASS)
    rig.saw(mode.name, _hits(proxies, mode) - before)
    await rig.acknowledged()


def _hits(proxies: list[FaultProxy], mode: Mode) -> int:
    return sum(proxy.hits[mode] for proxy in proxies)


async def f08_lose_replies(rig: Rig, scale: float) -> None:
    """Lose some replies, of referees and of the store: requests arrive all the same."""
    seconds = min(10.0, 2.0 * scale)
    await _troubled(rig, rig.doors + rig.ways, seconds, Mode.DROP_REPLY, chance=0.05)


async def f08_cut(rig: Rig, _: float) -> None:
    """Cut all connections of one way, of callers or to the store."""
    way = rig.random.choice(rig.doors + rig.ways)
    rig.saw("CUT", len(way.links))
    way.cut()
    await rig.acknowledged()


async def f08_reset(rig: Rig, scale: float) -> None:
    """Cut connections in the middle of what they carry."""
    await _troubled(
        rig, rig.doors + rig.ways, min(10.0, scale), Mode.RESET, chance=0.03
    )


async def f08_blackhole(rig: Rig, scale: float) -> None:
    """Let one way swallow everything, with connections that look alive."""
    way = rig.random.choice(rig.doors + rig.ways)
    await _troubled(
        rig, [way], min(10.0, scale * rig.random.uniform(0.5, 2)), Mode.BLACKHOLE
    )


async def f08_half_close(rig: Rig, _: float) -> None:
    """Let one way close in one direction only."""
    await _troubled(
        rig, [rig.random.choice(rig.doors + rig.ways)], 0.5, Mode.HALF_CLOSE
    )


async def f08_delay(rig: Rig, scale: float) -> None:
    """Make all ways slow."""
    how = {"delay_s": rig.random.uniform(0.01, 0.1)}
    await _troubled(rig, rig.doors + rig.ways, min(10.0, scale), Mode.DELAY, **how)


async def f08_trickle(rig: Rig, scale: float) -> None:
    """Let one caller's way carry a byte at a time; the other way serves all others."""
    door = rig.random.choice(rig.doors)
    await _troubled(rig, [door], min(10.0, scale), Mode.TRICKLE, delay_s=0.002)
