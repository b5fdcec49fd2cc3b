"""What a bot hears with almost every move, as bytes.

On its stream it is a `ConnectResponse`.
"""

from typing import Final

from ginref.app import message as app
from ginref.app.report import MoveReport, SeatReport
from ginref.transport.codec_match import (
    ending_to_wire,
    event_to_bytes,
    seat_fields,
    time_to_bytes,
)
from ginref.transport.codec_view import seat_view_to_bytes
from ginref.transport.part import numbers, part, parts, text, texts
from ginref.v1 import bot_service_pb2 as bot_pb
from ginref.v1 import referee_service_pb2 as referee_pb
from ginref.v1 import session_pb2 as session_pb

_Response: Final = bot_pb.ConnectResponse
_Events: Final = session_pb.Events
_Result: Final = session_pb.MoveResult
_Accepted: Final = session_pb.MoveAccepted
_Answer: Final = referee_pb.SubmitMoveResponse


def turn_to_bytes(report: SeatReport) -> bytes:
    """Write that a seat is to act, and all that it may know."""
    return _turn(_view(seat_view_to_bytes(report)))


_turn: Final = parts(_Response.TURN_FIELD_NUMBER)
_view: Final = parts(session_pb.Turn.VIEW_FIELD_NUMBER)


def accepted_to_bytes(message: app.MoveResult, report: MoveReport) -> bytes:
    """Write that a move was accepted."""
    accepted = _move_to_bytes(report)
    if report.receipt:
        accepted += part(_Accepted.RECEIPT_FIELD_NUMBER, report.receipt)
    return _move_result(
        _result_match_id(message.match_id)
        + _RESULT_SEAT[message.seat]
        + text(_REQUEST_ID, message.request_id)
        + _accepted(accepted)
    )


_move_result: Final = parts(_Response.MOVE_RESULT_FIELD_NUMBER)
_result_match_id: Final = texts(_Result.MATCH_ID_FIELD_NUMBER)
_RESULT_SEAT: Final = seat_fields(_Result.SEAT_FIELD_NUMBER)
_REQUEST_ID: Final = _Result.REQUEST_ID_FIELD_NUMBER
_accepted: Final = parts(_Result.ACCEPTED_FIELD_NUMBER)


def answer_to_bytes(report: MoveReport) -> bytes:
    """Write that a move was accepted that came by a call.

    These are bytes of a `SubmitMoveResponse`.
    """
    answer = _move_to_bytes(report)
    if report.turn is not None:
        answer += _next_turn(seat_view_to_bytes(report.turn))
    if report.ending is not None:
        answer += _ending(ending_to_wire(report.ending).SerializeToString())
    if report.receipt:
        answer += part(_Answer.RECEIPT_FIELD_NUMBER, report.receipt)
    return answer


_next_turn: Final = parts(_Answer.TURN_FIELD_NUMBER)
_ending: Final = parts(_Answer.ENDING_FIELD_NUMBER)


def _move_to_bytes(report: MoveReport) -> bytes:
    """Write the fields that a `MoveAccepted` and a `SubmitMoveResponse` share."""
    return (
        _moved_version(report.version)
        + _accept_time(time_to_bytes(report.time_ms))
        + _elapsed(report.elapsed_ms)
        + _referee(report.referee_ms)
    )


_moved_version: Final = numbers(_Accepted.VERSION_FIELD_NUMBER)
_accept_time: Final = parts(_Accepted.ACCEPT_TIME_FIELD_NUMBER)
_elapsed: Final = numbers(_Accepted.ELAPSED_MS_FIELD_NUMBER)
_referee: Final = numbers(_Accepted.REFEREE_MS_FIELD_NUMBER)


def events_to_bytes(message: app.Events) -> bytes:
    """Write what happened in a match in which the seat is not to act."""
    head = _match_id(message.match_id) + _SEAT[message.seat]
    told = [_event(event_to_bytes(event)) for event in message.events]
    return _events(head + _version(message.version) + b"".join(told))


_events: Final = parts(_Response.EVENTS_FIELD_NUMBER)
_event: Final = parts(_Events.EVENTS_FIELD_NUMBER)
_match_id: Final = texts(_Events.MATCH_ID_FIELD_NUMBER)
_SEAT: Final = seat_fields(_Events.SEAT_FIELD_NUMBER)
_version: Final = numbers(_Events.VERSION_FIELD_NUMBER)
