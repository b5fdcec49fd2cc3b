"""Decisions before the start: where a tournament goes on to, and who enters."""

from collections.abc import Iterator
from typing import Final

from ginref.tournament.configuration import EntryBy, Late
from ginref.tournament.error import FieldError, Objection, OperationError
from ginref.tournament.event import (
    Advanced,
    CodesIssued,
    Configured,
    Event,
    LateEntered,
    Registered,
)
from ginref.tournament.field_check import check_field
from ginref.tournament.format import Swiss
from ginref.tournament.ledger import Ledger
from ginref.tournament.lifecycle import BEFORE_START, FOLLOWING, Lifecycle
from ginref.tournament.operation import (
    Advance,
    Configure,
    Enter,
    IssueCodes,
)
from ginref.tournament.plan import Plan
from ginref.tournament.roster import (
    is_welcome,
    needs_seeds,
    present,
)

_ENTRIES_MOST: Final = 8
"""How often a bot may enter: its mind may change, and a log does not forget."""


def advance(plan: Plan, operation: Advance, _: int) -> Iterator[Event]:
    """Go on to another part of the tournament's life."""
    ledger, to = plan.ledger, operation.to
    if to is ledger.lifecycle:
        return
    if to not in _choices(plan):
        allowed = ", ".join(sorted(_choices(plan))) or "nothing"
        what = f"{ledger.lifecycle} may go on to {allowed}"
        raise OperationError(Objection.WRONG_TIME, what, "to")
    if ledger.lifecycle is Lifecycle.SEEDING and to is Lifecycle.RUNNING:
        _refuse_unfit(ledger)
    yield Advanced(to=to, reason=operation.reason)


def _choices(plan: Plan) -> frozenset[Lifecycle]:
    """Return where an organizer may send the tournament."""
    ledger, rules = plan.ledger, plan.ledger.configuration.entry
    choices = set(FOLLOWING[ledger.lifecycle])
    # Only when all has been played is there anything to finish.
    choices.discard(Lifecycle.FINISHING)
    if ledger.lifecycle is Lifecycle.REGISTRATION:
        choices.discard(Lifecycle.SEEDING if rules.check_in else Lifecycle.CHECK_IN)
    if ledger.lifecycle is Lifecycle.FINISHING:
        choices.discard(Lifecycle.RUNNING)
        open_stage = any(view.closing is None for view in plan.stages)
        disputed = any(one.upheld is None for one in ledger.appeals.values())
        if open_stage or disputed:
            choices.discard(Lifecycle.FINISHED)
    return frozenset(choices)


def _refuse_unfit(ledger: Ledger) -> None:
    if needs_seeds(ledger):
        what = "the field has not been seeded, or not as it is now"
        raise OperationError(Objection.WRONG_TIME, what, "to")
    try:
        check_field(ledger.configuration, len(ledger.order))
    except FieldError as error:
        raise OperationError(Objection.INVALID, error.what, error.path) from None


def configure(plan: Plan, operation: Configure, _: int) -> Iterator[Event]:
    """Change the configuration; after the start it is what was declared."""
    if operation.configuration == plan.ledger.configured:
        return
    ledger = plan.ledger
    if ledger.lifecycle not in BEFORE_START or ledger.order or ledger.games:
        what = "the configuration is frozen when a bot qualifies, or all are seeded"
        raise OperationError(Objection.WRONG_TIME, what, "configuration")
    yield Configured(configuration=operation.configuration)


def issue_codes(_: Plan, operation: IssueCodes, _now_ms: int) -> Iterator[Event]:
    """Issue codes."""
    if len(set(operation.codes)) != len(operation.codes):
        raise OperationError(Objection.DUPLICATE, "a code comes twice", "codes")
    yield CodesIssued(codes=operation.codes)


def enter(plan: Plan, operation: Enter, _: int) -> Iterator[Event]:
    """Let a bot enter, in time or late."""
    ledger = plan.ledger
    entered = ledger.entrants.get(operation.bot)
    started = ledger.lifecycle not in BEFORE_START
    if entered is not None and operation.bot not in ledger.departures:
        if entered.owner != operation.owner:
            what = f"{operation.bot} has entered for {entered.owner}"
            raise OperationError(Objection.DUPLICATE, what, "owner")
        return
    if entered is not None and started:
        what = f"{operation.bot} has left, for good"
        raise OperationError(Objection.ENTRY_CLOSED, what, "bot")
    if entered is not None and entered.entries >= _ENTRIES_MOST:
        what = f"{operation.bot} has entered and left {_ENTRIES_MOST} times"
        raise OperationError(Objection.ENTRY_CLOSED, what, "bot")
    _refuse_stranger(ledger, operation)
    if started:
        yield _late(plan, operation)
        return
    if ledger.lifecycle is not Lifecycle.REGISTRATION:
        what = f"entry is not open while it is {ledger.lifecycle}"
        raise OperationError(Objection.WRONG_TIME, what)
    yield Registered(bot=operation.bot, owner=operation.owner, code=operation.code)


def _refuse_stranger(ledger: Ledger, operation: Enter) -> None:
    rules = ledger.configuration.entry
    own = sum(one.owner == operation.owner for one in present(ledger))
    if own >= rules.bots_per_owner:
        what = f"{operation.owner} may enter {rules.bots_per_owner} at most"
        raise OperationError(Objection.ENTRY_CLOSED, what, "owner")
    if operation.code is not None:
        if operation.code not in ledger.codes:
            what = "the code has not been issued, or was used"
            raise OperationError(Objection.ENTRY_CLOSED, what, "code")
    elif not is_welcome(ledger, operation.bot):
        by_code = rules.by is EntryBy.CODES
        what = "a code is needed" if by_code else f"{operation.bot} is not invited"
        raise OperationError(Objection.ENTRY_CLOSED, what, "bot")


def _late(plan: Plan, operation: Enter) -> LateEntered:
    """Let a bot enter between two rounds of the first stage."""
    ledger, view = plan.ledger, plan.stages[0]
    rules, played = ledger.configuration.entry, len(view.rounds)
    swiss = view.stage.format
    if (
        rules.late is Late.REFUSED
        or not isinstance(swiss, Swiss)
        or view.closing is not None
        or played >= swiss.rounds
    ):
        raise OperationError(Objection.ENTRY_CLOSED, "it is too late to enter")
    if rules.capacity is not None and len(view.present) >= rules.capacity:
        raise OperationError(Objection.ENTRY_CLOSED, "there is no place left")
    return LateEntered(
        bot=operation.bot, owner=operation.owner, round=played + 1, code=operation.code
    )
