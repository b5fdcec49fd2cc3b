"""Probes, metrics and public keys over HTTP, for the machine's own network only."""

import asyncio
import contextlib
import socket
from collections.abc import Awaitable, Callable, Generator, Sequence
from types import TracebackType
from typing import Final, Protocol

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from ginref.transport.address import Address, BindError

Ready = Callable[[], Awaitable[Sequence[str]]]
"""Tells why this process should get no work; nothing when it is fine."""

Metrics = Callable[[str], tuple[bytes, str]]
"""Renders the metrics as a reader accepts them, and names their content type."""


class PublishedKeys(Protocol):
    """Tells the public keys that records are verified with, as they are now."""

    def jwks(self) -> bytes:
        """Return them as a JSON Web Key Set."""

    def pem(self) -> bytes:
        """Return them in PEM."""


_READY_TIMEOUT: Final = 1.0
_SHUTDOWN_TIMEOUT: Final = 1


def admin_app(ready: Ready, metrics: Metrics, keys: PublishedKeys) -> Starlette:
    """Return the application with probes, metrics and public keys."""

    async def livez(_: Request) -> Response:
        return PlainTextResponse("ok\n")

    async def readyz(_: Request) -> Response:
        try:
            async with asyncio.timeout(_READY_TIMEOUT):
                problems = await ready()
        except TimeoutError:
            problems = ("the answer takes too long",)
        if problems:
            return PlainTextResponse("\n".join(problems) + "\n", status_code=503)
        return PlainTextResponse("ok\n")

    async def show(request: Request) -> Response:
        # It takes some milliseconds, for which no move must wait.
        body, content_type = await asyncio.to_thread(
            metrics, request.headers.get("accept", "")
        )
        return Response(body, headers={"content-type": content_type})

    async def jwks(_: Request) -> Response:
        return Response(keys.jwks(), media_type="application/jwk-set+json")

    async def pem(_: Request) -> Response:
        return Response(keys.pem(), media_type="application/x-pem-file")

    return Starlette(
        routes=[
            Route("/livez", livez),
            Route("/readyz", readyz),
            Route("/metrics", show),
            Route("/.well-known/jwks.json", jwks),
            Route("/.well-known/jwks.pem", pem),
        ]
    )


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


class AdminServer:
    """Serves probes, metrics and public keys for the length of its context.

    The value of the context is the address.
    """

    def __init__(
        self, listen: str, *, ready: Ready, metrics: Metrics, keys: PublishedKeys
    ) -> None:
        """Serve at an address; port 0 picks a free one."""
        self._listen = listen
        config = uvicorn.Config(
            admin_app(ready, metrics, keys),
            lifespan="off",
            ws="none",
            log_config=None,
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=_SHUTDOWN_TIMEOUT,
        )
        self._server = _QuietServer(config)
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> str:
        """Bind and serve.

        Raises:
            BindError: The address cannot be used.
        """
        address = Address.parse(self._listen)
        family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
        try:
            listener = socket.create_server((address.host, address.port), family=family)
        except OSError as error:
            message = f"{address} cannot be listened on: {error.strerror or error}"
            raise BindError(message) from error
        self._task = asyncio.create_task(self._server.serve(sockets=[listener]))
        up = asyncio.create_task(self._server.up.wait())
        await asyncio.wait({self._task, up}, return_when=asyncio.FIRST_COMPLETED)
        if self._task.done():
            up.cancel()
            await self._task
        return str(address.at(listener.getsockname()[1]))

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
