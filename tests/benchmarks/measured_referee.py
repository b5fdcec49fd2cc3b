"""A referee that is measured: on cores of its own, with bots that play on it."""

import asyncio
import contextlib
import json
import shutil
import tempfile
from collections.abc import AsyncIterator, Awaitable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import grpc.aio
from tests.benchmarks.match_load import (
    Line,
    Metadata,
    Pair,
    Played,
    Streams,
    answered_by_referee,
    call,
    game,
    set_up,
    stream,
)
from tests.benchmarks.pinned import opened, pinned
from tests.benchmarks.row import Row, measured
from tests.e2e.referee_process import RefereeProcess
from tests.e2e.table import Table

from ginref.adapters.embedded_server import EmbeddedServer
from ginref.adapters.redis_call import Argument
from ginref.adapters.redis_script import match_keys
from ginref.adapters.redis_store import open_store
from ginref.v1 import bot_service_pb2, session_pb2

PAIRS: Final = 4
"""Two bots each, that play each other."""

CONNECT: Final = "/ginref.v1.BotService/Connect"
SUBMIT: Final = "/ginref.v1.RefereeService/SubmitMove"

HELLO: Final = bot_service_pb2.ConnectRequest(
    hello=session_pb2.Hello(protocol=1)
).SerializeToString()


@dataclass
class Bench:
    """A referee that is measured.

    Attributes:
        table: Its operator.
        store: URL of its store.
        addresses: Where its workers are.
        pids: The processes of its workers.
        pairs: Bots that play.
        count: How many matches there have been.
    """

    table: Table
    store: str
    addresses: tuple[str, ...]
    pids: tuple[int, ...]
    pairs: list[Pair]
    count: int = 0

    async def lines(
        self, channel: grpc.aio.Channel, count: int, pairs: Sequence[Pair]
    ) -> list[Line]:
        """Set matches up, for one pair after the other in turn."""
        lines = []
        for number in range(count):
            self.count += 1
            pair = pairs[number % len(pairs)]
            name = f"bench {self.count}"
            played = game(str(number))
            lines.append(await set_up(channel, self.table.metadata, pair, played, name))
        return lines

    async def unary(self, count: int, server: str = "referee") -> tuple[Row, Played]:
        """Play matches by calls, in turn at each worker; they are the first pair's."""
        async with self._channels() as channels:
            lines = await self.lines(channels[0], count, self.pairs[:1])
            shown = self.pairs[0].metadata
            loads = [
                call(channel, SUBMIT, lines[n :: len(channels)], shown)
                for n, channel in enumerate(channels)
            ]
            return await measured(server, "unary", self.pids, _together(loads))

    async def connect(self, count: int, server: str = "referee") -> tuple[Row, Played]:
        """Play matches on the streams of all pairs."""
        async with self._channels() as channels:
            lines = await self.lines(channels[0], count, self.pairs)
            streams = [
                Streams(CONNECT, (HELLO, HELLO), pair.metadata, answered_by_referee)
                for pair in self.pairs
            ]
            load = stream(channels, streams, lines)
            return await measured(server, "Connect", self.pids, load)

    @contextlib.asynccontextmanager
    async def _channels(self) -> AsyncIterator[list[grpc.aio.Channel]]:
        """Open a connection to each worker."""
        async with contextlib.AsyncExitStack() as stack:
            yield [
                await stack.enter_async_context(opened(address))
                for address in self.addresses
            ]

    def metadata(self, number: int) -> tuple[Metadata, Metadata]:
        """Return what the seats of a match show that was set up in turn."""
        return self.pairs[number % len(self.pairs)].metadata

    async def bytes_over_budget(self) -> tuple[int, int]:
        """Return what a live match takes in the store before its last move, and moves.

        The bytes are those of all keys of the match.
        """
        async with opened(self.addresses[0]) as channel:
            (line,) = await self.lines(channel, 1, self.pairs[:1])
            most = Line(line.name, line.seats[:-1], line.calls[:-1], [])
            await call(channel, SUBMIT, [most], self.pairs[0].metadata)
        keys = match_keys(line.name)
        used = await ask_store(
            self.store,
            [
                ("MEMORY", "USAGE", key, "SAMPLES", 0)
                for key in (keys.match, keys.log, keys.idem)
            ],
        )
        return sum(size or 0 for size in used), len(most.seats)


async def _together(loads: Sequence[Awaitable[Played]]) -> Played:
    """Put several loads at once, and return what came of all."""
    whole = Played()
    for one in await asyncio.gather(*loads):
        whole.seconds = max(whole.seconds, one.seconds)
        whole.trips += one.trips
        whole.answers += one.answers
    return whole


async def ask_store(
    url: str, commands: Sequence[tuple[Argument, ...]]
) -> Sequence[Any]:
    """Return a store's answers to commands that a referee has no use for."""
    store = open_store(url)
    try:
        answers: Sequence[Any] = await store._connection.commands(commands)  # noqa: SLF001 - what it takes is no business of a store's user
    finally:
        await store.aclose()
    return answers


@contextlib.asynccontextmanager
async def embedded(*, flush: str = "everysec") -> AsyncIterator[str]:
    """Run the embedded store on our core; the value is its URL.

    Args:
        flush: When its file is safe: `everysec` or `always`.
    """
    folder = Path(tempfile.mkdtemp(prefix="gs"))
    try:
        async with EmbeddedServer(folder) as url:
            await ask_store(url, [("CONFIG", "SET", "appendfsync", flush)])
            yield url
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.asynccontextmanager
async def bench(
    cores: Iterable[int], store: str, *, workers: int = 1
) -> AsyncIterator[Bench]:
    """Run a referee on cores of its own.

    Records are signed elsewhere, as in a deployment that is short of time.

    Args:
        cores: Where its workers run.
        store: URL of its store.
        workers: How many workers it has.
    """
    folder = Path(tempfile.mkdtemp(prefix="gb"))
    crowd = ("--workers", str(workers)) if workers > 1 else ()
    options = ("--dev", "--roles", "referee,sweeper", *crowd)
    referee = RefereeProcess(folder, store=store, options=options)
    try:
        with pinned(*cores):
            referee.start()
        facts = json.loads((folder / "referee.json").read_text())
        crew = facts.get("workers", [facts])
        addresses = tuple(worker["grpc"] for worker in crew)
        table = Table(addresses[0], referee.token())
        names = [f"bot-{number}" for number in range(2 * PAIRS)]
        tokens = await table.bot_tokens(names)
        shown = [(("authorization", f"Bearer {one}"),) for one in tokens]
        pairs = [
            Pair((names[n], names[n + 1]), (shown[n], shown[n + 1]))
            for n in range(0, 2 * PAIRS, 2)
        ]
        pids = tuple(worker["pid"] for worker in crew)
        yield Bench(table, store, addresses, pids, pairs)
    finally:
        referee.stop()
        shutil.rmtree(folder, ignore_errors=True)
