"""Messages that wait for a bot, and the bell that its reader hears.

There are thousands of each, so they hold no more than they must: events and queues of
asyncio take several times as much while nobody waits.
"""

import asyncio
from collections import deque

from ginref.app.message import Message


class Bell:
    """Wakes the one task that waits for it."""

    __slots__ = ("_is_rung", "_waiting")

    def __init__(self) -> None:
        """Be silent."""
        self._is_rung = False
        self._waiting: asyncio.Future[None] | None = None

    def ring(self) -> None:
        """Wake who waits now, or will."""
        self._is_rung = True
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    def still(self) -> None:
        """Be silent again."""
        self._is_rung = False

    async def heard(self) -> None:
        """Wait until it has been rung."""
        while not self._is_rung:
            self._waiting = asyncio.get_running_loop().create_future()
            try:
                await self._waiting
            finally:
                self._waiting = None


class Outbox:
    """Messages that wait for a bot, in order; None is the last one."""

    def __init__(self, crowded: int) -> None:
        """Be empty, and crowded once more messages wait than given."""
        self._crowded = crowded
        self._messages: deque[Message | None] = deque()
        self._bell = Bell()
        self._room: asyncio.Event | None = None

    def __len__(self) -> int:
        """Return how many messages wait."""
        return len(self._messages)

    @property
    def is_crowded(self) -> bool:
        """So many messages wait that news waits, too."""
        return len(self._messages) > self._crowded

    def put(self, message: Message | None) -> None:
        """Add a message behind all others."""
        self._messages.append(message)
        self._bell.ring()

    def clear(self) -> None:
        """Drop all messages."""
        self._messages.clear()

    async def get(self) -> Message | None:
        """Take the first message, once there is one."""
        while not self._messages:
            self._bell.still()
            await self._bell.heard()
        message = self._messages.popleft()
        if self._room is not None and not self.is_crowded:
            self._room.set()
            self._room = None
        return message

    async def room(self) -> None:
        """Wait until it is not crowded."""
        while self.is_crowded:
            if self._room is None:
                self._room = asyncio.Event()
            await self._room.wait()
