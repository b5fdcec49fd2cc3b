"""Decisions while it runs: pairings, departures, appeals, tie-breaks, the end."""

from collections.abc import Iterator

from ginref.tournament.error import Objection, OperationError
from ginref.tournament.event import (
    AppealDecided,
    AppealFiled,
    Disqualified,
    Event,
    ManuallyPaired,
    TieBreaksChanged,
    Withdrawn,
)
from ginref.tournament.fixture import FixtureState
from ginref.tournament.format import Ladder, Swiss
from ginref.tournament.next_step import close_stage, propose_round
from ginref.tournament.operation import (
    ChangeTieBreaks,
    CloseStage,
    DecideAppeal,
    Disqualify,
    FileAppeal,
    PairManually,
    Withdraw,
)
from ginref.tournament.plan import Plan
from ginref.tournament.result import Cause
from ginref.tournament.stage_view import StageView
from ginref.tournament.table_rank import tie_break_order


def withdraw(plan: Plan, operation: Withdraw, _: int) -> Iterator[Event]:
    """Take an entrant out; once is enough."""
    _refuse_unknown(plan, operation.bot)
    if operation.bot not in plan.ledger.departures:
        yield Withdrawn(bot=operation.bot, reason=operation.reason)


def disqualify(plan: Plan, operation: Disqualify, _: int) -> Iterator[Event]:
    """Send an entrant out, even one that has left."""
    _refuse_unknown(plan, operation.bot)
    gone = plan.ledger.departures.get(operation.bot)
    if (
        gone is not None
        and gone.cause is Cause.DISQUALIFIED
        and gone.results is operation.results
    ):
        return
    yield Disqualified(
        bot=operation.bot, results=operation.results, reason=operation.reason
    )


def _refuse_unknown(plan: Plan, bot: str) -> None:
    if bot not in plan.ledger.entrants:
        raise OperationError(Objection.UNKNOWN, f"{bot} has not entered", "bot")


def _view(plan: Plan, stage: str) -> StageView:
    view = next((one for one in plan.stages if one.stage.name == stage), None)
    if view is None:
        raise OperationError(Objection.UNKNOWN, f"there is no stage {stage}", "stage")
    return view


def pair_manually(plan: Plan, operation: PairManually, _: int) -> Iterator[Event]:
    """Pair a round by hand, beside what the rules propose.

    A round that was paired by itself may be paired anew until a match of it starts;
    otherwise the next round is paired, once the one before is over.
    """
    view = _view(plan, operation.stage)
    if not isinstance(view.stage.format, Swiss):
        what = "only rounds of a Swiss stage are paired"
        raise OperationError(Objection.INVALID, what, "stage")
    key = operation.stage, operation.round
    done = plan.ledger.pairings.get(key)
    if done is not None:
        if (done.pairs, done.bye) == (operation.pairs, operation.bye):
            return
        if operation.round != len(view.rounds) or _has_started(view):
            raise OperationError(Objection.CONFLICT, "it is paired otherwise", "round")
        pairs, bye = done.pairs, done.bye
    else:
        proposed = propose_round(plan.ledger, view)
        if proposed is None or operation.round != len(view.rounds) + 1:
            what = "it is not the round to be paired now"
            raise OperationError(Objection.WRONG_TIME, what, "round")
        pairs, bye = proposed.pairs, proposed.bye
    _refuse_pairs(view, operation)
    yield ManuallyPaired(
        stage=operation.stage,
        round=operation.round,
        pairs=operation.pairs,
        bye=operation.bye,
        proposed=pairs,
        proposed_bye=bye,
        reason=operation.reason,
    )


def _has_started(view: StageView) -> bool:
    """Say whether a match of the latest round has been created."""
    latest = len(view.rounds)
    return any(one.has_started for one in view.fixtures if one.round == latest)


