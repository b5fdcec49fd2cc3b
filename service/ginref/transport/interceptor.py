"""What every call passes on its way in and out.

In: the size and form of the message, and who the caller is. Out: every failure as
a status of the one table, never as the text of an exception.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
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

from ginref.app.error import Reason, RefusedError
from ginref.app.gate import Gate
from ginref.app.port import StoreUnavailableError
from ginref.transport.call import CALL, Call, CallObserver, Unobserved, Unreadable
from ginref.transport.field import LARGE_MESSAGE_BYTES, MESSAGE_BYTES
from ginref.transport.status import refusal_of, status_of
from ginref.transport.vigil import Vigil

# In quotes: only the type checker knows that these are generic.
Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"
Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"

_SCHEME: Final = "bearer "

# Probes have no token, and reflection is served in development only.
_OPEN: Final = ("/grpc.health.v1.Health/", "/grpc.reflection.")

# What a tournament is, and who plays it, may need more room than a move.
_LARGE: Final = "/ginref.v1.TournamentService/"

_OK: Final = "OK"
_CANCELLED: Final = "CANCELLED"
_UNIMPLEMENTED: Final = "UNIMPLEMENTED"
_OTHER: Final = "OTHER"


class Interceptor(grpc.aio.ServerInterceptor):
    """Wraps every handler of the server."""

    def __init__(
        self,
        gate: Gate,
        *,
        write_timeout: float,
        admit_interval: float,
        observer: CallObserver | None = None,
    ) -> None:
        """Admit callers by the gate.

        Args:
            gate: Recognises callers.
            write_timeout: Seconds after which a stream that is not read is dropped.
            admit_interval: Seconds after which the caller of an open stream is
                admitted again, or else the stream is ended.
            observer: Counts calls.
        """
        self._gate = gate
        self._vigil = Vigil(patience_s=write_timeout, admit_s=admit_interval)
        self._observer = observer or Unobserved()
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
            self._observer.call(method, _UNIMPLEMENTED, 0.0)
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
        admit = None if _is_open(method) else CALL.get().admit
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

    async def _admit_again(self, secret: str | None) -> None:
        """Refuse a token that was good before; a store that is away revokes none."""
        with contextlib.suppress(StoreUnavailableError):
            await self._gate.authenticate(secret)

    async def _respond(
        self,
        method: str,
        answer: Any,  # noqa: ANN401 - the handler of any method
        request: Any,  # noqa: ANN401 - the message of any method, or its stand-in
        context: Context,
    ) -> Any:  # noqa: ANN401 - likewise
        """Recognise the caller, and answer; turn every failure into a status."""
        received = time.monotonic()
        code = _OK
        try:
            if not _is_open(method):
                secret = _secret(context)
                caller = await self._gate.authenticate(secret)
                CALL.set(Call(caller, received, partial(self._admit_again, secret)))
            _check_readable(request)
            return await answer(request, context)
        except asyncio.CancelledError:
            code = _CANCELLED
            raise
        except grpc.aio.AbortError:
            code = _OTHER
            raise
        except Exception as exception:  # noqa: BLE001 - nothing else may get out
            failure = refusal_of(exception)
            code = failure.reason
        finally:
            # Before the caller knows: what it has been answered has been counted.
            self._count(method, code, time.monotonic() - received)
        status = rpc_status.to_status(status_of(failure))
        return await context.abort_with_status(status)

    def _count(self, method: str, code: str, seconds: float) -> None:
        """Count an answered call; a fault in that is logged, and changes no answer."""
        try:
            if isinstance(code, Reason):
                self._observer.refusal(code)
            self._observer.call(method, code, seconds)
        except Exception as exception:  # noqa: BLE001 - the core would tell all of it
            refusal_of(exception)


def _is_open(method: str) -> bool:
    """Say whether a method is for everyone."""
    return method.startswith(_OPEN)


def _check_readable(request: object) -> None:
    if isinstance(request, Unreadable):
        raise request.error


def _secret(context: Context) -> str | None:
    """Return the token that the call carries."""
    for key, value in context.invocation_metadata() or ():
        if key == "authorization" and isinstance(value, str):
            scheme, secret = value[: len(_SCHEME)], value[len(_SCHEME) :]
            return secret.strip() if scheme.lower() == _SCHEME else None
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
    most = LARGE_MESSAGE_BYTES if method.startswith(_LARGE) else MESSAGE_BYTES

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
