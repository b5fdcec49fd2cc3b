"""What lies between processes: delays, losses, repetitions, a store that is away."""

import asyncio
from collections.abc import Callable, Coroutine
from contextvars import Context
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from tests.simulation.dice import Dice
from tests.simulation.journal import Journal

_T = TypeVar("_T")

_TAIL: Final = 0.03
"""How many messages take much longer than the others."""

_TAIL_FACTOR: Final = 20


@dataclass(slots=True, kw_only=True)
class Weather:
    """How likely what goes wrong is; all of it can be set to nothing.

    Attributes:
        delay: Usual time of a message in seconds, from and to.
        request_lost: A request to the store does not arrive.
        reply_lost: A request to the store is done, but the answer does not arrive.
        call_lost: A call of a bot does not arrive.
        answer_lost: A call of a bot is done, but the answer does not arrive.
        call_twice: A call of a bot arrives twice.
        wake_twice: A wake arrives twice.
        crash: A referee dies while the store works for it.
        archive: A record cannot be kept for the moment.
    """

    delay: tuple[float, float]
    request_lost: float = 0.0
    reply_lost: float = 0.0
    call_lost: float = 0.0
    answer_lost: float = 0.0
    call_twice: float = 0.0
    wake_twice: float = 0.0
    crash: float = 0.0
    archive: float = 0.0


class Network:
    """Carries messages outside of every process.

    Attributes:
        weather: What goes wrong now.
        store_away: The store answers nobody.
        disturbed: Until when no referee heard of anything, in seconds of the run.
    """

    def __init__(self, dice: Dice, weather: Weather, journal: Journal) -> None:
        """Carry messages as the dice say."""
        self.weather = weather
        self.dice = dice
        self.journal = journal
        self.store_away = False
        self.disturbed = 0.0
        # Whatever process sends: what is under way is not part of it any more.
        self._outside = Context()

    def now(self) -> float:
        """Return seconds of the run."""
        return asyncio.get_running_loop().time()

    def delay(self) -> float:
        """Return what a message takes, in seconds."""
        seconds = self.dice.between(*self.weather.delay)
        return seconds * _TAIL_FACTOR if self.dice.chance(_TAIL) else seconds

    def happens(self, likelihood: float) -> bool:
        """Say whether something goes wrong."""
        return likelihood > 0 and self.dice.chance(likelihood)

    def later(
        self, seconds: float, do: Callable[..., object], *args: object
    ) -> asyncio.TimerHandle:
        """Do something outside of every process."""
        loop = asyncio.get_running_loop()
        return loop.call_later(seconds, do, *args, context=self._outside)

    def start(self, work: Coroutine[Any, Any, _T]) -> asyncio.Task[_T]:
        """Start a task outside of every process."""
        return asyncio.create_task(work, context=self._outside.copy())


def settle(future: "asyncio.Future[_T]", outcome: "_T | Exception") -> None:
    """Answer whoever waits, if anybody still does."""
    if future.done():
        return
    if isinstance(outcome, Exception):
        future.set_exception(outcome)
        # Whoever waited may be dead: then nobody will ever look.
        future.exception()
    else:
        future.set_result(outcome)
