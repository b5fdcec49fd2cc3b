"""How one attachment of a bot is kept alive, and why it is ended."""

from dataclasses import dataclass
from typing import Final

from ginref.app.error import Reason, RefusedError


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionPolicy:
    """How a session is kept alive; all values in milliseconds.

    Attributes:
        ping_interval_ms: Time between pings.
        silence_ms: Silence after which the stream is dropped.
        drain_ms: Time a draining referee leaves before it closes streams.
    """

    ping_interval_ms: int = 10_000
    silence_ms: int = 60_000
    drain_ms: int = 1_000


UNREAD: Final = "unread"
"""Limit of a stream that is read too slowly."""


def over_limit(limit: str, message: str) -> RefusedError:
    """Return why a bot that goes beyond a limit is dropped."""
    return RefusedError(Reason.LIMIT_EXCEEDED, message, limit=limit)
