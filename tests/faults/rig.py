"""What a run takes place on: a store, two referees, and proxies in between.

Every way has a proxy: from callers to each referee, and from each referee to the
store. Processes are ended by their ids, and hear nothing but the loopback interface.
"""

import asyncio
import os
import random
import signal
import time
import urllib.error
import urllib.request
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from tests.contract.redis_fleet import binary_of
from tests.e2e.referee_process import RefereeProcess
from tests.faults.failing_referee import FILE
from tests.faults.journal import Journal, Marked, now_ns
from tests.faults.proxy import FaultProxy
from tests.faults.store_server import StoreServer
from tests.faults.wire import Wire

ROOT = Path(__file__).parents[2]
ALIVE_S = 60.0
"""How long it may take until a move is acknowledged again after a fault."""

DRILL_S = 120.0
"""How long a drill may take."""

CALM = 100
"""Moves without a call that fails, after which nothing is left of the fault before."""


STARTS = 5
"""How often a referee is started before it counts as broken."""


Drill = Callable[["Any"], Awaitable[None]]
"""What a player does once in place of a plain move: a fault among callers."""


@dataclass
class Rig:
    """A store and two referees, in front of which faults are made.

    Attributes:
        folder: For everything.
        journal: Of all calls.
        seed: Of all chance.
        store: The store's server; None when others see to the store.
        store_url: Where it is; None for `store`, behind a proxy for each referee.
        doors: Proxies in front of the referees.
        ways: Proxies in front of the store, one for each referee.
        referees: The referees.
        wires: Channels through the doors, for callers.
        drills: What players shall do in place of their next moves.
        problems: Expectations that were not met.
        match_ids: Every match that was created.
        tokens: Tokens of bots, by name.
        happened: What faults have brought about, by name.
        longest_wait_s: The longest wait for a move after a fault.
    """

    folder: Path
    journal: Journal
    seed: int
    store: StoreServer | None = None
    store_url: str | None = None
    doors: list[FaultProxy] = field(default_factory=list)
    ways: list[FaultProxy] = field(default_factory=list)
    referees: list[RefereeProcess] = field(default_factory=list)
    wires: list[Wire] = field(default_factory=list)
    drills: deque[Drill] = field(default_factory=deque)
    problems: list[str] = field(default_factory=list)
    match_ids: list[str] = field(default_factory=list)
    tokens: dict[str, str] = field(default_factory=dict)
    happened: Counter[str] = field(default_factory=Counter)
    longest_wait_s: float = 0.0

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)
        self._stack = AsyncExitStack()
        self._left: dict[tuple[str, ...], list[str]] = {}
        self._healing: list[asyncio.Task[Any] | None] = [None, None]

    async def __aenter__(self) -> Self:
        try:
            await self._start()
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def _start(self) -> None:
        if self.store_url is None and self.store is None:
            self.store = StoreServer(binary_of("valkey"), self.folder)
        if self.store is not None:
            self._stack.callback(self.store.kill)
            await asyncio.to_thread(self.store.start)
        keys, archive = self.folder / "keys", self.folder / "records"
        for number, name in enumerate("ab"):
            url = self.store_url
            if self.store is not None:
                way = FaultProxy(self.store.port, seed=self.seed + number)
                self.ways.append(await self._stack.enter_async_context(way))
                url = f"redis://{way.address}"
            referee = RefereeProcess(
                self.folder / name,
                store=url,
                options=("--keys", str(keys), "--archive", str(archive), "--dev"),
                program="tests.faults.failing_referee",
                environment={"PYTHONPATH": search_path()},
            )
            self.referees.append(referee)
            self._stack.callback(self._end, referee)
            await asyncio.to_thread(referee.start)
            port = int(referee.address.rpartition(":")[2])
            door = FaultProxy(port, seed=self.seed + 10 + number)
            self.doors.append(await self._stack.enter_async_context(door))
            wire = Wire(door.address, self.referees[0].token())
            self.wires.append(wire)
            self._stack.push_async_callback(wire.close)

    async def __aexit__(self, *_: object) -> None:
        for task in self._healing:
            if task is not None:
                with suppress(Exception):
                    await task
        await self._stack.aclose()

    @staticmethod
    def _end(referee: RefereeProcess) -> None:
        if referee.process is not None:
            with suppress(ProcessLookupError):
                referee.process.send_signal(signal.SIGCONT)
            referee.kill()

    # --- what faults are made of ---------------------------------------------

    def pick(self) -> int:
        """Choose a referee."""
        return self.random.randrange(len(self.referees))

    def next_of(self, names: Sequence[str]) -> str:
        """Choose each of some names once, in any order, before one comes again."""
        left = self._left.setdefault(tuple(names), [])
        if not left:
            left.extend(self.random.sample(names, len(names)))
        return left.pop()

    def send_signal(self, number: int, what: signal.Signals) -> None:
        """Send a signal to a referee."""
        process = self.referees[number].process
        assert process is not None
        process.send_signal(what)

    def arm(
        self,
        number: int,
        point: str,
        *,
        passes: int = 1,
        what: signal.Signals = signal.SIGKILL,
    ) -> None:
        """Let a referee fail at a point of its work."""
        path = self.referees[number].data / FILE
        path.write_text(f"{point} {passes} {what.value}\n")
        self.send_signal(number, signal.SIGUSR1)

    async def death(self, number: int, patience_s: float) -> bool:
        """Wait for a referee to die of itself; say whether it did."""
        process = self.referees[number].process
        assert process is not None
        end = time.monotonic() + patience_s
        while process.poll() is None:
            if time.monotonic() > end:
                return False
            await asyncio.sleep(0.02)
        return True

    def kill(self, number: int) -> None:
        """End a referee at once."""
        self.referees[number].kill()

    def heal(self, number: int) -> None:
        """Start a dead referee again, while the run goes on."""
        referee = self.referees[number]
        if referee.process is not None and referee.process.poll() is not None:
            referee.process = None
        task = asyncio.create_task(asyncio.to_thread(_start_again, referee))
        self._healing[number] = task

    async def healed(self) -> None:
        """Wait until both referees serve."""
        for number, task in enumerate(self._healing):
            if task is not None:
                self._healing[number] = None
                await task

    async def acknowledged(self, patience_s: float = ALIVE_S) -> None:
        """Wait for a move that is acknowledged from now on.

        Raises:
            TimeoutError: None is.
        """
        start, accepted = time.monotonic(), self.journal.accepted
        async with asyncio.timeout(patience_s):
            while self.journal.accepted == accepted:  # noqa: ASYNC110 - it is elsewhere
                await asyncio.sleep(0.005)
        waited_s = time.monotonic() - start
        self.longest_wait_s = max(self.longest_wait_s, waited_s)

    @property
    def failures(self) -> int:
        """Calls that failed, but for want of time: a busy machine has none."""
        unknown = self.journal.unknown
        return unknown.total() - unknown["DEADLINE_EXCEEDED"]

    async def calm(self, patience_s: float = ALIVE_S) -> None:
        """Wait for a while in which no call has failed.

        Raises:
            TimeoutError: There is none.
        """
        async with asyncio.timeout(patience_s):
            while True:
                accepted, failed = self.journal.accepted, self.failures
                while self.journal.accepted < accepted + CALM:  # noqa: ASYNC110 - so is this
                    await asyncio.sleep(0.01)
                if self.failures == failed:
                    return

    async def drilled(self, drill: Drill, patience_s: float = DRILL_S) -> None:
        """Have a drill done by whoever moves next, and wait until it is over."""
        done = asyncio.get_running_loop().create_future()

        async def once(turn: Any) -> None:  # noqa: ANN401 - a turn of a player
            try:
                await drill(turn)
            except Exception as error:  # noqa: BLE001 - it is the fault that failed
                done.set_exception(error)
            else:
                done.set_result(None)

        self.drills.append(once)
        async with asyncio.timeout(patience_s):
            await done

    async def probe(self, number: int, path: str) -> int:
        """Return the HTTP status of a probe of a referee; 0 if there is no answer."""
        url = f"http://{self.referees[number].admin}{path}"

        def get() -> int:
            try:
                with urllib.request.urlopen(url, timeout=5) as answer:
                    status: int = answer.status
                    return status
            except urllib.error.HTTPError as refused:
                refused.close()
                return refused.code
            except OSError:
                return 0

        return await asyncio.to_thread(get)

    async def reaches(
        self, number: int, path: str, status: int, patience_s: float
    ) -> bool:
        """Wait until a probe tells a status; say whether it did."""
        end = time.monotonic() + patience_s
        while await self.probe(number, path) != status:
            if time.monotonic() > end:
                return False
            await asyncio.sleep(0.05)
        return True

    def stands_still(self, number: int) -> bool:
        """Say whether a referee is stopped by a signal."""
        process = self.referees[number].process
        if process is None or process.poll() is not None:
            return False
        facts = Path(f"/proc/{process.pid}/stat").read_text()
        return facts.rpartition(")")[2].split()[0] == "T"

    def store_errors(self, kind: str) -> int:
        """Return how often the store has answered with a kind of error."""
        facts = self.ask_store("INFO", "errorstats").split(b"\r\n")
        prefix = f"errorstat_{kind}:count=".encode()
        return sum(int(one[len(prefix) :]) for one in facts if one.startswith(prefix))

    def ask_store(self, *words: str) -> bytes:
        """Send a command straight to the store."""
        assert self.store is not None
        return self.store.ask(*words)

    def saw(self, what: str, times: float = 1) -> None:
        """Note that something has happened that a fault is for, if it has."""
        self.happened[what] += int(times)

    def expect(self, kept: object, what: str) -> None:
        """Note an expectation that is not met."""
        if not kept:
            self.problems.append(what)

    def mark(self, name: str) -> None:
        """Note a moment in the journal."""
        self.journal.put(Marked(at_ns=now_ns(), name=name))


def _start_again(referee: RefereeProcess) -> None:
    """Start a referee as a supervisor does: again, when its store was too slow.

    Raises:
        AssertionError: It did not start, however often it was tried.
    """
    for left in reversed(range(STARTS)):
        try:
            referee.start()
        except AssertionError:
            referee.kill()
            if not left:
                raise
        else:
            return


def open_files(pids: Sequence[int]) -> int:
    """Count the files that processes hold open."""
    return sum(len(list(Path(f"/proc/{pid}/fd").iterdir())) for pid in pids)


def search_path() -> str:
    known = os.environ.get("PYTHONPATH", "")
    return os.pathsep.join(filter(None, [str(ROOT), known]))
