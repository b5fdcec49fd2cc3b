"""Acts on deadlines that pass without the help of any bot."""

import asyncio
import hashlib
import logging
import time
from collections.abc import Callable
from typing import Final

from ginref.app.desk import Desk
from ginref.app.match_store import MatchStore
from ginref.app.port import Observer, StoreUnavailableError

_LOG: Final = logging.getLogger(__name__)

_INTERVAL: Final = 0.25
_COUNTING: Final = 5.0
"""Seconds after which what is live is counted again."""

_BATCH: Final = 200

_AT_ONCE: Final = 50
"""Matches that are timed out side by side, while everything else must wait."""

_WINDOW: Final = 8 * _BATCH
"""Matches that are looked at when more are due than one batch can hold."""


class Sweeper:
    """Times out matches. Any number of replicas may sweep: the store lets one win.

    Each sweep begins with a heartbeat, so that time without any sweeper is known.
    """

    def __init__(
        self,
        store: MatchStore,
        desk: Desk,
        observer: Observer,
        name: str = "",
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Sweep a store, and count.

        Args:
            store: Where the deadlines are.
            desk: Who ends matches.
            observer: Who counts.
            name: Something that no other sweeper is called, so that they share what
                is due instead of racing for it.
            monotonic: Tells seconds.
        """
        self._store = store
        self._desk = desk
        self._observer = observer
        self._name = name.encode()
        self._monotonic = monotonic
        self._count_due = 0.0
        self._faulty: set[str] = set()

    async def run(self) -> None:
        """Sweep until cancelled."""
        while True:
            try:
                more = await self.sweep() >= _BATCH // 2
                self._observer.swept()
                await self._count()
            except StoreUnavailableError:
                more = False
            except Exception:  # noqa: BLE001 - the clocks go on
                _LOG.exception("sweep failed")
                more = False
            await asyncio.sleep(0 if more else _INTERVAL)

    async def _count(self) -> None:
        if self._monotonic() >= self._count_due:
            self._count_due = self._monotonic() + _COUNTING
            self._observer.live(await self._store.live_count())

    async def keep_beating(self) -> None:
        """Send heartbeats until cancelled, however long a sweep takes meanwhile."""
        while True:
            try:
                await self._beat()
            except StoreUnavailableError:
                pass
            except Exception:  # noqa: BLE001 - or all time would be an outage
                _LOG.exception("heartbeat failed")
            await asyncio.sleep(_INTERVAL)

    async def sweep(self) -> int:
        """See to a batch of matches that are due, and return how many those were.

        Each is over afterwards, by this sweeper or by another one, or was found to
        have time left after an outage.
        """
        await self._beat()
        # Matches that cannot be timed out stay due, and must not crowd out others.
        due = await self._store.due(_WINDOW + len(self._faulty))
        self._faulty &= set(due)
        fresh = [match_id for match_id in due if match_id not in self._faulty]
        if len(fresh) > _BATCH:
            fresh = sorted(fresh, key=self._place)[:_BATCH]
        batch = [*fresh, *self._faulty]
        for start in range(0, len(batch), _AT_ONCE):
            some = batch[start : start + _AT_ONCE]
            await asyncio.gather(*map(self._time_out, some))
        return len(batch) - len(self._faulty)

    async def _beat(self) -> None:
        outage_ms = await self._store.beat()
        if outage_ms:
            _LOG.warning("nobody swept for %s ms: credited to all clocks", outage_ms)
            self._observer.outage(outage_ms)

    def _place(self, match_id: str) -> bytes:
        """Say where a match stands in an order that is this sweeper's own."""
        return hashlib.blake2b(match_id.encode(), key=self._name).digest()

    async def _time_out(self, match_id: str) -> None:
        try:
            await self._desk.time_out(match_id)
        except StoreUnavailableError:
            raise
        except Exception:  # noqa: BLE001 - one match must not stop every clock
            if match_id not in self._faulty:
                _LOG.exception("match %s cannot be timed out", match_id)
            self._faulty.add(match_id)
            await self._give_up(match_id)
        else:
            self._faulty.discard(match_id)

    async def _give_up(self, match_id: str) -> None:
        try:
            if await self._desk.give_up(match_id):
                self._faulty.discard(match_id)
        except StoreUnavailableError:
            raise
        except Exception:  # noqa: BLE001 - likewise
            _LOG.exception("match %s cannot be given up", match_id)
