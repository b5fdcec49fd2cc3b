"""Long answers that many ask for: made beside the event loop, and once for all."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Final

_KEPT: Final = 8
"""Answers that are kept for whoever asks next."""


class KeptAnswers:
    """Keeps the answers that were asked for last."""

    def __init__(self) -> None:
        """Keep nothing yet."""
        self._made: OrderedDict[Hashable, tuple[object, asyncio.Task[bytes]]]
        self._made = OrderedDict()

    async def get(
        self, key: Hashable, source: object, make: Callable[[], bytes]
    ) -> bytes:
        """Return what is made of a source, in a thread so that moves are not held up.

        Args:
            key: What is asked for.
            source: What the answer follows from: for another object it is made anew.
            make: Makes it.

        Raises:
            Exception: Whatever it cannot be made for; whoever asks next tries again.
        """
        known, made = self._made.get(key, (None, None))
        if made is None or known is not source or (made.done() and _has_failed(made)):
            made = asyncio.create_task(asyncio.to_thread(make))
            # Those who wait hear of a failure themselves; there may be none left.
            made.add_done_callback(_has_failed)
            self._made[key] = source, made
        self._made.move_to_end(key)
        while len(self._made) > _KEPT:
            self._made.popitem(last=False)
        return await asyncio.shield(made)


def _has_failed(made: asyncio.Task[bytes]) -> bool:
    return made.cancelled() or made.exception() is not None
