"""Receipts on the wire: where they are, and that there is room for them."""

import pytest
from tests.unit.conftest import Referee

from ginref.app import message as app
from ginref.app.error import Reason, RefusedError
from ginref.app.report import MoveReport
from ginref.app.request import UnreadMove
from ginref.engine.seat import Seat
from ginref.record.receipt import Receipt, seal_receipt
from ginref.transport.codec_bot_message import unread_move
from ginref.transport.codec_message import message_to_wire
from ginref.transport.codec_turn import answer_to_bytes
from ginref.transport.status import status_of
from ginref.v1 import referee_service_pb2 as referee_pb
from ginref.v1 import seat_pb2, session_pb2
from ginref.v1.bot_service_pb2 import ConnectRequest

LONGEST = seal_receipt(
    Receipt(
        match_id="m" * 64,
        seat=Seat.SOUTH,
        request=bytes(10),
        submission=bytes(32),
        version=2**31,
        refusal=100,
        reason=max(Reason, key=len),
        at_ms=2**52,
        commitment=bytes(32),
    ),
    Referee(),
)


def report(receipt: bytes) -> MoveReport:
    return MoveReport(
        version=8,
        time_ms=1,
        elapsed_ms=1,
        referee_ms=0,
        turn=None,
        ending=None,
        receipt=receipt,
    )


def result(outcome: MoveReport | RefusedError) -> session_pb2.MoveResult:
    message = app.MoveResult(
        match_id="m1", seat=Seat.NORTH, request_id="a", result=outcome, version=8
    )
    return message_to_wire(message).move_result


@pytest.mark.parametrize("receipt", [LONGEST, b""], ids=["kept", "none"])
def test_an_accepted_move_is_answered_with_its_receipt(receipt: bytes) -> None:
    answer = referee_pb.SubmitMoveResponse.FromString(answer_to_bytes(report(receipt)))

    assert answer.receipt == receipt
    assert result(report(receipt)).accepted.receipt == receipt


def test_a_refusal_has_its_receipt_on_a_stream_and_in_trailers() -> None:
    facts = {f"name {number}": "x" * 200 for number in range(20)}
    error = RefusedError(Reason.FIELD_INVALID, "y" * 1000, field="move", **facts)
    error.receipt = LONGEST

    status, told = status_of(error), result(error).refused

    receipt = referee_pb.SubmissionReceipt()
    assert [detail.Unpack(receipt) for detail in status.details] == [False, False, True]
    assert receipt.envelope == told.receipt == LONGEST
    assert status.ByteSize() < 4096
    assert not result(RefusedError(Reason.MATCH_OVER, "over")).refused.receipt


def test_whose_move_could_not_be_read_is_told_where_it_can_be() -> None:
    move = session_pb2.MoveSubmission(
        match_id="m1", seat=seat_pb2.SEAT_SOUTH, request_id="a"
    )

    assert unread_move(ConnectRequest(move=move)) == UnreadMove(
        match_id="m1", seat=Seat.SOUTH, request_id="a"
    )
    for field in ("match_id", "seat", "request_id"):
        less = session_pb2.MoveSubmission.FromString(move.SerializeToString())
        less.ClearField(field)
        assert unread_move(ConnectRequest(move=less)) is None
    assert unread_move(ConnectRequest(pong=session_pb2.Pong())) is None
