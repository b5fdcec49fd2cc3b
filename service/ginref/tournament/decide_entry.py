"""Decisions before the start: where a tournament goes on to, and who enters."""

from collections.abc import Iterator

from ginref.tournament.configuration import EntryBy, Late
from ginref.tournament.error import FieldError, Objection, OperationError
from ginref.tournament.event import (
    Advanced,
    CheckedIn,
    CodesIssued,
    Configured,
    Event,
    LateEntered,
    Registered,
    Seeded,
)
from ginref.tournament.field_check import check_field
from ginref.tournament.format import Swiss
from ginref.tournament.ledger import Ledger
from ginref.tournament.lifecycle import BEFORE_START, FOLLOWING, Lifecycle
from ginref.tournament.operation import (
    Advance,
    CheckIn,
    Configure,
    Enter,
    IssueCodes,
    SeedField,
)
from ginref.tournament.plan import Plan
from ginref.tournament.roster import (
    is_welcome,
    needs_seeds,
    present,
    seed_order,
    with_place,
)

_SECRET_DIGITS = 64


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
    if plan.ledger.lifecycle not in BEFORE_START or plan.ledger.order:
        what = "the configuration is frozen when the field is seeded"
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


def check_in(plan: Plan, operation: CheckIn, _: int) -> Iterator[Event]:
    """Take a bot's answer to the call."""
    entrant = plan.ledger.entrants.get(operation.bot)
    if entrant is None or operation.bot in plan.ledger.departures:
        what = f"{operation.bot} has not entered"
        raise OperationError(Objection.UNKNOWN, what, "bot")
    if entrant.is_checked_in:
        return
    if plan.ledger.lifecycle is not Lifecycle.CHECK_IN:
        what = f"there is no check-in while it is {plan.ledger.lifecycle}"
        raise OperationError(Objection.WRONG_TIME, what)
    yield CheckedIn(bot=operation.bot, latency=operation.latency)


def seed_field(plan: Plan, operation: SeedField, _: int) -> Iterator[Event]:
    """Freeze the roster; lots are drawn once, whatever comes out."""
    ledger = plan.ledger
    _refuse_lots(ledger, operation.lots)
    bots = {one.bot for one in with_place(ledger)}
    order = operation.order or seed_order(ledger, bytes.fromhex(operation.lots))
    for at, bot in enumerate(order):
        if bot not in bots:
            what = f"{bot} has no place, or is listed twice"
            raise OperationError(Objection.INVALID, what, f"order[{at}]")
        bots.remove(bot)
    if bots:
        what = f"{min(bots)} is missing: the seeds are no permutation"
        raise OperationError(Objection.INVALID, what, "order")
    if order == ledger.order:
        return
    yield Seeded(order=order, lots=operation.lots, commitment=operation.commitment)


def _refuse_lots(ledger: Ledger, lots: str) -> None:
    digits = set("0123456789abcdef")
    if len(lots) != _SECRET_DIGITS or not digits.issuperset(lots):
        what = f"{_SECRET_DIGITS} small hexadecimal digits expected"
        raise OperationError(Objection.INVALID, what, "lots")
    if ledger.lots not in ("", lots):
        raise OperationError(Objection.CONFLICT, "lots have been drawn", "lots")
