"""Acts on deadlines that pass without the help of any bot."""

import asyncio
import logging
from typing import Final

from ginref.app.desk import Desk
from ginref.app.match_store import MatchStore
from ginref.app.port import StoreUnavailableError

_LOG: Final = logging.getLogger(__name__)

_INTERVAL: Final = 0.25
_BATCH: Final = 200


class Sweeper:
    """Times out matches. Any number of replicas may sweep: the store lets one win."""

    def __init__(self, store: MatchStore, desk: Desk) -> None:
        """Sweep a store."""
        self._store = store
        self._desk = desk

    async def run(self) -> None:
        """Sweep until cancelled."""
        while True:
            try:
                full = await self.sweep() == _BATCH
            except StoreUnavailableError:
                full = False
            except Exception:  # noqa: BLE001 - one match must not stop every clock
                _LOG.exception("sweep failed")
                full = False
            await asyncio.sleep(0 if full else _INTERVAL)

    async def sweep(self) -> int:
        """Time out what is due; return how many matches were looked at."""
        due = await self._store.due(_BATCH)
        for match_id in due:
            await self._desk.time_out(match_id)
        return len(due)
