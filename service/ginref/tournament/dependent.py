"""Which fixtures follow from the result of another one."""

from collections.abc import Iterator

from ginref.tournament.fixture import Fixture
from ginref.tournament.format import Swiss
from ginref.tournament.plan import Plan
from ginref.tournament.source import LoserOf, WinnerOf
from ginref.tournament.stage_view import StageView


def dependents(plan: Plan, fixture: Fixture) -> Iterator[Fixture]:
    """Yield the fixtures whose entrants follow from a fixture's result, in order.

    In a bracket that is whatever its winner or loser comes to, in a Swiss stage all
    later rounds. Later stages follow from all that came before.
    """
    names = [view.stage.name for view in plan.stages]
    at = names.index(fixture.stage)
    yield from _in_stage(plan.stages[at], fixture)
    for view in plan.stages[at + 1 :]:
        yield from view.fixtures


def _in_stage(view: StageView, fixture: Fixture) -> Iterator[Fixture]:
    if view.bracket is not None:
        reached = {fixture.node}
        for node, other in zip(view.bracket.nodes, view.fixtures, strict=True):
            before = {
                side.node for side in (node.a, node.b) if isinstance(side, _FOLLOWING)
            }
            if not reached.isdisjoint(before):
                reached.add(node.key)
                yield other
    elif isinstance(view.stage.format, Swiss):
        yield from (one for one in view.fixtures if one.round > fixture.round)


_FOLLOWING = (WinnerOf, LoserOf)


def has_begun(plan: Plan, fixture: Fixture) -> bool:
    """Say whether something was done in a fixture that a new start would undo."""
    return fixture.has_started or fixture.fixture_id in plan.ledger.rulings
