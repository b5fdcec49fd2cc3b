"""What a tournament waits for, or what its organizer should know."""

import enum
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from ginref.tournament.error import FieldError
from ginref.tournament.field_check import check_field
from ginref.tournament.fixture import FixtureState
from ginref.tournament.lifecycle import UNDER_WAY, Lifecycle
from ginref.tournament.plan import Plan
from ginref.tournament.qualifying import hindered
from ginref.tournament.roster import unrevealed, with_place

STOPPABLE: Final = UNDER_WAY | {Lifecycle.SEEDING}
"""How far a tournament has come that may wait for somebody to act."""


class ProblemKind(enum.StrEnum):
    """What kind of thing is the matter."""

    FIELD = "field"
    """The field does not fit the stages, or may run into something."""

    SHARE = "share"
    """A bot has not revealed its share of the secret."""

    QUALIFYING = "qualifying"
    """A bot has not qualified, for good or yet."""

    STOPPED = "stopped"
    """A fixture waits for the organizer to have it played again, or to decide it."""

    APPEAL = "appeal"
    """An appeal is open, and keeps its stage from being closed."""

    REMATCH = "rematch"
    """Two meet again in a Swiss stage, because nothing else was possible."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Something that is the matter.

    Attributes:
        kind: What kind of thing.
        about: What it is about: a field, a bot, a fixture or an appeal.
        what: What is the matter, in words.
        is_blocking: The tournament waits for somebody to act.
    """

    kind: ProblemKind
    about: str
    what: str
    is_blocking: bool


def blocking(plan: Plan) -> tuple[Problem, ...]:
    """Return what a tournament waits for somebody to do."""
    return tuple(one for one in problems(plan) if one.is_blocking)


def problems(plan: Plan) -> tuple[Problem, ...]:
    """Return what is the matter with a tournament as it stands."""
    if plan.ledger.lifecycle is Lifecycle.CHECK_IN:
        return tuple(_qualifying(plan))
    if plan.ledger.lifecycle is Lifecycle.SEEDING:
        return (*_qualifying(plan), *_before_start(plan))
    if plan.ledger.lifecycle in UNDER_WAY:
        return tuple(_under_way(plan))
    return ()


def _qualifying(plan: Plan) -> Iterator[Problem]:
    for bot, what in hindered(plan.ledger):
        yield Problem(
            kind=ProblemKind.QUALIFYING, about=bot, what=what, is_blocking=False
        )


def _before_start(plan: Plan) -> Iterator[Problem]:
    ledger = plan.ledger
    for bot in unrevealed(ledger):
        yield Problem(
            kind=ProblemKind.SHARE,
            about=bot,
            what="has not revealed its share",
            is_blocking=True,
        )
    try:
        cautions = check_field(ledger.configuration, len(with_place(ledger)))
    except FieldError as error:
        yield Problem(
            kind=ProblemKind.FIELD, about=error.path, what=error.what, is_blocking=True
        )
        return
    for caution in cautions:
        yield Problem(
            kind=ProblemKind.FIELD,
            about=caution.path,
            what=caution.what,
            is_blocking=False,
        )


def _under_way(plan: Plan) -> Iterator[Problem]:
    for fixture in plan.fixtures():
        if fixture.state is FixtureState.STOPPED:
            outcome = fixture.games[-1].outcome
            ending = "" if outcome is None else outcome.ending
            yield Problem(
                kind=ProblemKind.STOPPED,
                about=fixture.fixture_id,
                what=f"{fixture.stage}/{fixture.node} stopped: {ending}",
                is_blocking=not plan.events,
            )
    for name, appeal in plan.ledger.appeals.items():
        if appeal.upheld is None:
            yield Problem(
                kind=ProblemKind.APPEAL,
                about=name,
                what=f"{appeal.bot} appeals: {appeal.text}",
                is_blocking=True,
            )
    for (stage, number), pairing in sorted(plan.ledger.pairings.items()):
        for a, b in pairing.rematches:
            yield Problem(
                kind=ProblemKind.REMATCH,
                about=f"{stage}/R{number}",
                what=f"{a} and {b} meet again",
                is_blocking=False,
            )
