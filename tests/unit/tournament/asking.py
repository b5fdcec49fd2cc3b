"""Operations asked of a tournament, as an organizer, a bot or a referee does."""

from typing import Any

import pytest
from tests.unit.tournament.driving import Tournament

from ginref.tournament.decide import Asked, Decision, decide
from ginref.tournament.error import Objection, OperationError
from ginref.tournament.event import Cascade
from ginref.tournament.fixture import Fixture
from ginref.tournament.operation import Correct, Operation
from ginref.tournament.result import Won


def ask(
    tournament: Tournament,
    operation: Operation,
    request_id: str = "",
    **asked: Any,  # noqa: ANN401
) -> Decision:
    """Ask for an operation, and append what it gives."""
    planned = tournament.plan()
    identity = request_id or f"ask-{len(tournament.entries)}"
    facts: dict[str, Any] = {
        "actor": "organizer",
        "request_id": identity,
        "expected_version": planned.ledger.version,
        "now_ms": tournament.now_ms,
        **asked,
    }
    decision = decide(planned, operation, Asked(**facts))
    for event in decision.events:
        tournament.add(event, request_id=identity, actor=facts["actor"])
    return decision


def refusal(
    tournament: Tournament,
    operation: Operation,
    **asked: Any,  # noqa: ANN401
) -> Objection:
    """Ask for an operation that is refused, and return why."""
    with pytest.raises(OperationError) as caught:
        ask(tournament, operation, **asked)
    return caught.value.objection


def correction(
    fixture: Fixture, winner: str | None, mode: Cascade = Cascade.STRICT
) -> Correct:
    """Return the operation that gives a fixture another winner."""
    return Correct(
        fixture=fixture.fixture_id,
        attempt=fixture.attempt,
        result=Won(winner or ""),
        mode=mode,
        reason="the record says otherwise",
    )
