"""The proxy does what its modes say, to bytes and to connections."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from tests.faults.proxy import HOST, FaultProxy, Mode


@pytest_asyncio.fixture
async def proxy() -> AsyncIterator[FaultProxy]:
    """A proxy in front of a server that says everything back in capitals."""

    async def shout(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(1000):
            writer.write(data.upper())
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(shout, HOST, 0)
    port = server.sockets[0].getsockname()[1]
    async with FaultProxy(port) as made:
        yield made
    server.close()
    await server.wait_closed()


class Caller:
    """A connection through a proxy."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.reader = reader
        self.writer = writer

    async def ask(self, text: str, *, within: float = 5) -> str:
        """Send a text and return what comes back; empty at the end of the stream."""
        self.writer.write(text.encode())
        async with asyncio.timeout(within):
            return (await self.reader.read(1000)).decode()


@pytest_asyncio.fixture
async def caller(proxy: FaultProxy) -> AsyncIterator[Caller]:
    made = Caller(*await asyncio.open_connection(HOST, proxy.port))
    assert await made.ask("hello") == "HELLO"
    yield made
    made.writer.close()


async def test_bytes_pass_both_ways(caller: Caller) -> None:
    assert await caller.ask("again") == "AGAIN"


async def test_packets_that_wait_arrive_later_and_in_order(
    proxy: FaultProxy, caller: Caller
) -> None:
    loop = asyncio.get_running_loop()
    proxy.set(Mode.DELAY, delay_s=0.1)
    start = loop.time()
    first = await caller.ask("a")
    waited = loop.time() - start
    proxy.set(Mode.PASS)

    assert first + await caller.ask("b") == "AB"
    assert waited >= 0.2


async def test_a_lost_reply_cuts_the_connection(
    proxy: FaultProxy, caller: Caller
) -> None:
    proxy.set(Mode.DROP_REPLY)

    with pytest.raises(ConnectionResetError):
        await caller.ask("lost")
    assert proxy.hits == {Mode.DROP_REPLY: 1}


async def test_a_reset_cuts_the_connection(proxy: FaultProxy, caller: Caller) -> None:
    proxy.set(Mode.RESET)

    with pytest.raises(ConnectionResetError):
        await caller.ask("cut")


async def test_what_was_swallowed_never_comes_and_cuts_when_it_is_over(
    proxy: FaultProxy, caller: Caller
) -> None:
    proxy.set(Mode.BLACKHOLE)
    with pytest.raises(TimeoutError):
        await caller.ask("lost", within=0.2)
    proxy.set(Mode.PASS)

    with pytest.raises(ConnectionResetError):
        await caller.ask("later")


async def test_a_half_closed_stream_ends_for_the_caller(
    proxy: FaultProxy, caller: Caller
) -> None:
    proxy.set(Mode.HALF_CLOSE)

    assert await caller.ask("end") == ""


async def test_a_trickle_loses_nothing(proxy: FaultProxy, caller: Caller) -> None:
    proxy.set(Mode.TRICKLE, delay_s=0.01)
    heard = await caller.ask("drops")
    while len(heard) < len("drops"):
        heard += await caller.ask("")

    assert heard == "DROPS"
    assert proxy.hits[Mode.TRICKLE] == 1


async def test_what_is_held_comes_when_it_is_let_go(
    proxy: FaultProxy, caller: Caller
) -> None:
    proxy.set(Mode.HOLD)
    with pytest.raises(TimeoutError):
        await caller.ask("one", within=0.2)
    proxy.set(Mode.PASS)

    assert await caller.ask("") == "ONE"


async def test_a_server_that_is_away_cuts_the_connection(proxy: FaultProxy) -> None:
    proxy.upstream = 1
    made = Caller(*await asyncio.open_connection(HOST, proxy.port))

    with pytest.raises(ConnectionResetError):
        await made.ask("hello")


async def test_the_seed_decides_what_is_hit(proxy: FaultProxy) -> None:
    proxy.set(Mode.RESET, chance=0.5)
    struck = [proxy.strikes() for _ in range(64)]
    other = FaultProxy(proxy.upstream, seed=proxy.seed)
    other.set(Mode.RESET, chance=0.5)

    assert [other.strikes() for _ in range(64)] == struck
    assert 0 < sum(struck) < 64
