"""A bot that has said all it wanted to say, and still listens."""

import asyncio
from typing import Any

import grpc.aio
import pytest

from ginref.app.match_store import StoredMatch, SubmissionKey
from ginref.v1 import move_pb2, seat_pb2, session_pb2
from ginref.v1.bot_service_pb2 import ConnectRequest

Served = Any
"""The running referee of `conftest`, whose class cannot be imported."""

NORTH = seat_pb2.SEAT_NORTH


def _move(request_id: str) -> ConnectRequest:
    return ConnectRequest(
        move=session_pb2.MoveSubmission(
            match_id=f"m-{request_id}",
            seat=NORTH,
            expected_version=1,
            request_id=request_id,
            move=move_pb2.Move(text="pass"),
        )
    )


async def test_what_was_sent_before_the_close_is_answered(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = served.store.read

    async def slowly(
        match_id: str, key: SubmissionKey | None = None
    ) -> StoredMatch | None:
        await asyncio.sleep(0.05)
        found: StoredMatch | None = await read(match_id, key)
        return found

    monkeypatch.setattr(served.store, "read", slowly)
    token = await served.token("bot", "one")
    async with served.channel(token) as channel:
        stream = channel.connect()
        for request in (
            ConnectRequest(hello=session_pb2.Hello(protocol=1)),
            _move("a"),
            _move("b"),
            ConnectRequest(resign=session_pb2.Resign(match_id="m-c", seat=NORTH)),
        ):
            await stream.write(request.SerializeToString())
        await stream.done_writing()
        answers = []
        while (said := await stream.read()) is not grpc.aio.EOF:
            answers.append(said)
        assert (await stream.code()).name == "OK"

    assert answers[0].HasField("welcome")
    results = {
        one.move_result.request_id for one in answers if one.HasField("move_result")
    }
    assert results == {"a", "b"}
    assert [one.problem.match_id for one in answers if one.HasField("problem")] == [
        "m-c"
    ]
