import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import grpc
import grpc.aio
import pytest
from google.rpc import error_details_pb2, status_pb2
from tests.unit.transport.call import new_match

from ginref.app.port import StoreUnavailableError
from ginref.v1 import referee_service_pb2 as referee_pb
from ginref.v1 import session_pb2
from ginref.v1.bot_service_pb2 import ConnectRequest

Served = Any
"""The running referee of `conftest`, whose class cannot be imported."""

Serve = Callable[..., AbstractAsyncContextManager[Served]]

HELLO = ConnectRequest(hello=session_pb2.Hello(protocol=1)).SerializeToString()
READY = ConnectRequest(ready=session_pb2.Ready(capacity=1)).SerializeToString()

NEVER_MS = 600_000
SOON_MS = 20


async def _end(stream: Any) -> tuple[str, str]:  # noqa: ANN401 - a generated call
    """How a stream ended: code and reason."""
    code = await stream.code()
    for key, value in await stream.trailing_metadata() or ():
        if key == "grpc-status-details-bin":
            info = error_details_pb2.ErrorInfo()
            status_pb2.Status.FromString(value).details[0].Unpack(info)
            return code.name, info.reason
    return code.name, ""


async def _revoke(served: Served, role: str) -> None:
    """Revoke every token of a role."""
    operator = await served.gate.authenticate(served.operator)
    for row in await served.gate.list_tokens(operator):
        if row.role == role:
            await served.gate.revoke_token(operator, row.token_id)


async def _attached(channel: Any) -> Any:  # noqa: ANN401 - of `conftest`
    stream = channel.connect()
    await stream.write(HELLO)
    assert (await stream.read()).welcome.bot == "one"
    return stream


async def test_a_bot_that_says_nothing_loses_its_stream_with_its_token(
    serve: Serve,
) -> None:
    async with serve(admit_ms=SOON_MS) as served:
        token = await served.token("bot", "one")
        async with served.channel(token) as channel:
            stream = await _attached(channel)

            await _revoke(served, "bot")

            assert await _end(stream) == ("UNAUTHENTICATED", "TOKEN_REVOKED")


async def test_nothing_is_taken_from_a_bot_without_its_token(serve: Serve) -> None:
    async with serve(admit_ms=NEVER_MS) as served:
        token = await served.token("bot", "one")
        async with served.channel(token) as channel:
            stream = await _attached(channel)

            await _revoke(served, "bot")
            await stream.write(READY)

            assert await _end(stream) == ("UNAUTHENTICATED", "TOKEN_REVOKED")


async def test_a_watcher_loses_its_stream_with_its_token(serve: Serve) -> None:
    async with serve(admit_ms=SOON_MS) as served:
        await served.token("bot", "one")
        await served.token("bot", "two")
        spectator = await served.token("spectator")
        async with (
            served.channel(served.operator) as organizer,
            served.channel(spectator) as channel,
        ):
            made = await organizer.referee().CreateMatch(
                new_match(),
                metadata=organizer.metadata,
            )
            watch = channel.referee().WatchMatch(
                referee_pb.WatchMatchRequest(match_id=made.match.match_id),
                metadata=channel.metadata,
            )
            assert (await watch.read()).match == made.match

            await _revoke(served, "spectator")

            with pytest.raises(grpc.aio.AioRpcError):
                await watch.read()
            assert await _end(watch) == ("UNAUTHENTICATED", "TOKEN_REVOKED")


async def test_a_store_that_is_away_ends_no_stream(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serve(admit_ms=SOON_MS) as served:
        token = await served.token("bot", "one")
        asked = asyncio.Event()

        async def away(_: str) -> None:
            asked.set()
            raise StoreUnavailableError

        async with served.channel(token) as channel:
            stream = await _attached(channel)
            with monkeypatch.context() as patched:
                patched.setattr(served.gate, "authenticate", away)
                await asked.wait()
                await stream.write(READY)
                await stream.write(b"")
                answer = await stream.read()

            await stream.done_writing()

            assert answer.WhichOneof("message") == "problem"
            assert await _end(stream) == ("OK", "")
