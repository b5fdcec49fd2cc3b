"""A match as its log tells it, and what that means for what was told of it."""

from dataclasses import dataclass
from typing import Final, Self

from tests.simulation.ledger import Answer, Claim
from tests.simulation.player import is_strike

from ginref.app.error import Reason, RefusedError
from ginref.app.match_store import EntryId
from ginref.app.message import Events, MatchOver, Message, RoundOver, Turn
from ginref.app.report import MoveReport, PublicEvent
from ginref.engine.card import CardSet
from ginref.engine.match import Match
from ginref.engine.seat import Seat
from ginref.record.entry import Moved, Refused, StampedEntry
from ginref.record.lifecycle import EndingKind, MatchState, begin, step
from ginref.record.setup import Setup
from ginref.record.submission import Submission

_BY_TIME: Final = (EndingKind.TIMED_OUT, EndingKind.NO_SHOW)


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """A match as its log tells it.

    Attributes:
        match_id: The match.
        setup: What was fixed at creation.
        log: Every entry.
        states: The state after each step, by version.
        by_place: The entries by their place in the log.
    """

    match_id: str
    setup: Setup
    log: tuple[StampedEntry, ...]
    states: dict[int, MatchState]
    by_place: dict[EntryId, StampedEntry]

    @classmethod
    def of(cls, match_id: str, setup: Setup, log: tuple[StampedEntry, ...]) -> Self:
        """Play a log again."""
        state = begin(setup)
        states = {1: state}
        for stamped in log[1:]:
            state = step(state, stamped.entry)
            states[state.version] = state
        by_place = {EntryId(one.version, one.refusal): one for one in log}
        return cls(
            match_id=match_id, setup=setup, log=log, states=states, by_place=by_place
        )

    @property
    def last(self) -> MatchState:
        """The state at the end."""
        return self.states[self.log[-1].version]

    def strikes(self, seat: Seat, place: EntryId) -> int:
        """Return the illegal moves of a seat up to a place."""
        return sum(
            isinstance(one.entry, Refused) and one.entry.seat is seat
            for one in self.log
            if EntryId(one.version, one.refusal) <= place
        )

    def known_at(self, version: int, seat: Seat) -> CardSet:
        """Return the cards that a seat may know at a version."""
        state = self.states.get(version)
        if state is None or state.match is None:
            return CardSet()
        return known_to(state.match, seat)


def is_stored_as(submission: Submission, stamped: StampedEntry) -> bool:
    """Say whether an entry is what became of a submission."""
    entry = stamped.entry
    return (
        isinstance(entry, Moved | Refused)
        and entry.move == submission.move
        and stamped.version == submission.expected_version + (stamped.refusal == 0)
    )


def is_a_rivals(claim: Claim, stamped: StampedEntry) -> bool:
    """Say whether the request id of a submission was free again for another one."""
    return any(is_stored_as(one, stamped) for one in claim.rivals)


def is_stored(answer: Answer) -> bool:
    """Say whether an answer comes from the log: the same one must come again."""
    return isinstance(answer, MoveReport) or is_strike(answer)


def essence_of(answer: Answer) -> object:
    """Return what must be equal in two answers to one request."""
    if isinstance(answer, RefusedError):
        return answer.reason, answer.message, tuple(sorted(answer.facts.items()))
    return answer


def is_true(answer: Answer, claim: Claim, stamped: StampedEntry | None) -> bool:
    """Say whether an answer fits what the log says of a submission."""
    if isinstance(answer, MoveReport):
        return (
            stamped is not None
            and isinstance(stamped.entry, Moved)
            and stamped.version == answer.version
            and stamped.time_ms == answer.time_ms
        )
    if is_strike(answer):
        return stamped is not None and isinstance(stamped.entry, Refused)
    if stamped is None or is_a_rivals(claim, stamped):
        return True
    return _came_too_early(answer, claim)


def fits_the_end(refusal: RefusedError, played: Played) -> bool:
    """Say whether a refusal that a match is over, or late, is true of its ending."""
    ending = played.last.ending
    kind = ending.kind if ending else None
    match refusal.reason:
        case Reason.MATCH_OVER:
            return refusal.facts.get("ending") == kind
        case Reason.MOVE_LATE:
            return kind in _BY_TIME
        case _:
            return True


def _came_too_early(refusal: RefusedError, claim: Claim) -> bool:
    """Say whether a move was refused for a version that was still to come."""
    if refusal.reason is Reason.MATCH_NOT_PLAYING:
        return True
    expected = claim.submission.expected_version
    stale = refusal.reason is Reason.VERSION_STALE
    return stale and int(refusal.facts["version"]) < expected


def tells(event: PublicEvent, stamped: StampedEntry, played: Played) -> bool:
    """Say whether an event is what a log entry means in public."""
    if event.time_ms != stamped.time_ms:
        return False
    entry = stamped.entry
    match event.kind:
        case "ended":
            return stamped is played.log[-1] and event.ending == played.last.ending
        case "played":
            return (
                isinstance(entry, Moved)
                and event.seat is entry.seat
                and event.move == str(entry.move)
            )
        case "struck":
            place = EntryId(stamped.version, stamped.refusal)
            return (
                isinstance(entry, Refused)
                and event.seat is entry.seat
                and event.move is None
                and event.strikes == played.strikes(entry.seat, place)
            )
        case kind:
            return type(entry).__name__.lower() == kind


def known_to(game: Match, seat: Seat | None) -> CardSet:
    """Return the cards of the round that a seat, or anybody, may know."""
    laid = CardSet.of(entry.card for entry in game.round.discards)
    if seat is None or not game.round.is_played_by(seat):
        return laid
    return laid | game.round.hand(seat)


def place_of(cursor: str) -> EntryId:
    """Return the place that a cursor of a watch names."""
    version, _, refusal = cursor.partition("-")
    return EntryId(int(version), int(refusal))


def version_of(message: Message) -> int:
    """Return the version that a message about a match tells of."""
    match message:
        case Events() | RoundOver() | MatchOver():
            return message.version
        case Turn(report):
            return report.facts.version
        case _:
            raise TypeError(type(message))
