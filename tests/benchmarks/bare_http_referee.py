"""A referee that serves one call twice over HTTP: as it does, and by a bare handler.

The bare one does the same work for the same answer: it reads the match from the store,
and writes it as JSON. It knows the path, asks for no token, checks nothing and counts
nothing. It is at the address that `BARE_HTTP` names.
"""

import os
import time
from types import TracebackType

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ginref import bootstrap
from ginref.app.caller import Caller, Role
from ginref.cli import main
from ginref.transport.address import Address
from ginref.transport.call import CALL, Call
from ginref.transport.exchange import JSON_TYPE, to_json
from ginref.transport.http_server import HttpServer
from ginref.transport.rest_server import RestServer
from ginref.v1.referee_service_pb2 import GetMatchRequest

ANYBODY = Caller(token_id="bare", role=Role.OPERATOR)


async def _always() -> None:
    """Let everybody stay."""


class TwiceServed(RestServer):
    """Serves the bare handler, too."""

    def __init__(self, *given: object, **named: object) -> None:
        super().__init__(*given, **named)  # type: ignore[arg-type]
        services: dict[str, object] = given[0]  # type: ignore[assignment]
        service = services["ginref.v1.RefereeService"]

        async def bare(request: Request) -> Response:
            CALL.set(Call(ANYBODY, time.monotonic(), _always))
            asked = GetMatchRequest(match_id=request.path_params["match_id"])
            answer = await service.GetMatch(asked, None)  # type: ignore[attr-defined]
            return Response(to_json(answer), media_type=JSON_TYPE)

        app = Starlette(routes=[Route("/v1/matches/{match_id}", bare)])
        self._bare = HttpServer(Address.parse(os.environ["BARE_HTTP"]), app)

    async def __aenter__(self) -> str:
        await self._bare.__aenter__()
        return await super().__aenter__()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await super().__aexit__(kind, error, trace)
        await self._bare.__aexit__(kind, error, trace)


if __name__ == "__main__":
    bootstrap.RestServer = TwiceServed  # type: ignore[attr-defined]
    main()
