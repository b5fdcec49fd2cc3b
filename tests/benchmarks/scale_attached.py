"""Two thousand bots attached to one worker, each on a connection of its own."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import grpc.aio
from tests.benchmarks.crowd import AT_ONCE, all_of, bots, matches, play_on
from tests.benchmarks.finding import Finding
from tests.benchmarks.match_load import Metadata
from tests.benchmarks.measured_referee import CONNECT, HELLO, bench, embedded
from tests.benchmarks.pinned import opened, resident_bytes
from tests.benchmarks.row import Goal, measured

from ginref.v1 import bot_service_pb2, session_pb2

BOT_BYTES_GOAL: Final = 60 * 1024

_SETTLED: Final = 3.0
"""Seconds in which a server comes to rest."""


@dataclass
class Attached:
    """Bots that are attached, answer pings, and count what else they are told."""

    heard: Counter[str] = field(default_factory=Counter)
    _channels: list[grpc.aio.Channel] = field(default_factory=list)
    _hearing: list[asyncio.Task[None]] = field(default_factory=list)

    async def attach(self, address: str, shown: Sequence[Metadata]) -> None:
        """Attach a bot for each token."""
        for start in range(0, len(shown), AT_ONCE):
            some = shown[start : start + AT_ONCE]
            await asyncio.gather(*(self._attach(address, one) for one in some))

    async def close(self) -> None:
        """Let all go."""
        for task in self._hearing:
            task.cancel()
        await asyncio.gather(*self._hearing, return_exceptions=True)
        await all_of(channel.close() for channel in self._channels)

    @property
    def count(self) -> int:
        """How many still are attached."""
        return sum(not task.done() for task in self._hearing)

    async def _attach(self, address: str, metadata: Metadata) -> None:
        options = [("grpc.use_local_subchannel_pool", 1)]
        channel = grpc.aio.insecure_channel(address, options=options)
        self._channels.append(channel)
        open_stream: Any = channel.stream_stream(CONNECT)
        stream = open_stream(metadata=metadata)
        await stream.write(HELLO)
        self._note(await stream.read())
        self._hearing.append(asyncio.create_task(self._hear(stream)))

    async def _hear(self, stream: Any) -> None:  # noqa: ANN401 - a stream of bytes
        while (data := await stream.read()) is not grpc.aio.EOF:
            message = self._note(data)
            if message.HasField("ping"):
                pong = session_pb2.Pong(number=message.ping.number)
                answer = bot_service_pb2.ConnectRequest(pong=pong)
                await stream.write(answer.SerializeToString())

    def _note(self, data: bytes) -> bot_service_pb2.ConnectResponse:
        message = bot_service_pb2.ConnectResponse.FromString(data)
        self.heard[message.WhichOneof("message") or "nothing"] += 1
        return message


async def attached_bots(core: int, count: int) -> Finding:
    """Attach so many bots, give every two of them a match, and play."""
    async with (
        embedded() as store,
        bench([core], store) as referee,
        opened(referee.addresses[0]) as channel,
    ):
        (pid,) = referee.pids
        pairs = await bots(referee, channel, count)
        await referee.unary(4)
        crowd = Attached()
        try:
            empty = resident_bytes(pid)
            shown = [one for pair in pairs for one in pair.metadata]
            await crowd.attach(referee.addresses[0], shown)
            await asyncio.sleep(_SETTLED)
            idle = resident_bytes(pid)
            lines = await matches(referee, channel, pairs, count // 2)
            await asyncio.sleep(_SETTLED)
            playing = resident_bytes(pid)
            load = play_on(channel, lines, slice(4), lambda n: pairs[n].metadata)
            row, _ = await measured(f"{count:,} attached", "unary", [pid], load)
            played = resident_bytes(pid)
            still, heard = crowd.count, crowd.heard
        finally:
            await crowd.close()
    return Finding(
        title=f"{count:,} bots attached to one worker, each on its own connection",
        rows=(row,),
        facts={
            "worker, MB before": round(empty / 1e6),
            "worker, MB with all attached": round(idle / 1e6),
            "worker, MB with a match for every two": round(playing / 1e6),
            "worker, MB after four moves of each": round(played / 1e6),
            "bytes, a bot with half a match": round((playing - empty) / count),
            "turns told": heard["turn"],
            "pings told": heard["ping"],
        },
        goals=(
            Goal("bots that stayed attached", still, count),
            Goal(
                "bytes of the worker, a bot",
                round((idle - empty) / count),
                BOT_BYTES_GOAL,
                at_most=True,
            ),
        ),
    )
