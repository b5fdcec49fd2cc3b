"""Turns matches that are over into signed records in the archive."""

import asyncio
import logging
from typing import Final

from ginref.app.desk import Tools
from ginref.app.keeper import LiveMatch
from ginref.app.port import StoreUnavailableError
from ginref.record.document import PAYLOAD_TYPE, build_record
from ginref.record.envelope import seal_envelope

_LOG: Final = logging.getLogger(__name__)

_INTERVAL: Final = 0.25
_BATCH: Final = 50


class FoldError(Exception):
    """The log of a match does not lead to the state that was stored."""


class Signing:
    """Builds, signs and archives records: at least once, and always the same bytes."""

    def __init__(self, tools: Tools) -> None:
        """Work with these tools."""
        self._tools = tools
        self._asked = asyncio.Event()

    def ask(self) -> None:
        """Look for ended matches at once, not at the next interval."""
        self._asked.set()

    async def run(self) -> None:
        """Sign until cancelled."""
        while True:
            self._asked.clear()
            try:
                await self.sign_finished()
            except StoreUnavailableError:
                pass
            except Exception:  # noqa: BLE001 - one bad record must not stop the rest
                _LOG.exception("signing failed")
            try:
                async with asyncio.timeout(_INTERVAL):
                    await self._asked.wait()
            except TimeoutError:
                continue

    async def sign_finished(self) -> int:
        """Sign what is over and not archived; return how many records that were."""
        signed = 0
        for match_id in await self._tools.store.finished(_BATCH):
            try:
                envelope = await self._build(match_id)
                await self._tools.archive.put(match_id, envelope)
            except (StoreUnavailableError, asyncio.CancelledError):
                raise
            except Exception:  # noqa: BLE001 - one bad record must not stop the rest
                # It stays on the list of ended matches, to be tried again.
                _LOG.exception("the record of match %s is not archived", match_id)
                continue
            await self._tools.store.acknowledge(match_id)
            self._tools.observer.record_signed()
            signed += 1
        return signed

    async def _build(self, match_id: str) -> bytes:
        stored = await self._tools.keeper.load(match_id)
        replayed = await self._tools.keeper.replay(match_id)
        _compare(match_id, stored, replayed)
        payload = build_record(replayed.state.setup, replayed.tail)
        return seal_envelope(payload, PAYLOAD_TYPE, self._tools.signer)


def _compare(match_id: str, stored: LiveMatch, replayed: LiveMatch) -> None:
    if stored.state != replayed.state or stored.clock != replayed.clock:
        message = f"the log of match {match_id} does not lead to its stored state"
        raise FoldError(message)
