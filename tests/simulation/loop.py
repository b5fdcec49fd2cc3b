"""An event loop without a clock, sockets or threads: a seed says what happens next.

Time is a number that jumps to the next timer when nothing else is left to do. What
is ready runs one at a time, in an order that the seed chooses. Work belongs to a
process, which can be killed between any two steps or stopped for a while.
"""

import asyncio
import heapq
from asyncio.events import _set_running_loop
from collections import deque
from collections.abc import Callable, Coroutine, Generator
from contextvars import Context, ContextVar, copy_context
from typing import Any, Final, TypeVar, TypeVarTuple

from tests.simulation.dice import Dice

_T = TypeVar("_T")
_Ts = TypeVarTuple("_Ts")

_THREAD_SECONDS: Final = (0.0001, 0.004)
"""What work in another thread takes."""


_CANCELLATIONS: Final = 10
"""How often what is left is cancelled: some of it has to wait for the rest."""


class StuckError(Exception):
    """Nothing is left to do, or there is no end to it."""


class Process:
    """Work that lives and dies together."""

    def __init__(self, name: str) -> None:
        """Be alive."""
        self.name = name
        self.is_alive = True
        self.is_paused = False
        self.context = copy_context()
        self.context.run(PROCESS.set, self)

    def spawn(self, work: Coroutine[Any, Any, _T]) -> asyncio.Task[_T]:
        """Start a task of this process."""
        return asyncio.create_task(work, context=self.context.copy())

    def kill(self) -> None:
        """Let no task take another step, and no `finally` run."""
        self.is_alive = False


PROCESS: Final[ContextVar[Process | None]] = ContextVar("PROCESS", default=None)
"""The process that runs; None for the world around all of them."""


class SimulatedLoop(asyncio.AbstractEventLoop):
    """Runs everything in an order and at times that follow from dice.

    Attributes:
        steps: Callbacks that have run.
        errors: What nobody has caught.
    """

    def __init__(self, dice: Dice, width: int, step_limit: int) -> None:
        """Start at time 0.

        Args:
            dice: Choose the order.
            width: How many of the callbacks that are ready may come first; 1 keeps
                the order in which they became ready.
            step_limit: Callbacks after which it is stuck.
        """
        self.steps = 0
        self.errors: list[str] = []
        self._dice = dice
        self._width = width
        self._step_limit = step_limit
        self._now = 0.0
        self._ready: deque[asyncio.Handle] = deque()
        self._timers: list[tuple[float, int, asyncio.TimerHandle]] = []
        self._timer_count = 0
        self._tasks: list[asyncio.Task[Any]] = []
        self._held: dict[Process, list[asyncio.Handle]] = {}
        self._is_closed = False

    def run(self, work: Coroutine[Any, Any, _T]) -> _T:
        """Run until a task is done, and return what it returns.

        Raises:
            StuckError: It will never be done.
        """
        _set_running_loop(self)
        try:
            task = self.create_task(work)
            while not task.done():
                self._step()
            return task.result()
        finally:
            _set_running_loop(None)

    def holds_back(self, process: Process) -> bool:
        """Say whether a process that is paused has something to do."""
        return process in self._held

    def unseen(self) -> list[BaseException]:
        """Return the errors of tasks that nobody has looked at."""
        failed = [task for task in self._tasks if task._log_traceback]  # noqa: SLF001
        return [error for task in failed if (error := task.exception())]

    def close(self) -> None:
        """Cancel whatever is left, be it alive or dead."""
        self._is_closed = True
        _set_running_loop(self)
        try:
            for _ in range(_CANCELLATIONS):
                for held in self._held.values():
                    self._ready.extend(held)
                self._held.clear()
                left = [task for task in self._tasks if not task.done()]
                for task in left:
                    task.cancel()
                while self._ready:
                    self._ready.popleft()._run()  # noqa: SLF001
                if not left:
                    return
        finally:
            _set_running_loop(None)

    def resume(self, process: Process) -> None:
        """Let a process go on that was paused."""
        process.is_paused = False
        self._ready.extend(self._held.pop(process, ()))

    def _step(self) -> None:
        timers, ready = self._timers, self._ready
        if self.steps >= self._step_limit:
            raise StuckError(f"no end after {self.steps} steps")
        if not ready:
            if not timers:
                raise StuckError("nothing is left to do")
            self._now = max(self._now, timers[0][0])
        while timers and timers[0][0] <= self._now:
            ready.append(heapq.heappop(timers)[2])
        if self._width > 1 and len(ready) > 1:
            skipped = self._dice.below(min(self._width, len(ready)))
            ready.rotate(-skipped)
            handle = ready.popleft()
            ready.rotate(skipped)
        else:
            handle = ready.popleft()
        if handle.cancelled():
            return
        process = handle._context.get(PROCESS)  # type: ignore[attr-defined] # noqa: SLF001
        if process is not None and (not process.is_alive or process.is_paused):
            self._held.setdefault(process, []).append(handle)
            return
        self.steps += 1
        handle._run()  # noqa: SLF001 - a loop runs its handles

    # --- what asyncio asks of a loop -------------------------------------------

    def time(self) -> float:
        return self._now

    def call_soon(
        self,
        callback: Callable[[*_Ts], object],
        *args: *_Ts,
        context: Context | None = None,
    ) -> asyncio.Handle:
        handle = asyncio.Handle(callback, args, self, context)
        self._ready.append(handle)
        return handle

    def call_later(
        self,
        delay: float,
        callback: Callable[[*_Ts], object],
        *args: *_Ts,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        return self.call_at(self._now + delay, callback, *args, context=context)

    def call_at(
        self,
        when: float,
        callback: Callable[[*_Ts], object],
        *args: *_Ts,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        timer = asyncio.TimerHandle(when, callback, args, self, context)
        self._timer_count += 1
        heapq.heappush(self._timers, (when, self._timer_count, timer))
        return timer

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        """Leave it where it is: it is passed over when its time comes."""

    def create_future(self) -> asyncio.Future[Any]:
        return asyncio.Future(loop=self)

    def create_task(
        self,
        coro: Generator[Any, None, _T] | Coroutine[Any, Any, _T],
        *,
        name: str | None = None,
        context: Context | None = None,
    ) -> asyncio.Task[_T]:
        task: asyncio.Task[_T] = asyncio.Task(
            coro, loop=self, name=name, context=context
        )
        self._tasks.append(task)
        return task

    def run_in_executor(
        self, executor: object, func: Callable[..., _T], *args: object
    ) -> asyncio.Future[_T]:
        """Do it later, in one go: a thread of the same process."""
        del executor
        future: asyncio.Future[_T] = self.create_future()

        def work() -> None:
            if future.cancelled():
                return
            try:
                future.set_result(func(*args))
            except Exception as error:  # noqa: BLE001 - the one who waits gets it
                future.set_exception(error)

        self.call_later(self._dice.between(*_THREAD_SECONDS), work)
        return future

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        if not self._is_closed:
            error = context.get("exception")
            self.errors.append(f"{context.get('message')}: {error!r}")

    def get_debug(self) -> bool:
        return False

    def is_running(self) -> bool:
        return not self._is_closed

    def is_closed(self) -> bool:
        return self._is_closed
