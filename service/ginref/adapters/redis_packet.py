"""Commands that are sent together, and what becomes of each of them.

Where writes must reach replicas, a packet ends with a small write of its own and
WAIT, on the same connection. Without that write some servers answer WAIT for the
last write of the connection, not for what its commands have just read.
"""

from collections.abc import Sequence
from typing import Any, Final, Protocol

from redis import exceptions

from ginref.adapters.redis_call import Call
from ginref.adapters.redis_error import NOT_RUN, NotReplicatedError
from ginref.adapters.redis_wire import Wire

SERVER_ERRORS: Final = (exceptions.ResponseError, exceptions.BusyLoadingError)
"""Errors that are answers: the next answer can be read."""

_VERDICTS: Final = 2
"""Answers at the end of a packet whose writes must reach replicas."""


class Sender(Protocol):
    """Who sends packets."""

    def answered(self, packet: "Packet", wire: Wire) -> None:
        """Learn that a packet is answered as a whole, and that its wire is free."""

    def failed(self, packet: "Packet", error: Exception) -> None:
        """Learn that no further answer to a packet will come."""


class Packet:
    """Commands on their way.

    Attributes:
        calls: The commands.
        deadline_s: Time of the event loop at which it is given up.
        forgotten: The server has not seen their scripts since it started, and has
            not run them.
        refused: The server has not carried them out, and why.
        wire: Where it is under way.
    """

    __slots__ = (
        "_at",
        "_held",
        "_sender",
        "_verdicts",
        "_wanted",
        "calls",
        "deadline_s",
        "forgotten",
        "refused",
        "wire",
    )

    def __init__(
        self, calls: Sequence[Call], sender: Sender, deadline_s: float
    ) -> None:
        """Put calls together; nothing is written yet."""
        self.deadline_s = deadline_s
        self.forgotten: list[Call] = []
        self.refused: dict[Call, Exception] = {}
        self.wire: Wire | None = None
        self._sender = sender
        self.calls = calls
        self._at = 0
        self._wanted = 0
        self._held: list[tuple[Call, object]] = []
        self._verdicts: list[Any] = []

    def packed(self, wanted: int, ending: bytes) -> bytes:
        """Write its commands, and count them as sent.

        Args:
            wanted: How many replicas must confirm what it writes.
            ending: The commands that ask for that, if any must.
        """
        self._wanted = wanted
        pieces = [call.packed() for call in self.calls]
        if wanted:
            pieces.append(ending)
        return b"".join(pieces)

    def take(self, answer: Any) -> bool:  # noqa: ANN401 - any answer
        """Take an answer; say whether more are to come.

        Raises:
            RedisError: The server does not answer commands on this connection.
        """
        calls, at = self.calls, self._at
        self._at = at + 1
        if isinstance(answer, Exception) and not isinstance(answer, SERVER_ERRORS):
            raise answer
        if at >= len(calls):
            self._verdicts.append(answer)
            return len(self._verdicts) < _VERDICTS
        call = calls[at]
        if isinstance(answer, Exception):
            self._refuse(call, answer)
        elif self._wanted and call.is_replicated:
            self._held.append((call, answer))
        else:
            call.settle(answer)
        return at + 1 < len(calls) or bool(self._wanted)

    def finish(self, wire: Wire) -> None:
        """Hand out what was held, or why it cannot be relied on."""
        self.wire = None
        self._sender.answered(self, wire)

    def lose(self, error: Exception) -> None:
        """Give up: nothing more will come."""
        self._sender.failed(self, error)

    def release(self) -> bool:
        """Hand out the answers that were held; say whether they can be relied on."""
        if not self._wanted:
            return True
        verdict = _verdict(self._verdicts, self._wanted)
        for call, answer in self._held:
            if verdict is None:
                call.settle(answer)
            else:
                call.fail(verdict)
        self._held = []
        return verdict is None

    def repeat(self) -> bool:
        """Begin anew with what was forgotten; say whether there is any."""
        if not self.forgotten:
            return False
        self.calls, self.forgotten = self.forgotten, []
        self._at = 0
        self._verdicts = []
        return True

    def give_up(self, error: Exception) -> None:
        """Tell callers of what may have run; what has not run is refused."""
        for call in self.calls:
            if call.is_sent:
                call.fail(error)
            else:
                self.refused.setdefault(call, error)

    def _refuse(self, call: Call, error: Exception) -> None:
        """See to a call that the server has answered with an error."""
        if isinstance(error, NOT_RUN):
            call.is_sent = False
            self.refused[call] = error
        elif (
            isinstance(error, exceptions.NoScriptError)
            and call.script is not None
            and not call.is_in_full
        ):
            call.is_sent = False
            call.is_in_full = True
            self.forgotten.append(call)
        else:
            call.fail(error)


def _verdict(answers: Sequence[Any], wanted: int) -> Exception | None:
    """Return why answers cannot be relied on, or None."""
    for answer in answers:
        if isinstance(answer, Exception):
            return NotReplicatedError(f"replicas cannot be asked: {answer}")
    *_, reached = answers
    if reached < wanted:
        return NotReplicatedError(f"{reached} of {wanted} replicas have confirmed")
    return None
