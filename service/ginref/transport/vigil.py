"""Looks after all streams that a process writes: are they read, and by whom?"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, cast

from ginref.app.error import Reason, RefusedError
from ginref.app.session_policy import UNREAD

Admit = Callable[[], Awaitable[None]]
"""Refuses a caller whose token is good no more."""

_BATCH: Final = 64
"""Streams that are looked at together, while everything else must wait."""


@dataclass(slots=True, eq=False)
class Stream:
    """A stream that is written by a task.

    Attributes:
        turns: How often a write has begun or ended: odd while one is under way.
    """

    _task: asyncio.Task[Any]
    _admit: Admit | None
    turns: int = 0
    _seen: int = 0
    _held_s: float = 0.0
    _refusal: Exception | None = None

    async def check(self, step_s: float, patience_s: float) -> None:
        """End the stream if it is not read, or its caller's token is good no more."""
        is_held = self.turns == self._seen and self.turns % 2 == 1
        self._held_s = self._held_s + step_s if is_held else 0.0
        self._seen = self.turns
        if self._held_s >= patience_s:
            message = "the stream is not read"
            self._end(RefusedError(Reason.LIMIT_EXCEEDED, message, limit=UNREAD))
        elif self._admit is not None:
            try:
                await self._admit()
            except Exception as refusal:  # noqa: BLE001 - told by the stream itself
                self._end(refusal)

    def ended(self) -> Exception | None:
        """Return why it was ended, when it was; the task is cancelled no more."""
        if self._refusal is not None:
            self._task.uncancel()
        return self._refusal

    def _end(self, refusal: Exception) -> None:
        if self._refusal is None:
            self._refusal = refusal
            self._task.cancel()


class Vigil:
    """Looks at all streams again and again, from the first one to the last.

    A reader that is slow holds up its own stream only. Time is counted in steps that
    this process keeps up with: one that is slow itself drops nobody.
    """

    def __init__(self, *, patience_s: float, admit_s: float) -> None:
        """Look after streams.

        Args:
            patience_s: Seconds after which a stream that is not read is ended.
            admit_s: Seconds after which the caller of an open stream is admitted
                again, or else the stream is ended.
        """
        self._patience_s = patience_s
        self._step_s = min(admit_s, patience_s / 2)
        self._streams: dict[Stream, None] = {}
        self._looking: asyncio.Task[None] | None = None

    @contextlib.contextmanager
    def over(self, admit: Admit | None) -> Iterator[Stream]:
        """Look after what the current task writes within this context.

        Raises:
            RefusedError: The stream was not read, or its caller is not admitted.
        """
        task = cast("asyncio.Task[Any]", asyncio.current_task())
        stream = Stream(task, admit)
        self._streams[stream] = None
        if self._looking is None:
            self._looking = asyncio.create_task(self._look())
        try:
            yield stream
        except asyncio.CancelledError:
            if (refusal := stream.ended()) is None:
                raise
            raise refusal from None
        finally:
            del self._streams[stream]
            if not self._streams:
                self._looking.cancel()
                self._looking = None

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(self._step_s)
            streams = [*self._streams]
            for start in range(0, len(streams), _BATCH):
                await asyncio.gather(
                    *(
                        stream.check(self._step_s, self._patience_s)
                        for stream in streams[start : start + _BATCH]
                        if stream in self._streams
                    )
                )
