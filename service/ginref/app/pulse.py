"""Whether a bot is still there: it is asked now and then, and heard when it speaks."""

import asyncio
from collections.abc import Callable

from ginref.app.error import RefusedError
from ginref.app.message import Message, Ping
from ginref.app.session_policy import SessionPolicy, over_limit
from ginref.app.tools import Tools


class Pulse:
    """Signs of life of one attachment of a bot."""

    def __init__(
        self,
        policy: SessionPolicy,
        tools: Tools,
        emit: Callable[[Message], None],
        end: Callable[[RefusedError], None],
    ) -> None:
        """Ask through `emit`, and `end` the attachment of a bot that is silent."""
        self._policy = policy
        self._tools = tools
        self._emit = emit
        self._end = end
        self._heard = tools.monotonic()

    def heard(self) -> None:
        """Note that the bot is there."""
        self._heard = self._tools.monotonic()

    async def run(self) -> None:
        """Ask until nothing has been heard for too long."""
        number = 0
        while True:
            await asyncio.sleep(self._policy.ping_interval_ms / 1000)
            silence_ms = (self._tools.monotonic() - self._heard) * 1000
            if silence_ms > self._policy.silence_ms:
                self._end(over_limit("silence", "nothing was heard for too long"))
                return
            number += 1
            self._emit(Ping(number=number, now_ms=self._tools.now_ms()))
