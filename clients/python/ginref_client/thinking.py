"""Threads in which bots think while the connection goes on."""

import asyncio
import queue
import threading
from collections.abc import Callable
from typing import Final, TypeVar

_T = TypeVar("_T")

THREADS_MOST: Final = 32


class ThinkingPool:
    """A few threads that start when they are needed and never hold up an exit.

    The threads of `concurrent.futures` are joined when the interpreter ends, so a
    bot that thinks for ever would keep Ctrl-C from ending the program.
    """

    def __init__(self, threads: int = THREADS_MOST) -> None:
        """Allow so many bots to think at once."""
        self._jobs: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._room = threads
        self._started = 0
        self._busy = 0

    async def run(self, thought: Callable[[], _T]) -> _T:
        """Return what a function returns, or raise what it raises.

        Call this from one event loop only.

        Raises:
            RuntimeError: The function tried to end the thread or an iteration.
            Exception: Whatever else the function raised.
        """
        loop = asyncio.get_running_loop()
        done: asyncio.Future[_T] = loop.create_future()

        def job() -> None:
            try:
                result = thought()
            except BaseException as error:  # noqa: BLE001 - the caller's to judge
                _post(loop, _fail, done, _as_exception(error))
            else:
                _post(loop, _succeed, done, result)

        self._busy += 1
        if self._busy > self._started and self._started < self._room:
            self._started += 1
            threading.Thread(
                target=self._work, name=f"bot-{self._started}", daemon=True
            ).start()
        self._jobs.put(job)
        try:
            return await done
        finally:
            self._busy -= 1

    def close(self) -> None:
        """Let the threads end after what they are thinking about."""
        for _ in range(self._started):
            self._jobs.put(None)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()


def _as_exception(error: BaseException) -> Exception:
    # A future takes no StopIteration, and SystemExit would end the loop.
    if isinstance(error, Exception) and not isinstance(error, StopIteration):
        return error
    wrapped = RuntimeError(f"the bot raised {type(error).__name__}")
    wrapped.__cause__ = error
    return wrapped


def _post(
    loop: asyncio.AbstractEventLoop,
    settle: Callable[["asyncio.Future[_T]", _T], None],
    done: "asyncio.Future[_T]",
    value: object,
) -> None:
    # The loop is closed when the program has ended meanwhile.
    if not loop.is_closed():
        loop.call_soon_threadsafe(settle, done, value)  # type: ignore[arg-type]


def _succeed(done: "asyncio.Future[_T]", result: _T) -> None:
    if not done.done():
        done.set_result(result)


def _fail(done: "asyncio.Future[_T]", error: object) -> None:
    if not done.done() and isinstance(error, Exception):
        done.set_exception(error)
