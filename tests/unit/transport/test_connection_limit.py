"""Connections that are too many, say nothing, or are not used."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import Any

import grpc
import grpc.aio
import pytest
from tests.dos.frame import PREFACE, SETTINGS, RawConnection, frame
from tests.unit.transport.call import GET, refusal

from ginref.transport.server import ServerOptions

Serve = Callable[..., AbstractAsyncContextManager[Any]]
"""Serves a referee with some options, for the length of a context."""

PATIENCE = 60


async def _is_served(served: Any) -> bool:  # noqa: ANN401 - the fixture's
    async with served.channel(served.operator) as channel:
        _, reason, _ = await refusal(channel.send(GET, b""))
    return reason == "FIELD_MISSING"


async def _until_served(served: Any) -> None:  # noqa: ANN401 - the fixture's
    async with asyncio.timeout(PATIENCE):
        while not await _is_served(served):  # noqa: ASYNC110 - of the referee
            await asyncio.sleep(0.01)


async def test_connections_beyond_the_limit_are_closed_and_others_go_on(
    serve: Serve,
) -> None:
    async with serve(connection_limit=4) as served:
        async with served.channel(served.operator) as channel:
            await refusal(channel.send(GET, b""))
            opened = [await RawConnection.open(served.address) for _ in range(9)]
            async with asyncio.timeout(PATIENCE):
                while sum(one.is_closed for one in opened) < 6:  # noqa: ASYNC110 - of another thread
                    await asyncio.sleep(0.01)
            _, reason, _ = await refusal(channel.send(GET, b""))
            for one in opened:
                await one.close()
        await _until_served(served)

    assert reason == "FIELD_MISSING"


@pytest.mark.parametrize(
    "said", [b"", PREFACE[:9], PREFACE], ids=["nothing", "half a word", "a preface"]
)
async def test_a_connection_that_does_not_begin_is_closed(
    serve: Serve, said: bytes
) -> None:
    async with serve(handshake_ms=200) as served:
        silent = await RawConnection.open(served.address)
        await silent.say(said)

        assert await silent.closed(PATIENCE)
        await silent.close()
        # On a busy machine an honest client may take too long at first.
        await _until_served(served)


async def test_a_connection_without_calls_is_closed(serve: Serve) -> None:
    async with serve(idle_ms=200) as served:
        idle = await RawConnection.open(served.address)
        await idle.say(PREFACE + frame(SETTINGS, 0, 0))

        assert await idle.closed(PATIENCE)
        await idle.close()
        async with served.channel(served.operator) as channel:
            await refusal(channel.send(GET, b""))
            async with asyncio.timeout(PATIENCE):
                state = channel.raw.get_state()
                while state is not grpc.ChannelConnectivity.IDLE:
                    await channel.raw.wait_for_state_change(state)
                    state = channel.raw.get_state()
            _, reason, _ = await refusal(channel.send(GET, b""))

    assert reason == "FIELD_MISSING"


async def test_silent_connections_over_http_leave_room_for_all_else(
    serve: Serve,
) -> None:
    async with serve({"connection_limit": 4, "head_ms": 600_000}) as served:
        opened = [await RawConnection.open(served.rest) for _ in range(9)]
        async with asyncio.timeout(PATIENCE):
            while sum(one.is_closed for one in opened) < 5:  # noqa: ASYNC110 - of the referee
                await asyncio.sleep(0.01)
        assert await _is_served(served)
        assert sum(one.is_closed for one in opened) == 5
        for one in opened:
            await one.close()
        async with asyncio.timeout(PATIENCE):
            while not await _is_answered(served.rest):  # noqa: ASYNC110 - of the referee
                await asyncio.sleep(0.01)


@pytest.mark.parametrize(
    ("before", "said"),
    [(0, b""), (0, b"GET / HT"), (1, b"GET / HT")],
    ids=["nothing", "half a line", "half a line after an answer"],
)
async def test_a_connection_over_http_that_does_not_ask_is_closed(
    serve: Serve, before: int, said: bytes
) -> None:
    async with (
        serve({"head_ms": 200}) as served,
        _connection(served.rest) as (reader, writer),
    ):
        for _ in range(before):
            await _ask(reader, writer)
        writer.write(said)
        async with asyncio.timeout(PATIENCE):
            with suppress(ConnectionError):
                assert await reader.read() == b""


async def test_a_connection_over_http_that_has_asked_stays(serve: Serve) -> None:
    async with (
        serve({"head_ms": 1000}) as served,
        _connection(served.rest) as (reader, writer),
    ):
        await _ask(reader, writer)
        await asyncio.sleep(1.5)
        await _ask(reader, writer)


async def _is_answered(address: str) -> bool:
    async with _connection(address) as streams:
        with suppress(OSError, asyncio.IncompleteReadError):
            await _ask(*streams)
            return True
    return False


@asynccontextmanager
async def _connection(
    address: str,
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    host, _, port = address.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        yield reader, writer
    finally:
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()


async def _ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"GET /nowhere HTTP/1.1\r\nhost: a\r\n\r\n")
    head = await reader.readuntil(b"\r\n\r\n")
    await reader.readexactly(int(head.split(b"content-length: ")[1].split()[0]))


def test_calls_wait_for_a_process_that_is_busy_and_watches_leave_room_for_moves() -> (
    None
):
    options = ServerOptions()
    arguments = dict(options.channel_arguments())

    assert arguments["grpc.server.max_pending_requests"] >= options.call_limit
    assert (
        arguments["grpc.server.max_pending_requests_hard_limit"]
        > arguments["grpc.server.max_pending_requests"]
    )
    assert options.stream_limit < options.call_limit
