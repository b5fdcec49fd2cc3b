"""Decisions about results: awards, corrections, and playing again."""

from collections.abc import Iterator
from dataclasses import replace

from ginref.tournament.dependent import dependents, has_begun
from ginref.tournament.error import Objection, OperationError
from ginref.tournament.event import Awarded, Cascade, Corrected, Event, Requeued
from ginref.tournament.fixture import Fixture, FixtureState
from ginref.tournament.operation import Award, Correct, Requeue
from ginref.tournament.plan import Plan
from ginref.tournament.result import (
    DoubleForfeited,
    Drawn,
    Forfeited,
    Result,
    Voided,
    Won,
)


def award(plan: Plan, operation: Award, _: int) -> Iterator[Event]:
    """Decide a fixture that is not decided yet."""
    fixture = _fixture(plan, operation.fixture)
    _refuse_attempt(fixture, operation.attempt)
    if fixture.state is FixtureState.FINAL:
        if fixture.result == operation.result:
            return
        what = "it is decided; a decided fixture is corrected"
        raise OperationError(Objection.CONFLICT, what, "fixture")
    _refuse_result(plan, fixture, operation.result)
    yield Awarded(
        fixture=operation.fixture,
        attempt=operation.attempt,
        result=operation.result,
        reason=operation.reason,
    )


def correct(plan: Plan, operation: Correct, _: int) -> Iterator[Event]:
    """Correct a result, and what follows from it as the mode says."""
    fixture = _fixture(plan, operation.fixture)
    _refuse_attempt(fixture, operation.attempt)
    if fixture.state is not FixtureState.FINAL:
        what = "it is not decided; an open fixture is awarded"
        raise OperationError(Objection.WRONG_TIME, what, "fixture")
    _refuse_result(plan, fixture, operation.result)
    is_same = fixture.result == operation.result
    if is_same and (
        operation.mode is Cascade.RECORD_ONLY or fixture.onward == fixture.result
    ):
        return
    started: tuple[str, ...] = ()
    if operation.mode is not Cascade.RECORD_ONLY:
        started = _started(plan, fixture, operation.result)
    if operation.mode is Cascade.STRICT and started:
        what = f"{len(started)} fixtures that follow from it have started"
        raise OperationError(Objection.DEPENDENTS_STARTED, what, "mode")
    yield Corrected(
        fixture=operation.fixture,
        attempt=operation.attempt,
        stage=fixture.stage,
        round=fixture.round,
        result=operation.result,
        mode=operation.mode,
        reset=started,
        reason=operation.reason,
    )


def requeue(plan: Plan, operation: Requeue, _: int) -> Iterator[Event]:
    """Play a fixture again, once however often it is asked."""
    fixture = _fixture(plan, operation.fixture)
    if operation.attempt == fixture.attempt - 1:
        return
    _refuse_attempt(fixture, operation.attempt)
    gone = [bot for bot in fixture.entrants if bot in plan.ledger.departures]
    if gone:
        what = f"{gone[0]} has left"
        raise OperationError(Objection.WRONG_TIME, what, "fixture")
    if not (fixture.has_started or fixture.state is FixtureState.FINAL):
        what = "it has not been played yet"
        raise OperationError(Objection.WRONG_TIME, what, "fixture")
    started = _started(plan, fixture, None)
    if started:
        what = f"{len(started)} fixtures that follow from it have started"
        raise OperationError(Objection.DEPENDENTS_STARTED, what, "fixture")
    yield Requeued(
        fixture=operation.fixture,
        attempt=operation.attempt + 1,
        stage=fixture.stage,
        round=fixture.round,
        reason=operation.reason,
    )


def _started(plan: Plan, fixture: Fixture, result: Result | None) -> tuple[str, ...]:
    """Return the fixtures that have started and would have other entrants."""
    bracket = next(
        view.bracket for view in plan.stages if view.stage.name == fixture.stage
    )
    after = replace(fixture, onward=result)
    if bracket is not None and result is not None and after.winner == fixture.winner:
        return ()
    return tuple(
        one.fixture_id
        for one in dependents(plan, fixture)
        if one.fixture_id and has_begun(plan, one)
    )


def _fixture(plan: Plan, fixture_id: str) -> Fixture:
    fixture = plan.fixture(fixture_id) if fixture_id else None
    if fixture is None:
        raise OperationError(Objection.UNKNOWN, "there is no such fixture", "fixture")
    return fixture


def _refuse_attempt(fixture: Fixture, attempt: int) -> None:
    if fixture.attempt != attempt:
        what = f"it is at attempt {fixture.attempt}"
        raise OperationError(Objection.ATTEMPT, what, "attempt")


def _refuse_result(plan: Plan, fixture: Fixture, result: Result) -> None:
    """Refuse a result that the fixture cannot have."""
    named: str | None = None
    match result:
        case Won(winner=named) | Forfeited(loser=named) | Voided(winner=named):
            pass
        case Drawn() | DoubleForfeited():
            pass
        case _:
            what = "nobody gives such a result: it follows from the field"
            raise OperationError(Objection.INVALID, what, "result")
    if named is not None and named not in fixture.entrants:
        what = f"{named} does not play it"
        raise OperationError(Objection.INVALID, what, "result")
    knockout = any(
        view.bracket is not None
        for view in plan.stages
        if view.stage.name == fixture.stage
    )
    if knockout and named is None and not isinstance(result, DoubleForfeited):
        what = "somebody has to go on"
        raise OperationError(Objection.INVALID, what, "result")
    if not knockout and isinstance(result, Voided) and named is not None:
        what = "nobody wins what is void"
        raise OperationError(Objection.INVALID, what, "result")
