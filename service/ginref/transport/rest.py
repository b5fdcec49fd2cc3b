"""The API over HTTP: each call at the path that its annotation names.

The services answer as they answer gRPC, to the same messages. Nothing here knows any
of them: a call that is annotated is served.
"""

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final
from urllib.parse import quote

from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message_factory import GetMessageClass
from starlette.types import ASGIApp, Receive, Scope, Send

from ginref.app.caller import Caller, Role
from ginref.app.error import Reason, RefusedError
from ginref.app.session_policy import UNREAD
from ginref.app.trace import ABOUT, Tracer
from ginref.transport.admission import Admission, bytes_limit, is_open
from ginref.transport.call import CALL
from ginref.transport.exchange import Exchange, to_json
from ginref.transport.kept_answer import KeptAnswers
from ginref.transport.rest_read import read_request
from ginref.transport.rest_route import Found, Route, Routes
from ginref.transport.rest_stream import CURSOR, StreamWriter, goes_on
from ginref.transport.status import CODES, refusal_of
from ginref.transport.traced import about, traced
from ginref.transport.vigil import Vigil

Drop = Callable[[object], None]
"""Closes the connection of a peer at once, whatever it has not read."""

_LAST_EVENT: Final = b"last-event-id"

_LONG: Final = 16_384
"""Bytes from which on an answer takes so long to write as JSON that it is kept."""


