"""What the store promises, asked seldom enough to be asked whenever it matters."""

import asyncio
from collections.abc import Callable
from typing import Final

from ginref.app.match_store import Durability, MatchStore

_AGE_S: Final = 1.0
"""How old an answer may be. Every server is asked, and who they are, each time."""


class Promise:
    """Remembers for a moment what the store said last."""

    def __init__(self, store: MatchStore, monotonic: Callable[[], float]) -> None:
        """Ask a store; `monotonic` tells seconds."""
        self._store = store
        self._monotonic = monotonic
        self._answer: asyncio.Task[Durability] | None = None
        self._asked_s = 0.0

    async def mode(self) -> str:
        """Return the store's durability, such as `local/always`, as of this second.

        Raises:
            StoreUnavailableError: It does not answer.
        """
        now_s, answer = self._monotonic(), self._answer
        failed = answer and answer.done() and (answer.cancelled() or answer.exception())
        if answer is None or failed or now_s - self._asked_s > _AGE_S:
            answer = asyncio.create_task(self._store.durability())
            # Those who wait hear of a failure themselves; there may be none left.
            answer.add_done_callback(lambda done: done.cancelled() or done.exception())
            self._answer, self._asked_s = answer, now_s
        return (await asyncio.shield(answer)).mode
