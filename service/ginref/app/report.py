"""What the use cases tell the outside: facts and views, never a hidden card.

Times are milliseconds since the Unix epoch by the store's clock, durations are
milliseconds.
"""

from dataclasses import dataclass

from ginref.engine.ruleset import Ruleset
from ginref.engine.seat import Seat
from ginref.engine.view import PublicView, SeatView
from ginref.record.clock import ClockPolicy
from ginref.record.lifecycle import Ending, Stage
from ginref.record.setup import DealSource
from ginref.record.tournament_place import TournamentPlace


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchFacts:
    """The public facts of a match.

    Attributes:
        match_id: Identity of the match.
        bots: Bot of each seat.
        ruleset: The rules.
        clock: The time rules.
        strikes_allowed: Illegal moves allowed to each seat.
        deal_source: Where the cards come from.
        stage: How far it has come.
        version: Accepted steps.
        ending: How it ended; None while it goes on.
        created_ms: When it was created.
        commitment: The referee's commitment to its share.
        signature: The referee's signature over the commitment's statement.
        key_id: Thumbprint of the key that signed.
        receipts: Every submission is acknowledged by a receipt.
        place: Where it stands in a tournament; None for a match by itself.
        commitments: What each seat has committed to, by seat, once all have; empty
            bytes for a seat without a share.
    """

    match_id: str
    bots: tuple[str, ...]
    ruleset: Ruleset
    clock: ClockPolicy
    strikes_allowed: int
    deal_source: DealSource
    stage: Stage
    version: int
    ending: Ending | None
    created_ms: int
    commitment: bytes
    signature: bytes
    key_id: str
    receipts: bool = False
    place: TournamentPlace | None = None
    commitments: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class CreditFacts:
    """Time that a seat is given back after outages.

    Attributes:
        version: Version of the match at which its clock runs.
        seat: The seat.
        credit_ms: What its deadline is put off by.
    """

    version: int
    seat: Seat
    credit_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockFacts:
    """The clocks of a match at one moment.

    Attributes:
        policy: The time rules.
        banks_ms: What is left of each seat's bank.
        strikes: Illegal moves of each seat so far.
        strikes_allowed: Illegal moves allowed to each seat.
        deadline_ms: When the running clock runs out, credit included, without
            grace; None when none runs.
        now_ms: The store's time when this was made.
        elapsed_ms: What the latest move took.
        referee_ms: What the referee spent of that.
        credits: What is given back to each seat whose clock runs.
    """

    policy: ClockPolicy
    banks_ms: tuple[int, ...]
    strikes: tuple[int, ...]
    strikes_allowed: int
    deadline_ms: int | None
    now_ms: int
    elapsed_ms: int
    referee_ms: int
    credits: tuple[CreditFacts, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicEvent:
    """Something that happened in a match, as everyone may know it.

    Attributes:
        version: The version it made, or at which it was refused.
        refusal: Number of the counted refusal at that version, else 0.
        time_ms: When.
        kind: `created`, `accepted`, `declined`, `committed`, `revealed`, `played`,
            `struck` or `ended`.
        seat: Whose it was, if anyone's.
        move: Text of an accepted move.
        elapsed_ms: What that move took.
        strikes: Illegal moves of the seat so far, for `struck`.
        ending: How the match ended, for `ended`.
    """

    version: int
    refusal: int
    time_ms: int
    kind: str
    seat: Seat | None = None
    move: str | None = None
    elapsed_ms: int = 0
    strikes: int = 0
    ending: Ending | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatReport:
    """All that one seat may know now.

    Attributes:
        facts: The match.
        view: The engine's view for the seat.
        clock: The clocks.
        events: What happened since the seat's latest move.
    """

    facts: MatchFacts
    view: SeatView
    clock: ClockFacts
    events: tuple[PublicEvent, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicReport:
    """What anyone may know now.

    Attributes:
        facts: The match.
        view: The table without a hand; None before play.
        clock: The clocks.
    """

    facts: MatchFacts
    view: PublicView | None
    clock: ClockFacts


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchReport:
    """A match as one caller may see it.

    Attributes:
        public: What anyone may know.
        seats: What the caller's seats may know; empty before play.
    """

    public: PublicReport
    seats: tuple[SeatReport, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveReport:
    """An accepted move.

    Attributes:
        version: The version it made.
        time_ms: When it was stored.
        elapsed_ms: What it took.
        referee_ms: What the referee spent of that.
        turn: The next turn, when it is the same seat's again.
        ending: How the match ended, when this move ended it.
        receipt: Signed acknowledgement; empty where the match keeps none.
    """

    version: int
    time_ms: int
    elapsed_ms: int
    referee_ms: int
    turn: SeatReport | None
    ending: Ending | None
    receipt: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchList:
    """One page of matches, newest first; `cursor` is None on the last page."""

    matches: tuple[MatchFacts, ...]
    cursor: str | None
