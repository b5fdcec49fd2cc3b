"""The least a referee in Python does for a move: a ceiling that judges and stores.

It reads a move, asks the rules, stores the step in one call that shares its packet with
others, and writes the answer and the next seat's view: all by the referee's own parts.
It knows no tokens, clocks, retries, cursors, replicas, followers or metrics, and trusts
whoever calls. What a referee takes beyond it is the price of those.
"""

import asyncio
import sys
from collections import defaultdict
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import grpc
import grpc.aio
from tests.benchmarks.bare_server import NAME_BYTES, Queue
from tests.benchmarks.match_load import PRESET
from tests.e2e.table import PATIENT

from ginref.adapters.collector import collect_seldom
from ginref.adapters.redis_store import RedisStore, open_store
from ginref.adapters.sealing import AesSealer
from ginref.app.keeper import Draft, Keeper, Stored
from ginref.app.live_match import LiveMatch
from ginref.app.match_store import Applied, Creation, EntryId, SubmissionKey
from ginref.app.message import MoveResult, Turn
from ginref.app.report import MoveReport
from ginref.app.reporting import seat_report
from ginref.engine.ruleset import preset
from ginref.engine.seat import Seat
from ginref.record.entry import Accepted, Created, Entry, Moved
from ginref.record.lifecycle import begin
from ginref.record.setup import DealSource, Setup
from ginref.record.submission import Submission
from ginref.transport.codec_message import message_to_bytes
from ginref.transport.codec_request import submission_from_wire
from ginref.transport.codec_rules import clock_from_wire
from ginref.transport.codec_view import seat_view_to_bytes
from ginref.transport.part import part
from ginref.v1 import bot_service_pb2 as bot_pb
from ginref.v1 import referee_service_pb2 as referee_pb


def match_id_of(number: int) -> str:
    """Return the identity of a match, by its number."""
    return f"m{number:016x}"


@dataclass
class Least:
    """A server that judges and stores, and does nothing else.

    Attributes:
        store: Where it stores.
        keeper: How it does.
        lives: Where each match stands.
        queues: What is to be told to each seat of each table.
    """

    store: RedisStore
    keeper: Keeper
    lives: dict[str, LiveMatch] = field(default_factory=dict)
    queues: defaultdict[tuple[bytes, Seat], Queue] = field(
        default_factory=lambda: defaultdict(asyncio.Queue)
    )

    async def set_up(self, number: int, seed: str) -> None:
        """Create a match, and take both seats."""
        setup = Setup(
            match_id=match_id_of(number),
            ruleset=preset(PRESET),
            clock=clock_from_wire("", PATIENT),
            strikes_allowed=3,
            bots=("north", "south"),
            deal_source=DealSource.SEEDED,
            referee_share=bytes(32),
            seed=seed,
            commitment=bytes(32),
            signature=bytes(64),
            key_id="none",
            creator="nobody",
            durability="local/everysec",
            engine="0",
        )
        state, packer = begin(setup), self.keeper.packer
        made = await self.store.create(
            Creation(
                match_id=setup.match_id,
                request_hash=bytes(8),
                setup=packer.pack_setup(setup),
                state=packer.pack_state(state),
                entry=packer.pack_entry(setup.match_id, EntryId(1), Created()),
                clock=setup.clock,
                seat_count=2,
                bots=setup.bots,
            )
        )
        assert isinstance(made, Applied)
        live = LiveMatch(
            state=state, clock=made.clock, created_ms=made.now_ms, now_ms=made.now_ms
        )
        for seat in setup.seats:
            live = await self._take(live, Accepted(seat))
        self.lives[setup.match_id] = live

    async def _take(
        self, live: LiveMatch, entry: Entry, key: SubmissionKey | None = None
    ) -> LiveMatch:
        draft = Draft(live=live, entry=entry, key=key)
        stored = await self.keeper.commit(draft, lambda _: None)
        assert isinstance(stored, Stored), stored
        return stored.after

    async def _judge(self, said: Submission) -> tuple[LiveMatch, MoveReport]:
        key = SubmissionKey(digest=said.digest, request_hash=said.request_hash)
        moved = Moved(said.seat, said.request_id, said.move, 0)
        live = await self._take(self.lives[said.match_id], moved, key)
        self.lives[said.match_id] = live
        report = MoveReport(
            version=live.state.version,
            time_ms=live.now_ms,
            elapsed_ms=live.clock.elapsed_ms,
            referee_ms=0,
            turn=None,
            ending=live.state.ending,
        )
        return live, report

    async def echo(self, request: bytes, context: object) -> bytes:
        """Answer a move as `SubmitMove` does."""
        del context
        asked = referee_pb.SubmitMoveRequest.FromString(request)
        said = submission_from_wire(asked)
        live, report = await self._judge(said)
        answer = referee_pb.SubmitMoveResponse(
            version=report.version, elapsed_ms=report.elapsed_ms
        ).SerializeToString()
        if live.state.to_act is not said.seat:
            return answer
        turn = seat_report(live, said.seat)
        assert turn is not None
        field_number = referee_pb.SubmitMoveResponse.TURN_FIELD_NUMBER
        return answer + part(field_number, seat_view_to_bytes(turn))

    async def relay(
        self, requests: AsyncIterator[bytes], context: object
    ) -> AsyncIterator[bytes]:
        """Answer moves as `Connect` does; the first message names table and seat."""
        del context
        hello = await anext(aiter(requests))
        table, seat = hello[:NAME_BYTES], Seat(hello[NAME_BYTES])
        mine = self.queues[table, seat]
        judging: set[asyncio.Task[None]] = set()

        async def judge(request: bytes) -> None:
            asked = bot_pb.ConnectRequest.FromString(request)
            said = submission_from_wire(asked.move)
            live, report = await self._judge(said)
            result = MoveResult(
                match_id=said.match_id,
                seat=seat,
                request_id=said.request_id,
                result=report,
                version=report.version,
            )
            mine.put_nowait(message_to_bytes(result))
            to_act = live.state.to_act
            if to_act is not None and (turn := seat_report(live, to_act)) is not None:
                self.queues[table, to_act].put_nowait(message_to_bytes(Turn(turn)))

        async def hear() -> None:
            async for request in requests:
                task = asyncio.create_task(judge(request))
                judging.add(task)
                task.add_done_callback(judging.discard)
            mine.put_nowait(None)

        hearing = asyncio.create_task(hear())
        try:
            while (message := await mine.get()) is not None:
                yield message
        finally:
            hearing.cancel()
            await asyncio.wait({hearing})
            del self.queues[table, seat]


async def main(url: str, first: int, count: int, games: int) -> None:
    """Serve until the input is closed; the port is told on the output.

    Args:
        url: The store.
        first: Number of the first match.
        count: How many matches there are.
        games: How many different ones.
    """
    store = open_store(url)
    least = Least(store, Keeper(store, AesSealer(bytes(32))))
    for number in range(count):
        await least.set_up(first + number, str(number % games))
    collect_seldom()
    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    handlers: dict[str, grpc.RpcMethodHandler[bytes, bytes]] = {
        "Echo": grpc.unary_unary_rpc_method_handler(least.echo),
        "Relay": grpc.stream_stream_rpc_method_handler(least.relay),
    }
    server.add_generic_rpc_handlers(
        [grpc.method_handlers_generic_handler("Least", handlers)]
    )
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.read)
    await server.stop(1)
    await store.aclose()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], *map(int, sys.argv[2:])))
