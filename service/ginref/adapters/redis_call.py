"""One command on its way to a server, and the bytes that carry it."""

import asyncio
from dataclasses import dataclass
from typing import Any

from ginref.adapters.redis_script import Script

Argument = str | bytes | int


@dataclass(slots=True, eq=False)
class Call:
    """A command that waits for its answer.

    Attributes:
        parts: The command.
        answer: Where the answer goes.
        key: The key that says which node it belongs to; None for any node.
        script: The script that it runs by its name in the server's cache, if any.
        is_replicated: Answer only what every replica has.
        deadline_s: Time of the event loop until which it may look for its node.
        attempts: How often it has come back without having run.
        is_sent: It may have run: it must never be sent again.
        is_in_full: Send the text of the script instead of its name.
    """

    parts: tuple[Argument, ...]
    answer: asyncio.Future[Any]
    key: str | None = None
    script: Script | None = None
    is_replicated: bool = False
    deadline_s: float = 0.0
    attempts: int = 0
    is_sent: bool = False
    is_in_full: bool = False

    def settle(self, answer: object) -> None:
        """Give the answer to the caller, who may have gone away."""
        if not self.answer.done():
            self.answer.set_result(answer)

    def fail(self, error: Exception) -> None:
        """Tell the caller, who may have gone away, of an error."""
        if not self.answer.done():
            self.answer.set_exception(error)

    def packed(self) -> bytes:
        """Write the command as the protocol has it, and count it as sent."""
        self.is_sent = True
        if self.is_in_full and self.script is not None:
            return pack(("EVAL", self.script.text, *self.parts[2:]))
        return pack(self.parts)


def pack(parts: tuple[Argument, ...]) -> bytes:
    """Write a command as the protocol has it: every part after its length."""
    pieces = [b"*%d\r\n" % len(parts)]
    for part in parts:
        data = part if isinstance(part, bytes) else str(part).encode()
        pieces.append(b"$%d\r\n%b\r\n" % (len(data), data))
    return b"".join(pieces)
