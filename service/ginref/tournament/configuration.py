"""What a tournament is, before anybody has entered: as frozen values."""

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from ginref.engine.ruleset import GIN, Ruleset
from ginref.record.clock import STANDARD, ClockPolicy
from ginref.tournament.format import Format
from ginref.tournament.tiebreak import Criterion, Edition

HOUSE: Final = "house"
"""Owner of the bots that belong to the host; their names begin with it."""

AWARD: Final = 60
"""Net points a board that a forfeit costs, unless declared otherwise."""


class Boards(enum.StrEnum):
    """Who gets which cards."""

    INDEPENDENT = "independent"
    """Every match has its own."""

    COMMON = "common"
    """All tables of a round play the same boards, fresh ones each round."""

    MIRRORED = "mirrored"
    """Each deck is played twice by the same two, who change seats."""


class Trust(enum.StrEnum):
    """Whether entrants may be able to tell each other what they see."""

    OPEN = "open"
    CLOSED = "closed"


class ForfeitScope(enum.StrEnum):
    """What a bot loses that runs out of time, or of strikes."""

    MATCH = "match"
    """The match at hand; a fixture of several goes on."""

    FIXTURE = "fixture"
    """The whole fixture."""


class EntryBy(enum.StrEnum):
    """Who may enter."""

    OPEN = "open"
    CODES = "codes"
    INVITATION = "invitation"


class Late(enum.StrEnum):
    """What rounds are worth that a late entrant has missed; Swiss only."""

    REFUSED = "refused"
    ZERO = "zero"
    HALF = "half"


class Seeding(enum.StrEnum):
    """Where the order of the seeds comes from."""

    ENTRY = "entry"
    """The order of entry."""

    GIVEN = "given"
    """The seeds of the listed entrants; others follow in order of entry."""

    DRAW = "draw"
    """Lots, from the shares that bots give at check-in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchFormat:
    """How a fixture is played.

    Attributes:
        ruleset: The rules of each match.
        clock: The time rules of each match.
        strikes: Illegal moves that a seat may make in a match; one more loses.
        best_of: Most matches of a fixture, odd; the majority wins.
        deciders: Most matches that are added when a knock-out fixture is level;
            after them the higher seed goes on.
        receipts: Every submission is acknowledged by a receipt.
    """

    ruleset: Ruleset = GIN
    clock: ClockPolicy = STANDARD
    strikes: int = 3
    best_of: int = 1
    deciders: int = 3
    receipts: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Promotion:
    """Who goes on to the next stage.

    Attributes:
        each: How many of each group, from its top.
        best: How many more of those ranked next, compared across groups.
    """

    each: int
    best: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A part of the tournament with one format.

    Attributes:
        name: Its name, unlike those of other stages.
        format: Who meets whom.
        match: How a fixture is played.
        exceptions: Fixtures that are played otherwise, by node (`W1.2`), by round
            (`W1`) or by name (`final`).
        tie_breaks: What decides between equal scores, first to last; empty for the
            order that is usual for the format.
        promotion: Who goes on; None in the last stage.
    """

    name: str
    format: Format
    match: MatchFormat = field(default_factory=MatchFormat)
    exceptions: Mapping[str, MatchFormat] = field(default_factory=dict)
    tie_breaks: tuple[Criterion, ...] = ()
    promotion: Promotion | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """An entrant that the organizer has listed.

    Attributes:
        bot: The bot's name.
        owner: Whose it is.
        seed: Its seed, counted from 1; None when seeds come from elsewhere.
    """

    bot: str
    owner: str
    seed: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Qualifying:
    """What a bot that has checked in must show: a match that it does not forfeit.

    Attributes:
        house: The house bot that it plays against, `careful` for `house.careful`.
        rounds: Rounds of the match, which is like those of the first stage else.
        attempts: How many matches it may forfeit before it is out.
    """

    house: str
    rounds: int = 2
    attempts: int = 2

    @property
    def bot(self) -> str:
        """The name of the house bot."""
        return f"{HOUSE}.{self.house}"


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryRules:
    """Who may enter, and how the field is ordered.

    Attributes:
        by: Who may enter.
        invited: Bots that may, by invitation.
        capacity: Most entrants that play; others wait for a place. None for all.
        bots_per_owner: Most bots of one owner.
        check_in: Bots must check in before the start.
        qualifying: What they must show then; None if to be there is enough.
        late: What late entrants have missed is worth.
        seeding: Where the order of the seeds comes from.
        listed: Entrants that the organizer has listed.
    """

    by: EntryBy = EntryBy.OPEN
    invited: tuple[str, ...] = ()
    capacity: int | None = None
    bots_per_owner: int = 1
    check_in: bool = True
    qualifying: Qualifying | None = None
    late: Late = Late.REFUSED
    seeding: Seeding = Seeding.ENTRY
    listed: tuple[Listed, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """What ends by itself; all values in milliseconds, None waits for the organizer.

    Attributes:
        registration_ms: From the opening of registration to that of check-in.
        check_in_ms: From the opening of check-in to the draw, and the start.
        fixture_ms: From a fixture's first match to the end of its last.
        appeals_ms: How long a result may be appealed against; 0 for not at all.
    """

    registration_ms: int | None = None
    check_in_ms: int | None = None
    fixture_ms: int | None = None
    appeals_ms: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Conduct:
    """What becomes of fixtures that are not simply played.

    Attributes:
        award: Net points a board that a forfeit costs.
        forfeit_scope: What a bot loses that runs out of time or strikes.
        forfeits: Forfeits after which a bot is withdrawn; None for never.
        attempts: How often a fixture is tried that the referee could not finish.
    """

    award: int = AWARD
    forfeit_scope: ForfeitScope = ForfeitScope.MATCH
    forfeits: int | None = 3
    attempts: int = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class LuckWorth:
    """What luck of the cards is worth, in hundredths of a net point.

    Attributes:
        deal: Of a point of deadwood dealt.
        draws: Of a point of deadwood drawn from the stock.
    """

    deal: int = 33
    draws: int = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """A tournament as its organizer declares it; frozen at the start.

    Attributes:
        name: Its name: small letters, digits, dots, dashes.
        title: Its name for people.
        stages: The stages in order, one at least.
        boards: Who gets which cards.
        trust: Whether entrants may be able to talk to each other.
        resettable: Bots forget everything between two matches.
        edition: Edition of the tie-break rules.
        luck: What is taken off results as luck, beside the raw ones, which rank; None
            to show raw results only.
        entry: Who may enter.
        schedule: What ends by itself.
        conduct: What becomes of fixtures that are not simply played.
    """

    name: str
    title: str = ""
    stages: tuple[Stage, ...]
    boards: Boards = Boards.INDEPENDENT
    trust: Trust = Trust.OPEN
    resettable: bool = False
    edition: Edition = Edition.GIN_2026
    luck: LuckWorth | None = field(default_factory=LuckWorth)
    entry: EntryRules = field(default_factory=EntryRules)
    schedule: Schedule = field(default_factory=Schedule)
    conduct: Conduct = field(default_factory=Conduct)
