"""A referee with callers of every kind, and what they see of its matches."""

import asyncio
import itertools
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

import grpc.aio
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from tests.e2e.position import DEALT, Position
from tests.e2e.referee_process import RefereeProcess
from tests.e2e.table import PATIENCE, PATIENT

from ginref.adapters.redis_store import RedisStore, open_store
from ginref.app.match_store import StoredEntry
from ginref.v1 import (
    bot_service_pb2,
    clock_pb2,
    match_pb2,
    move_pb2,
    referee_service_pb2_grpc,
    registry_pb2,
    registry_service_pb2_grpc,
    ruleset_pb2,
    tournament_pb2,
    tournament_service_pb2_grpc,
)
from ginref.v1 import referee_service_pb2 as referee_pb
from ginref.v1 import registry_service_pb2 as registry_pb
from ginref.v1 import tournament_service_pb2 as tournament_pb

Stub = Any
"""The client side of a service, as generated."""

SEATED = ("ada", "bob")
"""Bots by seat."""

STRANGER = "eve"
"""A bot that has no seat."""

OPERATOR, ORGANIZER, SPECTATOR = "operator", "organizer", "spectator"

_numbers = itertools.count()


@dataclass
class Host:
    """A referee, and a token for each kind of caller.

    Attributes:
        process: The referee.
        tokens: Secrets: of bots under their names, and of other roles under those.
        finished: A match that is over, once there is one.
        tournament: A tournament, once there is one.
    """

    process: RefereeProcess
    tokens: dict[str, str] = field(default_factory=dict)
    finished: str = ""
    tournament: str = ""

    def start(self) -> "Host":
        """Start the referee, and hand out tokens."""
        self.process.start()
        self.tokens = {OPERATOR: self.process.token()}
        asyncio.run(self._hand_out())
        return self

    async def _hand_out(self) -> None:
        async with self.open() as room:
            await room.registry(OPERATOR, "CreateOwner", name="lab")
            for bot in (*SEATED, STRANGER):
                await room.registry(OPERATOR, "CreateBot", name=bot, owner="lab")
                self.tokens[bot] = await room.token(bot=bot)
            for role in (ORGANIZER, SPECTATOR):
                self.tokens[role] = await room.token(role)

    @asynccontextmanager
    async def open(self) -> AsyncIterator["Room"]:
        """Open a connection to the referee, and a look into its store."""
        path = self.process.data / "store" / "server.sock"
        store = open_store(f"unix://{quote(str(path))}")
        try:
            async with grpc.aio.insecure_channel(
                self.process.address, options=[("grpc.use_local_subchannel_pool", 1)]
            ) as channel:
                yield Room(self, channel, store)
        finally:
            await store.aclose()


@contextmanager
def hosting(*options: str) -> Iterator[Host]:
    """Run a referee on an embedded store, with callers of every kind."""
    folder = Path(tempfile.mkdtemp(prefix="gr"))
    process = RefereeProcess(folder / "data", options=options)
    try:
        yield Host(process).start()
    finally:
        process.stop()
        shutil.rmtree(folder, ignore_errors=True)


@dataclass(frozen=True)
class Sight:
    """All that can be seen of a match: by both seats, and in the store."""

    seats: tuple[referee_pb.GetMatchResponse, ...]
    log: tuple[StoredEntry, ...]


