"""Answers that come one by one: as server-sent events, or as lines of JSON.

Source: the HTML standard for server-sent events; https://jsonlines.org for lines.
"""

import asyncio
import contextlib
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from typing import Any, Final

from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message

from ginref.app.error import RefusedError
from ginref.transport.exchange import Exchange, to_json
from ginref.transport.status import status_of
from ginref.transport.vigil import Stream

CURSOR: Final = "cursor"
"""Field of a request and of its answers that says where a stream goes on."""

EVENTS_TYPE: Final = "text/event-stream"
LINES_TYPE: Final = "application/x-ndjson"

_KEPT: Final = 256
"""Messages that are kept as they were written: many watch the same match."""

_OPENING_S: Final = 1.0
"""Seconds in which a stream is refused, or else has begun."""

_LAST_WORD_S: Final = 5.0


@dataclass(frozen=True, slots=True)
class Form:
    """How a stream is written.

    Attributes:
        content_type: What it is called.
        message: Writes a message, whose cursor may be empty.
        failure: Writes the status that ends it.
        end: What says that nothing will follow.
        beat: What says that the stream is alive.
    """

    content_type: str
    message: Callable[[bytes, str], bytes]
    failure: Callable[[bytes], bytes]
    end: bytes
    beat: bytes


def _event(data: bytes, cursor: str) -> bytes:
    place = f"id: {cursor}\n".encode() if cursor else b""
    return place + b"data: " + data + b"\n\n"


_EVENTS: Final = Form(
    EVENTS_TYPE,
    _event,
    lambda status: b"event: error\ndata: " + status + b"\n\n",
    b"event: end\ndata: {}\n\n",
    b":\n\n",
)
_LINES: Final = Form(
    LINES_TYPE,
    lambda data, _: data + b"\n",
    lambda status: b'{"error":' + status + b"}\n",
    b"",
    b"\n",
)


def form_of(accept: str) -> Form:
    """Return how a caller wants a stream."""
    return _EVENTS if EVENTS_TYPE in accept.lower() else _LINES


def goes_on(method: MethodDescriptor) -> bool:
    """Say whether a stream of a method can go on where another one was left."""
    messages = (method.input_type, method.output_type)
    return all(CURSOR in message.fields_by_name for message in messages)


class StreamWriter:
    """Writes streams."""

    def __init__(self, beat_s: float) -> None:
        """Write something at least every so many seconds."""
        self._beat_s: Final = beat_s
        self._written: OrderedDict[int, tuple[Message, bytes]] = OrderedDict()

    async def write(
        self,
        exchange: Exchange,
        answers: AsyncGenerator[Message, None],
        stream: Stream,
    ) -> None:
        """Write answers as they come, until the last one.

        Raises:
            CancelledError: Whoever reads it has gone.
        """
        form = form_of(exchange.header(b"accept") or "")
        pending = asyncio.create_task(_next(answers))
        gone = asyncio.create_task(exchange.gone())
        patience_s = min(_OPENING_S, self._beat_s)
        try:
            while True:
                await asyncio.wait(
                    {pending, gone},
                    timeout=patience_s,
                    return_when=asyncio.FIRST_COMPLETED,
                )
                if gone.done():
                    raise asyncio.CancelledError
                data = form.beat
                if pending.done():
                    if (message := pending.result()) is None:
                        break
                    data = form.message(self._json(message), cursor_of(message))
                    pending = asyncio.create_task(_next(answers))
                stream.turns += 1
                await self._open(exchange, form)
                await exchange.write(data)
                stream.turns += 1
                patience_s = self._beat_s
            await self._open(exchange, form)
            await exchange.write(form.end, more=False)
        finally:
            pending.cancel()
            gone.cancel()
            await asyncio.gather(pending, gone, return_exceptions=True)

    async def fail(self, exchange: Exchange, refusal: RefusedError) -> bool:
        """Tell why a stream ends that has begun; say whether that was read."""
        form = form_of(exchange.header(b"accept") or "")
        data = form.failure(to_json(status_of(refusal)))
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_LAST_WORD_S):
                await exchange.write(data, more=False)
                return True
        return False

    async def _open(self, exchange: Exchange, form: Form) -> None:
        if not exchange.started:
            await exchange.start(
                200,
                ("content-type", form.content_type),
                # What stands between must not hold lines back.
                ("x-accel-buffering", "no"),
            )

    def _json(self, message: Message) -> bytes:
        """Return a message as JSON, which is written once for all who get it."""
        known = self._written.get(id(message))
        if known is None:
            known = self._written[id(message)] = message, to_json(message)
            if len(self._written) > _KEPT:
                self._written.popitem(last=False)
        return known[1]


def cursor_of(message: Message) -> str:
    """Return where a stream goes on after a message; empty where it cannot."""
    return str(getattr(message, CURSOR, ""))


async def _next(answers: AsyncGenerator[Any, None]) -> Any:  # noqa: ANN401 - a message, or None
    return await anext(answers, None)
