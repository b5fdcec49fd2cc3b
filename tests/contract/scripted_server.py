"""A server that says what a test wants it to say."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import hiredis

CLOSE: Final = b""
"""In place of an answer: close the connection."""

SHUT: Final = b"shut"
"""In place of an answer: say the last word, and go on to listen."""

Command = list[bytes]
Answering = Callable[[Command], bytes | None]


class ScriptedServer:
    """Answers what the driver and a node ask by themselves, and as told all else.

    Attributes:
        answering: What answers a command; None for not at all.
        admitting: The driver's first commands are answered.
        holding: A connection waits for that.
        heard: Each connection's commands, but for those.
        writers: The connections.
    """

    def __init__(self, answering: Answering) -> None:
        self.answering = answering
        self.admitting = asyncio.Event()
        self.admitting.set()
        self.holding = asyncio.Event()
        self.heard: list[list[Command]] = []
        self.writers: list[asyncio.StreamWriter] = []

    @property
    def commands(self) -> list[Command]:
        return [command for heard in self.heard for command in heard]

    async def serve(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        parser = hiredis.Reader(notEnoughData=None)
        heard: list[Command] = []
        self.writers.append(writer)
        while data := await reader.read(65536):
            parser.feed(data)
            while (command := parser.gets()) is not None:
                if command[0] in {b"CLIENT", b"INFO"}:
                    if not self.admitting.is_set():
                        self.holding.set()
                    await self.admitting.wait()
                    answer: bytes | None = b"+OK\r\n"
                    if command[0] == b"INFO":
                        answer = b"$0\r\n\r\n"
                else:
                    if not heard:
                        self.heard.append(heard)
                    heard.append(command)
                    answer = self.answering(command)
                if answer == CLOSE:
                    writer.close()
                    return
                if answer == SHUT:
                    writer.write_eof()
                elif answer is not None:
                    writer.write(answer)
        writer.close()


@asynccontextmanager
async def scripted_server(
    path: Path, answering: Answering
) -> AsyncIterator[ScriptedServer]:
    """Run such a server at a Unix socket."""
    server = ScriptedServer(answering)
    listener = await asyncio.start_unix_server(server.serve, path)
    try:
        yield server
    finally:
        listener.close()
        for writer in server.writers:
            writer.close()


@asynccontextmanager
async def tls_proxy(context: ssl.SSLContext, path: str) -> AsyncIterator[int]:
    """Pass on what comes by TLS to a Unix socket; the value is the port."""
    tasks: set[asyncio.Task[None]] = set()

    async def pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        try:
            while data := await source.read(1 << 16):
                sink.write(data)
        finally:
            sink.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answers, commands = await asyncio.open_unix_connection(path)
        for ends in ((reader, commands), (answers, writer)):
            tasks.add(asyncio.create_task(pump(*ends)))

    listener = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    try:
        yield listener.sockets[0].getsockname()[1]
    finally:
        listener.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
