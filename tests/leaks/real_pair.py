"""Pairs of matches on a real referee: its own process, its store, and gRPC."""

import asyncio
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import grpc.aio
from google.protobuf.message import Message
from tests.e2e.host import ORGANIZER, SEATED, SPECTATOR, Host, Room
from tests.e2e.referee_process import RefereeProcess
from tests.e2e.table import PATIENCE
from tests.faults.rig import search_path
from tests.leaks.dealing import Deck
from tests.leaks.dealing_referee import seed_of
from tests.leaks.script import Play, Script, Slip, write_script

from ginref.engine.ruleset import GIN
from ginref.engine.seat import Seat
from ginref.v1 import bot_service_pb2, move_pb2
from ginref.v1 import referee_service_pb2 as referee_pb

_TIMES: Final = frozenset(
    {
        *("server_time", "deadline", "create_time", "time", "accept_time"),
        *("elapsed_ms", "last_elapsed_ms", "referee_ms", "last_referee_ms"),
        *("bank_ms", "credits"),
    }
)
"""Fields that tell of time, which passes differently in every match."""

_DRAWN: Final = frozenset({"referee_commitment", "commitment_signature"})
"""Fields that follow from a share that is drawn for each match."""

_DEALT: Final = 3


@contextmanager
def hosting() -> Iterator[Host]:
    """Run a referee that deals what it is told, with callers of every kind."""
    folder = Path(tempfile.mkdtemp(prefix="gl"))
    process = RefereeProcess(
        folder / "data",
        program="tests.leaks.dealing_referee",
        environment={"PYTHONPATH": search_path()},
        options=("--dev",),
    )
    try:
        yield Host(process).start()
    finally:
        process.stop()
        shutil.rmtree(folder, ignore_errors=True)


def real_scripts(first: int) -> Iterator[Script]:
    """Yield scripts of plain gin in which a seat looks on during the first round."""
    number = first
    while True:
        script = write_script(number)
        is_plain = script.rules == GIN and script.at_end.round_number == 1
        is_dealt = script.first_dealer is Seat.NORTH and script.moves
        if is_plain and is_dealt and script.observer is not None:
            yield script
        number += 1


def timeless(message: Any, match_id: str) -> bytes:  # noqa: ANN401 - of any kind
    """Return a message without times, secrets of the match and its id."""
    kept = type(message)()
    kept.CopyFrom(message)
    _strip(kept, match_id)
    data: bytes = kept.SerializeToString(deterministic=True)
    return data


def _strip(message: Message, match_id: str) -> None:
    for described, value in message.ListFields():
        if described.name in _TIMES | _DRAWN:
            message.ClearField(described.name)
        elif described.message_type and described.message_type.GetOptions().map_entry:
            continue
        elif described.message_type:
            for part in value if described.is_repeated else [value]:
                _strip(part, match_id)
        elif value == match_id:
            setattr(message, described.name, "the match")


def _is_ping(message: Any) -> bool:  # noqa: ANN401 - of any kind
    is_told = isinstance(message, bot_service_pb2.ConnectResponse)
    return is_told and message.HasField("ping")


@dataclass(eq=False)
class Reader:
    """Reads a stream in the background.

    Attributes:
        heard: All that it has read.
    """

    stream: Any
    heard: list[Any] = field(default_factory=list)
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    _task: asyncio.Task[None] | None = None

    def start(self) -> "Reader":
        """Begin to read."""
        self._task = asyncio.create_task(self._read())
        return self

    async def _read(self) -> None:
        with suppress(grpc.aio.AioRpcError, asyncio.CancelledError):
            while (message := await self.stream.read()) is not grpc.aio.EOF:
                if _is_ping(message):
                    pong = bot_service_pb2.ConnectRequest()
                    pong.pong.number = message.ping.number
                    await self.stream.write(pong.SerializeToString())
                    continue
                self.heard.append(message)
                self._news.set()

    async def until(self, fits: Callable[[Any], bool]) -> None:
        """Wait until some message fits; with `bool`, for any."""
        async with asyncio.timeout(PATIENCE):
            while not any(map(fits, self.heard)):
                self._news.clear()
                await self._news.wait()

    async def stop(self) -> None:
        """Read no more."""
        self.stream.cancel()
        if self._task is not None:
            await asyncio.wait({self._task})


@dataclass(frozen=True)
class Heard:
    """What was told in a match, without times.

    Attributes:
        observer: To the seat that looks on.
        public: To a spectator.
        other: To the other seat, as it looked at the end.
    """

    observer: list[bytes]
    public: list[bytes]
    other: bytes


