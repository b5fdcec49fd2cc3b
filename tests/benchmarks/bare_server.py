"""The least a gRPC server can do for the same messages: the ceiling of a referee.

`Echo` answers each call with so many bytes. `Relay` puts two streams, the seats of a
table, side by side: for each message in, one goes back and one to the other seat. The
first four bytes of a message name the match, and are all that is looked at.
"""

import asyncio
import sys
from collections import defaultdict
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Final

import grpc
import grpc.aio

NAME_BYTES: Final = 4

Queue = asyncio.Queue[bytes | None]


@dataclass
class Bare:
    """A server that stores and decides nothing.

    Attributes:
        reply: Bytes of an answer to who called.
        notice: Bytes of a message to the other seat.
    """

    reply: int
    notice: int
    queues: defaultdict[tuple[bytes, int], Queue] = field(
        default_factory=lambda: defaultdict(asyncio.Queue)
    )

    async def echo(self, request: bytes, context: object) -> bytes:
        """Answer."""
        del context
        return request[:NAME_BYTES].ljust(self.reply, b".")

    async def relay(
        self, requests: AsyncIterator[bytes], context: object
    ) -> AsyncIterator[bytes]:
        """Pass messages on; the first one names the table and the seat."""
        del context
        hello = await anext(aiter(requests))
        table, seat = hello[:NAME_BYTES], hello[NAME_BYTES]
        mine, others = self.queues[table, seat], self.queues[table, 1 - seat]

        async def hear() -> None:
            async for request in requests:
                name = request[:NAME_BYTES]
                mine.put_nowait(name.ljust(self.reply, b"."))
                others.put_nowait(name.ljust(self.notice, b"!"))
            mine.put_nowait(None)

        hearing = asyncio.create_task(hear())
        try:
            while (message := await mine.get()) is not None:
                yield message
        finally:
            hearing.cancel()
            await asyncio.wait({hearing})
            del self.queues[table, seat]


async def main(reply: int, notice: int) -> None:
    """Serve until the input is closed; the port is told on the output."""
    bare = Bare(reply, notice)
    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    handlers: dict[str, grpc.RpcMethodHandler[bytes, bytes]] = {
        "Echo": grpc.unary_unary_rpc_method_handler(bare.echo),
        "Relay": grpc.stream_stream_rpc_method_handler(bare.relay),
    }
    server.add_generic_rpc_handlers(
        [grpc.method_handlers_generic_handler("Bare", handlers)]
    )
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.read)
    await server.stop(1)


if __name__ == "__main__":
    asyncio.run(main(*map(int, sys.argv[1:])))
