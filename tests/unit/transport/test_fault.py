"""Faults of the referee: callers get an id, and the log has the rest under it."""

import logging
from typing import Any

import grpc
import grpc.aio
import pytest
from tests.unit.transport.call import new_match, reason_of

from ginref.adapters.masked_log import MaskingFormatter
from ginref.v1 import move_pb2, seat_pb2, session_pb2
from ginref.v1 import referee_service_pb2 as referee_pb
from ginref.v1.bot_service_pb2 import ConnectRequest

Served = Any
"""The running referee of `conftest`, whose class cannot be imported."""

Channel = Any
"""A connection to it, likewise."""

Request = Any
"""A request about a match."""

CANARY = "Kh and Qd lie on top in /var/lib/ginref"

HELLO = ConnectRequest(hello=session_pb2.Hello(protocol=1))

RESIGNING = referee_pb.ResignMatchRequest(seat=seat_pb2.SEAT_NORTH)
MOVING = referee_pb.SubmitMoveRequest(
    seat=seat_pb2.SEAT_NORTH,
    expected_version=3,
    request_id="r",
    move=move_pb2.Move(text="pass"),
)


class Fault(Exception):  # noqa: N818 - stands for any exception
    """What nobody has thought of."""


def _check(told: str, fault_id: str, log: pytest.LogCaptureFixture) -> None:
    """Check that the caller knows an id only, and the host the rest."""
    for secret in (CANARY, "Kh", "Fault(", "Traceback", ".py", "conftest"):
        assert secret not in told
    logged = [record for record in log.records if fault_id in record.getMessage()]
    assert len(logged) == 1
    assert logged[0].levelno == logging.ERROR
    assert logged[0].exc_info is not None
    assert str(logged[0].exc_info[1]) == CANARY
    written = MaskingFormatter().format(logged[0])
    assert "Fault: ?? and ?? lie on top" in written


async def _seated(served: Served, channel: Channel) -> str:
    """Create a match of bot one, and take both its seats."""
    two = await served.token("bot", "two")
    async with served.channel(served.operator) as organizer:
        made = await organizer.referee().CreateMatch(
            new_match(), metadata=organizer.metadata
        )
    match_id: str = made.match.match_id
    async with served.channel(two) as other:
        for holder, seat in ((channel, 1), (other, 2)):
            await holder.referee().PrepareSeat(
                referee_pb.PrepareSeatRequest(
                    match_id=match_id,
                    seat=seat,  # type: ignore[arg-type] # numbers of the seats
                    accept=referee_pb.AcceptSeat(),
                ),
                metadata=holder.metadata,
            )
    return match_id


async def _read_on(stream: Any, told: list[str]) -> None:  # noqa: ANN401 - generated
    while True:
        told.append(str(await stream.read()))


@pytest.mark.parametrize(
    ("method", "asked"),
    [
        pytest.param("GetMatch", referee_pb.GetMatchRequest(), id="a look"),
        pytest.param("WatchMatch", referee_pb.WatchMatchRequest(), id="a watch"),
        pytest.param("SubmitMove", MOVING, id="a move"),
        pytest.param("ResignMatch", RESIGNING, id="a resignation"),
    ],
)
async def test_a_fault_of_a_call_is_known_by_its_id_only(
    served: Served, caplog: pytest.LogCaptureFixture, method: str, asked: Request
) -> None:
    token = await served.token("bot", "one")
    async with served.channel(token) as channel:
        asked.match_id = await _seated(served, channel)
        served.store.failure = Fault(CANARY)
        call = getattr(channel.referee(), method)(asked, metadata=channel.metadata)

        with pytest.raises(grpc.aio.AioRpcError) as failed:
            await (call.read() if method == "WatchMatch" else call)

    reason, facts = reason_of(failed.value)
    assert failed.value.code() is grpc.StatusCode.INTERNAL
    assert (reason, set(facts)) == ("INTERNAL_FAULT", {"fault_id"})
    told = f"{failed.value.details()} {failed.value.trailing_metadata()!r}"
    _check(told, facts["fault_id"], caplog)


@pytest.mark.parametrize("when", ["at hello", "at a move"])
async def test_a_fault_of_a_stream_is_known_by_its_id_only(
    served: Served, caplog: pytest.LogCaptureFixture, when: str
) -> None:
    token = await served.token("bot", "one")
    async with served.channel(token) as channel:
        match_id = await _seated(served, channel)
        stream = channel.connect()
        if when == "at hello":
            served.store.failure = Fault(CANARY)
        await stream.write(HELLO.SerializeToString())
        if when == "at a move":
            assert (await stream.read()).HasField("welcome")
            served.store.failure = Fault(CANARY)
            move = ConnectRequest()
            move.move.MergeFromString(MOVING.SerializeToString())
            move.move.match_id = match_id
            await stream.write(move.SerializeToString())

        with pytest.raises(grpc.aio.AioRpcError) as failed:
            await _read_on(stream, told := [])

    reason, facts = reason_of(failed.value)
    assert failed.value.code() is grpc.StatusCode.INTERNAL
    assert (reason, set(facts)) == ("INTERNAL_FAULT", {"fault_id"})
    told.append(f"{failed.value.details()} {failed.value.trailing_metadata()!r}")
    _check(told[-1], facts["fault_id"], caplog)
    assert CANARY not in "".join(told)


async def test_a_fault_of_one_call_spares_the_next(served: Served) -> None:
    token = await served.token("bot", "one")
    async with served.channel(token) as channel:
        match_id = await _seated(served, channel)
        look = referee_pb.GetMatchRequest(match_id=match_id)
        served.store.failure = Fault(CANARY)
        with pytest.raises(grpc.aio.AioRpcError):
            await channel.referee().GetMatch(look, metadata=channel.metadata)

        served.store.failure = None
        found = await channel.referee().GetMatch(look, metadata=channel.metadata)

    assert found.match.match_id == match_id
