import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc
import grpc.aio
import pytest

from ginref.adapters.memory_registry import MemoryRegistry
from ginref.app.gate import Gate
from ginref.transport.interceptor import Interceptor

Generated = Any
"""Part of a call or a handler, typed where it is generated only."""

FIRST = b"first"

SMALL_WINDOW = (("grpc.http2.lookahead_bytes", 4096), ("grpc.http2.bdp_probe", 0))
"""Options of a caller that takes little beyond what it reads."""


class NoChance:
    """Makes the same secret every time."""

    def token(self, size: int) -> bytes:
        return bytes(size)


@asynccontextmanager
async def _serving(
    answers: Generated, write_timeout: float = 0.1
) -> AsyncIterator[tuple[Generated, str]]:
    """A server with one method, whose streams are soon dropped if they are not read."""
    gate = Gate(MemoryRegistry(), NoChance(), lambda: 0)
    _, secret = await gate.issue_operator()
    interceptor = Interceptor(gate, write_timeout=write_timeout, admit_interval=60)
    server = grpc.aio.server(interceptors=[interceptor])
    handler: Generated = grpc.unary_stream_rpc_method_handler(answers)
    handlers = grpc.method_handlers_generic_handler("test", {"Answer": handler})
    server.add_generic_rpc_handlers((handlers,))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        address = f"127.0.0.1:{port}"
        async with grpc.aio.insecure_channel(address, SMALL_WINDOW) as channel:
            yield channel.unary_stream("/test/Answer"), secret
    finally:
        await server.stop(None)


async def test_a_stream_that_is_not_read_is_closed() -> None:
    closed = asyncio.Event()

    async def flood(_: bytes, __: object) -> AsyncIterator[bytes]:
        try:
            while True:
                yield b"x" * 60_000
        finally:
            closed.set()

    async with _serving(flood) as (method, secret):
        metadata = (("authorization", f"Bearer {secret}"),)
        call = method(b"", metadata=metadata)
        assert await call.read()

        await closed.wait()

        with pytest.raises(grpc.aio.AioRpcError) as dropped:
            await _read_all(call)
        assert dropped.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED


async def test_a_stream_whose_first_answer_is_not_read_is_told_why_it_ends() -> None:
    closed = asyncio.Event()

    async def shout(_: bytes, __: object) -> AsyncIterator[bytes]:
        try:
            yield b"x" * 3_000_000
        finally:
            closed.set()

    async with _serving(shout) as (method, secret):
        metadata = (("authorization", f"Bearer {secret}"),)
        call = method(b"", metadata=metadata)

        await closed.wait()

        with pytest.raises(grpc.aio.AioRpcError) as dropped:
            await _read_all(call)
        assert dropped.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED


async def test_a_server_that_is_slow_itself_drops_no_reader() -> None:
    stalled = asyncio.Event()

    async def trickle(_: bytes, __: object) -> AsyncIterator[bytes]:
        while not stalled.is_set():
            yield FIRST

    async def stall() -> None:
        for turn in range(20):
            await asyncio.sleep(0)
            if turn % 5 == 0:
                time.sleep(0.5)  # noqa: ASYNC251 - nothing else in this process goes on
        stalled.set()

    async with _serving(trickle, write_timeout=0.4) as (method, secret):
        metadata = (("authorization", f"Bearer {secret}"),)
        call = method(b"", metadata=metadata)
        await call.read()

        await asyncio.gather(stall(), _read_all(call))

        assert await call.code() is grpc.StatusCode.OK


async def _read_all(call: Generated) -> None:
    while await call.read() is not grpc.aio.EOF:
        pass


async def test_a_stream_that_its_caller_leaves_is_closed() -> None:
    closed = asyncio.Event()

    async def trickle(_: bytes, __: object) -> AsyncIterator[bytes]:
        try:
            yield FIRST
            await asyncio.Event().wait()
        finally:
            closed.set()

    async with _serving(trickle) as (method, secret):
        metadata = (("authorization", f"Bearer {secret}"),)
        call = method(b"", metadata=metadata)
        await call.read()

        call.cancel()

        await closed.wait()


async def test_a_stream_needs_a_token_like_any_call() -> None:
    async def trickle(_: bytes, __: object) -> AsyncIterator[bytes]:
        yield FIRST

    async with _serving(trickle) as (method, _):
        call = method(b"")

        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await call.read()

    assert refused.value.code() is grpc.StatusCode.UNAUTHENTICATED
