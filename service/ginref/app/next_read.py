"""A read for everybody who asks before it begins: a crowd needs two, and no more."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

_T = TypeVar("_T")


class NextRead(Generic[_T]):
    """Reads one after the other, each for all who have asked since the one before."""

    def __init__(self, read: Callable[[], Awaitable[_T]]) -> None:
        """Read by a function."""
        self._read = read
        self._running: asyncio.Task[_T] | None = None
        self._waiting: asyncio.Task[_T] | None = None

    async def get(self) -> _T:
        """Return what a read has found that began no earlier than this call.

        Raises:
            Exception: Whatever the read fails with.
        """
        if self._waiting is None:
            self._waiting = asyncio.create_task(self._begin(self._running))
            # Those who wait hear of a failure themselves; there may be none left.
            self._waiting.add_done_callback(
                lambda task: None if task.cancelled() else task.exception()
            )
        return await asyncio.shield(self._waiting)

    async def _begin(self, before: "asyncio.Task[_T] | None") -> _T:
        if before is not None and not before.done():
            await asyncio.wait({before})
        self._running, self._waiting = self._waiting, None
        return await self._read()