class RestApi:
    """Answers requests; an application of ASGI.

    Attributes:
        elsewhere: Answers what is at the path of no call.
    """

    def __init__(  # noqa: PLR0913 - all that calls pass
        self,
        services: Mapping[str, object],
        routes: Routes,
        admission: Admission,
        vigil: Vigil,
        *,
        beat_s: float,
        call_limit: int,
        drop: Drop,
        has_guests: bool = False,
        tracer: Tracer | None = None,
    ) -> None:
        """Serve what is annotated.

        Args:
            services: What answers the methods of each service, by its full name.
            routes: Paths of these methods.
            admission: Recognises callers.
            vigil: Looks after streams.
            beat_s: Seconds after which a stream says that it is alive.
            call_limit: Most calls at once, streams included.
            drop: Gives up a connection.
            has_guests: Whoever has no token may look on as a spectator.
            tracer: Traces calls.
        """
        self._services: Final = services
        self._routes: Final = routes
        self._admission: Final = admission
        self._vigil: Final = vigil
        self._streams: Final = StreamWriter(beat_s)
        self._call_limit: Final = call_limit
        self._drop: Final = drop
        self._has_guests: Final = has_guests
        self._tracer: Final = tracer
        self._calls = 0
        self._answers: Final = KeptAnswers()
        self.elsewhere: ASGIApp = self.refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        exchange = Exchange(scope, receive, send)
        found = self._routes.find(exchange.path)
        if found is None:
            await self.elsewhere(scope, receive, send)
            return
        try:
            await self._answer(exchange, found)
        except Exception as fault:
            if exchange.started:
                raise
            await exchange.refuse(refusal_of(fault))

    async def refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse what nothing answers."""
        refusal = RefusedError(Reason.PATH_UNKNOWN, "no call has this path")
        await self._refuse_unknown(Exchange(scope, receive, send), refusal)

    async def _answer(self, exchange: Exchange, found: Found) -> None:
        route = found.routes.get(exchange.verb)
        if route is None and exchange.verb == "HEAD":
            route = _unary(found.routes.get("GET"))
        if route is None:
            await self._tell_verbs(exchange, found)
            return
        await self._call(exchange, route, found.values)

    async def _call(
        self, exchange: Exchange, route: Route, values: tuple[str, ...]
    ) -> None:
        work = partial(self._work, exchange, route, values)
        secret = exchange.secret
        is_guest = self._has_guests and exchange.header(b"authorization") is None
        guest = _guest(exchange) if is_guest else None
        answering = self._admission.answer(route.path, secret, work, guest)
        if self._tracer is not None:
            parent = exchange.header(b"traceparent")
            answering = traced(self._tracer, route.path, parent, answering)
        try:
            done = await answering
        except RefusedError as refusal:
            if exchange.started:
                await self._fail(exchange, refusal)
            else:
                await exchange.refuse(refusal)
        except asyncio.CancelledError:
            # Whoever asked has gone: nobody is to be told anything.
            if not exchange.left:
                raise
        else:
            if done is not None:
                await exchange.answer(done)

    async def _work(
        self, exchange: Exchange, route: Route, values: tuple[str, ...]
    ) -> bytes | None:
        """Return the answer to a call; None for a stream, which is written already."""
        if self._calls >= self._call_limit:
            message = "too many calls go on"
            raise RefusedError(Reason.LIMIT_EXCEEDED, message, limit="calls")
        # Whoever has been refused is none of them, however long that takes to be told.
        self._calls += 1
        try:
            return await self._ask(exchange, route, values)
        finally:
            self._calls -= 1

    async def _ask(
        self, exchange: Exchange, route: Route, values: tuple[str, ...]
    ) -> bytes | None:
        body = await exchange.body(bytes_limit(route.path))
        query = _resumed(exchange, route)
        request = read_request(route, values, query, body)
        ABOUT.set(about(request))
        service = self._services[route.method.containing_service.full_name]
        method: Any = getattr(service, route.method.name)
        if route.method.server_streaming:
            await self._stream(exchange, route, method(request, None))
            return None
        answer = await method(request, None)
        if not isinstance(answer, bytes):
            return to_json(answer)
        write = partial(_json_of, route.method, answer)
        if len(answer) < _LONG:
            return write()
        key = route.method.full_name, answer
        return await self._answers.get(key, None, write)

    async def _stream(self, exchange: Exchange, route: Route, answers: Any) -> None:  # noqa: ANN401 - of any method
        admit = None if is_open(route.path) else CALL.get().admit
        with self._vigil.over(admit) as stream:
            async with contextlib.aclosing(answers):
                await self._streams.write(exchange, answers, stream)

    async def _fail(self, exchange: Exchange, refusal: RefusedError) -> None:
        """End a stream that has begun; one that is not read, with its connection."""
        unread = refusal.facts.get("limit") == UNREAD
        if unread or not await self._streams.fail(exchange, refusal):
            self._drop(exchange.peer)

    async def _tell_verbs(self, exchange: Exchange, found: Found) -> None:
        verbs = {"OPTIONS", *found.routes}
        if _unary(found.routes.get("GET")):
            verbs.add("HEAD")
        allow = ", ".join(sorted(verbs))
        if exchange.verb == "OPTIONS":
            await exchange.start(204, ("allow", allow))
            await exchange.write(b"", more=False)
            return
        message = f"this path is for {allow}"
        refusal = RefusedError(Reason.VERB_NOT_ALLOWED, message, allow=allow)
        await self._refuse_unknown(exchange, refusal)

    async def _refuse_unknown(self, exchange: Exchange, refusal: RefusedError) -> None:
        """Refuse what is no call of anybody."""
        code = CODES[refusal.reason].grpc.name
        self._admission.count(exchange.path, code, 0.0, refusal)
        await exchange.refuse(refusal)


def _json_of(method: MethodDescriptor, answer: bytes) -> bytes:
    return to_json(GetMessageClass(method.output_type).FromString(answer))


def _guest(exchange: Exchange) -> Caller:
    """Return who looks on without a token: all at one address have one allowance."""
    peer = exchange.peer
    host = str(peer[0]) if isinstance(peer, tuple) else "elsewhere"
    return Caller(token_id=f"guest-{host}", role=Role.SPECTATOR)


def _unary(route: Route | None) -> Route | None:
    """Return a route unless its answers are a stream."""
    return None if route is None or route.method.server_streaming else route


def _resumed(exchange: Exchange, route: Route) -> str:
    """Return the query; a stream that is read on goes on after its last event."""
    last = exchange.header(_LAST_EVENT)
    if not last or not goes_on(route.method):
        return exchange.query
    rest = [
        part
        for part in exchange.query.split("&")
        if part and part.partition("=")[0] != CURSOR
    ]
    return "&".join([*rest, f"{CURSOR}={quote(last)}"])
