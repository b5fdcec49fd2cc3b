"""What the referee says on a bot's stream, before the codec writes it."""

from dataclasses import dataclass
from typing import Final

from ginref.app.error import RefusedError
from ginref.app.report import (
    CreditFacts,
    MatchFacts,
    MoveReport,
    PublicEvent,
    SeatReport,
)
from ginref.app.tournament_report import Head, Summons
from ginref.engine.seat import Seat
from ginref.engine.sheet import ScoreSheet
from ginref.engine.view import RoundReveal, RoundSummary
from ginref.record.lifecycle import Ending

LISTED_MOST: Final = 256
"""Matches that a bot may name when it attaches, and that its welcome lists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Welcome:
    """The bot is attached.

    Attributes:
        attachment: Identity of this attachment.
        bot: The bot that the token speaks for.
        live: Some of its live matches; the state of all of them follows.
        live_count: How many live matches it has.
        ping_interval_ms: Milliseconds between pings.
        silence_ms: Milliseconds of silence after which the stream is dropped.
        heads: Heads of the logs of tournaments that the bot has entered.
    """

    attachment: str
    bot: str
    live: tuple[MatchFacts, ...]
    live_count: int
    ping_interval_ms: int
    silence_ms: int
    heads: tuple[Head, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A seat is offered until the deadline."""

    facts: MatchFacts
    seat: Seat
    deadline_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepare:
    """A share is asked for until the deadline: a commitment, or what it opens to."""

    facts: MatchFacts
    seat: Seat
    reveal: bool
    deadline_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """Play has begun."""

    facts: MatchFacts
    seat: Seat


@dataclass(frozen=True, slots=True)
class Turn:
    """The seat is to act."""

    report: SeatReport


@dataclass(frozen=True, slots=True, kw_only=True)
class Events:
    """Public events of a match in which the seat is not to act."""

    match_id: str
    seat: Seat
    version: int
    events: tuple[PublicEvent, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveResult:
    """What became of a move: accepted, or refused.

    Attributes:
        match_id: The match as the bot named it.
        seat: The seat.
        request_id: The bot's identity of the submission.
        result: The report of an accepted move, or why it was refused.
        version: Version of the match, as far as it is known.
    """

    match_id: str
    seat: Seat
    request_id: str
    result: MoveReport | RefusedError
    version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundOver:
    """A round is over; `reveal` is None when no hand is shown.

    `game_target` belongs to the sheet.
    """

    match_id: str
    seat: Seat
    version: int
    summary: RoundSummary
    reveal: RoundReveal | None
    sheet: ScoreSheet
    game_target: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchOver:
    """A match is over; the sheet is None when play never began."""

    match_id: str
    seat: Seat
    version: int
    ending: Ending
    sheet: ScoreSheet | None
    game_target: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CreditGiven:
    """The deadline of a clock that runs is put off after an outage."""

    match_id: str
    credit: CreditFacts
    deadline_ms: int


@dataclass(frozen=True, slots=True)
class Summoned:
    """A tournament asks something of the bot."""

    summons: Summons


@dataclass(frozen=True, slots=True)
class Fenced:
    """A newer stream of the bot has taken over; this one ends."""

    attachment: str


@dataclass(frozen=True, slots=True)
class Drain:
    """The referee is about to stop."""

    grace_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Ping:
    """Are you there?"""

    number: int
    now_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A message of the bot could not be used; the stream goes on."""

    error: RefusedError
    match_id: str = ""


Message = (
    Welcome
    | Offer
    | Prepare
    | Started
    | Turn
    | Events
    | MoveResult
    | RoundOver
    | MatchOver
    | CreditGiven
    | Summoned
    | Fenced
    | Drain
    | Ping
    | Problem
)


def refusal_in(message: Message) -> RefusedError | None:
    """Return what a message refuses, if it does."""
    match message:
        case Problem(error=error) | MoveResult(result=RefusedError() as error):
            return error
        case _:
            return None
