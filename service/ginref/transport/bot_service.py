"""The bots' stream: one attachment of a bot for as long as the stream lasts."""

import asyncio
import time
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Awaitable,
    Callable,
    Mapping,
)
from typing import Final, assert_never

from ginref.app.allowance import Allowance
from ginref.app.caller import Caller
from ginref.app.error import Reason, RefusedError
from ginref.app.limit import Kind
from ginref.app.request import SeatStep, UnreadMove
from ginref.app.session import Session
from ginref.app.summons_work import SummonsAnswer
from ginref.record.submission import Submission
from ginref.transport.call import CALL, Unreadable
from ginref.transport.codec_bot_message import (
    BotMessage,
    Hello,
    Pong,
    Ready,
    Resign,
    Sync,
    bot_message_from_wire,
    match_id_named,
    unread_move,
)
from ginref.transport.codec_message import message_to_bytes
from ginref.transport.field import missing
from ginref.v1 import bot_service_pb2 as bot_pb
from ginref.v1.bot_service_pb2_grpc import BotServiceServicer

Attach = Callable[[Caller], Session]
"""Makes the session of a bot's new attachment."""

Acknowledge = Callable[[Caller, UnreadMove, RefusedError], Awaitable[None]]
"""Adds a receipt to the refusal of a move that could not be read."""

Incoming = AsyncIterator[bot_pb.ConnectRequest | Unreadable]

_HELLO_TIMEOUT: Final = 30.0

_KINDS: Final[Mapping[type, Kind]] = {
    Hello: Kind.READS,
    Ready: Kind.READS,
    Sync: Kind.READS,
    SeatStep: Kind.STEPS,
    Resign: Kind.STEPS,
    SummonsAnswer: Kind.STEPS,
}
"""What a message counts as; moves are counted where they are judged, pongs nowhere."""


class BotService(BotServiceServicer):
    """Serves bots; the context is not looked at."""

    def __init__(
        self,
        attach: Attach,
        acknowledge: Acknowledge,
        allowance: Allowance | None = None,
    ) -> None:
        """Make a session for each stream by `attach`; limit nobody by default."""
        self._attach: Final = attach
        self._acknowledge: Final = acknowledge
        self._allowance: Final = allowance or Allowance()

    async def Connect(  # type: ignore[override] # bytes of a ConnectResponse
        self, request_iterator: Incoming, context: object
    ) -> AsyncGenerator[bytes, None]:
        """Attach a bot: tell it what concerns it, and hear it, side by side.

        Raises:
            RefusedError: The caller is no bot, the stream did not begin with Hello,
                or the attachment was ended by force.
        """
        del context
        session = self._attach(CALL.get().caller)
        try:
            hello = await _greeting(request_iterator)
            await _attach(session, hello)
            hearing = asyncio.create_task(self._hear(request_iterator, session))
            try:
                while (message := await session.next_message()) is not None:
                    yield message_to_bytes(message)
            finally:
                hearing.cancel()
                (failure,) = await asyncio.gather(hearing, return_exceptions=True)
            if isinstance(failure, Exception):
                raise failure
        finally:
            await session.close()
        if session.error is not None:
            raise session.error

    async def _hear(self, requests: Incoming, session: Session) -> None:
        """Pass on what a bot says until it closes its side; answer all of it, and end.

        Raises:
            RefusedError: Its token is good no more.
        """
        call = CALL.get()
        try:
            async for request in requests:
                received = time.monotonic()
                await call.admit()
                try:
                    said = await self._read(call.caller, request)
                    await _pass_on(said, session, received)
                except RefusedError as error:
                    session.complain(error, _match_id_named(request))
            await session.finish()
        finally:
            session.hang_up()

    async def _read(
        self, caller: Caller, request: bot_pb.ConnectRequest | Unreadable
    ) -> BotMessage:
        """Read what a bot says, and count it.

        Raises:
            RefusedError: It cannot be read, or RATE_LIMITED.
        """
        try:
            said = _message_in(request)
        except RefusedError as error:
            self._allowance.spend(caller, Kind.MOVES)
            if unread := _unread_move(request):
                await self._acknowledge(caller, unread, error)
            raise
        kind = _KINDS.get(type(said))
        if kind is not None:
            self._allowance.spend(caller, kind)
        return said


async def _greeting(requests: Incoming) -> Hello:
    try:
        async with asyncio.timeout(_HELLO_TIMEOUT):
            request = await anext(requests, None)
    except TimeoutError:
        raise RefusedError(
            Reason.LIMIT_EXCEEDED, "no hello was said in time", limit="hello"
        ) from None
    if request is None:
        raise missing("hello")
    said = _message_in(request)
    if not isinstance(said, Hello):
        raise missing("hello")
    return said


async def _attach(session: Session, said: Hello) -> None:
    await session.hello(
        said.cursors, said.capacity, said.client, wants_events=said.wants_events
    )


async def _pass_on(said: BotMessage, session: Session, received: float) -> None:
    match said:
        case Submission():
            session.submit(said, received)
        case SeatStep():
            session.prepare(said)
        case Resign(match_id, seat):
            session.resign(match_id, seat)
        case Sync(match_id, seat):
            session.sync(match_id, seat)
        case Ready(capacity):
            session.ready(capacity)
        case Pong():
            session.heard()
        case SummonsAnswer():
            session.check_in(said, received)
        case Hello():
            await _attach(session, said)
        case _:
            assert_never(said)


def _message_in(request: bot_pb.ConnectRequest | Unreadable) -> BotMessage:
    if isinstance(request, Unreadable):
        raise request.error
    return bot_message_from_wire(request)


def _unread_move(request: bot_pb.ConnectRequest | Unreadable) -> UnreadMove | None:
    return None if isinstance(request, Unreadable) else unread_move(request)


def _match_id_named(request: bot_pb.ConnectRequest | Unreadable) -> str:
    return "" if isinstance(request, Unreadable) else match_id_named(request)
