"""What a run takes place on: a store, two referees, and proxies in between.

Every way has a proxy: from callers to each referee, and from each referee to the
store. Processes are ended by their ids, and hear nothing but the loopback interface.
"""

import asyncio
import os
import random
import resource
import signal
import subprocess
import time
import urllib.error
import urllib.request
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from tests.contract.redis_fleet import HOST, Server, binary_of, until
from tests.e2e.referee_process import RefereeProcess
from tests.faults.failing_referee import FILE
from tests.faults.journal import Journal, Marked, now_ns
from tests.faults.proxy import FaultProxy
from tests.faults.wire import Wire

ROOT = Path(__file__).parents[2]
ALIVE_S = 10.0
"""How long it may take until a move is acknowledged again after a fault."""


class StoreServer(Server):
    """A store that may start again with other settings, or without waiting."""

    def __init__(
        self, binary: str, folder: Path, environment: dict[str, str] | None = None
    ) -> None:
        # A server that dies with less than this may forget what it has acknowledged.
        arguments = ["--save", "", "--appendonly", "yes", "--appendfsync", "always"]
        super().__init__(binary, folder, [*arguments, "--enable-debug-command", "yes"])
        self._environment = environment or {}

    def start(self, *more: str) -> None:
        self.launch(*more)
        until(lambda: self.ask("PING") == b"+PONG", patience_s=60)

    def launch(self, *more: str) -> None:
        """Start it, and do not wait until it answers."""
        command = [*self._command, "--port", str(self.port), "--bind", HOST]
        command += ["--dir", str(self._folder), *more]
        with (self._folder / "log").open("ab") as log:
            # A write beyond the limit of a file's size shall fail, not kill.
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, **self._environment},
                restore_signals=False,
                start_new_session=True,
            )

    def kill(self) -> None:
        """End it at once, if it has not ended of itself."""
        if self._process is not None and self._process.poll() is not None:
            self._process = None
        super().kill()

    @property
    def has_ended(self) -> bool:
        """It has ended of itself."""
        return self._process is not None and self._process.poll() is not None

    def limit_files(self, size: int) -> None:
        """Let no file of it grow beyond a size, or any with -1."""
        assert self._process is not None
        _, hard = resource.prlimit(self._process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(self._process.pid, resource.RLIMIT_FSIZE, (size, hard))

    def file_size(self) -> int:
        """Return the size of the part of its append-only file that grows."""
        parts = list(self._folder.glob("appendonlydir/*.incr.aof"))
        return max((part.stat().st_size for part in parts), default=0)


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
            self.store = StoreServer(binary_of("redis"), self.folder)
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

    async def acknowledged(self, patience_s: float = ALIVE_S) -> float:
        """Wait for a move that is acknowledged from now on; return the wait.

        Raises:
            TimeoutError: None is.
        """
        start, accepted = time.monotonic(), self.journal.accepted
        async with asyncio.timeout(patience_s):
            while self.journal.accepted == accepted:  # noqa: ASYNC110 - it is elsewhere
                await asyncio.sleep(0.005)
        return time.monotonic() - start

    async def drilled(self, drill: Drill, patience_s: float = 20) -> None:
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

    def ask_store(self, *words: str) -> bytes:
        """Send a command straight to the store."""
        assert self.store is not None
        return self.store.ask(*words)

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
