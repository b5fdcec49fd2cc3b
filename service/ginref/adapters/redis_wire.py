"""A connection that the driver has opened, and that is read without it.

The driver connects, proves who we are and agrees on what else there is to agree on.
From then on what arrives is parsed and handed on where it arrives, in order: through
the driver, each answer would take coroutines and a timer of its own.
"""

import asyncio
from collections.abc import Callable
from typing import Any, Final, Protocol, cast

import hiredis
from redis import exceptions
from redis.asyncio.connection import AbstractConnection, DefaultParser

_READ_SIZE: Final = 65536
"""Most bytes that are read at a time."""

_NOTHING: Final = object()
"""What the parser says when the next answer is not complete."""


class Receiver(Protocol):
    """Who waits for what arrives."""

    def take(self, answer: Any) -> bool:  # noqa: ANN401 - any answer
        """Take an answer; say whether more are to come.

        Raises:
            RedisError: No further answer can be relied on.
        """

    def finish(self, wire: "Wire") -> None:
        """Learn that the last answer has been taken; the wire is free."""

    def lose(self, error: Exception) -> None:
        """Learn that nothing more will come."""


async def open_wire(
    connection: AbstractConnection, ended: Callable[["Wire"], None]
) -> "Wire":
    """Connect to a server.

    Args:
        connection: What knows how to; the wire closes it.
        ended: Whom to tell when the wire is no more.

    Raises:
        RedisError: The server cannot be reached, or does not let us in.
        OSError: Likewise.
    """
    try:
        await connection.connect()
        is_clean = not await connection.can_read()
    except BaseException:
        await connection.disconnect(nowait=True)
        raise
    wire = Wire(connection, ended)
    if not is_clean or wire.is_closing:
        wire.end()
        raise exceptions.ConnectionError("the server speaks unasked, or has left")
    return wire


class Wire(asyncio.BufferedProtocol):
    """An open connection to a server, for one receiver at a time.

    Attributes:
        is_open: Something can be sent on it.
    """

    def __init__(
        self, connection: AbstractConnection, ended: Callable[["Wire"], None]
    ) -> None:
        """Take over what the driver has connected."""
        self.is_open = True
        self._connection = connection
        self._ended = ended
        self._receiver: Receiver | None = None
        self._buffer = bytearray(_READ_SIZE)
        # TLS takes slices of what it is given, which must not be copies.
        self._room = memoryview(self._buffer)
        self._reader = hiredis.Reader(
            protocolError=exceptions.InvalidResponse,
            replyError=DefaultParser.parse_error,
            notEnoughData=_NOTHING,
        )
        writer: Any = connection._writer  # noqa: SLF001 - the driver shows its transport nowhere
        self._transport: asyncio.WriteTransport = writer.transport
        self._driver = cast("asyncio.Protocol", self._transport.get_protocol())
        self._transport.set_protocol(self)

    @property
    def is_closing(self) -> bool:
        """The connection is about to be closed, or is closed."""
        return self._transport.is_closing()

    def send(self, data: bytes, receiver: Receiver) -> None:
        """Send something, and hand the answers to somebody."""
        self._receiver = receiver
        self._transport.write(data)

    def add(self, data: bytes) -> None:
        """Send something more for the same receiver."""
        self._transport.write(data)

    def fail(self, error: Exception) -> None:
        """Give up; the receiver, if there is one, is told why."""
        receiver = self._receiver
        self.end()
        if receiver is not None:
            receiver.lose(error)

    def end(self) -> None:
        """Give up without a word to the receiver; doing it twice is fine."""
        self._receiver = None
        if self.is_open:
            self.is_open = False
            self._transport.abort()
            self._ended(self)

    async def aclose(self) -> None:
        """Wait until the connection is closed, and let go of it."""
        self.end()
        await self._connection.disconnect()

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002 - the event loop's
        """Say where to put what arrives."""
        return self._room

    def buffer_updated(self, nbytes: int) -> None:
        """Read what has arrived."""
        reader = self._reader
        try:
            reader.feed(self._buffer, 0, nbytes)  # type: ignore[arg-type] # takes any buffer
            while (receiver := self._receiver) is not None:
                answer = reader.gets()
                if answer is _NOTHING:
                    return
                if not receiver.take(answer):
                    self._receiver = None
                    if reader.has_data():
                        self.end()
                    receiver.finish(self)
                    return
        except exceptions.RedisError as error:
            self.fail(error)
        else:
            # What nobody has asked for must not be taken for the next answer.
            self.end()

    def eof_received(self) -> None:
        """Give up: the server has said its last word. The transport closes itself."""
        self.fail(exceptions.ConnectionError("the server has closed the connection"))

    def connection_lost(self, exc: Exception | None) -> None:
        """Give up, and let the driver know."""
        self._driver.connection_lost(exc)
        reason = "it is closed" if exc is None else str(exc)
        self.fail(exceptions.ConnectionError(f"the connection is lost: {reason}"))

    def pause_writing(self) -> None:
        """Do nothing: at most one packet waits to be sent."""

    def resume_writing(self) -> None:
        """Do nothing."""
