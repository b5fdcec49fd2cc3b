"""A server of HTTP in the loop of whoever runs it, which leaves signals alone."""

import asyncio
import contextlib
import re
import socket
import ssl
from collections.abc import Awaitable, Generator
from types import TracebackType
from typing import Final
from urllib.parse import unquote

import h11
import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from ginref.transport.address import Address, BindError
from ginref.transport.exchange import JSON_TYPE, to_json
from ginref.transport.guard import SAFE
from ginref.transport.listener import Listener, file_share
from ginref.transport.rest_json import unreadable
from ginref.transport.status import status_of

_HEAD_BYTES: Final = 16 * 1024
"""Most bytes of a request's first line and headers."""

_IDLE_S: Final = 75
"""Seconds until a connection on which nothing more is asked is closed."""

_WHOLE: Final = re.compile(rb"https?://[^/]+(/.*)?", re.IGNORECASE)
"""A request target that names the host, too, as for a proxy."""


class _Connection(H11Protocol):
    """A connection that is closed if what has to be said first does not come.

    Attributes:
        head_s: Seconds until the first line and the headers must be complete, from
            the connection on, and from the first byte of each later request.
    """

    head_s: float = 0
    _due: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        # There is no cycle before the first request, whatever its type says.
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is None or cycle.response_complete:
            self._wait()
        else:
            self._rest()

    def connection_lost(self, exc: Exception | None) -> None:
        self._rest()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is not None:
            # Whatever still works at an answer is not to send it after this one.
            cycle.disconnected = True
            cycle.message_event.set()
        if self.conn.our_state not in {h11.IDLE, h11.SEND_RESPONSE}:
            # An answer has begun already, and cannot become another one.
            self.transport.close()
            return
        # What is no HTTP may be the body of a HEAD, whose answer has none.
        is_begun = self.conn.our_state is h11.SEND_RESPONSE
        is_head = is_begun and self.scope["method"] == "HEAD"
        data = b"" if is_head else to_json(status_of(unreadable(msg)))
        kind = (b"content-type", JSON_TYPE.encode()), (b"connection", b"close")
        for event in (
            h11.Response(status_code=400, reason="Bad Request", headers=[*kind, *SAFE]),
            h11.Data(data=data),
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def _should_upgrade(self) -> bool:
        # None is missed here, whoever offers one: a warning would say otherwise.
        return False

    def _wait(self) -> None:
        if self._due is None:
            self._due = self.loop.call_later(self.head_s, self.transport.abort)

    def _rest(self) -> None:
        if self._due is not None:
            self._due.cancel()
            self._due = None


class _QuietServer(uvicorn.Server):
    """A server that leaves signals to whoever runs the process.

    Attributes:
        up: Set once it serves.
    """

    def __init__(self, config: uvicorn.Config, head_s: float) -> None:
        """Serve as configured; a request is to begin within so many seconds."""
        super().__init__(config)
        self.up = asyncio.Event()
        self._head_s: Final = head_s

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to serve."""
        await super().startup([])
        tls = self.config.ssl
        for listener in sockets or ():
            server = await asyncio.get_running_loop().create_server(
                self._meet,
                sock=listener,
                ssl=tls,
                ssl_handshake_timeout=None if tls is None else self._head_s,
                backlog=self.config.backlog,
            )
            self.servers.append(server)
        self.up.set()

    def _meet(self) -> asyncio.Protocol:
        met = _Connection(self.config, self.server_state, self.lifespan.state)
        met.head_s = self._head_s
        return met

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Capture none."""
        yield


class _ByPath:
    """Passes requests on by their path, also those whose target names the host.

    That host stands in place of the header, and neither is asked for here.
    Source: RFC 9112, section 3.2.2.
    """

    def __init__(self, app: ASGIApp) -> None:
        """Pass requests on to an application."""
        self._app: Final = app

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        """Answer one request."""
        if scope["path"][:1] != "/" and (named := _WHOLE.fullmatch(scope["raw_path"])):
            raw = named[1] or b"/"
            scope = {**scope, "raw_path": raw, "path": unquote(raw.decode("ascii"))}
        return self._app(scope, receive, send)


class HttpServer:
    """Serves an application for the length of its context, whose value is the address.

    Attributes:
        address: Where it is told to listen.
    """

    def __init__(  # noqa: PLR0913 - each has a name
        self,
        address: Address,
        app: ASGIApp,
        *,
        tls: ssl.SSLContext | None = None,
        patience_s: int = 1,
        connection_limit: int = 10_000,
        head_s: float = 10,
    ) -> None:
        """Serve at an address; port 0 picks a free one.

        Args:
            address: Where.
            app: What is served.
            tls: How connections are encrypted; None for plaintext.
            patience_s: Seconds for answers to end when it stops.
            connection_limit: Most connections; fewer where fewer files may be open.
            head_s: Seconds for a connection to be proven, and as many again for
                a request's first line and headers.
        """
        self.address: Final = address
        config = uvicorn.Config(
            _ByPath(app),
            interface="asgi3",
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
        self._server: Final = _QuietServer(config, head_s)
        self._most: Final = min(connection_limit, file_share(4))
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
            bound = socket.create_server((host, port), family=family)
        except OSError as error:
            reason = error.strerror or error
            message = f"{self.address} cannot be listened on: {reason}"
            raise BindError(message) from error
        listener = Listener(bound, self._most)
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
