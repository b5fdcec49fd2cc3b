"""A call of the API in the trace of its caller, and what it is about."""

from collections.abc import Awaitable
from typing import TypeVar

from ginref.app.error import RefusedError
from ginref.app.trace import About, Tracer
from ginref.transport.status import CODES

_T = TypeVar("_T")


def about(request: object) -> About:
    """Return what a message names; a stream of them names nothing."""
    return About(
        getattr(request, "match_id", ""),
        getattr(request, "tournament_id", ""),
        getattr(request, "request_id", ""),
    )


async def traced(
    tracer: Tracer, method: str, traceparent: str | None, answering: Awaitable[_T]
) -> _T:
    """Answer a call, and trace it.

    Args:
        tracer: Keeps the trace.
        method: Path of the method.
        traceparent: The caller's span, as W3C Trace Context writes it, if any.
        answering: Answers the call.

    Raises:
        RefusedError: As the answer is.
    """
    with tracer.call(method, traceparent) as span:
        try:
            return await answering
        except RefusedError as failure:
            code: int = CODES[failure.reason].grpc.value[0]
            span.end_with(code)
            raise
