"""Signed exports of tournaments, each of them made once."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Final

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
    export: one is made at a time, and none twice in a row.
    """

    def __init__(self, signer: Callable[[], Signer]) -> None:
        """Sign as `signer` says at that time."""
        self._signer = signer
        self._made: OrderedDict[tuple[str, str], bytes] = OrderedDict()
        self._turn = asyncio.Lock()

    async def export(
        self, configuration: Configuration, entries: Sequence[LogEntry]
    ) -> bytes:
        """Return the signed export of a log.

        Raises:
            LogError: No referee could have written it.
        """
        signer = self._signer()
        key = head(entries), signer.key_id
        async with self._turn:
            envelope = self._made.get(key)
            if envelope is None:
                payload = await asyncio.to_thread(build_export, configuration, entries)
                envelope = seal_envelope(payload, PAYLOAD_TYPE, signer)
                self._made[key] = envelope
            self._made.move_to_end(key)
            while len(self._made) > _KEPT:
                self._made.popitem(last=False)
            return envelope
