"""The ranking of a table's groups, and what compares entrants across them."""

from collections.abc import Mapping
from itertools import groupby
from statistics import fmean
from typing import Final

from ginref.engine.deck import expand
from ginref.tournament.event import GroupRanking, Placing
from ginref.tournament.format import Ladder, RoundRobin, Swiss
from ginref.tournament.ladder import rank_ladder
from ginref.tournament.ledger import Ledger
from ginref.tournament.result import Cause, FreeRound, Voided
from ginref.tournament.roster import by_lot
from ginref.tournament.stage_view import StageView
from ginref.tournament.standing import Rules, Standing, stand
from ginref.tournament.standing_tally import History, Tally, history
from ginref.tournament.table_play import groups_of
from ginref.tournament.tallying import tallies_of
from ginref.tournament.tiebreak import (
    ROUND_ROBIN_ORDER,
    SWISS_ORDER,
    Criterion,
)
from ginref.tournament.tiebreak_rank import Placing as Ranked
from ginref.tournament.tiebreak_rank import rank_entrants
from ginref.tournament.tiebreak_sum import ScoreBook

_LADDER_ORDER: Final = (
    Criterion.MATCH_POINTS,
    Criterion.NET_PER_BOARD,
    Criterion.LOTS,
)
_TIES: Final = b"ginref/tie-lots/v1"


def stage_tallies(ledger: Ledger, view: StageView) -> tuple[Tally, ...]:
    """Return what the decided fixtures of a table count for."""
    return tallies_of(ledger, view.stage.format, view.rounds, view.fixtures)


def tie_break_order(ledger: Ledger, view: StageView) -> tuple[Criterion, ...]:
    """Return what decides between equal scores in a stage, first to last."""
    order = ledger.tie_breaks.get(view.stage.name, view.stage.tie_breaks)
    if order:
        return order
    match view.stage.format:
        case RoundRobin():
            return ROUND_ROBIN_ORDER
        case Swiss():
            return SWISS_ORDER
        case _:
            return _LADDER_ORDER


def table_rules(ledger: Ledger, view: StageView) -> Rules:
    """Return by what the table of a stage is ordered."""
    swiss = view.stage.format
    played = max((each.number for each in view.rounds), default=0)
    return Rules(
        criteria=tie_break_order(ledger, view),
        award=ledger.configuration.conduct.award,
        round_count=swiss.rounds if isinstance(swiss, Swiss) else played,
        edition=ledger.configuration.edition,
    )


def table_lots(ledger: Ledger, view: StageView) -> dict[str, int]:
    """Return the lot of each entrant of a stage, the lowest being the best."""
    secret = expand(bytes.fromhex(ledger.lots), _TIES + view.stage.name.encode())
    bots = [seat.bot for seat in view.seats if seat.bot is not None]
    return {bot: at for at, bot in enumerate(by_lot(secret, bots), 1)}


def ranked_members(ledger: Ledger, view: StageView) -> dict[str, tuple[str, ...]]:
    """Return who is ranked in each group, by seed.

    Whoever was disqualified is not, nor whoever has left and played for nothing.
    """
    return {
        group: tuple(bot for bot in members if not _is_unranked(ledger, view, bot))
        for group, members in groups_of(view.stage, view.seats).items()
    }


def rank_table(ledger: Ledger, view: StageView) -> Mapping[str, tuple[Ranked, ...]]:
    """Return each group's ranking with the values that parted its entrants."""
    rules = table_rules(ledger, view)
    book = ScoreBook(
        history(stage_tallies(ledger, view), rules.award),
        rules.edition,
        rules.round_count,
        table_lots(ledger, view),
    )
    return {
        group: rank_entrants(members, book, rules.criteria)
        for group, members in ranked_members(ledger, view).items()
    }


def stand_table(ledger: Ledger, view: StageView) -> Mapping[str, tuple[Standing, ...]]:
    """Return each group's table with all its figures."""
    tallies = stage_tallies(ledger, view)
    rules, lots = table_rules(ledger, view), table_lots(ledger, view)
    return {
        group: stand(members, tallies, rules, lots)
        for group, members in ranked_members(ledger, view).items()
    }


def _is_unranked(ledger: Ledger, view: StageView, bot: str) -> bool:
    """Say whether somebody was sent out, or has left and played for nothing."""
    departure = ledger.departures.get(bot)
    if departure is None or departure.cause is Cause.DISQUALIFIED:
        return departure is not None
    own = [one.result for one in view.fixtures if bot in one.entrants]
    own = [result for result in own if not isinstance(result, FreeRound)]
    return bool(own) and all(isinstance(result, Voided) for result in own)


def group_rankings(ledger: Ledger, view: StageView) -> tuple[GroupRanking, ...]:
    """Return the ranking of each group as it is published, the unranked last."""
    members = groups_of(view.stage, view.seats)
    levels = _levels(ledger, view)
    rankings = []
    for group, ranked in ranked_members(ledger, view).items():
        placings = []
        above = 0
        for level in levels[group]:
            bots = tuple(bot for bot in level if bot in ranked)
            if bots:
                placings.append(Placing(rank=above + 1, bots=bots))
            above += len(bots)
        out = [bot for bot in members[group] if _is_unranked(ledger, view, bot)]
        if out:
            placings.append(Placing(rank=len(ranked) + 1, bots=tuple(out)))
        rankings.append(GroupRanking(group=group, placings=tuple(placings)))
    return tuple(rankings)


def _levels(ledger: Ledger, view: StageView) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Return who shares each place of each group, from the top."""
    declared = view.stage.tie_breaks or view.stage.name in ledger.tie_breaks
    if isinstance(view.stage.format, Ladder) and not declared:
        return {"": rank_ladder(ledger, view)}
    return {
        group: tuple(
            tuple(one.entrant for one in shared)
            for _, shared in groupby(ranked, key=lambda one: one.rank)
        )
        for group, ranked in rank_table(ledger, view).items()
    }


def worth_across_groups(
    ledger: Ledger, view: StageView
) -> Mapping[str, tuple[float, ...]]:
    """Return what compares entrants of groups that need not be of one size.

    Points per fixture, then net points per board.
    """
    seen = history(stage_tallies(ledger, view), ledger.configuration.conduct.award)
    return {
        seat.bot: _means(seen, seat.bot) for seat in view.seats if seat.bot is not None
    }


def _means(seen: History, bot: str) -> tuple[float, ...]:
    met = [one for one in seen.get(bot, ()) if one.opponent is not None]
    nets = [net for one in met for net in one.nets]
    return (
        fmean(one.points for one in met) if met else 0.0,
        fmean(nets) if nets else 0.0,
    )
