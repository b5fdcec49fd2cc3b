"""A server of HTTP in the loop of whoever runs it, which leaves signals alone."""

import asyncio
import contextlib
import socket
import ssl
from collections.abc import Generator
from types import TracebackType
from typing import Final

import uvicorn
from starlette.types import ASGIApp

from ginref.transport.address import Address, BindError

_HEAD_BYTES: Final = 16 * 1024
"""Most bytes of a request's first line and headers."""

_IDLE_S: Final = 75
"""Seconds until a connection on which nothing more is asked is closed."""


class _QuietServer(uvicorn.Server):
    """A server that leaves signals to whoever runs the process.

    Attributes:
        up: Set once it serves.
    """

    def __init__(self, config: uvicorn.Config) -> None:
        """Serve as configured."""
        super().__init__(config)
        self.up = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to serve."""
        await super().startup(sockets)
        self.up.set()

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Capture none."""
        yield


class HttpServer:
    """Serves an application for the length of its context, whose value is the address.

    Attributes:
        address: Where it is told to listen.
    """

    def __init__(
        self,
        address: Address,
        app: ASGIApp,
        *,
        tls: ssl.SSLContext | None = None,
        patience_s: int = 1,
    ) -> None:
        """Serve at an address; port 0 picks a free one.

        Args:
            address: Where.
            app: What is served.
            tls: How connections are encrypted; None for plaintext.
            patience_s: Seconds for answers to end when it stops.
        """
        self.address: Final = address
        config = uvicorn.Config(
            app,
            http="h11",
            lifespan="off",
            ws="none",
            log_config=None,
            log_level="warning",
            access_log=False,
            server_header=False,
            # Whoever asks could claim to be somebody else.
            proxy_headers=False,
            ssl_context_factory=None if tls is None else lambda *_: tls,
            h11_max_incomplete_event_size=_HEAD_BYTES,
            timeout_keep_alive=_IDLE_S,
            timeout_graceful_shutdown=patience_s,
        )
        self._server: Final = _QuietServer(config)
        self._task: asyncio.Task[None] | None = None

    def drop(self, peer: object) -> None:
        """Close the connection of a peer at once, whatever it has not read."""
        for connection in [*self._server.server_state.connections]:
            if getattr(connection, "client", None) == peer:
                transport = getattr(connection, "transport", None)
                if isinstance(transport, asyncio.Transport):
                    transport.abort()

    async def __aenter__(self) -> str:
        """Bind and serve.

        Raises:
            BindError: The address cannot be used.
        """
        host, port = self.address.host, self.address.port
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        try:
            listener = socket.create_server((host, port), family=family)
        except OSError as error:
            reason = error.strerror or error
            message = f"{self.address} cannot be listened on: {reason}"
            raise BindError(message) from error
        self._task = asyncio.create_task(self._server.serve(sockets=[listener]))
        up = asyncio.create_task(self._server.up.wait())
        await asyncio.wait({self._task, up}, return_when=asyncio.FIRST_COMPLETED)
        if self._task.done():
            up.cancel()
            listener.close()
            await self._task
        return str(self.address.at(listener.getsockname()[1]))

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop serving."""
        self._server.should_exit = True
        if self._task is not None:
            await self._task
