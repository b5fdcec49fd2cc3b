"""One command on its way to a server, and the bytes that carry it."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import hiredis

from ginref.adapters.redis_error import as_unavailable
from ginref.adapters.redis_script import Script

Argument = str | bytes | int


class Words(NamedTuple):
    """What follows the name of a command or of a script.

    Attributes:
        data: The words as the protocol has them.
        number: How many there are.
    """

    data: bytes
    number: int


@dataclass(slots=True, eq=False)
class Call:
    """A command that waits for its answer.

    Attributes:
        words: The command, or what follows the name of its script.
        answer: Where the answer goes.
        key: The key that says which node it belongs to; None for any node.
        script: The script that it runs by its name in the server's cache, if any.
        is_replicated: Answer only what every replica has.
        deadline_s: Time of the event loop until which it may look for its node.
        attempts: How often it has come back without having run.
        is_sent: It may have run: it must never be sent again.
        is_in_full: Send the text of the script instead of its name.
    """

    words: Words
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
            self.answer.set_exception(as_unavailable(error))

    def packed(self) -> bytes:
        """Write the command as the protocol has it, and count it as sent."""
        self.is_sent = True
        words, script = self.words, self.script
        if script is None:
            return b"*%d\r\n%b" % (words.number, words.data)
        name = script.in_full if self.is_in_full else script.by_name
        return b"*%d\r\n%b%b" % (words.number + 2, name, words.data)


def pack(parts: Sequence[Argument]) -> bytes:
    """Write a command as the protocol has it: every part after its length."""
    packed: bytes = hiredis.pack_command(tuple(parts))  # type: ignore[arg-type] # means one or more
    return packed


def words_of(parts: Sequence[Argument]) -> Words:
    """Write the words of a command."""
    packed = pack(parts)
    return Words(packed[packed.index(b"\n") + 1 :], len(parts))
