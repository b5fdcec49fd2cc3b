"""The two ways to play: single calls, and the bots' stream."""

from contextlib import suppress
from typing import Any, Protocol

import grpc.aio
from tests.e2e.answer import Answer, of_error, of_refusal, of_status
from tests.e2e.bad_move import LIMITED
from tests.e2e.host import Room

from ginref.v1 import bot_service_pb2, seat_pb2, session_pb2
from ginref.v1 import referee_service_pb2 as referee_pb

Request = referee_pb.SubmitMoveRequest | referee_pb.PrepareSeatRequest | bytes

Stream = Any
"""A bots' stream."""


class Way(Protocol):
    """Sends what a referee refuses, and returns what it says."""

    async def refused(self, room: Room, caller: str, request: Request) -> Answer:
        """Send a request that is refused."""

    def field(self, field: str, request: Request) -> str:
        """Name a field as the refusal does."""

    def code(self, code: str) -> str:
        """Return the code that is told, if any."""


class SingleCall:
    """Sends each message as a call of its own."""

    def field(self, field: str, request: Request) -> str:
        """Name a field as in the request."""
        del request
        return field

    def code(self, code: str) -> str:
        """Return the code: it is the call's status."""
        return code

    async def refused(self, room: Room, caller: str, request: Request) -> Answer:
        """Call, and return the status."""
        stepping = isinstance(request, referee_pb.PrepareSeatRequest)
        method = "PrepareSeat" if stepping else "SubmitMove"
        data = request if isinstance(request, bytes) else request.SerializeToString()
        try:
            answer = await room.send(caller, f"RefereeService/{method}", data)
        except grpc.aio.AioRpcError as error:
            return of_error(error)
        raise AssertionError(answer)


class BotStream:
    """Sends each message on a stream, which has to go on afterwards."""

    def field(self, field: str, request: Request) -> str:
        """Name a field under the message that carries it."""
        kind, _ = _message(request)
        if field == "step":
            return "message"
        return f"{kind}.{field}"

    def code(self, code: str) -> str:
        """Return nothing: the stream goes on."""
        del code
        return ""

    async def refused(self, room: Room, caller: str, request: Request) -> Answer:
        """Say it, and return the answer to it."""
        stream = await attach(room, caller)
        kind, data = _message(request)
        await stream.write(data)
        said = await reply(stream)
        if said.HasField("problem"):
            answer = of_refusal(said.problem.refusal)
        else:
            assert kind == "move"
            result = said.move_result
            assert isinstance(request, referee_pb.SubmitMoveRequest)
            assert (result.match_id, result.request_id) == (
                request.match_id,
                request.request_id,
            )
            answer = of_refusal(result.refused)
        # A limited token is not even told that there is no such match.
        await _goes_on(
            stream, "SEAT_NOT_YOURS" if caller == LIMITED else "MATCH_NOT_FOUND"
        )
        stream.cancel()
        return answer


async def attach(room: Room, caller: str) -> Stream:
    """Open a stream and say hello."""
    stream = room.connect(caller)
    await say(stream, hello=session_pb2.Hello(protocol=1))
    assert (await stream.read()).HasField("welcome")
    return stream


async def say(stream: Stream, **message: object) -> None:
    """Say something on a stream."""
    request = bot_service_pb2.ConnectRequest(**message)  # type: ignore[arg-type] # names of messages
    await stream.write(request.SerializeToString())


async def reply(stream: Stream) -> bot_service_pb2.ConnectResponse:
    """Return the next answer, past whatever else a bot is told."""
    while (said := await stream.read()) is not grpc.aio.EOF:
        assert isinstance(said, bot_service_pb2.ConnectResponse)
        if said.HasField("problem") or said.HasField("move_result"):
            return said
    raise AssertionError(await stream.code())


async def ending(stream: Stream) -> Answer:
    """Hear a stream to its end, and return how it ended."""
    # What has not been read holds up the status.
    with suppress(grpc.aio.AioRpcError):
        while await stream.read() is not grpc.aio.EOF:
            pass
    code, metadata = await stream.code(), await stream.trailing_metadata()
    return of_status(code, await stream.details(), metadata)


async def _goes_on(stream: Stream, reason: str) -> None:
    """Ask for a match that is none, and see it refused."""
    seat = seat_pb2.SEAT_NORTH
    await say(stream, sync=session_pb2.Sync(match_id="mnowhere", seat=seat))
    said = await reply(stream)
    assert said.problem.match_id == "mnowhere"
    assert of_refusal(said.problem.refusal).reason == reason


def _message(request: Request) -> tuple[str, bytes]:
    """Return the kind and the bytes of the message that says the same on a stream."""
    if isinstance(request, bytes):
        return "", request
    said = bot_service_pb2.ConnectRequest()
    if isinstance(request, referee_pb.SubmitMoveRequest):
        # The same fields under the same numbers.
        said.move.MergeFromString(request.SerializeToString())
        return "move", said.SerializeToString()
    place: dict[str, Any] = {"match_id": request.match_id, "seat": request.seat}
    kind = request.WhichOneof("step")
    match kind:
        case "accept":
            said.accept.MergeFrom(session_pb2.Accept(**place))
        case "decline":
            said.decline.MergeFrom(session_pb2.Decline(**place))
        case None:
            pass
        case "no_share":
            said.preparation.MergeFrom(session_pb2.Preparation(**place, no_share=True))
        case "commitment" | "nonce":
            share = {kind: getattr(request, kind)}
            said.preparation.MergeFrom(session_pb2.Preparation(**place, **share))
    return said.WhichOneof("message") or "", said.SerializeToString()
