"""Floods in short: a referee refuses them by name, and honest bots play on.

How long the moves of the honest pair take meanwhile is shown at the end, and judged by
nobody: the machine has other things to do. `make soak-dos` floods for longer.
"""

import pytest
from tests.dos.flood import FLOODS, is_documented
from tests.dos.siege import RSS_MB, Siege, siege

# A busy machine takes minutes for what takes seconds.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

WATCHES = 20

LIMITS = f"moves=1/20,creates=1/20,opens=1/60,watches={WATCHES},streams=40"

COUNTS = {
    "D01 messages of 5 MiB and 20 KiB": 5,
    "D01 metadata of 20 KB": 20,
    "D02 a burst of streams": 200,
    "D03 idle connections": 100,
    "D04 matches that are created": 100,
    "D05 watches over the cap": WATCHES + 5,
    "D06 watches that are not read": 8,
    "D07 calls that are taken back": 500,
    "D08 deep and large JSON": 1,
    "T13 moves for another's seat": 100,
    "Z05 garbage at the port": 1,
}

MOVES = 4
"""Moves of the honest pair before and after each flood."""


async def _flood(besieged: Siege, tell: list[str]) -> None:
    for name in FLOODS:
        outcome = await besieged.flood(name, COUNTS[name], moves=MOVES)
        tell.append(outcome.line)
        assert not besieged.pair.problems, name
        assert is_documented(name, outcome.told), outcome.line


async def test_honest_bots_play_on_in_every_flood(tell: list[str]) -> None:
    async with siege("tests.dos.brisk_referee", "--limits", LIMITS) as besieged:
        await _flood(besieged, tell)

        assert besieged.memory_mb() < RSS_MB
        assert besieged.referee.process is not None
        assert besieged.referee.process.poll() is None


def test_every_flood_is_tried() -> None:
    assert {*COUNTS} == {*FLOODS}
