"""What a bot is told besides its view: who plays, what ended, how much time is left."""

from dataclasses import dataclass

from ginref.engine.match import RoundSummary
from ginref.engine.phase import Showdown
from ginref.engine.ruleset import Ruleset
from ginref.engine.seat import Seat
from ginref.engine.sheet import ScoreSheet
from ginref.record.lifecycle import Ending


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchInfo:
    """A match that a bot plays.

    Attributes:
        match_id: Identity of the match; empty in local play.
        seat: The bot's seat.
        bots: Names of the bots, by seat.
        rules: The house rules.
    """

    match_id: str
    seat: Seat
    bots: tuple[str, ...]
    rules: Ruleset


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedRound:
    """A round that is over.

    Attributes:
        match_id: The match; empty in local play.
        seat: The bot's seat.
        summary: Number, dealer, outcome, winner, points and columns.
        showdown: Both hands; None when the round ended without a knock.
        sheet: The score sheet after the round.
    """

    match_id: str
    seat: Seat
    summary: RoundSummary
    showdown: Showdown | None
    sheet: ScoreSheet


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedMatch:
    """A match that is over, as one of its seats hears of it.

    Attributes:
        match_id: The match; empty in local play.
        seat: The bot's seat.
        ending: How it ended, and for whom.
        sheet: The final score sheet; None when play never began.
        record_digest: SHA-256 of the signed record's payload; empty until signed.
    """

    match_id: str
    seat: Seat
    ending: Ending
    sheet: ScoreSheet | None
    record_digest: bytes = b""

    @property
    def won(self) -> bool:
        """The bot's seat won."""
        return self.ending.winner is self.seat


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnClock:
    """How long a bot may think about the turn at hand.

    Attributes:
        left_ms: Milliseconds until the deadline when the turn arrived, with all that
            was credited since; None when no clock runs.
        bank_ms: Milliseconds left in the bank for the rest of the match.
        strikes_left: Illegal moves that may still follow without losing the match.
    """

    left_ms: int | None
    bank_ms: int
    strikes_left: int
