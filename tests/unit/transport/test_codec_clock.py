"""Clocks on the wire: all that a turn says of time, for every seat."""

from datetime import UTC, datetime

from ginref.app.message import CreditGiven
from ginref.app.report import ClockFacts, CreditFacts
from ginref.engine.seat import Seat
from ginref.record.clock import STANDARD
from ginref.transport.codec_match import clocks_to_wire
from ginref.transport.codec_message import message_to_wire
from ginref.v1 import clock_pb2, seat_pb2

NOW_MS = 1_790_000_000_250
CREDIT = CreditFacts(version=41, seat=Seat.SOUTH, credit_ms=3_600_000)


def _moment(time_ms: int) -> datetime:
    return datetime.fromtimestamp(time_ms / 1000, UTC)


def test_a_clock_tells_what_is_left_and_what_was_spent_to_every_seat() -> None:
    wire = clocks_to_wire(
        ClockFacts(
            policy=STANDARD,
            banks_ms=(119_000, 7, 0),
            strikes=(0, 1, 4),
            strikes_allowed=3,
            deadline_ms=NOW_MS + 30_000,
            now_ms=NOW_MS,
            elapsed_ms=1_500,
            referee_ms=2,
            credits=(CREDIT,),
        )
    )

    assert [(one.seat, one.bank_ms) for one in wire.seats] == [
        (seat_pb2.SEAT_NORTH, 119_000),
        (seat_pb2.SEAT_SOUTH, 7),
        (seat_pb2.SEAT_EAST, 0),
    ]
    assert [(one.strikes_used, one.strikes_left) for one in wire.seats] == [
        (0, 3),
        (1, 2),
        (4, 0),
    ]
    assert (wire.last_elapsed_ms, wire.last_referee_ms) == (1_500, 2)
    assert wire.deadline.ToDatetime(UTC) == _moment(NOW_MS + 30_000)
    assert wire.server_time.ToDatetime(UTC) == _moment(NOW_MS)
    assert wire.policy == clock_pb2.ClockPolicy(
        name="standard",
        start_ms=60_000,
        free_ms=1_000,
        bank_ms=120_000,
        cap_ms=30_000,
        grace_ms=250,
    )
    assert list(wire.credits) == [
        clock_pb2.Credit(version=41, seat=seat_pb2.SEAT_SOUTH, credit_ms=3_600_000)
    ]


def test_a_credit_is_told_with_the_deadline_that_it_makes() -> None:
    given = CreditGiven(match_id="m1", credit=CREDIT, deadline_ms=NOW_MS)

    wire = message_to_wire(given).credit_given

    assert wire.match_id == "m1"
    assert wire.credit.credit_ms == 3_600_000
    assert wire.deadline.ToDatetime(UTC) == _moment(NOW_MS)
