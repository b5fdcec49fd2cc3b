"""Whether an operation is allowed, and which events it gives.

A repeated operation changes nothing: neither one with a request id that was answered
before, nor one that asks for what is so already. Of two that contradict each other, the
second one is refused.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any, Final

from ginref.tournament.decide_entry import (
    advance,
    check_in,
    configure,
    enter,
    issue_codes,
    seed_field,
)
from ginref.tournament.decide_match import record_match, report_match
from ginref.tournament.decide_result import award, correct, requeue
from ginref.tournament.decide_stage import (
    change_tie_breaks,
    close_one,
    decide_appeal,
    disqualify,
    file_appeal,
    open_secret,
    pair_manually,
    withdraw,
)
from ginref.tournament.error import Objection, OperationError
from ginref.tournament.event import Event
from ginref.tournament.fold import MOMENTS
from ginref.tournament.ledger import Request
from ginref.tournament.operation import (
    Advance,
    Award,
    ChangeTieBreaks,
    CheckIn,
    CloseStage,
    Configure,
    Correct,
    DecideAppeal,
    Disqualify,
    Enter,
    FileAppeal,
    IssueCodes,
    OpenSecret,
    Operation,
    PairManually,
    RecordMatch,
    ReportMatch,
    Requeue,
    SeedField,
    Withdraw,
)
from ginref.tournament.plan import Plan
from ginref.tournament.shape import word_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Who asks for an operation, and what he has seen.

    Attributes:
        actor: Who asks.
        request_id: His identity of the request.
        expected_version: The tournament's version that he has seen; None to ask
            whatever has happened meanwhile.
        now_ms: Milliseconds since the Unix epoch by the store's clock.
    """

    actor: str
    request_id: str
    expected_version: int | None
    now_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What an allowed operation does.

    Attributes:
        events: What is to be appended; nothing if it is so already.
        answered: The entry that has answered the same request before, or None.
    """

    events: tuple[Event, ...]
    answered: int | None = None


def decide(plan: Plan, operation: Operation, asked: Asked) -> Decision:
    """Decide an operation.

    Args:
        plan: The tournament as it stands.
        operation: What is asked.
        asked: Who asks.

    Raises:
        OperationError: It is refused; nothing changes.
    """
    earlier = plan.ledger.requests.get(asked.request_id)
    if earlier is not None:
        return _repeat(earlier, operation, asked)
    version = plan.ledger.version
    if asked.expected_version not in (None, version):
        what = f"version {asked.expected_version} expected, it is at {version}"
        raise OperationError(Objection.VERSION, what)
    events = tuple(_DECISIONS[type(operation)](plan, operation, asked.now_ms))
    for event in events:
        if plan.ledger.lifecycle not in MOMENTS[type(event)]:
            what = f"not while it is {plan.ledger.lifecycle}"
            raise OperationError(Objection.WRONG_TIME, what)
    return Decision(events=events)


def _repeat(earlier: Request, operation: Operation, asked: Asked) -> Decision:
    """Answer a request again, if it is the same one."""
    event = earlier.event
    same = earlier.actor == asked.actor and _asks_for(operation, event)
    if not same:
        what = f"{asked.request_id} was another request"
        raise OperationError(Objection.REQUEST_REUSED, what)
    return Decision(events=(), answered=earlier.sequence)


def _asks_for(operation: Operation, event: Event) -> bool:
    """Say whether an event is what an operation gives: all that it names is there."""
    known = {field.name for field in fields(event)}
    return word_of(type(event)) in _GIVES[type(operation)] and all(
        getattr(operation, field.name) == getattr(event, field.name)
        for field in fields(operation)
        if field.name in known and field.name not in _DERIVED
    )


_DERIVED: Final = frozenset({"attempt", "order"})
"""What an event may have otherwise than the operation that asked for it."""

_DECISIONS: Final[Mapping[type[Operation], Callable[[Plan, Any, int], Any]]] = (
    MappingProxyType(
        {
            Advance: advance,
            Configure: configure,
            IssueCodes: issue_codes,
            Enter: enter,
            CheckIn: check_in,
            SeedField: seed_field,
            PairManually: pair_manually,
            RecordMatch: record_match,
            ReportMatch: report_match,
            Award: award,
            Correct: correct,
            Requeue: requeue,
            Withdraw: withdraw,
            Disqualify: disqualify,
            CloseStage: close_one,
            FileAppeal: file_appeal,
            DecideAppeal: decide_appeal,
            ChangeTieBreaks: change_tie_breaks,
            OpenSecret: open_secret,
        }
    )
)

_GIVES: Final[Mapping[type[Operation], frozenset[str]]] = MappingProxyType(
    {
        Advance: frozenset({"advanced"}),
        Configure: frozenset({"configured"}),
        IssueCodes: frozenset({"codes_issued"}),
        Enter: frozenset({"registered", "late_entered"}),
        CheckIn: frozenset({"checked_in"}),
        SeedField: frozenset({"seeded"}),
        PairManually: frozenset({"manually_paired"}),
        RecordMatch: frozenset({"match_created"}),
        ReportMatch: frozenset({"match_ended"}),
        Award: frozenset({"awarded"}),
        Correct: frozenset({"corrected"}),
        Requeue: frozenset({"requeued"}),
        Withdraw: frozenset({"withdrawn"}),
        Disqualify: frozenset({"disqualified"}),
        CloseStage: frozenset({"stage_closed"}),
        FileAppeal: frozenset({"appeal_filed"}),
        DecideAppeal: frozenset({"appeal_decided"}),
        ChangeTieBreaks: frozenset({"tie_breaks_changed"}),
        OpenSecret: frozenset({"secret_opened"}),
    }
)
