"""Following one tournament: the entries of its log, then each new one as it comes."""

from collections.abc import AsyncGenerator, Sequence
from typing import Final

from ginref.app.caller import Caller
from ginref.app.error import Reason, RefusedError
from ginref.app.hub import Hub
from ginref.app.port import Observer
from ginref.app.tournament_desk import TournamentDesk
from ginref.app.tournament_store import tournament_topic
from ginref.tournament.event import Advanced
from ginref.tournament.lifecycle import Lifecycle
from ginref.tournament.log import LogEntry

_OVER: Final = frozenset({Lifecycle.ARCHIVED, Lifecycle.CANCELLED})


class TournamentWatcher:
    """Follows tournaments for callers."""

    def __init__(self, desk: TournamentDesk, hub: Hub, observer: Observer) -> None:
        """Read through the desk whenever the hub wakes a follower."""
        self._desk: Final = desk
        self._hub: Final = hub
        self._observer: Final = observer

    async def watch(
        self, caller: Caller, tournament: str, cursor: int
    ) -> AsyncGenerator[LogEntry, None]:
        """Yield the entries after a cursor; end when nothing will follow.

        Raises:
            RefusedError: TOURNAMENT_NOT_FOUND; FIELD_INVALID for a cursor beyond the
                log; REFEREE_DRAINING when this replica is about to stop: the last
                cursor goes on elsewhere.
        """
        self._observer.watching(1)
        try:
            with self._hub.subscribe() as subscription:
                # Listening comes first: what is added from here on is not missed.
                subscription.follow(tournament_topic(tournament))
                entries = await self._desk.entries(caller, tournament, 0)
                if cursor > len(entries):
                    raise _beyond(len(entries))
                is_over = any(map(_ends, entries))
                news: Sequence[LogEntry] = entries[cursor:]
                while True:
                    for entry in news:
                        yield entry
                        cursor = entry.sequence
                        is_over = is_over or _ends(entry)
                    if is_over:
                        return
                    if not await subscription.changes():
                        message = "this replica is about to stop"
                        raise RefusedError(Reason.REFEREE_DRAINING, message)
                    news = await self._desk.entries(caller, tournament, cursor)
        finally:
            self._observer.watching(-1)


def _ends(entry: LogEntry) -> bool:
    """Say whether nothing is to be expected after an entry."""
    return isinstance(entry.event, Advanced) and entry.event.to in _OVER


def _beyond(length: int) -> RefusedError:
    message = f"the log has {length} entries, and not so many as that"
    return RefusedError(Reason.FIELD_INVALID, message, field="cursor")
