"""A whole referee in one process, in which nothing is left to chance."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, TypeVar

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from google.protobuf.message import Message
from tests.leaks.wire import Sent, Stream, Wire
from tests.simulation.dice import Dice
from tests.simulation.loop import SimulatedLoop
from tests.unit.app.tool import MemoryArchive, SameChance

from ginref.adapters.masked_log import MaskingFormatter
from ginref.adapters.memory_registry import MemoryRegistry
from ginref.adapters.memory_store import MemoryStore
from ginref.adapters.memory_tournament import MemoryTournaments
from ginref.adapters.metrics import PrometheusObserver
from ginref.adapters.sealing import AesSealer
from ginref.app.caller import Caller, Role
from ginref.app.challenge import Challenges
from ginref.app.desk import Desk
from ginref.app.gate import Gate
from ginref.app.hub import Hub
from ginref.app.keeper import Keeper
from ginref.app.registry_row import Grant
from ginref.app.session import Session
from ginref.app.signing import Signing
from ginref.app.sweep import Sweeper
from ginref.app.tools import Tools
from ginref.app.tournament_parts import TournamentParts
from ginref.app.tournament_watch import TournamentWatcher
from ginref.app.watch import Watcher
from ginref.transport.bot_service import BotService
from ginref.transport.interceptor import Interceptor
from ginref.transport.referee_service import RefereeService
from ginref.transport.registry_service import RegistryService
from ginref.transport.server import METHODS
from ginref.transport.tournament_service import TournamentService
from ginref.v1.referee_service_pb2 import WatchMatchRequest

SEATED: Final = ("ada", "bob", "cyd")
"""Bots by seat."""

STRANGER: Final = "eve"
"""A bot that has no seat."""

OPERATOR, ORGANIZER, SPECTATOR = "operator", "organizer", "spectator"

NOBODY: Final = "nobody"
"""A caller without a token."""

BEGIN_MS: Final = 1_790_000_000_000

_STEP_LIMIT: Final = 10_000_000
_BREATH: Final = 0.005
"""Longer than work in another thread takes; nothing else takes time."""

_SWEEP: Final = 0.25

_T = TypeVar("_T")


class SameIdentity(MemoryStore):
    """Gives the same ids to the same matches in every world."""

    async def identity_key(self) -> bytes:
        """Return a key that everybody knows."""
        return bytes(32)


class SameSigner:
    """Signs with the key that everybody knows."""

    key_id: Final = "k" * 43

    def __init__(self) -> None:
        """Take the key."""
        self._key = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))

    def sign(self, message: bytes) -> bytes:
        """Return the signature."""
        return self._key.sign(message)


_SIGNER: Final = SameSigner()


class Log(logging.Handler):
    """Keeps what any part of the referee logs.

    Attributes:
        raw: Lines as they come.
        written: Lines as a host reads them.
    """

    def __init__(self) -> None:
        """Take everything."""
        super().__init__(logging.DEBUG)
        self._plain = logging.Formatter("%(levelname)s %(name)s: %(message)s")
        self._masked = MaskingFormatter("%(levelname)s %(name)s: %(message)s")
        self.raw: list[str] = []
        self.written: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a record."""
        self.raw.append(self._plain.format(record))
        # The formatters share what the first one has made of an exception.
        record.exc_text = None
        self.written.append(self._masked.format(record))


@dataclass(eq=False)
class World:
    """A referee and its callers.

    Attributes:
        wire: Its API.
        tools: What it works with.
        store: Where its matches are.
        observer: Its metrics.
        log: What it logs.
    """

    wire: Wire
    tools: Tools
    store: MemoryStore
    observer: PrometheusObserver
    log: Log
    sweeper: Sweeper
    signing: Signing

    @property
    def sent(self) -> list[Sent]:
        """All that has left the referee, in order."""
        return self.wire.sent

    async def settle(self) -> None:
        """Let the referee do all that there is to do."""
        await asyncio.sleep(_BREATH)

    async def wait_ms(self, ms: int) -> None:
        """Let some milliseconds pass in which nothing is due."""
        await asyncio.sleep(ms / 1000)

    async def wait(self, seconds: float) -> None:
        """Let time pass, and deadlines with it."""
        until = asyncio.get_running_loop().time() + seconds
        while asyncio.get_running_loop().time() < until:
            await self.sweeper.sweep()
            await asyncio.sleep(_SWEEP)

    async def call(self, caller: str, method: str, request: Message | bytes) -> Sent:
        """Make a single call, and let what follows from it happen."""
        answer = await self.wire.call(caller, method, request)
        await self.settle()
        return answer

    async def watch(self, caller: str, match_id: str) -> Stream:
        """Follow a match."""
        stream = await self.wire.watch(caller, WatchMatchRequest(match_id=match_id))
        await self.settle()
        return stream

    def metrics(self) -> list[str]:
        """Return all metrics, but for what tells of time and of this process."""
        return [
            line
            for line in self.observer.render().decode().splitlines()
            if not line.startswith(("#", "process_"))
            and "seconds_bucket" not in line
            and "seconds_sum" not in line
        ]


