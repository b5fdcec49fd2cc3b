"""Decisions about check-in and the secret: who is there, and what chance decides."""

from collections.abc import Iterator
from typing import Final

from ginref.tournament.error import Objection, OperationError
from ginref.tournament.event import (
    CheckedIn,
    Event,
    SecretOpened,
    Seeded,
    ShareCommitted,
    ShareRevealed,
)
from ginref.tournament.ledger import Ledger
from ginref.tournament.lifecycle import Lifecycle
from ginref.tournament.operation import (
    CheckIn,
    CommitShare,
    OpenSecret,
    RevealShare,
    SeedField,
)
from ginref.tournament.plan import Plan
from ginref.tournament.roster import seed_order, unrevealed, with_place
from ginref.tournament.secret import commit_share

_SECRET_DIGITS: Final = 64
_DIGITS: Final = frozenset("0123456789abcdef")


def commit_referee(plan: Plan, operation: CommitShare, _: int) -> Iterator[Event]:
    """Commit the referee to its share, before any bot has committed to one."""
    _refuse_digits(operation.commitment, "commitment")
    ledger = plan.ledger
    if ledger.referee == operation.commitment:
        return
    if ledger.referee is not None:
        what = "the referee has committed to another share"
        raise OperationError(Objection.CONFLICT, what, "commitment")
    if any(one.commitment is not None for one in ledger.entrants.values()):
        what = "bots have committed to theirs before"
        raise OperationError(Objection.WRONG_TIME, what)
    yield ShareCommitted(commitment=operation.commitment)


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
    if operation.commitment is not None:
        _refuse_digits(operation.commitment, "commitment")
    yield CheckedIn(
        bot=operation.bot,
        latency=operation.latency,
        commitment=operation.commitment,
    )


def reveal_share(plan: Plan, operation: RevealShare, _: int) -> Iterator[Event]:
    """Take the share that a bot has committed to."""
    ledger = plan.ledger
    entrant = ledger.entrants.get(operation.bot)
    if entrant is None or entrant.commitment is None:
        what = f"{operation.bot} has committed to no share"
        raise OperationError(Objection.UNKNOWN, what, "bot")
    _refuse_digits(operation.share, "share")
    share = bytes.fromhex(operation.share)
    commitment = commit_share(ledger.tournament, operation.bot, share).hex()
    if commitment != entrant.commitment:
        what = "another share was committed to"
        raise OperationError(Objection.INVALID, what, "share")
    if operation.bot in ledger.shares:
        return
    if ledger.seeded:
        raise OperationError(Objection.WRONG_TIME, "the field has been seeded")
    yield ShareRevealed(bot=operation.bot, share=operation.share)


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
    _refuse_digits(lots, "lots")
    if ledger.lots not in ("", lots):
        raise OperationError(Objection.CONFLICT, "lots have been drawn", "lots")
    if not ledger.lots and unrevealed(ledger):
        what = f"{unrevealed(ledger)[0]} has not revealed its share"
        raise OperationError(Objection.WRONG_TIME, what)


def _refuse_digits(text: str, path: str) -> None:
    if len(text) != _SECRET_DIGITS or not _DIGITS.issuperset(text):
        what = f"{_SECRET_DIGITS} small hexadecimal digits expected"
        raise OperationError(Objection.INVALID, what, path)


def open_secret(plan: Plan, operation: OpenSecret, _: int) -> Iterator[Event]:
    """Open the tournament's secret when nothing can be played with it any more."""
    over = (Lifecycle.FINISHED, Lifecycle.CANCELLED)
    if plan.ledger.lifecycle not in over:
        what = f"not while it is {plan.ledger.lifecycle}"
        raise OperationError(Objection.WRONG_TIME, what)
    _refuse_digits(operation.secret, "secret")
    if operation.share is not None:
        _refuse_digits(operation.share, "share")
    yield SecretOpened(secret=operation.secret, share=operation.share)
