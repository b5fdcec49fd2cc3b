"""What a bot says on its stream, read strictly."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, assert_never

from ginref.app.error import RefusedError
from ginref.app.message import LISTED_MOST
from ginref.app.request import (
    Accept,
    Decline,
    SeatStep,
    Step,
    UnreadMove,
)
from ginref.app.summons_work import SummonsAnswer
from ginref.engine.seat import Seat
from ginref.record.submission import Submission
from ginref.transport.codec_request import (
    seat_from_wire,
    submission_from_wire,
    unread_move_from_wire,
)
from ginref.transport.codec_summons import (
    share_step_from_wire,
    summons_answer_from_wire,
)
from ginref.transport.field import (
    invalid,
    missing,
    read_id,
    read_within,
)
from ginref.v1 import bot_service_pb2 as bot_pb
from ginref.v1 import session_pb2 as session_pb

PROTOCOL: Final = 1
"""Version of the stream's protocol."""

EVENTS: Final = "events"
"""The feature of a bot that wants to be told of what others do as it happens."""

CAPACITY_LIMIT: Final = 1_000_000
"""Most matches at once that a bot can announce."""


@dataclass(frozen=True, slots=True)
class Hello:
    """The bot is there.

    Attributes:
        capacity: Matches that it plays at once; 0 for any number.
        cursors: Last version that it knows, by match.
        client: Name of its program.
        wants_events: It wants to be told of what others do as it happens.
    """

    capacity: int
    cursors: Mapping[str, int]
    client: str
    wants_events: bool


@dataclass(frozen=True, slots=True)
class Ready:
    """The bot plays so many matches at once; 0 for any number."""

    capacity: int


@dataclass(frozen=True, slots=True)
class Resign:
    """The bot resigns a match."""

    match_id: str
    seat: Seat


@dataclass(frozen=True, slots=True)
class Sync:
    """The bot asks for the state of a match."""

    match_id: str
    seat: Seat


@dataclass(frozen=True, slots=True)
class Pong:
    """The bot answers a ping."""


BotMessage = (
    Hello | Ready | Resign | Sync | Pong | SeatStep | Submission | SummonsAnswer
)


def bot_message_from_wire(  # noqa: C901, PLR0911 - one case for each message
    request: bot_pb.ConnectRequest,
) -> BotMessage:
    """Read what a bot says.

    Raises:
        RefusedError: A field is absent or cannot be used.
    """
    kind = request.WhichOneof("message")
    match kind:
        case "hello":
            return _hello(request.hello)
        case "accept":
            return _step(request.accept, kind, Accept())
        case "decline":
            return _step(request.decline, kind, Decline())
        case "preparation":
            return _preparation(request.preparation, kind)
        case "ready":
            return Ready(_capacity(request.ready.capacity, "ready.capacity"))
        case "move":
            return submission_from_wire(request.move, f"{kind}.")
        case "resign":
            return Resign(*_place(request.resign, kind))
        case "sync":
            return Sync(*_place(request.sync, kind))
        case "pong":
            return Pong()
        case "check_in":
            return summons_answer_from_wire(request.check_in, kind)
        case None:
            raise missing("message")
        case _:
            assert_never(kind)


def match_id_named(request: bot_pb.ConnectRequest) -> str:
    """Return the match id that a message names, whatever else is wrong with it."""
    kind = request.WhichOneof("message")
    named = getattr(getattr(request, kind), "match_id", "") if kind else ""
    try:
        return read_id(named, "match_id")
    except RefusedError:
        return ""


def unread_move(request: bot_pb.ConnectRequest) -> UnreadMove | None:
    """Return what can be told of a move that cannot be read; None if it is none."""
    is_move = request.WhichOneof("message") == "move"
    return unread_move_from_wire(request.move) if is_move else None


_Placed = (
    session_pb.Accept
    | session_pb.Decline
    | session_pb.Resign
    | session_pb.Sync
    | session_pb.Preparation
)


def _place(message: _Placed, at: str) -> tuple[str, Seat]:
    return (
        read_id(message.match_id, f"{at}.match_id"),
        seat_from_wire(message.seat, f"{at}.seat"),
    )


def _step(message: _Placed, at: str, step: Step) -> SeatStep:
    match_id, seat = _place(message, at)
    return SeatStep(match_id=match_id, seat=seat, step=step)


def _capacity(value: int, at: str) -> int:
    return read_within(value, 0, CAPACITY_LIMIT, at)


def _hello(message: session_pb.Hello) -> Hello:
    if not message.protocol:
        raise missing("hello.protocol")
    if message.protocol != PROTOCOL:
        raise invalid("hello.protocol", str(PROTOCOL))
    if len(message.cursors) > LISTED_MOST:
        raise invalid("hello.cursors", f"at most {LISTED_MOST} cursors")
    cursors = {
        read_id(cursor.match_id, f"hello.cursors[{place}].match_id"): cursor.version
        for place, cursor in enumerate(message.cursors)
    }
    return Hello(
        capacity=_capacity(message.capacity, "hello.capacity"),
        cursors=cursors,
        client=message.client,
        wants_events=EVENTS in message.features,
    )


def _preparation(message: session_pb.Preparation, at: str) -> SeatStep:
    return _step(message, at, share_step_from_wire(message, at))
