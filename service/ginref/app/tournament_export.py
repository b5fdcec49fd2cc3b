"""Signed exports of tournaments, each of them made once."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Final

from ginref.app.error import Reason, RefusedError
from ginref.app.port import Signer
from ginref.record.envelope import seal_envelope
from ginref.tournament.configuration import Configuration
from ginref.tournament.export import PAYLOAD_TYPE, build_export
from ginref.tournament.log import LogEntry, head

_KEPT: Final = 4
"""Exports that are kept for whoever asks next."""


class Exporter:
    """Makes and signs exports.

    To check a long log takes seconds of a processor, and everybody may ask for an
    export: one is made at a time, and none twice in a row. It is made to its end even
    if whoever asked has lost patience: they will ask again.
    """

    def __init__(self, signer: Callable[[], Signer]) -> None:
        """Sign as `signer` says at that time."""
        self._signer = signer
        self._made: OrderedDict[tuple[str, str], asyncio.Task[bytes]] = OrderedDict()
        self._turn = asyncio.Lock()

    async def export(
        self, configuration: Configuration, entries: Sequence[LogEntry]
    ) -> bytes:
        """Return the signed export of a log.

        Raises:
            LogError: No referee could have written it.
            RefusedError: LIMIT_EXCEEDED: too many others are being made.
        """
        signer = self._signer()
        key = head(entries), signer.key_id
        made = self._made.get(key)
        if made is None or (made.done() and _has_failed(made)):
            if sum(not task.done() for task in self._made.values()) >= _KEPT:
                message = "too many exports are being made"
                raise RefusedError(Reason.LIMIT_EXCEEDED, message, limit="exports")
            made = asyncio.create_task(self._make(signer, configuration, entries))
            self._made[key] = made
        self._made.move_to_end(key)
        while len(self._made) > _KEPT:
            oldest = next(name for name, task in self._made.items() if task.done())
            del self._made[oldest]
        return await asyncio.shield(made)

    async def _make(
        self, signer: Signer, configuration: Configuration, entries: Sequence[LogEntry]
    ) -> bytes:
        async with self._turn:
            payload = await asyncio.to_thread(build_export, configuration, entries)
        return seal_envelope(payload, PAYLOAD_TYPE, signer)


def _has_failed(made: asyncio.Task[bytes]) -> bool:
    return made.cancelled() or made.exception() is not None
