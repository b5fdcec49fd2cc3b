"""Every objection of a tournament has its reason in the API."""

import pytest
from tests.unit.tournament.driving import Tournament, one_stage

from ginref.app.tournament_refusal import refused_operation
from ginref.tournament.error import Objection, OperationError

REASONS = {
    Objection.VERSION: "TOURNAMENT_STALE",
    Objection.REQUEST_REUSED: "REQUEST_ID_REUSED",
    Objection.WRONG_TIME: "TOURNAMENT_STATE_WRONG",
    Objection.UNKNOWN: "TOURNAMENT_PART_NOT_FOUND",
    Objection.ENTRY_CLOSED: "ENTRY_REFUSED",
    Objection.DUPLICATE: "TOURNAMENT_CONFLICT",
    Objection.CONFLICT: "TOURNAMENT_CONFLICT",
    Objection.ATTEMPT: "ATTEMPT_STALE",
    Objection.DEPENDENTS_STARTED: "DEPENDENTS_STARTED",
    Objection.INVALID: "FIELD_INVALID",
}


@pytest.mark.parametrize("objection", Objection)
def test_an_objection_is_told_by_its_reason(objection: Objection) -> None:
    ledger = Tournament(one_stage({"format": "round_robin"})).plan().ledger

    told = refused_operation(OperationError(objection, "no", "bot"), ledger)

    assert told.reason == REASONS[objection]
    assert told.message == "no"
    assert dict(told.facts) == {
        "tournament": "t-1",
        "state": "draft",
        "version": "1",
        "field": "bot",
    }
