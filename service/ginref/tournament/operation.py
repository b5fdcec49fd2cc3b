"""What organizers, bots and referees ask of a tournament."""

from dataclasses import dataclass

from ginref.tournament.event import Cascade, Handling
from ginref.tournament.lifecycle import Lifecycle
from ginref.tournament.result import Outcome, Result
from ginref.tournament.tiebreak import Criterion


@dataclass(frozen=True, slots=True, kw_only=True)
class Advance:
    """Open the registration, start, pause, resume, cancel and so on."""

    to: Lifecycle
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Configure:
    """Change the configuration, to one of this digest, before the start."""

    configuration: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueCodes:
    """Issue codes to enter with, given by their SHA-256 digests."""

    codes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Enter:
    """Let a bot enter; `code` is the digest of the code it brings."""

    bot: str
    owner: str
    code: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitShare:
    """Commit the referee to its share of the secret."""

    commitment: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckIn:
    """Take a bot's answer to the call.

    Attributes:
        bot: The bot.
        latency: Its round trip in milliseconds.
        commitment: Its commitment to a share of the secret; None for no share.
    """

    bot: str
    latency: int | None = None
    commitment: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RevealShare:
    """Take the share that a bot has committed to, 64 hexadecimal digits."""

    bot: str
    share: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedField:
    """Freeze the roster and its seeds.

    Attributes:
        lots: Secret of all lots, 64 hexadecimal digits; drawn once.
        commitment: Commitment to the tournament's secret.
        order: The seeds, if they are not those of the rules of entry.
    """

    lots: str
    commitment: str | None = None
    order: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PairManually:
    """Pair the next round of a Swiss stage otherwise than by the rules."""

    stage: str
    round: int
    pairs: tuple[tuple[str, str], ...]
    bye: str | None = None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordMatch:
    """Note that a match of a fixture has been created."""

    fixture: str
    attempt: int
    game: int
    match: str
    commitment: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportMatch:
    """Report how a match of a fixture has ended; `record` is its record's digest."""

    fixture: str
    attempt: int
    game: int
    match: str
    outcome: Outcome
    record: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Award:
    """Decide a fixture that is not decided yet."""

    fixture: str
    attempt: int
    result: Result
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Correct:
    """Correct the result of a fixture."""

    fixture: str
    attempt: int
    result: Result
    mode: Cascade
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Requeue:
    """Play a fixture again; `attempt` is the one it is at."""

    fixture: str
    attempt: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdraw:
    """Take an entrant out, at its own wish."""

    bot: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Disqualify:
    """Send an entrant out."""

    bot: str
    results: Handling = Handling.KEEP
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseStage:
    """Close a ladder that would go on."""

    stage: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FileAppeal:
    """Appeal against the result of a fixture."""

    appeal: str
    fixture: str
    bot: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DecideAppeal:
    """Decide an appeal."""

    appeal: str
    upheld: bool
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeTieBreaks:
    """Change what decides between equal scores in a stage."""

    stage: str
    order: tuple[Criterion, ...]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenSecret:
    """Open the secret and the referee's share of it, 64 digits each, after the end."""

    secret: str
    share: str | None = None


Operation = (
    Advance
    | Configure
    | IssueCodes
    | Enter
    | CommitShare
    | CheckIn
    | RevealShare
    | SeedField
    | PairManually
    | RecordMatch
    | ReportMatch
    | Award
    | Correct
    | Requeue
    | Withdraw
    | Disqualify
    | CloseStage
    | FileAppeal
    | DecideAppeal
    | ChangeTieBreaks
    | OpenSecret
)
