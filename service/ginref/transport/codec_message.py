"""Messages of the bots' stream: what a bot says, and what the referee says."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, assert_never

from ginref.app import message as app
from ginref.app.error import RefusedError
from ginref.app.report import MoveReport
from ginref.app.request import (
    Accept,
    Commit,
    Decline,
    Reveal,
    SeatStep,
    Step,
    UnreadMove,
)
from ginref.engine.seat import Seat
from ginref.record.share import SHARE_SIZE
from ginref.record.submission import Submission
from ginref.transport.codec_enum import OUTCOMES, REASONS, SEATS
from ginref.transport.codec_match import (
    credit_to_wire,
    ending_to_wire,
    match_to_wire,
    seat_to_wire,
    seats_to_wire,
    time_to_wire,
)
from ginref.transport.codec_request import (
    seat_from_wire,
    submission_from_wire,
    unread_move_from_wire,
)
from ginref.transport.codec_rules import ruleset_to_wire
from ginref.transport.codec_sheet import (
    columns_to_wire,
    reveal_to_wire,
    sheet_to_wire,
)
from ginref.transport.codec_turn import (
    accepted_to_bytes,
    events_to_bytes,
    turn_to_bytes,
)
from ginref.transport.field import (
    MESSAGE_BYTES,
    invalid,
    missing,
    read_bytes,
    read_id,
    read_within,
)
from ginref.transport.status import refusal_of
from ginref.v1 import bot_service_pb2 as bot_pb
from ginref.v1 import session_pb2 as session_pb
from ginref.v1 import view_pb2 as view_pb

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


BotMessage = Hello | Ready | Resign | Sync | Pong | SeatStep | Submission


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


def message_to_bytes(message: app.Message) -> bytes:
    """Write what the referee says, as bytes of a `ConnectResponse`."""
    match message:
        case app.Turn(report):
            return turn_to_bytes(report)
        case app.MoveResult(result=MoveReport() as report):
            return accepted_to_bytes(message, report)
        case app.Events():
            return events_to_bytes(message)
        case _:
            return message_to_wire(message).SerializeToString()


def message_to_wire(  # noqa: C901, PLR0911, PLR0912 - one case for each message
    message: app.Message,
) -> bot_pb.ConnectResponse:
    """Write what the referee says."""
    respond = bot_pb.ConnectResponse
    match message:
        case app.Welcome():
            return respond(welcome=_welcome(message))
        case app.Offer(facts=facts, seat=seat, deadline_ms=deadline_ms):
            return respond(
                offer=session_pb.Offer(
                    match=match_to_wire(facts),
                    seat=SEATS[seat],
                    deadline=time_to_wire(deadline_ms),
                )
            )
        case app.Prepare():
            return respond(prepare=_prepare(message))
        case app.Started(facts=facts, seat=seat):
            return respond(
                started=session_pb.Started(
                    match_id=facts.match_id,
                    seat=SEATS[seat],
                    version=facts.version,
                    seats=seats_to_wire(facts.bots),
                    ruleset=ruleset_to_wire(facts.ruleset),
                )
            )
        case app.MoveResult(result=RefusedError() as error):
            return respond(move_result=_refused(message, error))
        case app.Turn() | app.Events() | app.MoveResult():
            return respond.FromString(message_to_bytes(message))
        case app.RoundOver():
            return respond(round_over=_round_over(message))
        case app.MatchOver():
            return respond(match_over=_match_over(message))
        case app.CreditGiven():
            return respond(credit_given=_credit_given(message))
        case app.Fenced(attachment):
            return respond(fenced=session_pb.Fenced(attachment=attachment))
        case app.Drain(grace_ms):
            return respond(drain=session_pb.Drain(grace_ms=grace_ms))
        case app.Ping(number=number, now_ms=now_ms):
            return respond(
                ping=session_pb.Ping(number=number, server_time=time_to_wire(now_ms))
            )
        case app.Problem(error=error, match_id=match_id):
            return respond(
                problem=session_pb.Problem(
                    refusal=refusal_to_wire(error), match_id=match_id
                )
            )
        case _:
            assert_never(message)


def refusal_to_wire(error: RefusedError, version: int = 0) -> session_pb.Refusal:
    """Write why something was refused, as bounded as the status of a failed call."""
    bounded = refusal_of(error)
    left = bounded.facts.get("strikes_left")
    return session_pb.Refusal(
        reason=REASONS[bounded.reason],
        message=bounded.message,
        facts=bounded.facts,
        strikes_left=None if left is None else int(left),
        version=version,
        receipt=bounded.receipt,
    )


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
    if len(message.cursors) > app.LISTED_MOST:
        raise invalid("hello.cursors", f"at most {app.LISTED_MOST} cursors")
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
    kind = message.WhichOneof("answer")
    step: Commit | Reveal
    match kind:
        case "commitment":
            where = f"{at}.commitment"
            step = Commit(read_bytes(message.commitment, SHARE_SIZE, where))
        case "nonce":
            step = Reveal(read_bytes(message.nonce, SHARE_SIZE, f"{at}.nonce"))
        case "no_share":
            if not message.no_share:
                raise invalid(f"{at}.no_share", "true")
            step = Commit(None)
        case None:
            raise missing(f"{at}.answer")
        case _:
            assert_never(kind)
    return _step(message, at, step)


def _welcome(message: app.Welcome) -> session_pb.Welcome:
    return session_pb.Welcome(
        attachment=message.attachment,
        bot=message.bot,
        protocol=PROTOCOL,
        limits=session_pb.SessionLimits(
            message_bytes=MESSAGE_BYTES,
            ping_interval_ms=message.ping_interval_ms,
            silence_ms=message.silence_ms,
        ),
        live_matches=map(match_to_wire, message.live),
        live_count=message.live_count,
    )


def _prepare(message: app.Prepare) -> session_pb.Prepare:
    return session_pb.Prepare(
        match_id=message.facts.match_id,
        seat=SEATS[message.seat],
        version=message.facts.version,
        kind=(
            session_pb.PREPARE_KIND_NONCE
            if message.reveal
            else session_pb.PREPARE_KIND_COMMITMENT
        ),
        deadline=time_to_wire(message.deadline_ms),
    )


def _refused(message: app.MoveResult, error: RefusedError) -> session_pb.MoveResult:
    return session_pb.MoveResult(
        match_id=message.match_id,
        seat=SEATS[message.seat],
        request_id=message.request_id,
        refused=refusal_to_wire(error, message.version),
    )


def _round_over(message: app.RoundOver) -> session_pb.RoundOver:
    summary = message.summary
    # A round without a knock shows no hand, only how it ended.
    shown = view_pb.RoundReveal(
        round=summary.number,
        dealer=SEATS[summary.dealer],
        outcome=OUTCOMES[summary.outcome],
        winner=seat_to_wire(summary.winner),
        points=summary.points,
        columns=columns_to_wire(summary.columns),
        idle=seat_to_wire(summary.idle),
    )
    if message.reveal is not None:
        shown = reveal_to_wire(message.reveal)
    return session_pb.RoundOver(
        match_id=message.match_id,
        seat=SEATS[message.seat],
        version=message.version,
        round=shown,
        sheet=sheet_to_wire(message.sheet, message.game_target),
    )


def _credit_given(message: app.CreditGiven) -> session_pb.CreditGiven:
    return session_pb.CreditGiven(
        match_id=message.match_id,
        credit=credit_to_wire(message.credit),
        deadline=time_to_wire(message.deadline_ms),
    )


def _match_over(message: app.MatchOver) -> session_pb.MatchOver:
    sheet = message.sheet
    return session_pb.MatchOver(
        match_id=message.match_id,
        seat=SEATS[message.seat],
        version=message.version,
        ending=ending_to_wire(message.ending),
        sheet=None if sheet is None else sheet_to_wire(sheet, message.game_target),
    )
