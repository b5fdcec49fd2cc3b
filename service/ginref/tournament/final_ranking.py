"""The ranking of a whole tournament: the last stage first, then who did not get there.

Whoever came further is ranked higher. Those of one stage who were out with the same
rank, each in its group, share a rank.
"""

from collections.abc import Iterator

from ginref.tournament.event import Placing
from ginref.tournament.plan import Plan, rankings
from ginref.tournament.stage_view import StageView


def final_ranking(plan: Plan) -> tuple[Placing, ...]:
    """Return who takes which rank, as it stands.

    A rank that nobody takes stays empty: with no winner of the final, both of it are
    second.
    """
    placings: list[Placing] = []
    above = 0
    further: set[str] = set()
    for view in reversed(plan.stages):
        for rank, bots in _out_with(plan, view, further):
            placings.append(Placing(rank=max(rank, above + 1), bots=bots))
            above += len(bots)
        further.update(seat.bot for seat in view.seats if seat.bot is not None)
    return tuple(placings)


def _out_with(
    plan: Plan, view: StageView, further: set[str]
) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield who came no further than a stage, by rank."""
    by_rank: dict[int, list[str]] = {}
    for ranking in rankings(plan.ledger, view):
        for placing in ranking.placings:
            bots = [bot for bot in placing.bots if bot not in further]
            by_rank.setdefault(placing.rank, []).extend(bots)
    for rank, bots in sorted(by_rank.items()):
        if bots:
            yield rank if not further else 0, tuple(sorted(bots))
