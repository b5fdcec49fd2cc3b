"""Whether an operation is allowed, and which events it gives.

A repeated operation changes nothing: neither one with a request id that was answered
before, nor one that asks for what is so already. Of two that contradict each other, the
second one is refused.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any, Final

from ginref.tournament.decide_entry import advance, configure, enter, issue_codes
from ginref.tournament.decide_match import record_match, report_match
from ginref.tournament.decide_result import award, correct, requeue
from ginref.tournament.decide_share import (
    check_in,
    commit_referee,
    open_secret,
    reveal_share,
    seed_field,
)
from ginref.tournament.decide_stage import (
    change_tie_breaks,
    close_one,
    decide_appeal,
    disqualify,
    file_appeal,
    pair_manually,
    withdraw,
)
from ginref.tournament.error import Objection, OperationError
from ginref.tournament.event import (
    Advanced,
    AppealDecided,
    AppealFiled,
    Awarded,
    CheckedIn,
    CodesIssued,
    Configured,
    Corrected,
    Disqualified,
    Event,
    LateEntered,
    ManuallyPaired,
    MatchCreated,
    MatchEnded,
    Registered,
    Requeued,
    SecretOpened,
    Seeded,
    ShareCommitted,
    ShareRevealed,
    StageClosed,
    TieBreaksChanged,
    Withdrawn,
)
from ginref.tournament.ledger import Request
from ginref.tournament.moment import MOMENTS
from ginref.tournament.operation import (
    Advance,
    Award,
    ChangeTieBreaks,
    CheckIn,
    CloseStage,
    CommitShare,
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
    RevealShare,
    SeedField,
    Withdraw,
)
from ginref.tournament.plan import Plan


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
    earlier = plan.ledger.requests.get((asked.actor, asked.request_id))
    if earlier is not None:
        return _repeat(earlier, operation, asked)
    version = plan.ledger.version
    if asked.expected_version not in (None, version):
        what = f"version {asked.expected_version} expected, it is at {version}"
        raise OperationError(Objection.VERSION, what)
    decides, *_ = _DECISIONS[type(operation)]
    events: tuple[Event, ...] = tuple(decides(plan, operation, asked.now_ms))
    for event in events:
        if plan.ledger.lifecycle not in MOMENTS[type(event)]:
            what = f"not while it is {plan.ledger.lifecycle}"
            raise OperationError(Objection.WRONG_TIME, what)
    return Decision(events=events)


def _repeat(earlier: Request, operation: Operation, asked: Asked) -> Decision:
    """Answer a request again, if it is the same one."""
    if not _asks_for(operation, earlier.event):
        what = f"{asked.request_id} was another request"
        raise OperationError(Objection.REQUEST_REUSED, what)
    return Decision(events=(), answered=earlier.sequence)


def _asks_for(operation: Operation, event: Event) -> bool:
    """Say whether an event is what an operation gives: all that it names is there."""
    _, *kinds = _DECISIONS[type(operation)]
    known = {field.name for field in fields(event)}
    return type(event) in kinds and all(
        getattr(operation, field.name) == getattr(event, field.name)
        for field in fields(operation)
        if field.name in known and not _is_derived(operation, field.name)
    )


def _is_derived(operation: Operation, name: str) -> bool:
    """Say whether an event has a fact otherwise than the operation asked for it."""
    match operation:
        case Requeue():
            return name == "attempt"
        case SeedField(order=()):
            return name == "order"
        case _:
            return False


_DECISIONS: Final[Mapping[type[Operation], tuple[Any, ...]]] = MappingProxyType(
    {
        Advance: (advance, Advanced),
        Configure: (configure, Configured),
        IssueCodes: (issue_codes, CodesIssued),
        Enter: (enter, Registered, LateEntered),
        CommitShare: (commit_referee, ShareCommitted),
        CheckIn: (check_in, CheckedIn),
        RevealShare: (reveal_share, ShareRevealed),
        SeedField: (seed_field, Seeded),
        PairManually: (pair_manually, ManuallyPaired),
        RecordMatch: (record_match, MatchCreated),
        ReportMatch: (report_match, MatchEnded),
        Award: (award, Awarded),
        Correct: (correct, Corrected),
        Requeue: (requeue, Requeued),
        Withdraw: (withdraw, Withdrawn),
        Disqualify: (disqualify, Disqualified),
        CloseStage: (close_one, StageClosed),
        FileAppeal: (file_appeal, AppealFiled),
        DecideAppeal: (decide_appeal, AppealDecided),
        ChangeTieBreaks: (change_tie_breaks, TieBreaksChanged),
        OpenSecret: (open_secret, SecretOpened),
    }
)
"""What decides each operation, and the events that it may give."""
