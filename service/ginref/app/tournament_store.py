"""The port to where tournaments are kept.

Times are milliseconds since the Unix epoch by the store's clock. Entries,
configurations and secrets are opaque to the store: it compares and keeps them.
"""

import abc
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredLog:
    """The end of a tournament's log, read in one step.

    Attributes:
        length: Entries of the whole log; 0 when there is no such tournament.
        entries: Those that were asked for, in order.
        now_ms: The store's time at reading.
    """

    length: int
    entries: tuple[bytes, ...]
    now_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Addition:
    """What is to be added to a log.

    Attributes:
        tournament: The tournament.
        expected: Entries that its log must have; 0 creates it.
        entries: The new entries, one at least.
        configuration: A configuration that they name, and its digest; None without.
    """

    tournament: str
    expected: int
    entries: tuple[bytes, ...]
    configuration: tuple[str, bytes] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentNames:
    """One page of tournaments, newest first; `cursor` is None on the last page."""

    names: tuple[str, ...]
    cursor: str | None


def tournament_topic(tournament: str) -> str:
    """Return the topic that wakes whoever follows a tournament."""
    return f"tournament/{tournament}"


def bot_topic(bot: str) -> str:
    """Return the topic that wakes whoever serves a bot."""
    return f"bot/{bot}"


class TournamentStore(abc.ABC):
    """Keeps tournaments. Every method may raise `StoreUnavailableError`."""

    @abc.abstractmethod
    async def read(self, tournament: str, *, after: int = 0) -> StoredLog:
        """Return the entries of a log after so many."""

    @abc.abstractmethod
    async def append(self, addition: Addition) -> bool:
        """Add entries to a log that is as long as expected; say whether it was.

        The configuration is kept with them, in the same step, and whoever follows
        the tournament is woken. The first entries make the tournament known, and
        live.
        """

    @abc.abstractmethod
    async def configuration(self, tournament: str, digest: str) -> bytes | None:
        """Return a configuration that the log names, or None."""

    @abc.abstractmethod
    async def keep_secret(self, tournament: str, sealed: bytes) -> bytes:
        """Keep a sealed secret unless there is one; return the one that is kept."""

    @abc.abstractmethod
    async def secret(self, tournament: str) -> bytes | None:
        """Return the sealed secret that is kept, or None."""

    @abc.abstractmethod
    async def live(self) -> Sequence[str]:
        """Return tournaments of which something is to be done, oldest first.

        There may be some among them that were never created.
        """

    @abc.abstractmethod
    async def leave_live(self, tournament: str) -> None:
        """Take a tournament off the live ones; doing it twice is fine."""

    @abc.abstractmethod
    async def list_tournaments(self, limit: int, cursor: str | None) -> TournamentNames:
        """Return tournaments, newest first.

        There may be some among them that were never created.

        Raises:
            ValueError: The cursor was not made by this store.
        """

    @abc.abstractmethod
    async def wake(self, topic: str) -> None:
        """Wake whoever follows a topic, in every process."""
