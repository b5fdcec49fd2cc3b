"""What the work under way is about, and the trace that it belongs to.

Whoever writes about it elsewhere reads both here: logs, figures and spans.
"""

import asyncio
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import Any, Final, NamedTuple, Protocol

TRACE_ID: Final[ContextVar[str | None]] = ContextVar("TRACE_ID", default=None)
"""The id of the trace, 32 hexadecimal digits; None where nothing is traced."""


def current_trace_id() -> str | None:
    """Return the id of the trace of the call under way, if it is kept."""
    return TRACE_ID.get()


class About(NamedTuple):
    """What a call names, as the caller has written it: any text at all.

    Attributes:
        match_id: The match; empty if none is named.
        tournament_id: The tournament; empty if none is named.
        request_id: The caller's identity of the request; empty if it has none.
    """

    match_id: str = ""
    tournament_id: str = ""
    request_id: str = ""


ABOUT: Final[ContextVar[About | None]] = ContextVar("ABOUT", default=None)
"""What the call under way is about."""


class Span(Protocol):
    """A part of a trace that has not ended yet."""

    def end_with(self, code: int) -> None:
        """Say with which status code of gRPC it ends."""


class Tracer(Protocol):
    """Keeps traces: names, times and outcomes, and nothing of what is said."""

    def call(
        self, method: str, traceparent: str | None
    ) -> AbstractContextManager[Span]:
        """Trace a call of the API for the length of the context.

        Args:
            method: Path of the method.
            traceparent: The caller's span, as W3C Trace Context writes it, if any.
        """

    def message(self, method: str) -> AbstractContextManager[Span]:
        """Trace what one message of a stream asks for, in a trace of its own.

        Args:
            method: Path of the stream's method.
        """

    def store(
        self, command: str, script: str | None, answer: asyncio.Future[Any]
    ) -> None:
        """Trace a command to the store until it is answered, within a trace only."""
