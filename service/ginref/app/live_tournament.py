"""A tournament as a process knows it: configuration, log, and what they add up to."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ginref.app.tournament_report import Head
from ginref.tournament.configuration import Configuration
from ginref.tournament.error import LogError
from ginref.tournament.event import Configured, Created, Event
from ginref.tournament.fold import fold
from ginref.tournament.ledger import Ledger
from ginref.tournament.log import START, LogEntry, append, decode_entry, head


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveTournament:
    """A tournament as far as this process knows it.

    Attributes:
        name: Its identity.
        configuration: What the organizer has declared.
        entries: Its log.
        head: What stands for the log.
        ledger: What the log adds up to.
        now_ms: The store's time when this was known.
    """

    name: str
    configuration: Configuration
    entries: tuple[LogEntry, ...]
    head: Head
    ledger: Ledger
    now_ms: int

    def following(
        self, asked: Sequence[tuple[str, Event]], *, actor: str
    ) -> tuple[LogEntry, ...]:
        """Return the entries that add events to the log.

        Args:
            asked: The events, each after the identity of the request it comes of.
            actor: Who causes them.
        """
        longer = list(self.entries)
        for request_id, event in asked:
            longer.append(
                append(
                    longer,
                    event,
                    time_ms=self.now_ms,
                    actor=actor,
                    request_id=request_id,
                )
            )
        return tuple(longer[len(self.entries) :])

    def extended(
        self,
        entries: Sequence[LogEntry],
        configuration: Configuration | None = None,
    ) -> "LiveTournament":
        """Return the tournament with more entries in its log.

        Raises:
            LogError: They cannot follow.
        """
        return made_live(
            self.name,
            configuration or self.configuration,
            (*self.entries, *entries),
            self.now_ms,
        )

    def at(self, now_ms: int) -> "LiveTournament":
        """Return the same at another time."""
        return replace(self, now_ms=max(now_ms, self.entries[-1].time_ms))


def made_live(
    name: str,
    configuration: Configuration,
    entries: tuple[LogEntry, ...],
    now_ms: int,
) -> LiveTournament:
    """Return a tournament with what its log adds up to.

    Raises:
        LogError: No referee could have written the log.
    """
    return LiveTournament(
        name=name,
        configuration=configuration,
        entries=entries,
        head=Head(tournament=name, length=len(entries), digest=head(entries)),
        ledger=fold(configuration, entries),
        # Another server may have taken over, with another clock.
        now_ms=max(now_ms, entries[-1].time_ms),
    )


def read_entries(previous: Head | None, data: Sequence[bytes]) -> tuple[LogEntry, ...]:
    """Read entries that follow a head, or begin a log.

    Raises:
        LogError: One of them does not follow the one before it.
        FieldError: One of them is no entry.
    """
    digest = START if previous is None else previous.digest
    length = 0 if previous is None else previous.length
    entries = []
    for sequence, octets in enumerate(data, length + 1):
        entry = decode_entry(octets)
        if (entry.sequence, entry.previous) != (sequence, digest):
            raise LogError(sequence, "it follows another entry than the one before it")
        entries.append(entry)
        digest = hashlib.sha256(octets).hexdigest()
    return tuple(entries)


def configured_digest(entries: Sequence[LogEntry]) -> str:
    """Return the digest of the configuration that a log names last."""
    return next(
        entry.event.configuration
        for entry in reversed(entries)
        if isinstance(entry.event, Created | Configured)
    )
