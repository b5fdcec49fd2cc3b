"""The events of a tournament's log: a closed set, each a fact that has happened.

What follows from configuration and events is no event: who waits for a place, who
meets whom in a bracket, which fixtures are walk-overs.
"""

import enum
from dataclasses import dataclass

from ginref.tournament.lifecycle import Lifecycle
from ginref.tournament.result import Outcome, Result
from ginref.tournament.tiebreak import Criterion


class Cascade(enum.StrEnum):
    """What a correction does to fixtures that depend on the result."""

    STRICT = "strict"
    """It is refused if one of them has started."""

    RESET_DEPENDENTS = "reset_dependents"
    """Those that have started are played again, as another attempt."""

    RECORD_ONLY = "record_only"
    """None is touched: the result changes, and who goes on does not."""


class Handling(enum.StrEnum):
    """What becomes of the results of somebody who is disqualified."""

    KEEP = "keep"
    VOID = "void"


class Exit(enum.StrEnum):
    """Why somebody has withdrawn."""

    REQUEST = "request"
    FORFEITS = "forfeits"
    """Withdrawn by the referee after too many forfeits."""

    SHARE = "share"
    """Withdrawn by the referee: it did not reveal the share it had committed to."""

    QUALIFYING = "qualifying"
    """Withdrawn by the referee: it did not qualify while it was called."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Created:
    """The tournament was created, with a configuration of this digest."""

    tournament: str
    configuration: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Configured:
    """The organizer changed the configuration, to one of this digest."""

    configuration: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Advanced:
    """The tournament went on to another part of its life."""

    to: Lifecycle
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CodesIssued:
    """Codes to enter with were issued; these are their SHA-256 digests."""

    codes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered:
    """A bot entered; `code` is the digest of the code it used."""

    bot: str
    owner: str
    code: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareCommitted:
    """The referee committed to its share of the secret, before any bot did."""

    commitment: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedIn:
    """A bot answered the call to check in.

    Attributes:
        bot: The bot.
        latency: Its round trip in milliseconds; None if it was not measured.
        commitment: Its commitment to a share of the secret; None for no share.
    """

    bot: str
    latency: int | None = None
    commitment: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareRevealed:
    """A bot revealed the share that it had committed to, 64 hexadecimal digits."""

    bot: str
    share: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Seeded:
    """The roster was frozen in the order of seeds.

    Attributes:
        order: The bots that play, by seed.
        lots: Secret of all lots, 64 hexadecimal digits, open from here on.
        commitment: Commitment to the tournament's secret; None without one.
    """

    order: tuple[str, ...]
    lots: str
    commitment: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundPaired:
    """A round was paired by the rules.

    Attributes:
        stage: The stage.
        round: The round, counted from 1.
        pairs: Who meets whom, by table.
        bye: Who sits out.
        rematches: Pairs that have met before, because nothing else was possible.
    """

    stage: str
    round: int
    pairs: tuple[tuple[str, str], ...]
    bye: str | None = None
    rematches: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ManuallyPaired:
    """The organizer paired a round, otherwise than the rules had proposed."""

    stage: str
    round: int
    pairs: tuple[tuple[str, str], ...]
    bye: str | None = None
    proposed: tuple[tuple[str, str], ...] = ()
    proposed_bye: str | None = None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchCreated:
    """A match of a fixture was created.

    Attributes:
        fixture: The fixture; `qualifying:ada` for those by which a bot qualifies.
        attempt: Its attempt, counted from 1.
        game: Which match of the fixture, counted from 1.
        match: The match's identity.
        commitment: The referee's commitment to its share of the deal.
    """

    fixture: str
    attempt: int
    game: int
    match: str
    commitment: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchEnded:
    """A match of a fixture ended; `record` is its record's digest."""

    fixture: str
    attempt: int
    game: int
    match: str
    outcome: Outcome
    record: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Expired:
    """A fixture's time was over before it was decided."""

    fixture: str
    attempt: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Awarded:
    """The organizer decided a fixture that was not decided yet."""

    fixture: str
    attempt: int
    result: Result
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected:
    """The organizer corrected a result.

    Attributes:
        fixture: The fixture.
        attempt: Its attempt.
        stage: Its stage.
        round: Its round.
        result: The right result.
        mode: What becomes of fixtures that depend on it.
        reset: Started ones that are played again.
        reason: Why.
    """

    fixture: str
    attempt: int
    stage: str
    round: int
    result: Result
    mode: Cascade
    reset: tuple[str, ...] = ()
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Requeued:
    """A fixture is played again, as another attempt."""

    fixture: str
    attempt: int
    stage: str
    round: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawn:
    """An entrant left."""

    bot: str
    exit: Exit = Exit.REQUEST
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Disqualified:
    """An entrant was sent out."""

    bot: str
    results: Handling = Handling.KEEP
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LateEntered:
    """A bot entered after the start, before a round of the first stage."""

    bot: str
    owner: str
    round: int
    code: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Placing:
    """Entrants who share a rank."""

    rank: int
    bots: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupRanking:
    """The ranking of a group, or of a whole stage."""

    group: str
    placings: tuple[Placing, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StageClosed:
    """A stage is over: its ranking and who goes on are frozen.

    Attributes:
        stage: The stage.
        rankings: The ranking of each group.
        promoted: Who goes on, in the order of seeds of the next stage.
    """

    stage: str
    rankings: tuple[GroupRanking, ...]
    promoted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AppealFiled:
    """Somebody appealed against the result of a fixture."""

    appeal: str
    fixture: str
    bot: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AppealDecided:
    """The organizer decided an appeal; a correction is an event of its own."""

    appeal: str
    upheld: bool
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TieBreaksChanged:
    """The organizer changed what decides between equal scores."""

    stage: str
    order: tuple[Criterion, ...]
    previous: tuple[Criterion, ...]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretOpened:
    """The tournament's secret, from which its draw and boards follow, is open.

    Attributes:
        secret: The secret, 64 hexadecimal digits.
        share: The referee's share of it; None if it had committed to none.
    """

    secret: str
    share: str | None = None


Event = (
    Created
    | Configured
    | Advanced
    | CodesIssued
    | Registered
    | ShareCommitted
    | CheckedIn
    | ShareRevealed
    | Seeded
    | RoundPaired
    | ManuallyPaired
    | MatchCreated
    | MatchEnded
    | Expired
    | Awarded
    | Corrected
    | Requeued
    | Withdrawn
    | Disqualified
    | LateEntered
    | StageClosed
    | AppealFiled
    | AppealDecided
    | TieBreaksChanged
    | SecretOpened
)
