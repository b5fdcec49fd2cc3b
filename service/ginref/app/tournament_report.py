"""What callers ask of tournaments, and what they are told."""

import enum
from dataclasses import dataclass

from ginref.tournament.configuration import Configuration
from ginref.tournament.difference import Change
from ginref.tournament.lifecycle import Lifecycle
from ginref.tournament.log import LogEntry
from ginref.tournament.plan import Plan
from ginref.tournament.problem import Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """How a change is asked for.

    Attributes:
        request_id: The caller's identity of the request, 1 to 64 bytes.
        expected_version: Version that the caller has seen; None to ask whatever has
            happened meanwhile.
        dry_run: Only say what would change.
    """

    request_id: str
    expected_version: int | None = None
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """What stands for the whole log of a tournament.

    Attributes:
        tournament: The tournament.
        length: Entries of its log.
        digest: Digest of the last one, 64 hexadecimal digits.
    """

    tournament: str
    length: int
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """What a change has done, or would do.

    Attributes:
        tournament: The tournament.
        version: Entries of its log after it.
        head: Digest of the last one, 64 hexadecimal digits.
        changes: The facts that it changes.
        is_new: False when it was so already, and nothing was appended.
    """

    tournament: str
    version: int
    head: str
    changes: tuple[Change, ...]
    is_new: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """A tournament as a caller may see it.

    Attributes:
        tournament: The tournament.
        configuration: What the organizer has declared.
        entries: The entries of its log that the caller may see.
        plan: How it stands after these.
        head: The head of its whole log.
    """

    tournament: str
    configuration: Configuration
    entries: tuple[LogEntry, ...]
    plan: Plan
    head: Head


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """A tournament in a list.

    Attributes:
        tournament: The tournament.
        title: Its name for people.
        lifecycle: How far it has come.
        version: Entries of its log that the caller may see.
        head: The head of its whole log.
        created_ms: When it was created, in milliseconds since the Unix epoch.
        since_ms: When it came as far as it has.
        problems: What is the matter with it: of those in a list, what waits for
            somebody to act.
    """

    tournament: str
    title: str
    lifecycle: Lifecycle
    version: int
    head: Head
    created_ms: int
    since_ms: int
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentPage:
    """One page of tournaments, newest first; `cursor` is None on the last page."""

    listings: tuple[Listing, ...]
    cursor: str | None


class SummonsKind(enum.StrEnum):
    """What a bot is asked for before the start."""

    COMMITMENT = "commitment"
    """To check in, with a commitment to a share or with none."""

    SHARE = "share"
    """To reveal the share that it has committed to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summons:
    """What a bot is asked for now.

    Attributes:
        tournament: The tournament.
        kind: What is asked for.
        deadline_ms: Until when, in milliseconds since the Unix epoch; None for as
            long as the organizer waits.
        referee_commitment: The referee's commitment to its own share, 64
            hexadecimal digits; None if it has made none.
        head: The head of the log.
    """

    tournament: str
    kind: SummonsKind
    deadline_ms: int | None
    referee_commitment: str | None
    head: Head
