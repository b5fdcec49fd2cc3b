"""One process of the referee: the use cases of production on a store far away."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from tests.simulation.dice import Dice
from tests.simulation.journal import Journal
from tests.simulation.loop import Process
from tests.simulation.network import Network
from tests.simulation.remote_store import RemoteStore, Wakes
from tests.simulation.server import EPOCH_MS, StoreServer

from ginref.adapters.memory_registry import MemoryRegistry
from ginref.app.caller import Caller
from ginref.app.desk import Desk
from ginref.app.fault import refusal_of
from ginref.app.hub import Hub
from ginref.app.keeper import Keeper
from ginref.app.port import Archive, ArchiveConflictError, Sealer, Signer
from ginref.app.session import Session
from ginref.app.session_policy import SessionPolicy
from ginref.app.signing import Signing
from ginref.app.sweep import Sweeper
from ginref.app.tools import Tools
from ginref.app.watch import Watcher

_T = TypeVar("_T")

_POLICY: Final = SessionPolicy(ping_interval_ms=1_500, silence_ms=6_000, drain_ms=200)

SWEEPING: Final[ContextVar[bool]] = ContextVar("SWEEPING", default=False)
"""The sweeper is at work, rather than a caller."""


class DiceChance:
    """Secrets that follow from the seed."""

    def __init__(self, dice: Dice) -> None:
        """Take them from dice."""
        self._dice = dice

    def token(self, size: int) -> bytes:
        return self._dice.octets(size)


class SharedArchive(Archive):
    """Records of all referees, in a place that is full now and then."""

    def __init__(self, network: Network) -> None:
        """Be empty."""
        self.records: dict[str, bytes] = {}
        self._network = network

    async def put(self, match_id: str, envelope: bytes) -> None:
        network, journal = self._network, self._network.journal
        await asyncio.sleep(network.delay())
        if network.happens(network.weather.archive):
            journal.count("archive failed")
            raise OSError("no space left")
        held = self.records.setdefault(match_id, envelope)
        if held is not envelope:
            journal.count("signed by two")
        if held != envelope:
            journal.problem(f"two different records of {match_id}")
            raise ArchiveConflictError(match_id)
        await asyncio.sleep(network.delay())

    async def get(self, match_id: str) -> bytes | None:
        return self.records.get(match_id)


class Counting:
    """Counts what referees observe."""

    def __init__(self, journal: Journal) -> None:
        """Count in a journal."""
        self._count = journal.count

    def move(self, kind: str, verdict: str) -> None:
        self._count(f"{kind} {verdict}")

    def refusal(self, reason: str) -> None:
        self._count(f"told on a stream: {reason}")

    def round_over(self, outcome: str) -> None:
        self._count(f"round: {outcome}")

    def match_created(self) -> None:
        self._count("match created")

    def move_times(self, waited_ms: int | None, referee_s: float) -> None:
        """Leave it: what the record tells of it is looked at."""

    def match_over(self, ending: str, fault: str) -> None:
        assert fault
        self._count(f"ending: {ending}")

    def timeout(self, delay_ms: int) -> None:
        assert delay_ms >= 0
        swept = SWEEPING.get()
        self._count("timeout by the sweeper" if swept else "timeout by a caller")

    def outage(self, length_ms: int) -> None:
        assert length_ms > 0
        self._count("outage")

    def record_signed(self) -> None:
        self._count("record signed")

    def swept(self) -> None:
        """Leave it: how often follows from the time that passes."""

    def live(self, count: int) -> None:
        """Leave it, likewise."""

    def backlog(self, count: int, age_ms: int) -> None:
        """Leave it: the oracle looks at the store itself."""

    def tournaments(
        self, tournaments: Mapping[str, int], fixtures: Mapping[str, int]
    ) -> None:
        """Leave it: there are none."""

    def attached(self, change: int) -> None:
        """Leave it: whoever crashes counts nothing back."""

    def watching(self, change: int) -> None:
        """Leave it, likewise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What all referees of a run share."""

    server: StoreServer
    network: Network
    wakes: Wakes
    registry: MemoryRegistry
    archive: SharedArchive
    signer: Signer
    sealer: Sealer
    dice: Dice


class Referee:
    """A referee that can die and be started again, with nothing left of it.

    Attributes:
        name: Name of its place.
        process: All that runs of it.
        healthy_since: Since when nothing was done to it, in seconds of the run.
    """

    def __init__(self, name: str, around: Surroundings) -> None:
        """Be down until it is started."""
        self.name = name
        self.process = Process(name)
        self.process.kill()
        self.healthy_since = 0.0
        self._around = around
        self._partings: dict[Callable[[], None], None] = {}

    @property
    def is_up(self) -> bool:
        """It runs."""
        return self.process.is_alive

    @property
    def is_well(self) -> bool:
        """It runs, and hears what changes."""
        return self.is_up and not self.process.is_paused and not self.store.is_deaf

    def start(self) -> None:
        """Start a new process."""
        around, network = self._around, self._around.network
        network.journal.note("start", self.name)
        self.healthy_since = network.now()
        process = self.process = Process(self.name)
        self.store = RemoteStore(
            around.server,
            network,
            around.wakes,
            process,
            lambda: self._crash_at_work(process),
        )
        keeper = Keeper(self.store, around.sealer)
        self.hub = Hub(self.store, keeper.doubt)
        self.tools = Tools(
            store=self.store,
            registry=around.registry,
            keeper=keeper,
            signer=lambda: around.signer,
            archive=around.archive,
            chance=DiceChance(around.dice),
            observer=Counting(network.journal),
            engine="0.1.0",
            allow_seeded=True,
            hub=self.hub,
            monotonic=network.now,
            now_ms=lambda: EPOCH_MS + round(network.now() * 1000),
        )
        self.desk = Desk(self.tools)
        self.watcher = Watcher(keeper, self.hub, self.tools.observer)
        sweeper = Sweeper(
            self.store, self.desk, self.tools.observer, monotonic=network.now
        )
        signing = Signing(self.tools, network.now)
        self._run("hub", self.hub.run())
        self._run("sweeper", _swept(sweeper))
        self._run("signer", signing.run())

    def _run(self, what: str, work: Coroutine[Any, Any, None]) -> None:
        journal, process = self._around.network.journal, self.process

        def ended(task: asyncio.Task[None]) -> None:
            error = None if task.cancelled() else task.exception()
            journal.problem(f"the {what} of {process.name} has ended: {error!r}")

        process.spawn(work).add_done_callback(ended)

    def _crash_at_work(self, process: Process) -> None:
        if process is self.process and self.is_up:
            self._around.network.journal.count("crash at work")
            self.crash()

    def crash(self) -> None:
        """Die at once, with nothing tidied up."""
        if not self.is_up:
            return
        network = self._around.network
        network.journal.note("crash", self.name)
        self.process.kill()
        self._around.wakes.leave(self.store)
        partings, self._partings = self._partings, {}
        for parting in partings:
            network.later(network.delay(), parting)

    def at_death(self, parting: Callable[[], None]) -> Callable[[], None]:
        """Do something when it dies; call what is returned to forget that."""
        self._partings[parting] = None

        def forget() -> None:
            self._partings.pop(parting, None)

        return forget

    async def answer(
        self, use: Callable[["Referee"], Coroutine[Any, Any, _T]]
    ) -> "_T | Exception":
        """Do what a caller asks, and return what it is told."""
        try:
            return await use(self)
        except Exception as error:  # noqa: BLE001 - as at the edge of the referee
            return refusal_of(error)

    def session(self, caller: Caller) -> Session:
        """Return an attachment of a bot."""
        return Session(self.desk, self.tools, caller, _POLICY)

    def begin_to_drain(self) -> None:
        """Tell everyone who follows that it is about to stop."""
        self._around.network.journal.count("drain")
        self.hub.drain()

    def miss_wakes(self) -> None:
        """Hear no wake any more."""
        self.store.is_deaf = True

    def hear_again(self) -> None:
        """Hear wakes again, and that there was a gap."""
        self.store.is_deaf = False
        self._around.wakes.reconnect()


async def _swept(sweeper: Sweeper) -> None:
    SWEEPING.set(True)
    await sweeper.run()