@dataclass(eq=False)
class RealMatch:
    """A match on a real referee, of which a seat and a spectator hear."""

    room: Room
    script: Script
    stream: Reader
    match_id: str = ""
    version: int = _DEALT
    refusals: int = 0
    slips: int = 0
    observer: list[bytes] = field(default_factory=list)
    public: list[bytes] = field(default_factory=list)

    @property
    def seat(self) -> Seat:
        """The seat that looks on."""
        assert self.script.observer is not None
        return self.script.observer

    async def play(self, deck: Deck) -> Heard:
        """Play the script on a deck."""
        script, room = self.script, self.room
        self.match_id = await room.create(
            seed=seed_of(deck), strikes_allowed=script.strikes_allowed
        )
        # Whoever looks later is told less: of what is the case by then.
        await self.stream.until(self._is_offer)
        await room.prepare(self.match_id, accept=referee_pb.AcceptSeat())
        await self.stream.until(self._is_start)
        watch = Reader(room.watch(SPECTATOR, self.match_id)).start()
        await watch.until(bool)
        for number, action in enumerate((*script.silent, *script.actions)):
            if not isinstance(action, Play | Slip):
                await self._look(SEATED[self.seat], self.observer)
                await self._look(SPECTATOR, self.public)
                continue
            await self._submit(action, number)
            if isinstance(action, Play):
                self.version, self.refusals = self.version + 1, 0
            else:
                self.refusals, self.slips = self.refusals + 1, self.slips + 1
            await self._hear(watch)
            if script.end == "strikes" and self.refusals > script.strikes_allowed:
                break
        await self._look(SEATED[self.seat], self.observer)
        last: list[bytes] = []
        await self._look(SEATED[1 - self.seat], last)
        with suppress(grpc.aio.AioRpcError):
            await room.referee(ORGANIZER, "AbortMatch", match_id=self.match_id)
        await watch.until(lambda step: step.match.HasField("ending"))
        await watch.stop()
        await self.stream.until(self._is_over)
        self.public += [timeless(one, self.match_id) for one in watch.heard]
        self.observer += [
            timeless(one, self.match_id)
            for one in self.stream.heard
            if self.match_id in str(one) and one.WhichOneof("message") != "welcome"
        ]
        return Heard(self.observer, self.public, *last)

    async def _submit(self, action: Play | Slip, number: int) -> None:
        bot, told = SEATED[action.seat], b""
        try:
            answer = await self.room.referee(
                bot,
                "SubmitMove",
                match_id=self.match_id,
                seat=action.seat + 1,
                expected_version=self.version,
                request_id=f"request {number}",
                move=move_pb2.Move(text=str(action.move)),
            )
            told = timeless(answer, self.match_id)
        except grpc.aio.AioRpcError as error:
            if isinstance(action, Play):
                raise
            status = (error.code(), error.details(), error.trailing_metadata())
            told = repr(status).encode()
        if action.seat is self.seat:
            self.observer.append(told)

    async def _hear(self, watch: Reader) -> None:
        """Wait until everybody was told of the latest step."""
        here = f"{self.version}-{self.refusals}"
        await watch.until(
            lambda step: step.cursor == here or step.match.HasField("ending")
        )
        public = watch.heard[-1].public_view
        if not public.HasField("ending") and public.table.to_act == self.seat + 1:
            await self.stream.until(self._is_turn)

    def _is_offer(self, told: bot_service_pb2.ConnectResponse) -> bool:
        return told.offer.match.match_id == self.match_id

    def _is_start(self, told: bot_service_pb2.ConnectResponse) -> bool:
        return told.started.match_id == self.match_id

    def _is_turn(self, told: bot_service_pb2.ConnectResponse) -> bool:
        view = told.turn.view
        strikes = sum(seat.strikes_used for seat in view.clock.seats)
        here = (self.match_id, self.version, self.slips)
        return (view.match_id, view.version, strikes) == here

    def _is_over(self, told: bot_service_pb2.ConnectResponse) -> bool:
        return told.match_over.match_id == self.match_id

    async def _look(self, caller: str, told: list[bytes]) -> None:
        found = await self.room.referee(caller, "GetMatch", match_id=self.match_id)
        told.append(timeless(found, self.match_id))


async def attached(room: Room, bot: str, *features: str) -> Reader:
    """Attach a bot, and read what it is told."""
    stream = room.connect(bot)
    hello = bot_service_pb2.ConnectRequest()
    hello.hello.protocol = 1
    hello.hello.features.extend(features)
    await stream.write(hello.SerializeToString())
    reader = Reader(stream).start()
    await reader.until(lambda told: bool(told.HasField("welcome")))
    return reader
