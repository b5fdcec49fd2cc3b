import asyncio
import random
import secrets
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from types import MappingProxyType
from typing import Any

import grpc
import grpc.aio
import pytest

from ginref.adapters.folder_archive import FolderArchive
from ginref.adapters.memory_registry import MemoryRegistry
from ginref.adapters.memory_store import MemoryStore
from ginref.adapters.memory_tournament import MemoryTournaments
from ginref.adapters.metrics import PrometheusObserver
from ginref.adapters.sealing import AesSealer
from ginref.app.allowance import Allowance
from ginref.app.desk import Desk
from ginref.app.gate import Gate
from ginref.app.hub import Hub
from ginref.app.keeper import Keeper
from ginref.app.live_match import LiveMatch
from ginref.app.match_store import ApplyResult, Change, StoredMatch, SubmissionKey
from ginref.app.port import Signer
from ginref.app.report import PublicEvent, SeatReport
from ginref.app.reporting import clock_facts, match_facts
from ginref.app.tools import Tools
from ginref.app.tournament_parts import TournamentParts
from ginref.app.watch import Watcher
from ginref.engine.seat import Seat
from ginref.engine.view import view_for
from ginref.record.clock import StoredClock
from ginref.record.entry import StampedEntry
from ginref.record.lifecycle import MatchState, begin, step
from ginref.record.setup import Setup
from ginref.transport.rest_server import RestOptions, RestServer
from ginref.transport.server import RefereeServer, ServerOptions
from ginref.v1 import registry_pb2, registry_service_pb2
from ginref.v1.bot_service_pb2 import ConnectResponse
from ginref.v1.referee_service_pb2_grpc import RefereeServiceStub as RefereeStub
from ginref.v1.registry_service_pb2_grpc import RegistryServiceStub as RegistryStub

CREATED_MS = 1_790_000_000_000
Stub = Any
"""The client side of a service, as generated."""

NOW_MS = 1_790_000_123_456


@pytest.fixture(scope="session")
def live_at(
    play_match: Callable[..., tuple[Setup, tuple[StampedEntry, ...]]],
) -> Callable[..., LiveMatch]:
    """A match as the referee knows it after so many entries of its log."""

    @lru_cache
    def states(number: int, setup: Setup | None) -> tuple[MatchState, ...]:
        setup, log = play_match(number, setup=setup)
        return tuple(
            accumulate((logged.entry for logged in log[1:]), step, initial=begin(setup))
        )

    def build(number: int, entries: int, setup: Setup | None = None) -> LiveMatch:
        known = states(number, setup)
        state = known[min(entries, len(known)) - 1]
        chance = random.Random(number)
        clock = StoredClock(
            to_act=None if state.to_act is None else int(state.to_act),
            started_ms=NOW_MS - 100,
            deadline_ms=NOW_MS + 1234,
            banks_ms=tuple(chance.randrange(10_000) for _ in state.setup.seats),
            elapsed_ms=chance.randrange(500),
        )
        return LiveMatch(state=state, clock=clock, created_ms=CREATED_MS, now_ms=NOW_MS)

    return build


@pytest.fixture(scope="session")
def report_for() -> Callable[..., SeatReport]:
    """What a seat is told of a match."""

    def build(
        live: LiveMatch, seat: Seat, events: tuple[PublicEvent, ...] = ()
    ) -> SeatReport:
        assert live.state.match is not None
        return SeatReport(
            facts=match_facts(live),
            view=view_for(live.state.match, seat),
            clock=clock_facts(live),
            events=events,
        )

    return build


class SecretChance:
    """Secrets that nobody can foresee."""

    def token(self, size: int) -> bytes:
        return secrets.token_bytes(size)


class FlakyStore(MemoryStore):
    """Fails in the way it is told to, whatever it is asked about a match."""

    failure: Exception | None = None

    def _fail(self) -> None:
        if self.failure is not None:
            raise self.failure

    async def read(
        self, match_id: str, key: SubmissionKey | None = None
    ) -> StoredMatch | None:
        self._fail()
        return await super().read(match_id, key)

    async def apply(self, change: Change) -> ApplyResult:
        self._fail()
        return await super().apply(change)

    async def attach(self, bot: str, attachment: str) -> None:
        self._fail()
        await super().attach(bot, attachment)


@dataclass
class Channel:
    """A connection, and the metadata that its calls carry."""

    raw: grpc.aio.Channel
    metadata: tuple[tuple[str, str], ...]

    def registry(self) -> Stub:
        return RegistryStub(self.raw)

    def referee(self) -> Stub:
        return RefereeStub(self.raw)

    def connect(self) -> grpc.aio.StreamStreamCall[bytes, ConnectResponse]:
        """The bots' stream, on which any bytes can be sent."""
        method = "/ginref.v1.BotService/Connect"
        call: Stub = self.raw.stream_stream(
            method, response_deserializer=ConnectResponse.FromString
        )
        opened: grpc.aio.StreamStreamCall[bytes, ConnectResponse] = call(
            metadata=self.metadata
        )
        return opened

    async def send(self, method: str, data: bytes) -> bytes:
        """The answer to a call made of any bytes."""
        call: Stub = self.raw.unary_unary(method)
        answer: bytes = await call(data, metadata=self.metadata)
        return answer


