"""One attachment of a bot over a network that can break."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from typing import Final

from tests.simulation.line import End, Feed
from tests.simulation.network import Network
from tests.simulation.referee import Referee

from ginref.app.caller import Caller
from ginref.app.message import Message, Turn
from ginref.app.session import Session
from ginref.engine.seat import Seat

_INSTANT: Final = 1e-6


class Stream(Feed[Message]):
    """A feed of messages to a bot, and what the bot says.

    Attributes:
        turns: Version of the latest turn that the referee told, by match and seat.
        told: When that was, in seconds of the run.
        is_slow: The bot does not read for now.
    """

    def __init__(
        self,
        network: Network,
        referee: Referee,
        caller: Caller,
        cursors: Mapping[str, int],
        capacity: int,
    ) -> None:
        """Attach a bot at a referee."""
        self.turns: dict[tuple[str, Seat], int] = {}
        self.told: dict[tuple[str, Seat], float] = {}
        self.is_slow = False
        self._caller = caller
        self._cursors = cursors
        self._capacity = capacity
        self._said: asyncio.Queue[Callable[[Session], None] | None] = asyncio.Queue()
        self._next_said = 0.0
        super().__init__(network, referee, self._attached)

    def say(self, do: Callable[[Session], None] | None) -> None:
        """Say something: what arrives does this to the session. None says no more."""
        network = self._network
        self._next_said = max(
            self._next_said + _INSTANT, network.now() + network.delay()
        )
        network.later(self._next_said - network.now(), self._hear_later, do)

    def _hear_later(self, do: Callable[[Session], None] | None) -> None:
        if not self.is_over:
            self._said.put_nowait(do)

    def _arrive(self, message: Message | End) -> None:
        if isinstance(message, Turn) and not self.is_over:
            facts, view = message.report.facts, message.report.view
            self.turns[facts.match_id, view.seat] = facts.version
            self.told[facts.match_id, view.seat] = self._network.now()
        super()._arrive(message)

    async def _attached(self, referee: Referee) -> AsyncGenerator[Message, None]:
        session = referee.session(self._caller)
        try:
            await session.hello(
                self._cursors, self._capacity, "simulated", wants_events=True
            )
            hearing = asyncio.create_task(self._hear(session))
            try:
                while (message := await session.next_message()) is not None:
                    yield message
            finally:
                hearing.cancel()
                (failure,) = await asyncio.gather(hearing, return_exceptions=True)
            if isinstance(failure, Exception):
                raise failure
        finally:
            await session.close()
        if session.error is not None:
            raise session.error

    async def _hear(self, session: Session) -> None:
        while do := await self._said.get():
            do(session)
        await session.finish()
