"""A bot's program that is told anything by its referee."""

import asyncio
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

from google.protobuf.message import DecodeError, Message
from tests.fuzz.call import open_match
from tests.fuzz.draw import Draw
from tests.fuzz.serving import Served
from tests.fuzz.shaped import WORDS, Words, shaped
from tests.fuzz.target import Target
from tests.leaks.wire import CONNECT, Stream
from tests.leaks.world import SEATED, World

from ginref.v1 import view_pb2
from ginref.v1.bot_service_pb2 import ConnectRequest, ConnectResponse
from ginref_client.bots.simple import Simple
from ginref_client.codec import seat_view_from_wire
from ginref_client.error import FencedError, ProtocolError, SplitLogError
from ginref_client.evidence import Evidence
from ginref_client.roster import DrainedError, Roster, accept_all
from ginref_client.seat_play import Surroundings
from ginref_client.thinking import ThinkingPool

_TOLD: Final = (DrainedError, FencedError, ProtocolError, SplitLogError)

_MESSAGES: Final = 4

_MOVES: Final = ("pass", "draw_upcard", "draw_stock", "discard As", "discard Kd")

_WORDS: Final[Words] = {
    **WORDS,
    "match_id": ("m", "n", ""),
    "bot": ("ada", "bob"),
    "version": (3, 4, 2),
    "digest": ("ab" * 32, "", "x"),
    "commitment": ("c" * 32,),
    "protocol": (1, 2),
    "seat": (1, 2, 3, 0),
    "name": ("gin", "x"),
}


class _Program:
    """The seats of a bot, in a loop that runs as long as there is something to do."""

    def __init__(self) -> None:
        self._pool = ThinkingPool()

    def hear(self, messages: list[ConnectResponse]) -> None:
        """Act on some messages; raise if they are not refused as what they are."""
        asyncio.run(self._hear(messages))

    async def _hear(self, messages: list[ConnectResponse]) -> None:
        faults: list[BaseException] = []
        roster = Roster(
            Simple,
            Surroundings(self._pool, Evidence(), _check),
            capacity=0,
            accept=accept_all,
            on_fault=faults.append,
        )
        try:
            for message in messages:
                roster.handle(message)
                await asyncio.sleep(0)
        except _TOLD:
            pass
        finally:
            await roster.close()
        if faults:
            raise faults[0]


def _check(message: ConnectRequest) -> None:
    message.SerializeToString()


def _make_program() -> Callable[[bytes], object]:
    program = _Program()

    def check(data: bytes) -> None:
        try:
            program.hear([ConnectResponse.FromString(data)])
        except DecodeError:
            return

    return check


def _make_shaped() -> Callable[[bytes], object]:
    program = _Program()

    def check(data: bytes) -> None:
        draw = Draw(data)
        made: list[Any] = [_shaped(draw) for _ in range(1 + draw.below(_MESSAGES))]
        program.hear(made)

    return check


def _shaped(draw: Draw) -> Message:
    """Return a message that the referee has sent before, or that is made up."""
    if draw.often(8):
        return ConnectResponse.FromString(draw.pick(_messages()))
    return shaped(ConnectResponse.DESCRIPTOR, draw, _WORDS)


def _read_view(data: bytes) -> None:
    try:
        seat_view_from_wire(view_pb2.SeatView.FromString(data))
    except (DecodeError, ProtocolError):
        return


@lru_cache(1)
def _messages() -> list[bytes]:
    """Return what bots are told in the beginning of a match."""
    served = Served()
    served.do(_listen)
    sent = served.world.sent
    served.close()
    return [one.data for one in sent if (one.method, one.kind) == (CONNECT, "message")]


async def _listen(world: World) -> None:
    streams: list[Stream] = []
    for bot in SEATED[:2]:
        stream = await world.wire.connect(bot)
        hello: Any = ConnectRequest()
        hello.hello.protocol = 1
        hello.hello.features.append("events")
        stream.say(hello)
        await world.settle()
        streams.append(stream)
    match_id = await open_match(world, "listened to")
    for number, text in enumerate(_MOVES):
        for seat, stream in enumerate(streams, start=1):
            move: Any = ConnectRequest()
            move.move.match_id, move.move.seat = match_id, seat
            move.move.expected_version = 3 + number
            move.move.request_id = f"{number} {seat}"
            move.move.move.text = text
            stream.say(move)
            await world.settle()
    await world.wait(20 * 60)
    for stream in streams:
        await stream.close()


def _views() -> list[bytes]:
    turns = [ConnectResponse.FromString(one) for one in _messages()]
    return [one.turn.view.SerializeToString() for one in turns if one.HasField("turn")]


CLIENT: Final[Mapping[str, Target]] = {
    "told to a bot": Target(make=_make_program, seeds=_messages, share=20),
    "shaped for a bot": Target(
        make=_make_shaped,
        seeds=lambda: [bytes(range(n, n + 99)) for n in range(9)],
        share=10,
    ),
    "view": Target(make=lambda: _read_view, seeds=_views, share=40),
}
"""What a bot's program reads, by what it is."""
