"""Turns matches that are over into signed records in the archive."""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from ginref.app.live_match import LiveMatch, fold
from ginref.app.port import ArchiveConflictError, Signer, StoreUnavailableError
from ginref.app.tools import Tools
from ginref.app.tournament_store import TournamentStore, tournament_topic
from ginref.record.document import PAYLOAD_TYPE, build_record
from ginref.record.entry import StampedEntry, Voided
from ginref.record.envelope import seal_envelope
from ginref.record.setup import Setup

_LOG: Final = logging.getLogger(__name__)

_INTERVAL: Final = 0.25
_COUNTING: Final = 5.0
"""Seconds after which what waits is counted again."""

_BATCH: Final = 50
_FIRST_PAUSE: Final = 1.0
_LONGEST_PAUSE: Final = 300.0


class FoldError(Exception):
    """The log of a match does not lead to the state that was stored."""


@dataclass(frozen=True, slots=True)
class _Pause:
    """When a record that failed is tried again; both in seconds."""

    until: float
    length: float


class Signing:
    """Builds, signs and archives records: at least once, always the same ones."""

    def __init__(
        self,
        tools: Tools,
        monotonic: Callable[[], float] = time.monotonic,
        *,
        tournaments: TournamentStore | None = None,
        keep_ms: int | None = None,
    ) -> None:
        """Work with these tools.

        Args:
            tools: The tools.
            monotonic: Tells seconds.
            tournaments: Told of each match of a tournament whose record is kept.
            keep_ms: Milliseconds that the store keeps a match of which the archive
                has the record; None for ever.
        """
        self._tools = tools
        self._tournaments = tournaments
        self._keep_ms = keep_ms
        self._monotonic = monotonic
        self._failed: dict[str, _Pause] = {}
        self._count_due = 0.0

    async def run(self) -> None:
        """Sign until cancelled, at once what ends in this process."""
        ended = self._tools.ended
        while True:
            ended.clear()
            try:
                more = await self.sign_finished() >= _BATCH
                await self._count()
            except StoreUnavailableError:
                more = False
            except Exception:  # noqa: BLE001 - signing goes on
                _LOG.exception("signing failed")
                more = False
            if more:
                continue
            try:
                async with asyncio.timeout(_INTERVAL):
                    await ended.wait()
            except TimeoutError:
                continue

    async def _count(self) -> None:
        if self._monotonic() >= self._count_due:
            self._count_due = self._monotonic() + _COUNTING
            waiting = await self._tools.store.backlog()
            self._tools.observer.backlog(waiting.records, waiting.age_ms)

    async def sign_finished(self) -> int:
        """Sign what is over and not archived; return how many records that were."""
        # Records that fail stay on the list, and must not crowd out others.
        finished = await self._tools.store.finished(_BATCH + len(self._failed))
        self._failed = {
            match_id: pause
            for match_id, pause in self._failed.items()
            if match_id in finished
        }
        signed = 0
        for match_id in finished:
            pause = self._failed.get(match_id)
            if pause and self._monotonic() < pause.until:
                continue
            try:
                await self._sign(match_id)
            except StoreUnavailableError:
                raise
            except Exception:  # noqa: BLE001 - one bad record must not stop the rest
                _LOG.exception("the record of match %s is not archived", match_id)
                length = (
                    min(2 * pause.length, _LONGEST_PAUSE) if pause else _FIRST_PAUSE
                )
                self._failed[match_id] = _Pause(self._monotonic() + length, length)
                continue
            signed += 1
        return signed

    async def _sign(self, match_id: str) -> None:
        keeper = self._tools.keeper
        # What is compared is what the store holds, not what this process remembers.
        keeper.forget(match_id)
        stored = await keeper.load(match_id)
        setup, log = await keeper.history(match_id)
        # A long match takes a while to fold; moves of others must not wait for it.
        envelope = await asyncio.to_thread(
            _write, stored, setup, log, self._tools.signer()
        )
        try:
            await self._tools.archive.put(match_id, envelope)
            self._tools.observer.record_signed()
        except ArchiveConflictError:
            # A store that was restored from a backup plays on what has ended before.
            _LOG.error(
                "match %s has ended another time: the record that is archived stays",
                match_id,
            )
        await self._tools.store.acknowledge(match_id, self._keep_ms)
        keeper.forget(match_id)
        if setup.tournament is not None and self._tournaments is not None:
            await self._tournaments.wake(tournament_topic(setup.tournament))


def _write(
    stored: LiveMatch, setup: Setup, log: Sequence[StampedEntry], signer: Signer
) -> bytes:
    """Return the signed record of a match.

    Raises:
        FoldError: The log does not lead to the stored state.
        ReplayError: No referee could have written the log.
    """
    folded = fold(setup, log)
    end = log[-1].entry
    # What the clocks showed can be lost with the steps before a void.
    lost = end.lost if isinstance(end, Voided) else 0
    is_same = stored.state == folded.state and (lost or stored.clock == folded.clock)
    if not is_same:
        match_id = setup.match_id
        message = f"the log of match {match_id} does not lead to its stored state"
        raise FoldError(message)
    return seal_envelope(build_record(setup, log), PAYLOAD_TYPE, signer)
