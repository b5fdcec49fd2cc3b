"""The bots' stream: one attachment of a bot for as long as the stream lasts."""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from typing import Final, assert_never

from ginref.app.caller import Caller
from ginref.app.error import Reason, RefusedError
from ginref.app.request import SeatStep, UnreadMove
from ginref.app.session import Session
from ginref.app.summons_work import SummonsAnswer
from ginref.record.submission import Submission
from ginref.transport.call import CALL, Unreadable
from ginref.transport.codec_bot_message import (
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


class BotService(BotServiceServicer):
    """Serves bots; the context is not looked at."""

    def __init__(self, attach: Attach, acknowledge: Acknowledge) -> None:
        """Make a session for each stream by `attach`."""
        self._attach: Final = attach
        self._acknowledge: Final = acknowledge

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
            hearing = asyncio.create_task(
                _hear(request_iterator, session, self._acknowledge)
            )
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
    if isinstance(request, Unreadable):
        raise request.error
    said = bot_message_from_wire(request)
    if not isinstance(said, Hello):
        raise missing("hello")
    return said


async def _attach(session: Session, said: Hello) -> None:
    await session.hello(
        said.cursors, said.capacity, said.client, wants_events=said.wants_events
    )


async def _hear(requests: Incoming, session: Session, acknowledge: Acknowledge) -> None:
    """Pass on what a bot says until it closes its side; answer all of it, and end.

    Raises:
        RefusedError: Its token is good no more.
    """
    admit = CALL.get().admit
    try:
        async for request in requests:
            received = time.monotonic()
            await admit()
            if isinstance(request, Unreadable):
                session.complain(request.error)
                continue
            try:
                await _pass_on(request, session, received)
            except RefusedError as error:
                if unread := unread_move(request):
                    await acknowledge(CALL.get().caller, unread, error)
                session.complain(error, match_id_named(request))
        await session.finish()
    finally:
        session.hang_up()


async def _pass_on(
    request: bot_pb.ConnectRequest, session: Session, received: float
) -> None:
    said = bot_message_from_wire(request)
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
