"""A referee that dies or stops at a named point of its work, when it is told to.

It is the product as it is, started with `python -m tests.faults.failing_referee` in
place of `python -m ginref`. On SIGUSR1 it reads from `failpoint` in its data folder at
which point it shall fail, on which pass, and by which signal to itself.
"""

import functools
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ginref.adapters.folder_archive import FolderArchive
from ginref.adapters.redis_apply import APPLY
from ginref.adapters.redis_packet import Packet
from ginref.adapters.redis_store import RedisStore
from ginref.adapters.redis_wire import Receiver, Wire
from ginref.app.desk import Desk
from ginref.app.match_store import Applied, Change
from ginref.cli import main

FILE = "failpoint"

ENDING_POINT = "after_ending"
"""Where a match is over, and nobody has begun with its record."""

POINTS = (
    "before_read",
    "after_read",
    "after_sent",
    "after_reply",
    "after_wait",
    "before_send",
    ENDING_POINT,
)
"""Where a move can be cut off: from its arrival to the answer, and to the record."""

RECORD_POINTS = ("before_archive", "after_archive", "after_acknowledge")
"""Where the making of a record can be cut off."""

SWEEP_POINT = "in_sweep"
"""Where a sweeper has found a match that is due, and is about to time it out."""

Step = Callable[..., Any]


class Failpoint:
    """The point that is armed, if any."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._name = ""
        self._passes = 0
        self._signal = signal.SIGKILL

    def arm(self, *_: object) -> None:
        """Read what is wanted: a name, a number and a signal."""
        name, passes, number = self._path.read_text().split()
        self._name, self._passes = name, int(passes)
        self._signal = signal.Signals(int(number))
        self._path.unlink()

    def reached(self, name: str) -> None:
        """Fail here if it is wanted."""
        if not name or name != self._name:
            return
        self._passes -= 1
        if self._passes <= 0:
            self._name = ""
            os.kill(os.getpid(), self._signal)


def install(failpoint: Failpoint) -> None:
    """Let the parts of a referee pass the failpoint."""
    _wrap(Desk, "judge_move", _around(failpoint, "before_read", "before_send"))
    _wrap(RedisStore, "apply", _around_apply(failpoint))
    _wrap(RedisStore, "acknowledge", _around(failpoint, "", "after_acknowledge"))
    _wrap(FolderArchive, "put", _around(failpoint, "before_archive", "after_archive"))
    moves: set[Receiver] = set()
    _wrap(Wire, "send", _after_sent(failpoint, moves))
    _wrap(Packet, "take", _after_reply(failpoint, moves))


def _wrap(kind: type, name: str, around: Callable[[Step], Step]) -> None:
    step = getattr(kind, name)
    setattr(kind, name, functools.wraps(step)(around(step)))


def _around(failpoint: Failpoint, before: str, after: str) -> Callable[[Step], Step]:
    def around(step: Step) -> Step:
        async def passing(*given: Any, **named: Any) -> Any:  # noqa: ANN401
            failpoint.reached(before)
            result = await step(*given, **named)
            failpoint.reached(after)
            return result

        return passing

    return around


def _around_apply(failpoint: Failpoint) -> Callable[[Step], Step]:
    def around(step: Step) -> Step:
        async def passing(self: RedisStore, change: Change) -> Any:  # noqa: ANN401
            failpoint.reached(SWEEP_POINT if change.due_only else "after_read")
            result = await step(self, change)
            if change.ending and isinstance(result, Applied):
                failpoint.reached(ENDING_POINT)
            failpoint.reached("after_wait")
            return result

        return passing

    return around


def _after_sent(failpoint: Failpoint, moves: set[Receiver]) -> Callable[[Step], Step]:
    """Fail after a packet with a move is sent; note who waits for its answers."""
    name = APPLY.sha.encode()

    def around(step: Step) -> Step:
        def passing(self: Wire, data: bytes, receiver: Receiver) -> None:
            step(self, data, receiver)
            if name in data:
                failpoint.reached("after_sent")
                moves.add(receiver)

        return passing

    return around


def _after_reply(failpoint: Failpoint, moves: set[Receiver]) -> Callable[[Step], Step]:
    """Fail after the first answer to a packet with a move, before that of WAIT."""

    def around(step: Step) -> Step:
        def passing(self: Packet, answer: object) -> Any:  # noqa: ANN401
            more = step(self, answer)
            if self in moves:
                moves.remove(self)
                failpoint.reached("after_reply")
            return more

        return passing

    return around


if __name__ == "__main__":
    data = Path(sys.argv[sys.argv.index("--data") + 1])
    point = Failpoint(data / FILE)
    install(point)
    signal.signal(signal.SIGUSR1, point.arm)
    main()
