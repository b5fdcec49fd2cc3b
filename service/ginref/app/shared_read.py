"""Reads of matches for many followers: whoever is woken by the same word reads once."""

import asyncio
from dataclasses import dataclass
from functools import partial

from ginref.app.hub import Hub, Subscription
from ginref.app.keeper import Keeper
from ginref.app.live_match import LiveMatch


@dataclass(frozen=True, slots=True)
class _Read:
    """A read that is under way, and how much the hub had passed on when it began."""

    began: int
    task: asyncio.Task[LiveMatch]


class SharedReads:
    """Reads a match once for all who have nothing older to be told of than the read."""

    def __init__(self, keeper: Keeper, hub: Hub) -> None:
        """Read by the keeper; the hub says who was woken when."""
        self._keeper = keeper
        self._hub = hub
        self._reads: dict[str, _Read] = {}

    async def read(self, match_id: str, follower: Subscription) -> LiveMatch:
        """Return a match as it is now, or was after the follower was last woken.

        Raises:
            RefusedError: MATCH_NOT_FOUND or MATCH_EXPIRED.
            StoreUnavailableError: Nothing can be read now.
        """
        known = self._reads.get(match_id)
        if known is None or known.began < follower.woken_at:
            task = asyncio.create_task(self._keeper.load(match_id))
            known = self._reads[match_id] = _Read(self._hub.passed_on, task)
            task.add_done_callback(partial(self._end, match_id))
        return await asyncio.shield(known.task)

    def _end(self, match_id: str, task: asyncio.Task[LiveMatch]) -> None:
        # Those who wait hear of a failure themselves; there may be none left.
        if not task.cancelled():
            task.exception()
        if match_id in self._reads and self._reads[match_id].task is task:
            del self._reads[match_id]
