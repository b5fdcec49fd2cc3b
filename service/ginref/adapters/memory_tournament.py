"""Tournaments in the memory of one process, for tests."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ginref.adapters.cursor import format_cursor, parse_cursor
from ginref.app.match_store import Wake
from ginref.app.tournament_store import (
    Addition,
    StoredLog,
    TournamentNames,
    TournamentStore,
    tournament_topic,
)


@dataclass
class _Held:
    """What is held of one tournament."""

    log: list[bytes] = field(default_factory=list)
    configurations: dict[str, bytes] = field(default_factory=dict)
    secret: bytes | None = None


class MemoryTournaments(TournamentStore):
    """Tournaments that live as long as the process.

    No method gives up the event loop half-way, so every change is one step.
    """

    def __init__(self, wake: Callable[[Wake], None], clock: Callable[[], int]) -> None:
        """Start without tournaments.

        Args:
            wake: Passes on word of what may have changed.
            clock: Returns milliseconds since the epoch.
        """
        self._wake = wake
        self._clock = clock
        self._held: dict[str, _Held] = {}
        self._created: dict[str, int] = {}
        self._live: dict[str, None] = {}

    async def read(self, tournament: str, *, after: int = 0) -> StoredLog:
        """Return the entries of a log after so many."""
        log = self._of(tournament).log
        return StoredLog(
            length=len(log), entries=tuple(log[after:]), now_ms=self._clock()
        )

    async def append(self, addition: Addition) -> bool:
        """Add entries to a log that is as long as expected; say whether it was."""
        name = addition.tournament
        held = self._of(name)
        if len(held.log) != addition.expected:
            return False
        if not addition.expected:
            self._created.setdefault(name, self._clock())
            self._live.setdefault(name)
        if addition.configuration is not None:
            digest, form = addition.configuration
            held.configurations[digest] = form
        held.log.extend(addition.entries)
        self._wake(Wake(tournament_topic(name)))
        return True

    async def configuration(self, tournament: str, digest: str) -> bytes | None:
        """Return a configuration that the log names, or None."""
        return self._of(tournament).configurations.get(digest)

    async def keep_secret(self, tournament: str, sealed: bytes) -> bytes:
        """Keep a sealed secret unless there is one; return the one that is kept."""
        held = self._of(tournament)
        if held.secret is None:
            held.secret = sealed
        return held.secret

    async def secret(self, tournament: str) -> bytes | None:
        """Return the sealed secret that is kept, or None."""
        return self._of(tournament).secret

    async def live(self) -> Sequence[str]:
        """Return tournaments of which something is to be done, oldest first."""
        return tuple(self._live)

    async def leave_live(self, tournament: str) -> None:
        """Take a tournament off the live ones; doing it twice is fine."""
        self._live.pop(tournament, None)

    async def list_tournaments(self, limit: int, cursor: str | None) -> TournamentNames:
        """Return tournaments, newest first.

        Raises:
            ValueError: The cursor was not made by this store.
        """
        place = None if cursor is None else parse_cursor(cursor)
        places = sorted(
            ((time_ms, name) for name, time_ms in self._created.items()), reverse=True
        )
        found = [one for one in places if place is None or one < place]
        page = found[:limit]
        return TournamentNames(
            names=tuple(name for _, name in page),
            cursor=format_cursor(*page[-1]) if page and len(found) > limit else None,
        )

    async def wake(self, topic: str) -> None:
        """Wake whoever follows a topic."""
        self._wake(Wake(topic))

    def _of(self, tournament: str) -> _Held:
        return self._held.setdefault(tournament, _Held())
