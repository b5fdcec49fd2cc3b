"""Tasks of one attachment: what a bot asked for, and what it is told."""

import asyncio
from collections import defaultdict
from collections.abc import Coroutine
from typing import Any

_Tasks = dict[asyncio.Task[None], None]
"""Tasks in the order in which they were started."""


class SessionWork:
    """Tasks of a session, at most one of them at work on a match at any time."""

    def __init__(self) -> None:
        """Start with nothing to do."""
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._calls: _Tasks = {}
        self._tellings: _Tasks = {}

    @property
    def call_count(self) -> int:
        """How much of what the bot asked for is not done yet."""
        return len(self._calls)

    def on(self, match_id: str) -> asyncio.Lock:
        """Return the lock that is held by whatever is at work on a match."""
        return self._locks[match_id]

    def is_on(self, match_id: str) -> bool:
        """Say whether something is at work on a match."""
        return match_id in self._locks and self._locks[match_id].locked()

    def leave(self, match_id: str) -> None:
        """Drop the lock of a match that the bot is told of no more."""
        self._locks.pop(match_id, None)

    def call(self, work: Coroutine[Any, Any, None]) -> None:
        """Do what the bot asked for, to the end even if the bot leaves."""
        _start(work, self._calls)

    def tell(self, work: Coroutine[Any, Any, None]) -> None:
        """Do what nobody but the bot is interested in."""
        _start(work, self._tellings)

    def stop_telling(self) -> None:
        """Give up what nobody but the bot is interested in."""
        current = asyncio.current_task()
        for task in self._tellings:
            if task is not current:
                task.cancel()

    async def finish_calls(self) -> None:
        """Wait until all that the bot asked for is done."""
        while self._calls:
            await asyncio.wait(self._calls)

    async def finish(self) -> None:
        """Wait until every task has come to its end."""
        if tasks := self._calls | self._tellings:
            await asyncio.wait(tasks)


def _start(work: Coroutine[Any, Any, None], tasks: _Tasks) -> None:
    task = asyncio.create_task(work)
    tasks[task] = None
    task.add_done_callback(lambda done: tasks.pop(done, None))