@dataclass(frozen=True)
class Room:
    """A connection to a referee, for callers of every kind."""

    host: Host
    channel: grpc.aio.Channel
    store: RedisStore
    created: list[str] = field(default_factory=list)

    def metadata(self, caller: str) -> tuple[tuple[str, str], ...]:
        """Return what makes a caller known, by name or role."""
        return (("authorization", f"Bearer {self.host.tokens[caller]}"),)

    async def send(self, caller: str, method: str, data: bytes) -> bytes:
        """Call a method, `Service/Method`, with any bytes."""
        call: Stub = self.channel.unary_unary(f"/ginref.v1.{method}")
        answer: bytes = await call(data, metadata=self.metadata(caller))
        return answer

    async def referee(self, caller: str, method: str, **fields: object) -> Any:  # noqa: ANN401 - the method's answer
        """Call a unary method of the referee's service."""
        stub: Stub = referee_service_pb2_grpc.RefereeServiceStub(self.channel)
        request = getattr(referee_pb, f"{method}Request")(**fields)
        return await getattr(stub, method)(request, metadata=self.metadata(caller))

    async def registry(self, caller: str, method: str, **fields: object) -> Any:  # noqa: ANN401 - the method's answer
        """Call a method of the registry's service."""
        stub: Stub = registry_service_pb2_grpc.RegistryServiceStub(self.channel)
        request = getattr(registry_pb, f"{method}Request")(**fields)
        return await getattr(stub, method)(request, metadata=self.metadata(caller))

    async def tournaments(self, caller: str, method: str, **fields: object) -> Any:  # noqa: ANN401 - the method's answer
        """Call a unary method of the service of tournaments."""
        stub: Stub = tournament_service_pb2_grpc.TournamentServiceStub(self.channel)
        request = getattr(tournament_pb, f"{method}Request")(**fields)
        return await getattr(stub, method)(request, metadata=self.metadata(caller))

    async def tournament(self) -> str:
        """Return a tournament that bots can enter."""
        if not self.host.tournament:
            made = await self.tournaments(
                ORGANIZER,
                "CreateTournament",
                request_id="a cup",
                configuration=new_tournament("cup").configuration,
            )
            await self.tournaments(
                ORGANIZER,
                "ChangeTournament",
                tournament_id=made.tournament.tournament_id,
                request_id="open",
                expected_version=made.tournament.version,
                advance={"to": tournament_pb2.TOURNAMENT_STATE_REGISTRATION},
            )
            self.host.tournament = made.tournament.tournament_id
        return self.host.tournament

    async def version(self, tournament_id: str) -> int:
        """Return the version of a tournament."""
        found = await self.tournaments(
            OPERATOR, "GetTournament", tournament_id=tournament_id
        )
        version: int = found.tournament.version
        return version

    def watch(self, caller: str, match_id: str, cursor: str = "") -> Stub:
        """Follow a match."""
        stub: Stub = referee_service_pb2_grpc.RefereeServiceStub(self.channel)
        request = referee_pb.WatchMatchRequest(match_id=match_id, cursor=cursor)
        return stub.WatchMatch(request, metadata=self.metadata(caller))

    def connect(self, caller: str) -> Stub:
        """Open a bots' stream, on which any bytes can be sent."""
        method = "/ginref.v1.BotService/Connect"
        read = bot_service_pb2.ConnectResponse.FromString
        call: Stub = self.channel.stream_stream(method, response_deserializer=read)
        return call(metadata=self.metadata(caller))

    async def make_token(self, role: str = "bot", **fields: object) -> Any:  # noqa: ANN401 - the registry's answer
        """Return a new token: its row, and its secret."""
        number = registry_pb2.Role.Value(f"ROLE_{role.upper()}")
        return await self.registry(OPERATOR, "CreateToken", role=number, **fields)

    async def expired_token(self, role: str = "bot", **fields: object) -> str:
        """Return the secret of a token whose time is over."""
        brief = Duration(nanos=1_000_000)
        made = await self.make_token(role, lifetime=brief, **fields)
        while time.time_ns() <= made.token.expire_time.ToNanoseconds():  # noqa: ASYNC110 - a clock tells nobody
            await asyncio.sleep(0.001)
        secret: str = made.secret
        return secret

    async def token(self, role: str = "bot", **fields: object) -> str:
        """Return the secret of a new token."""
        made = await self.make_token(role, **fields)
        secret: str = made.secret
        return secret

    async def create(  # noqa: PLR0913 - each may differ
        self,
        *,
        by: str = ORGANIZER,
        request_id: str | None = None,
        seed: str | None = None,
        changes: Mapping[str, int] = MappingProxyType({}),
        clock: clock_pb2.ClockPolicy = PATIENT,
        strikes_allowed: int = 3,
    ) -> str:
        """Create a match of plain gin, seeded if there is a seed."""
        source = match_pb2.DEAL_SOURCE_SEEDED if seed else match_pb2.DEAL_SOURCE_SHARES
        made = await self.referee(
            by,
            "CreateMatch",
            request_id=request_id or f"match {next(_numbers)}",
            ruleset=ruleset_pb2.RulesetChoice(
                preset="gin",
                changes=ruleset_pb2.RulesetOptions(**changes),  # type: ignore[arg-type] # names of options
            ),
            bots=SEATED,
            clock=clock,
            strikes_allowed=strikes_allowed,
            deal_source=source,
            seed=seed,
        )
        match_id: str = made.match.match_id
        self.created.append(match_id)
        return match_id

    async def finished(self) -> str:
        """Return a match that is over, and whose record is signed."""
        if not self.host.finished:
            match_id = await self.create(seed="over")
            await self.referee(SEATED[0], "ResignMatch", match_id=match_id, seat=1)
            async with asyncio.timeout(PATIENCE):
                while not await self._has_record(match_id):  # noqa: ASYNC110 - it is signed elsewhere
                    await asyncio.sleep(0.02)
            self.host.finished = match_id
        return self.host.finished

    async def _has_record(self, match_id: str) -> bool:
        try:
            await self.referee(OPERATOR, "GetMatchRecord", match_id=match_id)
        except grpc.aio.AioRpcError as error:
            assert error.code() is grpc.StatusCode.FAILED_PRECONDITION  # noqa: PT017 - any other is a failure
            return False
        return True

    async def clear(self) -> None:
        """Abort what was created: bots are told of live matches only."""
        for match_id in self.created:
            with suppress(grpc.aio.AioRpcError):
                await self.referee(ORGANIZER, "AbortMatch", match_id=match_id)

    async def prepare(self, match_id: str, **step: object) -> None:
        """Take the same step with both seats."""
        for seat, bot in enumerate(SEATED):
            await self.referee(
                bot, "PrepareSeat", match_id=match_id, seat=seat + 1, **step
            )

    async def deal(self, position: Position, *, strikes_allowed: int = 3) -> str:
        """Create a match and play to a position."""
        match_id = await self.create(
            seed=position.seed,
            changes=position.changes,
            strikes_allowed=strikes_allowed,
        )
        await self.prepare(match_id, accept=referee_pb.AcceptSeat())
        played = zip(position.movers, position.moves, strict=True)
        for number, (seat, text) in enumerate(played):
            await self.referee(
                SEATED[seat],
                "SubmitMove",
                match_id=match_id,
                seat=seat + 1,
                expected_version=DEALT + number,
                request_id=f"move {number}",
                move=move_pb2.Move(text=text),
            )
        return match_id

    async def lists(self) -> tuple[Message, ...]:
        """Return what the referee keeps, as its operator sees it."""
        return (
            await self.referee(OPERATOR, "ListMatches", page_size=2),
            await self.registry(OPERATOR, "ListOwners"),
            await self.registry(OPERATOR, "ListBots"),
            await self.registry(OPERATOR, "ListTokens"),
            await self.tournaments(OPERATOR, "ListTournaments"),
        )

    async def sight(self, match_id: str) -> Sight:
        """Return all that can be seen of a match."""
        seats = [
            timeless(await self.referee(bot, "GetMatch", match_id=match_id))
            for bot in SEATED
        ]
        return Sight(tuple(seats), tuple(await self.store.log(match_id)))


def new_tournament(
    name: str, **changes: object
) -> tournament_pb.CreateTournamentRequest:
    """Return a request that declares a tournament."""
    request = tournament_pb.CreateTournamentRequest(request_id=f"new {name}")
    stage: Any = {"name": "main", "format": "round_robin"}
    fields: Any = {"name": name, "stages": [stage], **changes}
    request.configuration.update(fields)
    return request


def timeless(found: referee_pb.GetMatchResponse) -> referee_pb.GetMatchResponse:
    """Take out what differs from look to look: the time of the look, and the deadline.

    A busy machine can hold a referee up, which gives the seats time back.
    """
    for clock in (
        found.public_view.clock,
        *(view.clock for view in found.seat_views),
    ):
        for name in ("server_time", "deadline", "credits"):
            clock.ClearField(name)
    return found


def texts(message: Message) -> list[str]:
    """Return every text in a message, however deep."""
    found: list[str] = []
    for described, value in message.ListFields():
        values = value if described.is_repeated else [value]
        if described.message_type and described.message_type.GetOptions().map_entry:
            found += [str(part) for pair in value.items() for part in pair]
        elif described.message_type:
            found += [text for part in values for text in texts(part)]
        elif described.type == described.TYPE_STRING:
            found += values
    return found
