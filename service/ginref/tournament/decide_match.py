"""Decisions about matches: what a referee notes and reports of them."""

from collections.abc import Iterator

from ginref.tournament.error import Objection, OperationError
from ginref.tournament.event import Event, MatchCreated, MatchEnded
from ginref.tournament.operation import RecordMatch, ReportMatch
from ginref.tournament.plan import Plan


def record_match(plan: Plan, operation: RecordMatch, _: int) -> Iterator[Event]:
    """Note a match that was created as ordered; the same one again is no other."""
    key = operation.fixture, operation.attempt
    games = plan.ledger.games.get(key, ())
    if 0 < operation.game <= len(games):
        if games[operation.game - 1].match != operation.match:
            what = "another match was created for it"
            raise OperationError(Objection.CONFLICT, what, "match")
        return
    if not plan.allows(*key, operation.game):
        what = "no such match is to be created now"
        raise OperationError(Objection.WRONG_TIME, what, "fixture")
    yield MatchCreated(
        fixture=operation.fixture,
        attempt=operation.attempt,
        game=operation.game,
        match=operation.match,
        commitment=operation.commitment,
    )


def report_match(plan: Plan, operation: ReportMatch, _: int) -> Iterator[Event]:
    """Take the outcome of a match; the same one again changes nothing."""
    games = plan.ledger.games.get((operation.fixture, operation.attempt), ())
    game = next((one for one in games if one.number == operation.game), None)
    if game is None or game.match != operation.match:
        raise OperationError(Objection.UNKNOWN, "no such match was created", "match")
    if game.outcome is not None:
        if (game.outcome, game.record) != (operation.outcome, operation.record):
            what = "the match has ended otherwise"
            raise OperationError(Objection.CONFLICT, what, "outcome")
        return
    fixture = plan.meeting(operation.fixture)
    named = {operation.outcome.winner, *operation.outcome.at_fault} - {None}
    if fixture is not None and not named.issubset(fixture.entrants):
        what = "somebody in it does not play the fixture"
        raise OperationError(Objection.INVALID, what, "outcome")
    yield MatchEnded(
        fixture=operation.fixture,
        attempt=operation.attempt,
        game=operation.game,
        match=operation.match,
        outcome=operation.outcome,
        record=operation.record,
    )
