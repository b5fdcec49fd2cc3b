"""Faults that want stores of their own: with replicas, or with a clock to set."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from tests.contract.failover import (
    depose_primary,
    fail_over,
    kill_primary,
    restart_primary,
    stop_primary,
)
from tests.contract.redis_fleet import Fleet, binary_of, guarded, primary_of, until
from tests.faults.fault import Fault, f12_deadline, f14_vanished_bots
from tests.faults.rig import ALIVE_S, Rig
from tests.faults.store_server import StoreServer

FAILED_OVER_S = 2 * ALIVE_S
"""How long it may take until a move is acknowledged again after a failover."""


def partition(fleet: Fleet, seconds: float = 2.0) -> None:
    """Let the replica be silent: no move can be acknowledged until it is back."""
    (group,) = fleet.groups
    primary = primary_of(group)
    replica = next(server for server in group if server is not primary)
    replica.stop()
    # Long enough for a write to be given up, and short enough to change no roles.
    until(lambda: primary.says("connected_slaves:1"))
    try:
        until(lambda: False, patience_s=seconds)
    except AssertionError:
        replica.resume()
    fleet.heal()


async def _in_fleet(
    fleet: Fleet, change: Callable[[Fleet], None], rig: Rig, _: float
) -> None:
    (group,) = fleet.groups
    old = await asyncio.to_thread(primary_of, group)
    await asyncio.to_thread(change, fleet)
    await rig.acknowledged(FAILED_OVER_S)
    await asyncio.to_thread(fleet.heal)
    new = await asyncio.to_thread(primary_of, group)
    rig.saw("same primary again" if new is old else "another primary")
    rig.saw("replica silent", change is partition)


@contextmanager
def replicated() -> Iterator[tuple[Fleet, dict[str, Fault]]]:
    """Run a primary with a replica and Sentinels; yield the faults that it may have.

    F07: whoever takes over has every move that was acknowledged, also when Sentinels
    replace a primary that lives on; what the old one still answers counts for nothing.
    """
    with guarded("redis") as fleet:
        changes = {
            "F07_kill_primary": kill_primary,
            "F07_stop_primary": stop_primary,
            "F07_restart_primary": restart_primary,
            "F07_depose_primary": depose_primary,
            "F07_hand_over": fail_over,
            "F07_partition": partition,
        }
        yield (
            fleet,
            {
                name: partial(_in_fleet, fleet, change)
                for name, change in changes.items()
            },
        )


STEP_S = 1000
"""A step of the clock is larger than this, whatever the machine does."""


def _seconds(rig: Rig) -> int:
    """Read the store's clock."""
    return int(rig.ask_store("TIME").split(b"\r\n")[2])


@dataclass
class Clock:
    """The clock of a store, which may be set.

    F15: nobody is flagged because the clock has jumped, no key expires, versions and
    times keep their order, and deadlines go on.
    """

    offset: Path

    def set(self, text: str) -> None:
        """Set it off from the true time, such as `+2h`."""
        fresh = self.offset.with_suffix(".new")
        fresh.write_text(f"{text}\n")
        fresh.replace(self.offset)

    async def jump(self, text: str, rig: Rig, scale: float) -> None:
        """Set the clock, and see that moves and deadlines go on."""
        before_s = _seconds(rig)
        self.set(text)
        moved_s = _seconds(rig) - before_s
        rig.saw("clock set", text == "+0" or abs(moved_s) > STEP_S)
        await rig.acknowledged()
        await asyncio.sleep(min(5.0, scale))
        await rig.acknowledged()

    async def jitter(self, rig: Rig, scale: float) -> None:
        """Set the clock a little off, again and again."""
        for _ in range(int(min(30, 6 * scale))):
            self.set(f"{rig.random.uniform(-0.5, 0.5):+.3f}")
            await asyncio.sleep(0.2)
        rig.saw("clock set")
        await rig.acknowledged()

    def faults(self) -> dict[str, Fault]:
        """Return the faults that a store with this clock may have."""
        return {
            "F15_ahead": partial(self.jump, "+2h"),
            "F15_behind": partial(self.jump, "-2h"),
            "F15_right": partial(self.jump, "+0"),
            "F15_jitter": self.jitter,
            "F12_deadline": f12_deadline,
            "F14_vanished_bots": f14_vanished_bots,
        }


def clocked(folder: Path) -> tuple[StoreServer, Clock]:
    """Prepare a store whose clock may be set, or skip the test."""
    libraries = sorted(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))
    if not libraries:
        pytest.skip("libfaketime is not installed")
    clock = Clock(folder / "offset")
    clock.set("+0")
    environment = {
        "LD_PRELOAD": str(libraries[0]),
        "FAKETIME_TIMESTAMP_FILE": str(clock.offset),
        "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }
    return StoreServer(binary_of("valkey"), folder, environment), clock