@dataclass(kw_only=True)
class Served:
    """A referee that serves on a port of its own, in this process."""

    address: str
    rest: str
    gate: Gate
    hub: Hub
    store: FlakyStore
    operator: str
    calls: list[tuple[str, str]]
    refusals: list[str]

    @asynccontextmanager
    async def channel(self, token: str | None = None) -> AsyncIterator[Channel]:
        """A connection whose calls carry a token."""
        async with grpc.aio.insecure_channel(
            self.address, options=[("grpc.use_local_subchannel_pool", 1)]
        ) as channel:
            metadata = () if token is None else (("authorization", f"Bearer {token}"),)
            yield Channel(channel, metadata)

    async def token(self, role: str, bot: str | None = None) -> str:
        """A new token; a bot is added with it."""
        async with self.channel(self.operator) as channel:
            registry = channel.registry()
            if bot is not None:
                await registry.CreateOwner(
                    registry_service_pb2.CreateOwnerRequest(name="owner"),
                    metadata=channel.metadata,
                )
                await registry.CreateBot(
                    registry_service_pb2.CreateBotRequest(name=bot, owner="owner"),
                    metadata=channel.metadata,
                )
            made = await registry.CreateToken(
                registry_service_pb2.CreateTokenRequest(
                    role=registry_pb2.Role.Value(f"ROLE_{role.upper()}"), bot=bot
                ),
                metadata=channel.metadata,
            )
        secret: str = made.secret
        return secret


@pytest.fixture
async def serve(
    tmp_path: Path, referee: Callable[[], Signer]
) -> Callable[..., AbstractAsyncContextManager[Served]]:
    """Serve a referee with some options."""

    @asynccontextmanager
    async def start(
        rest: Mapping[str, Any] = MappingProxyType({}),
        *,
        allowance: Allowance | None = None,
        **options: object,
    ) -> AsyncIterator[Served]:
        store, registry = FlakyStore(), MemoryRegistry()
        sealer = AesSealer(bytes(32))
        kept = MemoryTournaments(store.wake, lambda: time.time_ns() // 1_000_000)
        keeper, hub = Keeper(store, sealer), Hub(store)
        observed = Observed()
        tools = Tools(
            store=store,
            registry=registry,
            keeper=keeper,
            signer=referee,
            archive=FolderArchive(tmp_path),
            chance=SecretChance(),
            observer=observed,
            engine="0",
            allow_seeded=True,
            allowance=allowance or Allowance(),
            hub=hub,
        )
        gate = Gate(registry, tools.chance, lambda: time.time_ns() // 1_000_000)
        _, operator = await gate.issue_operator()
        listening = asyncio.create_task(hub.run())
        settings = {"listen": "127.0.0.1:0", "drain_ms": 300, **options}
        try:
            server = RefereeServer(
                Desk(tools),
                gate,
                Watcher(keeper, hub, tools.observer),
                TournamentParts.of(tools, kept, sealer).desk,
                tools,
                ServerOptions(**settings),  # type: ignore[arg-type]
                observed,
            )
            web = RestServer(
                server.services,
                gate,
                hub.drain,
                RestOptions(**{"listen": "127.0.0.1:0", "drain_ms": 300, **rest}),
                observed,
            )
            async with server as address, web as rest_address:
                yield Served(
                    address=address,
                    rest=rest_address,
                    gate=gate,
                    hub=hub,
                    store=store,
                    operator=operator,
                    calls=observed.calls,
                    refusals=observed.refusals,
                )
        finally:
            listening.cancel()

    return start


@pytest.fixture
async def served(
    serve: Callable[..., AbstractAsyncContextManager[Served]],
) -> AsyncIterator[Served]:
    """A referee that serves on loopback."""
    async with serve() as running:
        yield running


class Observed(PrometheusObserver):
    """Remembers which calls ended how, and what was refused."""

    def __init__(self) -> None:
        super().__init__(version="0", store="memory")
        self.calls: list[tuple[str, str]] = []
        self.refusals: list[str] = []

    def call(self, method: str, code: str, seconds: float) -> None:
        super().call(method, code, seconds)
        assert seconds >= 0
        self.calls.append((method.rpartition("/")[2], code))

    def refusal(self, reason: str) -> None:
        super().refusal(reason)
        self.refusals.append(str(reason))