async def build_world(log: Log) -> World:
    loop = asyncio.get_running_loop()

    def now_ms() -> int:
        return BEGIN_MS + round(loop.time() * 1000)

    store, registry, chance = SameIdentity(now_ms), MemoryRegistry(), SameChance()
    observer = PrometheusObserver(version="0", store="memory", methods=METHODS)
    keeper, hub = Keeper(store, AesSealer(bytes(32))), Hub(store)
    tools = Tools(
        store=store,
        registry=registry,
        keeper=keeper,
        signer=lambda: _SIGNER,
        archive=MemoryArchive(),
        chance=chance,
        observer=observer,
        engine="0",
        allow_seeded=True,
        hub=hub,
        monotonic=loop.time,
        now_ms=now_ms,
    )
    desk, gate = Desk(tools), Gate(registry, chance, now_ms)
    tournaments = TournamentParts.of(
        tools, MemoryTournaments(store.wake, now_ms), AesSealer(bytes(32))
    ).desk

    def attach(caller: Caller) -> Session:
        return Session(desk, tools, caller, tournaments=tournaments)

    wire = Wire(
        RefereeService(
            desk, Watcher(keeper, hub, observer), Challenges(tools, desk.opening)
        ),
        RegistryService(gate),
        TournamentService(tournaments, TournamentWatcher(tournaments, hub, observer)),
        BotService(attach, desk.receipts.acknowledge_unread),
        Interceptor(
            gate, write_timeout=1000.0, admit_interval=1000.0, observer=observer
        ),
    )
    await _hand_out(gate, wire)
    loop.create_task(hub.run())  # noqa: RUF006 - the loop keeps its tasks
    await asyncio.sleep(_BREATH)
    return World(
        wire=wire,
        tools=tools,
        store=store,
        observer=observer,
        log=log,
        sweeper=Sweeper(store, desk, observer),
        signing=Signing(tools, loop.time),
    )


async def _hand_out(gate: Gate, wire: Wire) -> None:
    """Make the bots, and a token for every kind of caller."""
    _, wire.tokens[OPERATOR] = await gate.issue_operator()
    host = await gate.authenticate(wire.tokens[OPERATOR])
    await gate.create_owner(host, "lab")
    for bot in (*SEATED, STRANGER):
        await gate.create_bot(host, bot, "lab", house=False)
        wire.tokens[bot] = await _token(gate, host, Role.BOT, bot)
    for role in (Role.ORGANIZER, Role.SPECTATOR):
        wire.tokens[role] = await _token(gate, host, role, None)


async def _token(gate: Gate, host: Caller, role: Role, bot: str | None) -> str:
    _, secret = await gate.create_token(host, Grant(role=role, bot=bot))
    return secret


def in_world(work: Callable[[World], Awaitable[_T]], *, is_strict: bool = True) -> _T:
    """Do something in a new world, and end it.

    Args:
        work: What is done.
        is_strict: Fail when an exception got lost in the background.
    """
    loop = SimulatedLoop(  # type: ignore[abstract] # what it leaves out raises
        Dice(0, "order"), 1, _STEP_LIMIT
    )
    log, root = Log(), logging.getLogger()
    level = root.level

    async def run() -> _T:
        return await work(await build_world(log))

    root.addHandler(log)
    root.setLevel(logging.DEBUG)
    try:
        result = loop.run(run())
        assert not (is_strict and loop.errors), loop.errors
        return result
    finally:
        root.setLevel(level)
        root.removeHandler(log)
        loop.close()
