"""Tasks of one attachment: what a bot asked for, and what it is told."""

import asyncio
from collections.abc import Coroutine
from typing import Any, Final
from weakref import WeakValueDictionary

from ginref.app.trace import Tracer

_METHOD: Final = "ginref.v1.BotService/Connect"

_Tasks = dict[asyncio.Task[None], None]
"""Tasks in the order in which they were started."""


class SessionWork:
    """Tasks of a session, at most one of them at work on a match at any time."""

    def __init__(self, tracer: Tracer | None = None) -> None:
        """Start with nothing to do; trace what the bot asks for, if at all."""
        self._tracer = tracer
        # Each is kept by those who hold it or wait for it.
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._calls: _Tasks = {}
        self._tellings: _Tasks = {}

    @property
    def call_count(self) -> int:
        """How much of what the bot asked for is not done yet."""
        return len(self._calls)

    def on(self, match_id: str) -> asyncio.Lock:
        """Return the lock that is held by whatever is at work on a match."""
        lock = self._locks.get(match_id)
        if lock is None:
            lock = self._locks[match_id] = asyncio.Lock()
        return lock

    def is_on(self, match_id: str) -> bool:
        """Say whether something is at work on a match."""
        lock = self._locks.get(match_id)
        return lock is not None and lock.locked()

    def call(self, work: Coroutine[Any, Any, None]) -> None:
        """Do what the bot asked for, to the end even if the bot leaves."""
        traced = work if self._tracer is None else _traced(work, self._tracer)
        _start(traced, self._calls)

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


async def _traced(work: Coroutine[Any, Any, None], tracer: Tracer) -> None:
    with tracer.message(_METHOD):
        await work


def _start(work: Coroutine[Any, Any, None], tasks: _Tasks) -> None:
    task = asyncio.create_task(work)
    tasks[task] = None
    task.add_done_callback(lambda done: tasks.pop(done, None))
