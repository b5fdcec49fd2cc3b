"""Probes, metrics and public keys over HTTP, for the machine's own network only."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Protocol

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from ginref.transport.address import Address
from ginref.transport.http_server import HttpServer

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


CONNECTION_LIMIT: Final = 32
"""Most connections for probes and metrics."""

_READY_TIMEOUT: Final = 1.0


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


class AdminServer(HttpServer):
    """Serves probes, metrics and public keys for the length of its context.

    The value of the context is the address.
    """

    def __init__(
        self, listen: str, *, ready: Ready, metrics: Metrics, keys: PublishedKeys
    ) -> None:
        """Serve at an address; port 0 picks a free one.

        Raises:
            BindError: It is none.
        """
        super().__init__(
            Address.parse(listen),
            admin_app(ready, metrics, keys),
            connection_limit=CONNECTION_LIMIT,
        )
