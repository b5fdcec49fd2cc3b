"""What callers hear of a tournament's objections: the API's reasons."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from ginref.app.error import Reason, RefusedError
from ginref.tournament.error import FieldError, Objection, OperationError
from ginref.tournament.ledger import Ledger

_REASONS: Final[Mapping[Objection, Reason]] = MappingProxyType(
    {
        Objection.VERSION: Reason.TOURNAMENT_STALE,
        Objection.REQUEST_REUSED: Reason.REQUEST_ID_REUSED,
        Objection.WRONG_TIME: Reason.TOURNAMENT_STATE_WRONG,
        Objection.UNKNOWN: Reason.TOURNAMENT_PART_NOT_FOUND,
        Objection.ENTRY_CLOSED: Reason.ENTRY_REFUSED,
        Objection.DUPLICATE: Reason.TOURNAMENT_CONFLICT,
        Objection.ATTEMPT: Reason.ATTEMPT_STALE,
        Objection.DEPENDENTS_STARTED: Reason.DEPENDENTS_STARTED,
        Objection.CONFLICT: Reason.TOURNAMENT_CONFLICT,
        Objection.INVALID: Reason.FIELD_INVALID,
    }
)


def refused_operation(error: OperationError, ledger: Ledger) -> RefusedError:
    """Return what a caller hears of an operation that is refused."""
    facts: dict[str, object] = {
        "tournament": ledger.tournament,
        "state": ledger.lifecycle,
        "version": ledger.version,
    }
    if error.path:
        facts["field"] = error.path
    return RefusedError(_REASONS[error.objection], error.what, **facts)


def refused_configuration(error: FieldError) -> RefusedError:
    """Return what a caller hears of a configuration that cannot be used."""
    return RefusedError(
        Reason.CONFIGURATION_INVALID, str(error), field=error.path or "configuration"
    )


def no_tournament(tournament: str) -> RefusedError:
    """Return what a caller hears of a tournament that is not there."""
    message = "there is no such tournament"
    return RefusedError(Reason.TOURNAMENT_NOT_FOUND, message, tournament=tournament)


def kept_changing(tournament: str, version: int) -> RefusedError:
    """Return what a caller hears who has lost one race after the other."""
    return RefusedError(
        Reason.TOURNAMENT_STALE,
        "the tournament kept changing; look at it again",
        tournament=tournament,
        version=version,
    )
