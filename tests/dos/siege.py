"""A referee under floods, while an honest pair plays on it."""

import asyncio
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tests.dos.flood import Target
from tests.dos.honest import BOTS, HonestPair, p99_ms
from tests.e2e.referee_process import RefereeProcess
from tests.faults.rig import search_path
from tests.faults.wire import Wire

from ginref_client.registry import Registry

RSS_MB = 512
"""What a referee may ever hold of the machine's memory."""

STRANGERS = ("eve", "fay")

ROLES = {"organizer": "organizer"} | dict.fromkeys(
    ("spectator", "watcher", "idler"), "spectator"
)
"""Tokens of those who flood, by name."""


@dataclass(frozen=True)
class Outcome:
    """What became of a flood.

    Attributes:
        flood: Its name.
        count: How much of it there was.
        told: How it was answered.
        moves: Moves that the honest pair made meanwhile.
        before_ms: What 99 of a hundred of its moves took at most, before.
        during_ms: The same meanwhile.
        after_ms: The same afterwards.
    """

    flood: str
    count: int
    told: Counter[str]
    moves: int
    before_ms: float
    during_ms: float
    after_ms: float

    @property
    def line(self) -> str:
        """All of it in a line."""
        told = ", ".join(f"{count} {what}" for what, count in sorted(self.told.items()))
        ratios = [
            f"{took / self.before_ms:.1f}" if self.before_ms else "-"
            for took in (self.during_ms, self.after_ms)
        ]
        return (
            f"{self.flood} x {self.count}: {told}; {self.moves} honest moves, p99 x "
            f"{ratios[0]} meanwhile, x {ratios[1]} after"
        )


@dataclass
class Siege:
    """A referee, an honest pair, and a process that floods."""

    referee: RefereeProcess
    pair: HonestPair
    tokens: dict[str, str]
    flooder: asyncio.subprocess.Process
    outcomes: list[Outcome] = field(default_factory=list)
    calm: list[float] = field(default_factory=list)

    async def flood(self, name: str, count: int, *, moves: int) -> Outcome:
        """Flood while the pair plays; measure over so many moves before and after.

        Those after the flood before this one are those before it.
        """
        before = self.calm or await self.pair.moves(moves)
        start = len(self.pair.took_s)
        order = {"flood": name, "count": count, "target": asdict(self._target())}
        told = await self._order(order)
        # There is one at least that was made meanwhile, however short it was.
        await self.pair.moves(1)
        during = self.pair.took_s[start:]
        after = self.calm = await self.pair.moves(moves)
        outcome = Outcome(
            name,
            count,
            Counter(told),
            len(during),
            *map(p99_ms, (before, during, after)),
        )
        self.outcomes.append(outcome)
        return outcome

    def memory_mb(self) -> float:
        """Return the most memory that the referee has held, in megabytes."""
        assert self.referee.process is not None
        text = Path(f"/proc/{self.referee.process.pid}/status").read_text()
        line = next(line for line in text.splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1024

    def _target(self) -> Target:
        facts = json.loads((self.referee.data / "referee.json").read_text())
        return Target(
            self.referee.address,
            self.referee.admin,
            facts["http"],
            self.tokens,
            self.pair.match_id,
        )

    async def _order(self, order: dict[str, Any]) -> dict[str, int]:
        assert self.flooder.stdin is not None
        assert self.flooder.stdout is not None
        self.flooder.stdin.write(json.dumps(order).encode() + b"\n")
        await self.flooder.stdin.drain()
        line = await self.flooder.stdout.readline()
        answer: dict[str, int] = json.loads(line)
        return answer


@asynccontextmanager
async def siege(program: str = "ginref", *options: str) -> AsyncIterator[Siege]:
    """Run a referee with an honest pair on it, and something that can flood it."""
    with tempfile.TemporaryDirectory(prefix="gr", ignore_cleanup_errors=True) as path:
        referee = RefereeProcess(
            Path(path) / "data",
            program=program,
            options=("--http", "127.0.0.1:0", *options),
            environment={"PYTHONPATH": search_path()},
        )
        flooder = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.dos.flooder"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": search_path()},
        )
        try:
            await asyncio.to_thread(referee.start)
            async with _played(referee, flooder) as begun:
                yield begun
        finally:
            await _ended(flooder)
            await asyncio.to_thread(referee.stop)


@asynccontextmanager
async def _played(
    referee: RefereeProcess, flooder: asyncio.subprocess.Process
) -> AsyncIterator[Siege]:
    wire = Wire(referee.address, referee.token())
    tokens = await wire.register([*BOTS, *STRANGERS])
    async with Registry(referee.address, referee.token()) as registry:
        for name, role in ROLES.items():
            tokens[name] = (await registry.create_token(role)).secret
    pair = HonestPair(wire, [tokens[bot] for bot in BOTS])
    playing = asyncio.create_task(pair.play())
    flooding = {"bot": tokens["eve"], **tokens}
    assert flooder.stdout is not None
    assert await flooder.stdout.readline() == b"ready\n"
    try:
        yield Siege(referee, pair, flooding, flooder)
    finally:
        playing.cancel()
        await asyncio.wait([playing])
        await pair.close()
        await wire.close()


async def _ended(process: asyncio.subprocess.Process) -> None:
    """Let a process end that gets no more orders."""
    assert process.stdin is not None
    process.stdin.close()
    try:
        async with asyncio.timeout(10):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()
