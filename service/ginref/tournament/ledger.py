"""What the log of a tournament adds up to: facts, before any bracket is drawn."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ginref.tournament.configuration import Configuration
from ginref.tournament.event import Cascade, Event, Exit, Handling, StageClosed
from ginref.tournament.lifecycle import Lifecycle
from ginref.tournament.result import Cause, Outcome, Result
from ginref.tournament.tiebreak import Criterion


@dataclass(frozen=True, slots=True, kw_only=True)
class Entrant:
    """A bot that has entered.

    Attributes:
        bot: Its name.
        owner: Whose it is.
        is_checked_in: It has answered the call to check in.
        latency: Its round trip then in milliseconds, or None.
        commitment: Its commitment to a share of the secret, or None.
        round: The round before which it entered, 1 for the start.
        entries: How often it has entered.
    """

    bot: str
    owner: str
    is_checked_in: bool = False
    latency: int | None = None
    commitment: str | None = None
    round: int = 1
    entries: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Departure:
    """How and when an entrant has left.

    Attributes:
        sequence: The entry with which it left.
        cause: Withdrawn, or disqualified.
        results: What becomes of its results.
        exit: Why it has withdrawn.
    """

    sequence: int
    cause: Cause
    results: Handling = Handling.KEEP
    exit: Exit = Exit.REQUEST


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """Who meets whom in a round that was paired while the stage went on."""

    sequence: int
    pairs: tuple[tuple[str, str], ...]
    bye: str | None
    rematches: tuple[tuple[str, str], ...] = ()
    is_manual: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """One match of a fixture.

    Attributes:
        number: Which match of the fixture, counted from 1.
        match: The match's identity.
        created: The entry that says that it was created.
        created_ms: When that was.
        ended: The entry that says how it ended; None while it goes on.
        outcome: How it ended.
        record: Digest of its record.
    """

    number: int
    match: str
    created: int
    created_ms: int
    ended: int | None = None
    outcome: Outcome | None = None
    record: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """A result that the organizer has given.

    Attributes:
        sequence: The entry that gives it.
        attempt: The attempt it is about.
        result: The result.
        mode: What it does to fixtures that depend on it.
    """

    sequence: int
    attempt: int
    result: Result
    mode: Cascade


@dataclass(frozen=True, slots=True, kw_only=True)
class Closing:
    """What was frozen when a stage was closed."""

    sequence: int
    event: StageClosed


@dataclass(frozen=True, slots=True, kw_only=True)
class Appeal:
    """An appeal against a result.

    Attributes:
        sequence: The entry that files it.
        fixture: The fixture.
        bot: Whose bot is concerned.
        text: What is said.
        upheld: What was decided; None while it is open.
    """

    sequence: int
    fixture: str
    bot: str
    text: str
    upheld: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request that has been answered: its first entry, and what came of it."""

    sequence: int
    event: Event


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """A tournament's facts after some number of entries.

    Attributes:
        configuration: What the organizer has declared.
        tournament: Identity of the tournament; empty before it is created.
        configured: Digest of the configuration that the log names last.
        version: How many entries there are.
        lifecycle: How far it has come.
        since_ms: When it came there.
        times_ms: When each entry was appended.
        pauses: When it was paused, and until when.
        entrants: Who has entered, in order of entry.
        codes: Digests of codes that may still be used.
        order: Who plays, by seed; empty before that is settled. Late entrants come
            last.
        seeded: The entry that settled it.
        lots: Secret of all lots, 64 hexadecimal digits.
        commitment: Commitment to the tournament's secret, or None.
        referee: The referee's commitment to its share of the secret, or None.
        shares: The shares that bots have revealed, 64 hexadecimal digits.
        departures: Who has left.
        pairings: Rounds that were paired, by stage and number.
        games: Matches by fixture and attempt.
        attempts: Which attempt a fixture is at, where it is not the first.
        rulings: Results that the organizer has given, oldest first.
        undone: Entries that have fixtures played again, and the stage and round of
            these; None for a correction, whatever round they are of.
        expired: Fixtures whose time was over, by fixture and attempt, with the entry.
        closings: Stages that are closed.
        tie_breaks: Orders of tie-breaks that were changed, by stage.
        appeals: Appeals by their identity.
        requests: What was asked for, by who asked and the request's identity.
    """

    configuration: Configuration
    tournament: str = ""
    configured: str = ""
    version: int
    lifecycle: Lifecycle
    since_ms: int
    times_ms: tuple[int, ...]
    pauses: tuple[tuple[int, int], ...]
    entrants: Mapping[str, Entrant]
    codes: frozenset[str]
    order: tuple[str, ...]
    seeded: int
    lots: str
    commitment: str | None
    referee: str | None
    shares: Mapping[str, str]
    departures: Mapping[str, Departure]
    pairings: Mapping[tuple[str, int], Pairing]
    games: Mapping[tuple[str, int], tuple[Game, ...]]
    attempts: Mapping[str, int]
    rulings: Mapping[str, tuple[Ruling, ...]]
    undone: tuple[tuple[int, tuple[str, int] | None], ...]
    expired: Mapping[tuple[str, int], int]
    closings: Mapping[str, Closing]
    tie_breaks: Mapping[str, tuple[Criterion, ...]]
    appeals: Mapping[str, Appeal]
    requests: Mapping[tuple[str, str], Request]

    def time_ms(self, sequence: int) -> int:
        """Return when an entry was appended."""
        return self.times_ms[sequence - 1]

    def elapsed_ms(self, from_ms: int, to_ms: int) -> int:
        """Return how long something has taken, without the pauses in between."""
        paused = sum(
            max(0, min(to_ms, until_ms) - max(from_ms, since_ms))
            for since_ms, until_ms in self.pauses
        )
        return to_ms - from_ms - paused

    def attempt_of(self, fixture: str) -> int:
        """Return which attempt a fixture is at, counted from 1."""
        return self.attempts.get(fixture, 1)

    def games_of(self, fixture: str) -> tuple[Game, ...]:
        """Return the matches of a fixture's present attempt."""
        return self.games.get((fixture, self.attempt_of(fixture)), ())

    def undone_before(self, stage: str, number: int, games: Sequence[Game]) -> int:
        """Return the last entry of `undone` before a fixture's first match.

        It is 0 if there is none. A fixture without a match begins after all of them.

        Args:
            stage: The fixture's stage.
            number: Its round.
            games: Its matches.
        """
        begun = games[0].created if games else self.version + 1
        return max(
            (
                at
                for at, place in self.undone
                if at < begun and place in (None, (stage, number))
            ),
            default=0,
        )

    def left_before(self, bot: str, sequence: int) -> bool:
        """Say whether somebody had left before an entry."""
        departure = self.departures.get(bot)
        return departure is not None and departure.sequence < sequence
