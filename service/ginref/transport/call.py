"""One call as the services see it: who calls, and when it arrived."""

from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final, Protocol

from ginref.app.caller import Caller
from ginref.app.error import RefusedError


@dataclass(frozen=True, slots=True)
class Call:
    """A call whose caller was recognised.

    Attributes:
        caller: Who calls.
        received: Monotonic time in seconds when the request had arrived.
        admit: Refuses the caller if its token is good no more.
    """

    caller: Caller
    received: float
    admit: Callable[[], Awaitable[None]]


CALL: Final[ContextVar[Call]] = ContextVar("call")
"""The call that the current task answers; set by whoever recognised the caller."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Stands for a message that could not be read, and says why."""

    error: RefusedError


class CallObserver(Protocol):
    """Counts calls."""

    def call(self, method: str, code: str, seconds: float) -> None:
        """Count an answered call.

        Args:
            method: Path of the method as the caller named it: any text at all.
            code: How it ended, as gRPC says it.
            seconds: How long it took.
        """

    def refusal(self, reason: str) -> None:
        """Count a call that ended with a refusal, by reason."""

    def dropped(self, stream: str) -> None:
        """Count a stream that was ended because it was not read: whose it was."""


class Unobserved:
    """Counts nothing."""

    def call(self, method: str, code: str, seconds: float) -> None:
        """Do nothing."""

    def refusal(self, reason: str) -> None:
        """Do nothing."""

    def dropped(self, stream: str) -> None:
        """Do nothing."""
