"""A referee's API without sockets: the same services and bytes, in one process.

Every call passes the interceptor, is read from bytes and answered in bytes, as behind
the gRPC server. What leaves the referee is kept in the order in which it does.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import grpc
from google.protobuf.message import Message

from ginref.transport.bot_service import BotService
from ginref.transport.interceptor import Interceptor
from ginref.transport.referee_service import RefereeService
from ginref.transport.registry_service import RegistryService
from ginref.transport.tournament_service import TournamentService
from ginref.v1 import (
    bot_service_pb2_grpc,
    referee_service_pb2_grpc,
    registry_service_pb2_grpc,
    tournament_service_pb2_grpc,
)

Handler = Any
"""A method as the gRPC server calls it."""

CONNECT: Final = "BotService/Connect"
WATCH: Final = "RefereeService/WatchMatch"
WATCH_TOURNAMENT: Final = "TournamentService/WatchTournament"


class Sent(NamedTuple):
    """Something that has left the referee.

    Attributes:
        to: The caller.
        method: The call, as `Service/Method`.
        kind: `message`, or `status` for how a call has failed.
        data: Its bytes; of a status the code, the message and the trailers.
    """

    to: str
    method: str
    kind: str
    data: bytes


class Ended(Exception):  # noqa: N818 - no error: the core of gRPC raises here, too
    """A call was ended with a status."""


@dataclass(eq=False)
class _Context:
    """What a service is told of a call."""

    to: str
    method: str
    token: str | None
    sent: list[Sent]
    serialize: Any = None

    def invocation_metadata(self) -> tuple[tuple[str, str], ...]:
        if self.token is None:
            return ()
        return (("authorization", f"Bearer {self.token}"),)

    async def send_initial_metadata(self, _metadata: object) -> None:
        """Send none."""

    async def write(self, message: object) -> None:
        self.keep("message", self.serialize(message))

    async def abort_with_status(self, status: grpc.Status) -> None:
        told = (status.code.name, status.details, status.trailing_metadata)
        self.keep("status", repr(told).encode())
        raise Ended

    def keep_escaped(self, error: BaseException) -> None:
        """Tell what the core of gRPC tells of an exception that gets to it: all."""
        self.keep("status", f"UNKNOWN Unexpected {type(error)}: {error}".encode())

    def keep(self, kind: str, data: bytes) -> None:
        self.sent.append(Sent(self.to, self.method, kind, data))


class _Collected:
    """Takes services as a gRPC server does."""

    def __init__(self) -> None:
        self.handlers: dict[str, Handler] = {}

    def add_generic_rpc_handlers(self, _handlers: object) -> None:
        """Pass over them: they are the same ones."""

    def add_registered_method_handlers(
        self, service: str, handlers: Mapping[str, Handler]
    ) -> None:
        name = service.rpartition(".")[2]
        self.handlers.update(
            {f"{name}/{method}": one for method, one in handlers.items()}
        )


@dataclass(eq=False)
class Stream:
    """An open call that goes on.

    Attributes:
        task: Runs until the call is over.
    """

    task: asyncio.Task[None]
    _said: asyncio.Queue[Message | bytes | None] = field(default_factory=asyncio.Queue)

    def say(self, message: Message | bytes) -> None:
        """Send a message of the caller."""
        self._said.put_nowait(message)

    async def close(self) -> None:
        """Say nothing more, and wait for the end."""
        self._said.put_nowait(None)
        await asyncio.wait({self.task})


class Wire:
    """Serves callers.

    Attributes:
        sent: All that has left the referee, in order.
        tokens: What makes callers known.
    """

    def __init__(
        self,
        referee: RefereeService,
        registry: RegistryService,
        tournaments: TournamentService,
        bots: BotService,
        interceptor: Interceptor,
    ) -> None:
        """Put the services behind the interceptor."""
        collected: Any = _Collected()
        referee_service_pb2_grpc.add_RefereeServiceServicer_to_server(
            referee, collected
        )
        registry_service_pb2_grpc.add_RegistryServiceServicer_to_server(
            registry, collected
        )
        tournament_service_pb2_grpc.add_TournamentServiceServicer_to_server(
            tournaments, collected
        )
        bot_service_pb2_grpc.add_BotServiceServicer_to_server(bots, collected)
        self._handlers: dict[str, Handler] = collected.handlers
        self._interceptor = interceptor
        self.sent: list[Sent] = []
        self.tokens: dict[str, str] = {}

    @property
    def methods(self) -> tuple[str, ...]:
        """All methods, as `Service/Method`."""
        return tuple(self._handlers)

    async def call(self, caller: str, method: str, request: Message | bytes) -> Sent:
        """Make a single call; return its answer or its status."""
        handler = await self._handler(method)
        context = self._context(caller, method)
        asked = handler.request_deserializer(_bytes(request))
        task = asyncio.create_task(handler.unary_unary(asked, context))
        await asyncio.wait({task})
        error = task.exception()
        if error is None:
            context.keep("message", handler.response_serializer(task.result()))
        elif not isinstance(error, Ended):
            context.keep_escaped(error)
        return next(one for one in reversed(self.sent) if one.to == caller)

    async def watch(
        self, caller: str, request: Message | bytes, method: str = WATCH
    ) -> Stream:
        """Follow a match, or what else can be followed."""
        handler = await self._handler(method)
        context = self._context(caller, method, handler.response_serializer)
        asked = handler.request_deserializer(_bytes(request))
        return Stream(
            asyncio.create_task(_run(handler.unary_stream(asked, context), context))
        )

    async def connect(self, caller: str) -> Stream:
        """Open a bot's stream."""
        handler = await self._handler(CONNECT)
        context = self._context(caller, CONNECT, handler.response_serializer)
        said: asyncio.Queue[Message | bytes | None] = asyncio.Queue()

        async def read() -> AsyncIterator[object]:
            while (message := await said.get()) is not None:
                yield handler.request_deserializer(_bytes(message))

        running = asyncio.create_task(
            _run(handler.stream_stream(read(), context), context)
        )
        return Stream(running, said)

    async def _handler(self, method: str) -> Handler:
        async def found(_details: object) -> Handler:
            return self._handlers[method]

        details: Any = _Details(f"/ginref.v1.{method}")
        return await self._interceptor.intercept_service(found, details)

    def _context(self, caller: str, method: str, serialize: Any = None) -> _Context:  # noqa: ANN401 - the generated code's own
        token = self.tokens.get(caller)
        return _Context(caller, method, token, self.sent, serialize)


class _Details(NamedTuple):
    method: str


def _bytes(request: Message | bytes) -> bytes:
    return request if isinstance(request, bytes) else request.SerializeToString()


async def _run(call: Any, context: _Context) -> None:  # noqa: ANN401 - a coroutine of any handler
    try:
        await call
    except Ended:
        return
    except Exception as error:  # noqa: BLE001 - whatever it is gets out
        context.keep_escaped(error)
