"""The trace that the work under way belongs to, for whoever writes about it."""

from contextvars import ContextVar
from typing import Final

TRACE_ID: Final[ContextVar[str | None]] = ContextVar("TRACE_ID", default=None)
"""The id of the trace, 32 hexadecimal digits; None where nothing is traced."""


def current_trace_id() -> str | None:
    """Return the id of the trace of the call under way, if it is kept."""
    return TRACE_ID.get()
