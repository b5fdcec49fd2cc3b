"""How bots and spectators reach referees: calls, and feeds that can break."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from tests.simulation.network import Network, settle
from tests.simulation.referee import Referee

from ginref.app.error import Reason, RefusedError
from ginref.app.fault import refusal_of

_T = TypeVar("_T")
_M = TypeVar("_M")

_PATIENCE: Final = (0.4, 1.2)
"""Seconds after which a caller gives up waiting for an answer."""

_TWICE: Final = ((0.0, 0.01), (0.0, 2.0))
"""Seconds by which a call that arrives twice does so the second time."""

_WINDOW: Final = 16
"""Messages on their way to a reader, or waiting for it; others wait before that."""

_INSTANT: Final = 1e-6
"""What keeps messages of one feed apart, in seconds."""

AGAIN: Final = frozenset(
    {Reason.STORE_UNAVAILABLE, Reason.REFEREE_DRAINING, Reason.INTERNAL_FAULT}
)
"""Refusals after which the same request is sent again."""


class UnreachableError(Exception):
    """No answer came: whether the call was done is unknown."""


class Line:
    """Calls to whichever referee the dice pick."""

    def __init__(self, referees: Sequence[Referee], network: Network) -> None:
        """Call some referees."""
        self.referees = referees
        self.network = network

    async def call(
        self,
        use: Callable[[Referee], Coroutine[Any, Any, _T]],
        heard: Callable[[_T | Exception], None] = lambda _: None,
    ) -> _T:
        """Call a referee.

        Args:
            use: What is asked of it; perhaps more than once.
            heard: Told of every answer, even of those that nobody waits for.

        Raises:
            RefusedError: The referee refuses.
            UnreachableError: No answer came.
        """
        network, weather = self.network, self.network.weather
        reply: asyncio.Future[_T] = asyncio.get_running_loop().create_future()
        if network.happens(weather.call_lost):
            network.journal.count("call lost")
        else:
            network.later(network.delay(), self._arrive, use, reply, heard)
        if network.happens(weather.call_twice):
            network.journal.count("call twice")
            late = network.delay() + network.dice.between(*network.dice.pick(_TWICE))
            network.later(late, self._arrive, use, reply, heard)
        patience = network.dice.between(*_PATIENCE)
        timer = network.later(patience, settle, reply, UnreachableError())
        try:
            return await reply
        finally:
            timer.cancel()

    def _arrive(
        self,
        use: Callable[[Referee], Coroutine[Any, Any, _T]],
        reply: "asyncio.Future[_T]",
        heard: Callable[[_T | Exception], None],
    ) -> None:
        network = self.network
        referee = network.dice.pick(self.referees)
        if not referee.is_up:
            network.later(network.delay(), settle, reply, UnreachableError())
            return
        forget = referee.at_death(lambda: settle(reply, UnreachableError()))
        task = referee.process.spawn(referee.answer(use))

        def answer(done: "asyncio.Task[_T | Exception]") -> None:
            forget()
            if network.happens(network.weather.answer_lost):
                network.journal.count("answer lost")
                return
            network.later(network.delay(), hear, done.result())

        def hear(outcome: _T | Exception) -> None:
            heard(outcome)
            settle(reply, outcome)

        task.add_done_callback(answer)

    async def call_until_done(
        self,
        use: Callable[[Referee], Coroutine[Any, Any, _T]],
        heard: Callable[[_T | Exception], None] = lambda _: None,
    ) -> _T:
        """Call until some referee has answered.

        Raises:
            RefusedError: The referee refuses, for good.
        """
        while True:
            try:
                return await self.call(use, heard)
            except UnreachableError:
                pass
            except RefusedError as error:
                if error.reason not in AGAIN:
                    raise
            await asyncio.sleep(self.network.dice.between(0.01, 0.15))


@dataclass(frozen=True, slots=True)
class End:
    """A feed has ended; without a refusal, the connection broke."""

    error: RefusedError | None = None


class Feed(Generic[_M]):
    """Messages of one referee to one reader, in order, until the end of it.

    Attributes:
        referee: Where it comes from.
        opened: When the first message arrived, in seconds of the run; None before.
        is_over: Nothing more will come.
    """

    def __init__(
        self,
        network: Network,
        referee: Referee,
        produce: Callable[[Referee], AsyncGenerator[_M, None]],
    ) -> None:
        """Connect to a referee, which produces the messages."""
        self.referee = referee
        self.opened: float | None = None
        self.is_over = False
        self._network = network
        self._produce = produce
        self._inbox: asyncio.Queue[_M | End] = asyncio.Queue()
        self._under_way = 0
        self._room = asyncio.Event()
        self._next = 0.0
        self._task: asyncio.Task[None] | None = None
        self._forget: Callable[[], None] = lambda: None
        network.later(network.delay(), self._accept)

    async def read(self) -> _M | End:
        """Return the next message, or the end."""
        message = await self._inbox.get()
        self._under_way -= 1
        self._room.set()
        return message

    @property
    def unread(self) -> int:
        """Messages that have arrived and were not read."""
        return self._inbox.qsize()

    def cut(self) -> None:
        """Break the connection: each side notices some time later."""
        if self.is_over:
            return
        self._stop()
        self._inbox.put_nowait(End())
        if self._task is not None:
            self._network.later(self._network.delay(), self._task.cancel)

    def _stop(self) -> None:
        self.is_over = True
        self._forget()

    def _accept(self) -> None:
        if self.is_over:
            return
        if not self.referee.is_up:
            self.cut()
            return
        self._forget = self.referee.at_death(self.cut)
        self._task = self.referee.process.spawn(self._serve())

    async def _serve(self) -> None:
        error: RefusedError | None = None
        try:
            async with aclosing(self._produce(self.referee)) as messages:
                async for message in messages:
                    while self._under_way >= _WINDOW:
                        self._room.clear()
                        await self._room.wait()
                    self._send(message)
        except Exception as exception:  # noqa: BLE001 - as at the edge of the referee
            error = refusal_of(exception)
        self._send(End(error))

    def _send(self, message: _M | End) -> None:
        network = self._network
        self._under_way += 1
        self._next = max(self._next + _INSTANT, network.now() + network.delay())
        network.later(self._next - network.now(), self._arrive, message)

    def _arrive(self, message: _M | End) -> None:
        if self.is_over:
            return
        if self.opened is None:
            self.opened = self._network.now()
        if isinstance(message, End):
            self._stop()
        self._inbox.put_nowait(message)
