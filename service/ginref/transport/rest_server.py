"""The server of the API over HTTP: its paths, its limits, and how it ends."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from types import TracebackType
from typing import Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from ginref import v1
from ginref.app.allowance import Allowance
from ginref.app.error import Reason, RefusedError
from ginref.app.gate import Gate
from ginref.app.trace import Tracer
from ginref.transport.address import Address
from ginref.transport.admission import Admission
from ginref.transport.call import CallObserver
from ginref.transport.certificate import Certificates
from ginref.transport.exchange import JSON_TYPE, refusal_headers, to_json
from ginref.transport.guard import AnswerObserver, Guard
from ginref.transport.http_server import HttpServer
from ginref.transport.rest import RestApi
from ginref.transport.rest_route import Routes
from ginref.transport.server import DESCRIBED
from ginref.transport.status import refusal_of, status_of
from ginref.transport.tls import tls_context
from ginref.transport.vigil import Vigil

_DESCRIPTION: Final = files(v1) / "openapi.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class RestOptions:
    """How the API is served over HTTP.

    Attributes:
        listen: Address; port 0 picks a free one.
        origins: Whose pages may call it, such as `https://example.org`; `*` for all.
        has_guests: Whoever has no token may look on as a spectator.
        allow_plaintext: Serve without TLS beyond this machine.
        certificates: What it is served with; None for plaintext.
        drain_ms: Milliseconds for calls to end when the server stops.
        write_ms: Milliseconds after which a stream that is not read is dropped.
        admit_ms: Milliseconds after which an open stream is ended if its token has
            been revoked or has expired.
        beat_ms: Milliseconds after which a silent stream says that it is alive.
        call_limit: Most calls at once, streams included.
        connection_limit: Most connections; fewer where fewer files may be open.
        head_ms: Milliseconds for the first line and the headers of a request.
    """

    listen: str = "127.0.0.1:7880"
    origins: tuple[str, ...] = ()
    has_guests: bool = False
    allow_plaintext: bool = False
    certificates: Certificates | None = None
    drain_ms: int = 3000
    write_ms: int = 10_000
    admit_ms: int = 5_000
    beat_ms: int = 15_000
    call_limit: int = 8192
    connection_limit: int = 10_000
    head_ms: int = 10_000


class RestServer:
    """Serves the API for the length of its context, whose value is its address."""

    def __init__(  # noqa: PLR0913 - the parts of a referee
        self,
        services: Mapping[str, object],
        gate: Gate,
        drain: Callable[[], None],
        options: RestOptions,
        observer: CallObserver | None = None,
        *,
        answers: AnswerObserver | None = None,
        tracer: Tracer | None = None,
        allowance: Allowance | None = None,
        pages: Sequence[BaseRoute] = (),
    ) -> None:
        """Serve what the services answer.

        Args:
            services: What answers the calls of each service, by its full name.
            gate: Recognises callers.
            drain: Lets streams come to their end.
            options: How it is served.
            observer: Counts calls.
            answers: Counts all answers, those of pages among them.
            tracer: Traces calls.
            allowance: What each token has left; None for no limits.
            pages: What else is served.

        Raises:
            BindError: The address is none, the certificate cannot be used, or
                plaintext would leave this machine.
        """
        self._drain_streams: Final = drain
        address, kept, tls = Address.parse(options.listen), options.certificates, None
        if kept is None:
            address.check_plaintext(allowed=options.allow_plaintext)
        else:
            tls = tls_context(kept)
        api = RestApi(
            services,
            Routes(DESCRIBED),
            Admission(gate, observer, allowance=allowance),
            Vigil(patience_s=options.write_ms / 1000, admit_s=options.admit_ms / 1000),
            beat_s=options.beat_ms / 1000,
            call_limit=options.call_limit,
            drop=self._drop,
            has_guests=options.has_guests,
            tracer=tracer,
        )
        api.elsewhere = Starlette(
            routes=[Route("/openapi.json", _openapi, methods=["GET"]), *pages],
            exception_handlers={HTTPException: _tell, Exception: _tell},
        )
        api.elsewhere.router.redirect_slashes = False
        api.elsewhere.router.default = api.refuse
        self._server: Final = HttpServer(
            address,
            Guard(api, options.origins, answers),
            tls=tls,
            patience_s=-(-options.drain_ms // 1000),
            connection_limit=options.connection_limit,
            head_s=options.head_ms / 1000,
        )

    def _drop(self, peer: object) -> None:
        self._server.drop(peer)

    async def __aenter__(self) -> str:
        """Bind and serve.

        Raises:
            BindError: The address cannot be used.
        """
        return await self._server.__aenter__()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Take no new calls, and let those under way end."""
        self._drain_streams()
        await self._server.__aexit__(kind, error, trace)


async def _openapi(_: Request) -> Response:
    """Describe the API, as it was when its code was generated."""
    return Response(_DESCRIPTION.read_bytes(), media_type=JSON_TYPE)


async def _tell(_: Request, error: Exception) -> Response:
    """Answer for a page that failed, in the words of the API."""
    if not isinstance(error, HTTPException):
        refusal = refusal_of(error)
    elif verbs := (error.headers or {}).get("Allow"):
        allow = ", ".join(sorted(verbs.split(", ")))
        message = f"this path is for {allow}"
        refusal = RefusedError(Reason.VERB_NOT_ALLOWED, message, allow=allow)
    else:
        refusal = RefusedError(Reason.PATH_UNKNOWN, "nothing has this path")
    status, headers = refusal_headers(refusal)
    return Response(to_json(status_of(refusal)), status, dict(headers), JSON_TYPE)
