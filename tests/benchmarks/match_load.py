"""The load of a referee: whole legal matches, worked out beforehand.

What is sent was made before the time is taken, and what comes back is looked at when
it is over, so that the one who asks is not slower than the one who answers.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any, Final

import grpc.aio
from tests.benchmarks.bare_server import NAME_BYTES
from tests.e2e.position import DEALT
from tests.e2e.table import PATIENT

from ginref.engine.deck import derive_deck, draw_first_dealer, seed_secret
from ginref.engine.match import apply, start_match
from ginref.engine.ruleset import preset
from ginref.engine.seat import Seat
from ginref.engine.view import view_for
from ginref.v1 import (
    bot_service_pb2,
    clock_pb2,
    match_pb2,
    move_pb2,
    ruleset_pb2,
    session_pb2,
)
from ginref.v1 import referee_service_pb2 as referee_pb
from ginref.v1.referee_service_pb2_grpc import RefereeServiceStub
from ginref_client.bots.careful import Careful
from ginref_client.bots.simple import Simple

PRESET: Final = "hollywood"

_SEATS: Final = (Seat.NORTH, Seat.SOUTH)
_MOVE_RESULT: Final = bytes(
    [bot_service_pb2.ConnectResponse.MOVE_RESULT_FIELD_NUMBER << 3 | 2]
)
"""How the result of a move begins on the wire."""

Outbox = asyncio.Queue[bytes]
"""What is to be sent on a stream."""

Metadata = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Game:
    """A whole match.

    Attributes:
        seed: Gives the cards.
        moves: Who moves, and what, as text.
    """

    seed: str
    moves: tuple[tuple[Seat, str], ...]


@lru_cache
def game(seed: str) -> Game:
    """Play a match between the two bots that come with the client."""
    secret = seed_secret(seed)
    deck_for = lru_cache(2)(partial(derive_deck, secret))
    dealer = draw_first_dealer(secret, _SEATS)
    match = start_match(preset(PRESET), _SEATS, dealer, deck_for)
    bots = (Careful(), Simple())
    moves = []
    while (seat := match.to_act) is not None:
        move = bots[seat].choose(view_for(match, seat))
        moves.append((seat, str(move)))
        match = apply(match, seat, move, deck_for)
    return Game(seed, tuple(moves))


@dataclass(frozen=True)
class Pair:
    """Two bots that play each other.

    Attributes:
        names: The bots, by seat.
        metadata: What each shows with its calls.
    """

    names: tuple[str, str]
    metadata: tuple[Metadata, Metadata]


@dataclass
class Line:
    """A match to be played, and what is sent for it.

    Attributes:
        name: Identity of the match.
        seats: Who sends each message.
        calls: The messages of unary calls.
        messages: The messages on a stream.
    """

    name: str
    seats: list[Seat]
    calls: list[bytes]
    messages: list[bytes]

    @classmethod
    def of(cls, match_id: str, played: Game) -> "Line":
        """Write the moves of a match as a bot would send them."""
        calls, messages = [], []
        for number, (seat, text) in enumerate(played.moves):
            fields: dict[str, Any] = {
                "match_id": match_id,
                "seat": seat + 1,
                "expected_version": DEALT + number,
                "request_id": f"{number:032x}",
                "move": move_pb2.Move(text=text),
            }
            calls.append(referee_pb.SubmitMoveRequest(**fields).SerializeToString())
            move = session_pb2.MoveSubmission(**fields)
            wrapped = bot_service_pb2.ConnectRequest(move=move)
            messages.append(wrapped.SerializeToString())
        return cls(match_id, [seat for seat, _ in played.moves], calls, messages)

    def bare(self, number: int) -> "Line":
        """Return a line of the same sizes for a bare server."""
        name = number.to_bytes(NAME_BYTES)
        return Line(
            name.hex(),
            self.seats,
            [name.ljust(len(data), b"-") for data in self.calls],
            [name.ljust(len(data), b"-") for data in self.messages],
        )


@dataclass
class Played:
    """What came of a load.

    Attributes:
        seconds: How long it took.
        trips: Seconds between each move and its answer.
        answers: What each move was answered.
        notices: Bytes of whatever else came on streams.
    """

    seconds: float = 0.0
    trips: list[float] = field(default_factory=list)
    answers: list[bytes] = field(default_factory=list)
    notices: list[int] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """Moves a second."""
        return len(self.trips) / self.seconds

    @property
    def reply_bytes(self) -> int:
        """Mean size of an answer."""
        return sum(map(len, self.answers)) // len(self.answers)

    @property
    def notice_bytes(self) -> int:
        """Bytes of everything else on the streams, a move."""
        return sum(self.notices) // len(self.trips)


async def set_up(  # noqa: PLR0913 - all that makes a match
    channel: grpc.aio.Channel,
    host: Metadata,
    pair: Pair,
    played: Game,
    name: str,
    *,
    clock: clock_pb2.ClockPolicy = PATIENT,
) -> Line:
    """Create a match and take both seats."""
    referee = RefereeServiceStub(channel)
    made = await referee.CreateMatch(
        referee_pb.CreateMatchRequest(
            request_id=name,
            ruleset=ruleset_pb2.RulesetChoice(preset=PRESET),
            bots=pair.names,
            clock=clock,
            deal_source=match_pb2.DEAL_SOURCE_SEEDED,
            seed=played.seed,
        ),
        metadata=host,
    )
    match_id = made.match.match_id
    for seat in _SEATS:
        step = referee_pb.PrepareSeatRequest(
            match_id=match_id,
            seat=seat_number(seat),
            accept=referee_pb.AcceptSeat(),
        )
        await referee.PrepareSeat(step, metadata=pair.metadata[seat])
    return Line.of(match_id, played)


def seat_number(seat: Seat) -> Any:  # noqa: ANN401 - an enum of the wire
    """Return a seat as the wire numbers it."""
    return seat + 1


async def call(
    channel: grpc.aio.Channel,
    method: str,
    lines: Sequence[Line],
    metadata: tuple[Metadata, Metadata] = ((), ()),
) -> Played:
    """Play lines side by side with a call for each move."""
    send: Callable[..., Awaitable[bytes]] = channel.unary_unary(method)
    result = Played()

    async def play(line: Line) -> None:
        for seat, data in zip(line.seats, line.calls, strict=True):
            began = time.perf_counter()
            answer = await send(data, metadata=metadata[seat])
            result.trips.append(time.perf_counter() - began)
            result.answers.append(answer)

    began = time.perf_counter()
    await asyncio.gather(*map(play, lines))
    result.seconds = time.perf_counter() - began
    return result


@dataclass
class Streams:
    """The streams of both seats of a pair, and the lines that are played on them.

    Attributes:
        method: The method of the streams.
        hellos: What each begins with.
        metadata: What each shows.
        answered: Says which line an incoming message answers; None for none.
    """

    method: str
    hellos: tuple[bytes, bytes]
    metadata: tuple[Metadata, Metadata]
    answered: Callable[[bytes], str | None]
    result: Played = field(default_factory=Played)
    _calls: list[Any] = field(default_factory=list)
    _outboxes: tuple[Outbox, Outbox] = field(
        default_factory=lambda: (asyncio.Queue(), asyncio.Queue())
    )
    _left: dict[str, tuple[Line, int, float]] = field(default_factory=dict)
    _hearing: list[asyncio.Task[None]] = field(default_factory=list)
    _over: asyncio.Event = field(default_factory=asyncio.Event)

    async def open(self, channels: Sequence[grpc.aio.Channel]) -> None:
        """Open both, each on a channel, and let whatever is said at first go by."""
        for seat, channel in zip(_SEATS, channels, strict=True):
            outbox = self._outboxes[seat]
            outbox.put_nowait(self.hellos[seat])
            stream: Any = channel.stream_stream(self.method)
            call = stream(_all_of(outbox), metadata=self.metadata[seat])
            self._calls.append(call)
            self._hearing.append(asyncio.create_task(self._hear(call)))

    async def play(self, lines: Sequence[Line]) -> None:
        """Play lines side by side."""
        for line in lines:
            self._left[line.name] = (line, 0, time.perf_counter())
        for line in lines:
            self._outboxes[line.seats[0]].put_nowait(line.messages[0])
        over = asyncio.create_task(self._over.wait())
        await asyncio.wait({over, *self._hearing}, return_when=asyncio.FIRST_COMPLETED)
        if not over.done():
            over.cancel()
            raise AssertionError([task for task in self._hearing if task.done()])

    async def close(self) -> None:
        """Close both."""
        for stream in self._calls:
            stream.cancel()
        await asyncio.gather(*self._hearing, return_exceptions=True)

    async def _hear(self, stream: Any) -> None:  # noqa: ANN401 - a stream of bytes
        async for message in stream:
            name = self.answered(message)
            if name is None or name not in self._left:
                if self._left:
                    self.result.notices.append(len(message))
                continue
            line, number, began = self._left[name]
            self.result.trips.append(time.perf_counter() - began)
            self.result.answers.append(message)
            number += 1
            if number == len(line.seats):
                del self._left[name]
                if not self._left:
                    self._over.set()
                continue
            self._left[name] = (line, number, time.perf_counter())
            self._outboxes[line.seats[number]].put_nowait(line.messages[number])


async def _all_of(outbox: Outbox) -> AsyncIterator[bytes]:
    while True:
        yield await outbox.get()


def answered_by_referee(message: bytes) -> str | None:
    """Say which match a referee's message answers a move of.

    Raises:
        AssertionError: The move was refused.
    """
    if not message.startswith(_MOVE_RESULT):
        return None
    result = bot_service_pb2.ConnectResponse.FromString(message).move_result
    assert result.HasField("accepted"), result
    return result.match_id


def answered_by_relay(message: bytes) -> str | None:
    """Say which line a bare relay's message answers a message of."""
    return None if message.endswith(b"!") else message[:NAME_BYTES].hex()


async def stream(
    channels: Sequence[grpc.aio.Channel],
    pairs: Sequence[Streams],
    lines: Sequence[Line],
) -> Played:
    """Play lines on the streams of pairs, in turn, all side by side.

    Of every other pair the two seats are on different channels, if there are several.
    """
    for number, streams in enumerate(pairs):
        first, others = number // 2, number // 2 + number % 2
        await streams.open([channels[n % len(channels)] for n in (first, others)])
    await asyncio.sleep(1)
    count = len(pairs)
    began = time.perf_counter()
    await asyncio.gather(
        *(streams.play(lines[n::count]) for n, streams in enumerate(pairs))
    )
    seconds = time.perf_counter() - began
    for streams in pairs:
        await streams.close()
    whole = Played(seconds=seconds)
    for streams in pairs:
        whole.trips += streams.result.trips
        whole.answers += streams.result.answers
        whole.notices += streams.result.notices
    return whole
