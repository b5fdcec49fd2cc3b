"""Previews of tournaments: computed beside everything else, one at a time."""

import asyncio
from typing import Final

from ginref.app.error import Reason, RefusedError
from ginref.app.tournament_refusal import refused_configuration
from ginref.tournament.configuration import Configuration
from ginref.tournament.error import FieldError
from ginref.tournament.preview import Preview, preview

_MOST: Final = 4
"""Previews that are computed or wait for their turn."""


class Previewer:
    """Computes previews, and keeps nothing of them.

    The largest tournament takes most of a second of a processor. One that nobody waits
    for any more is computed to its end all the same: a thread cannot be stopped, and
    the next one must not begin beside it.
    """

    def __init__(self) -> None:
        """Begin with nothing to do."""
        self._asked: set[asyncio.Task[Preview]] = set()
        self._turn = asyncio.Lock()

    async def preview(
        self, configuration: Configuration, entrants: int, think_ms: int
    ) -> Preview:
        """Return what a tournament would come to.

        Args:
            configuration: What the organizer would declare.
            entrants: How many start.
            think_ms: How long a bot thinks about a move, in milliseconds.

        Raises:
            RefusedError: CONFIGURATION_INVALID: its stages cannot be played by so
                many; LIMIT_EXCEEDED: too many others wait.
        """
        if len(self._asked) >= _MOST:
            message = "too many previews of tournaments are being made"
            raise RefusedError(Reason.LIMIT_EXCEEDED, message, limit="previews")
        task = asyncio.create_task(self._compute(configuration, entrants, think_ms))
        self._asked.add(task)
        task.add_done_callback(self._asked.discard)
        return await asyncio.shield(task)

    async def _compute(
        self, configuration: Configuration, entrants: int, think_ms: int
    ) -> Preview:
        async with self._turn:
            try:
                return await asyncio.to_thread(
                    preview, configuration, entrants, think_ms
                )
            except FieldError as error:
                raise refused_configuration(error) from None