def _refuse_pairs(view: StageView, operation: PairManually) -> None:
    free = set(view.present)
    listed = [
        (f"pairs[{at}]", bot) for at, pair in enumerate(operation.pairs) for bot in pair
    ]
    if operation.bye is not None:
        listed.append(("bye", operation.bye))
    for path, bot in listed:
        if bot not in free:
            what = f"{bot} does not play, or is paired twice"
            raise OperationError(Objection.INVALID, what, path)
        free.remove(bot)


def close_one(plan: Plan, operation: CloseStage, _: int) -> Iterator[Event]:
    """Close a ladder; what is not decided by then does not count."""
    view = _view(plan, operation.stage)
    if view.closing is not None:
        return
    if not isinstance(view.stage.format, Ladder):
        what = "only a ladder is closed; other stages end by themselves"
        raise OperationError(Objection.INVALID, what, "stage")
    if not view.rounds:
        raise OperationError(Objection.WRONG_TIME, "nothing was played", "stage")
    yield close_stage(plan.ledger, plan.stages, view)


def file_appeal(plan: Plan, operation: FileAppeal, now_ms: int) -> Iterator[Event]:
    """Take an appeal against a result, within its time; one of each bot."""
    _refuse_unknown(plan, operation.bot)
    fixture = plan.fixture(operation.fixture) if operation.fixture else None
    if fixture is None or operation.bot not in fixture.entrants:
        # Whom others are to meet may not be public yet.
        what = f"{operation.bot} plays no such fixture"
        raise OperationError(Objection.UNKNOWN, what, "fixture")
    known = plan.ledger.appeals.get(operation.appeal)
    if known is not None:
        same = (operation.fixture, operation.bot, operation.text)
        if (known.fixture, known.bot, known.text) == same:
            return
        raise OperationError(Objection.DUPLICATE, "it is another appeal", "appeal")
    if fixture.state is not FixtureState.FINAL:
        what = "there is no result to appeal against"
        raise OperationError(Objection.WRONG_TIME, what, "fixture")
    decided_ms = plan.ledger.time_ms(fixture.decided)
    if now_ms - decided_ms > plan.ledger.configuration.schedule.appeals_ms:
        raise OperationError(Objection.WRONG_TIME, "the time to appeal is over")
    if any(
        (one.fixture, one.bot) == (operation.fixture, operation.bot)
        and one.sequence > fixture.decided
        for one in plan.ledger.appeals.values()
    ):
        what = f"{operation.bot} has appealed against this result"
        raise OperationError(Objection.DUPLICATE, what, "fixture")
    yield AppealFiled(
        appeal=operation.appeal,
        fixture=operation.fixture,
        bot=operation.bot,
        text=operation.text,
    )


def decide_appeal(plan: Plan, operation: DecideAppeal, _: int) -> Iterator[Event]:
    """Decide an appeal, once."""
    appeal = plan.ledger.appeals.get(operation.appeal)
    if appeal is None:
        raise OperationError(Objection.UNKNOWN, "there is no such appeal", "appeal")
    if appeal.upheld is not None:
        if appeal.upheld is operation.upheld:
            return
        raise OperationError(Objection.CONFLICT, "it is decided otherwise", "upheld")
    yield AppealDecided(
        appeal=operation.appeal, upheld=operation.upheld, reason=operation.reason
    )


def change_tie_breaks(
    plan: Plan, operation: ChangeTieBreaks, _: int
) -> Iterator[Event]:
    """Change what decides between equal scores; the log keeps what it was."""
    view = _view(plan, operation.stage)
    if view.bracket is not None:
        what = "a bracket has no tie-breaks"
        raise OperationError(Objection.INVALID, what, "stage")
    previous = tie_break_order(plan.ledger, view)
    if previous == operation.order:
        return
    if view.closing is not None:
        raise OperationError(Objection.WRONG_TIME, "the stage is closed", "stage")
    if not operation.order or len(set(operation.order)) != len(operation.order):
        what = "criteria expected, each of them once"
        raise OperationError(Objection.INVALID, what, "order")
    yield TieBreaksChanged(
        stage=operation.stage,
        order=operation.order,
        previous=previous,
        reason=operation.reason,
    )
