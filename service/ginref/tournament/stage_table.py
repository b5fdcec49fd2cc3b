"""The table of a stage: its ranking, with the figures of everybody in it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ginref.tournament.event import GroupRanking
from ginref.tournament.ledger import Ledger
from ginref.tournament.stage_view import StageView
from ginref.tournament.standing import Rules, Standing, stand
from ginref.tournament.standing_tally import Tally
from ginref.tournament.table_rank import stage_tallies, stand_table


def group_standings(
    ledger: Ledger,
    view: StageView,
    ranking: GroupRanking,
    tallies: Sequence[Tally] | None = None,
) -> Iterator[Standing]:
    """Yield the lines of a group's table in the order of its ranking.

    Who is still in a bracket has no place yet: the rank 0, before all others.

    Args:
        ledger: What has happened; lots are drawn.
        view: The stage.
        ranking: The ranking of one of its groups.
        tallies: What its fixtures count for, where that is known already.
    """
    order = {
        bot: (placing.rank, at)
        for at, (placing, bot) in enumerate(
            (placing, bot) for placing in ranking.placings for bot in placing.bots
        )
    }
    if view.bracket is None:
        lines = stand_table(ledger, view).get(ranking.group, ())
    else:
        bots = [seat.bot for seat in view.seats if seat.bot is not None]
        rules = Rules(
            criteria=(),
            award=ledger.configuration.conduct.award,
            round_count=max((one.round for one in view.fixtures), default=0),
        )
        if tallies is None:
            tallies = stage_tallies(ledger, view)
        lines = stand(bots, tallies, rules)
    for line in sorted(lines, key=lambda line: order.get(line.entrant, (0, 0))):
        yield replace(line, rank=order.get(line.entrant, (0, 0))[0])
