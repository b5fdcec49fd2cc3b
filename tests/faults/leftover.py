"""What is left of a run: records from every replica, and what referees hold."""

import asyncio
import time
from contextlib import suppress

import grpc.aio
from tests.faults.oracle import Level
from tests.faults.rig import Rig, open_files

SETTLE_S = 120.0
"""How long it may take until records are signed and files closed."""


async def collect(rig: Rig) -> dict[str, list[bytes]]:
    """Fetch every record from every replica, and from the folder."""
    records: dict[str, list[bytes]] = {}
    end = time.monotonic() + SETTLE_S
    for match_id in rig.match_ids:
        copies = [await _record(rig, number, match_id, end) for number in (0, 1)]
        path = rig.folder / "records" / f"{match_id}.json"
        with suppress(FileNotFoundError):
            copies.append(path.read_bytes())
        records[match_id] = [copy for copy in copies if copy]
    return records


async def _record(rig: Rig, number: int, match_id: str, end: float) -> bytes:
    """Fetch a record; empty if there is none in time."""
    while True:
        try:
            answer = await rig.wires[number].referee(
                "GetMatchRecord", match_id=match_id
            )
        except grpc.aio.AioRpcError:
            if time.monotonic() > end:
                return b""
            await asyncio.sleep(0.1)
        else:
            envelope: bytes = answer.envelope
            return envelope


async def levels_of(rig: Rig) -> list[tuple[str, float]]:
    """Count what referees hold."""
    found: list[tuple[str, float]] = []
    for number, referee in enumerate(rig.referees):
        assert referee.process is not None
        files = await asyncio.to_thread(open_files, [referee.process.pid])
        found.append((f"files of referee {number}", files))
    return found


async def levels_again(rig: Rig, before: list[tuple[str, float]]) -> list[Level]:
    """Count it again until it is back, but not for ever."""
    for wire in rig.wires:
        await wire.close()
    end = time.monotonic() + SETTLE_S
    while True:
        after = await levels_of(rig)
        levels = [
            Level(name, old, new, slack=10)
            for (name, old), (_, new) in zip(before, after, strict=True)
        ]
        is_back = all(level.after <= level.before + level.slack for level in levels)
        if is_back or time.monotonic() > end:
            return levels
        await asyncio.sleep(0.2)
