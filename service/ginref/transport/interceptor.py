"""What every call passes on its way in and out.

In: the size and form of the message, and who the caller is. Out: every failure as
a status of the one table, never as the text of an exception.
"""

from __future__ import annotations

import contextlib
from collections.abc import (
    AsyncGenerator,
    Awaitable,
    Callable,
)
from functools import partial
from typing import Any, Final, TypeAlias

import grpc
import grpc.aio
from google.protobuf.message import DecodeError
from grpc_status import rpc_status

from ginref.app.allowance import Allowance
from ginref.app.error import Reason, RefusedError
from ginref.app.gate import Gate
from ginref.app.trace import ABOUT, Tracer
from ginref.transport.admission import Admission, bearer, bytes_limit, is_open
from ginref.transport.call import CALL, CallObserver, Unreadable
from ginref.transport.status import status_of
from ginref.transport.traced import about, traced
from ginref.transport.vigil import Vigil

# In quotes: only the type checker knows that these are generic.
Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"
Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"

_UNIMPLEMENTED: Final = "UNIMPLEMENTED"


class Interceptor(grpc.aio.ServerInterceptor):
    """Wraps every handler of the server."""

    def __init__(  # noqa: PLR0913
        self,
        gate: Gate,
        *,
        write_timeout: float,
        admit_interval: float,
        observer: CallObserver | None = None,
        tracer: Tracer | None = None,
        allowance: Allowance | None = None,
    ) -> None:
        """Admit callers by the gate.

        Args:
            gate: Recognises callers.
            write_timeout: Seconds after which a stream that is not read is dropped.
            admit_interval: Seconds after which the caller of an open stream is
                admitted again, or else the stream is ended.
            observer: Counts calls.
            tracer: Traces calls.
            allowance: What each token has left; None for no limits.
        """
        self._admission = Admission(gate, observer, allowance=allowance)
        self._tracer: Final = tracer
        self._vigil = Vigil(patience_s=write_timeout, admit_s=admit_interval)
        self._wrapped: dict[str, Handler] = {}

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Handler | None]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Handler | None:
        """Wrap the handler of a method, once for all of its calls."""
        method = handler_call_details.method
        if method in self._wrapped:
            return self._wrapped[method]
        handler = await continuation(handler_call_details)
        # An unknown method has none; the core answers that it is not implemented.
        if handler is None:
            self._admission.count(method, _UNIMPLEMENTED, 0.0)
            return None
        wrap = self._streaming if handler.response_streaming else self._unary
        return self._wrapped.setdefault(method, wrap(handler, method))

    def _unary(self, handler: Handler, method: str) -> Handler:
        return grpc.unary_unary_rpc_method_handler(
            partial(self._respond, method, handler.unary_unary),
            _careful(handler.request_deserializer, method),
            _writing(handler.response_serializer),
        )

    def _streaming(self, handler: Handler, method: str) -> Handler:
        both_ways = handler.request_streaming
        answer: Any = handler.stream_stream if both_ways else handler.unary_stream

        async def write(request: Any, context: Context) -> None:  # noqa: ANN401
            answers = answer(request, context)
            if isinstance(answers, AsyncGenerator):
                await self._write_all(answers, context, method)
            else:
                await answers

        make: Any = (
            grpc.stream_stream_rpc_method_handler
            if both_ways
            else grpc.unary_stream_rpc_method_handler
        )
        wrapped: Handler = make(
            partial(self._respond, method, write),
            _careful(handler.request_deserializer, method),
            _writing(handler.response_serializer),
        )
        return wrapped

    async def _write_all(
        self, answers: AsyncGenerator[Any, None], context: Context, method: str
    ) -> None:
        """Write one by one, as long as it is read and the caller's token is good."""
        admit = None if is_open(method) else CALL.get().admit
        with self._vigil.over(admit) as stream:
            async with contextlib.aclosing(answers):
                async for message in answers:
                    if not stream.turns:
                        # By itself: were the first write given up, no status could
                        # follow.
                        await context.send_initial_metadata(())
                    stream.turns += 1
                    await context.write(message)
                    stream.turns += 1

    async def _respond(
        self,
        method: str,
        answer: Any,  # noqa: ANN401 - the handler of any method
        request: Any,  # noqa: ANN401 - the message of any method, or its stand-in
        context: Context,
    ) -> Any:  # noqa: ANN401 - likewise
        """Recognise the caller, and answer; turn every failure into a status."""
        work = partial(_answer, answer, request, context)
        answering = self._admission.answer(method, _secret(context), work)
        if self._tracer is not None and not is_open(method):
            parent = _first(context, "traceparent")
            answering = traced(self._tracer, method, parent, answering)
        try:
            return await answering
        except RefusedError as failure:
            status = rpc_status.to_status(status_of(failure))
        return await context.abort_with_status(status)


async def _answer(
    answer: Any,  # noqa: ANN401 - the handler of any method
    request: Any,  # noqa: ANN401 - the message of any method, or its stand-in
    context: Context,
) -> Any:  # noqa: ANN401 - likewise
    if isinstance(request, Unreadable):
        raise request.error
    ABOUT.set(about(request))
    return await answer(request, context)


def _secret(context: Context) -> str | None:
    """Return the token that the call carries."""
    value = _first(context, "authorization")
    return None if value is None else bearer(value)


def _first(context: Context, name: str) -> str | None:
    """Return the first text of that name among the metadata of a call."""
    for key, value in context.invocation_metadata() or ():
        if key == name and isinstance(value, str):
            return value
    return None


def _writing(
    serialize: Callable[[Any], bytes] | None,
) -> Callable[[Any], bytes] | None:
    """Return a writer that takes messages and what is written already."""
    if serialize is None:
        return None

    def write(answer: Any) -> bytes:  # noqa: ANN401 - the message of any method
        return answer if isinstance(answer, bytes) else serialize(answer)

    return write


def _careful(
    deserialize: Callable[[bytes], Any] | None, method: str
) -> Callable[[bytes], Any] | None:
    """Return a reader that never raises: what it cannot read is told by the call."""
    if deserialize is None:
        return None
    most = bytes_limit(method)

    def read(data: bytes) -> Any:  # noqa: ANN401 - the message of any method
        if len(data) > most:
            return Unreadable(
                RefusedError(
                    Reason.MESSAGE_TOO_LARGE,
                    f"a message has at most {most} bytes",
                    limit_bytes=most,
                )
            )
        try:
            return deserialize(data)
        except DecodeError:
            return Unreadable(
                RefusedError(
                    Reason.MESSAGE_UNREADABLE,
                    "the bytes are not a message of this call",
                )
            )

    return read
