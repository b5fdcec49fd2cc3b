"""What a stage comes to, as JSON: its table with every figure, made for readers.

Figures have four digits after the point, so that all computers write the same.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ginref.engine.deck import expand
from ginref.tournament.configuration import Boards
from ginref.tournament.event import GroupRanking
from ginref.tournament.figure import Estimate
from ginref.tournament.figure_leak import leak_tests
from ginref.tournament.figure_order import certainties
from ginref.tournament.format import Ladder
from ginref.tournament.ladder import ladder_skills
from ginref.tournament.ledger import Ledger
from ginref.tournament.plan import Plan, rankings
from ginref.tournament.rating import rate, rate_intervals, rated_games
from ginref.tournament.shape import to_json
from ginref.tournament.stage_table import group_standings
from ginref.tournament.stage_view import StageView
from ginref.tournament.standing import Cell, Standing, cross_table
from ginref.tournament.standing_tally import Tally
from ginref.tournament.table_rank import stage_tallies, tie_break_order
from ginref.tournament.tiebreak import Criterion, TieBreak

_DIGITS: Final = 4
_PAIR: Final = 2
_SEED: Final = b"ginref/figures/v1"


def rounded(value: float | None) -> float | None:
    """Return a number as JSON has it: four digits, and whole where it is whole."""
    if value is None:
        return None
    near = round(value, _DIGITS)
    return int(near) if near == int(near) else near


def figures(plan: Plan, view: StageView) -> dict[str, Any]:
    """Return tables, cross-table, certainty and ratings of a stage by name."""
    ledger = plan.ledger
    ranked = rankings(ledger, view)
    if not ledger.lots or len(view.seats) < _PAIR:
        return {**_NOTHING, "rankings": [_ranking(one) for one in ranked]}
    tallies = stage_tallies(ledger, view)
    bots = [seat.bot for seat in view.seats if seat.bot is not None]
    seed = expand(bytes.fromhex(ledger.lots), _SEED + view.stage.name.encode())
    skills = ladder_skills(ledger, view) if _is_ladder(view) else {}
    mirrored = ledger.configuration.boards is Boards.MIRRORED
    return {
        "tie_breaks": [str(one) for one in _tie_breaks(ledger, view)],
        "rankings": [_ranking(one) for one in ranked],
        "standings": [
            _standing(ranking.group, standing)
            for ranking in ranked
            for standing in group_standings(ledger, view, ranking, tallies)
        ],
        "cross_table": [
            _cell(pair, cell) for pair, cell in sorted(cross_table(tallies).items())
        ],
        "certainty": list(_certainty(view, ranked, tallies, seed)),
        "ratings": list(_ratings(bots, tallies, seed)),
        "skills": [
            {
                "bot": bot,
                "mean": rounded(skill.mean),
                "deviation": rounded(skill.deviation),
                "shown": rounded(skill.shown),
            }
            for bot, skill in sorted(skills.items())
        ],
        "leaks": [
            {
                "bot": one.entrant,
                "gain": rounded(one.gain),
                "deviations": rounded(one.deviations),
                "decks": one.decks,
            }
            for one in (leak_tests(tallies) if mirrored else ())
        ],
    }


_NOTHING: Final[Mapping[str, Any]] = {
    "tie_breaks": [],
    "rankings": [],
    "standings": [],
    "cross_table": [],
    "certainty": [],
    "ratings": [],
    "skills": [],
    "leaks": [],
}


def _is_ladder(view: StageView) -> bool:
    return isinstance(view.stage.format, Ladder)


def _tie_breaks(ledger: Ledger, view: StageView) -> tuple[Criterion, ...]:
    return () if view.bracket is not None else tie_break_order(ledger, view)


def _ranking(ranking: GroupRanking) -> Any:  # noqa: ANN401 - JSON
    return to_json(ranking)


def _standing(group: str, line: Standing) -> dict[str, Any]:
    interval = line.score_interval
    return {
        "group": group,
        "rank": line.rank or None,
        "bot": line.entrant,
        "points": rounded(line.points),
        "parted_by": None if line.parted_by is None else str(line.parted_by),
        "won": line.won,
        "drawn": line.drawn,
        "lost": line.lost,
        "unplayed": [str(kind) for kind in line.unplayed],
        "boards_forfeited": line.boards_forfeited,
        "net_per_board": rounded(line.net_per_board),
        "skill": _estimate(line.skill),
        "adjusted": None if line.adjusted is None else _estimate(line.adjusted),
        "score_interval": None
        if interval is None
        else [rounded(bound) for bound in interval],
        "tie_breaks": [_tie_break(one) for one in line.tie_breaks],
    }


def _estimate(value: Estimate) -> dict[str, Any]:
    return {
        "mean": rounded(value.mean),
        "margin": rounded(value.margin),
        "count": value.count,
    }


def _tie_break(value: TieBreak) -> dict[str, Any]:
    return {
        "criterion": str(value.criterion),
        "value": rounded(value.value),
        "contributions": [
            {
                "round": one.round,
                "opponent": one.opponent,
                "value": rounded(one.value),
                "is_played": one.is_played,
                "is_cut": one.is_cut,
                "boards": one.boards,
            }
            for one in value.contributions
        ],
    }


def _cell(pair: tuple[str, str], cell: Cell) -> dict[str, Any]:
    return {
        "bot": pair[0],
        "opponent": pair[1],
        "points": rounded(cell.points),
        "fixtures": cell.fixtures,
        "net": _estimate(cell.net),
        "is_clear": cell.net.is_clear,
    }


def _certainty(
    view: StageView,
    ranked: Sequence[GroupRanking],
    tallies: Sequence[Tally],
    seed: bytes,
) -> Iterator[dict[str, Any]]:
    """Yield how sure each place is; brackets and ladders are ordered otherwise."""
    if view.bracket is not None or _is_ladder(view):
        return
    for ranking in ranked:
        order = [bot for placing in ranking.placings for bot in placing.bots]
        own = [tally for tally in tallies if tally.first in order]
        if len(order) < _PAIR or not own:
            continue
        for one in certainties(order, own, seed + ranking.group.encode()):
            yield {
                "group": ranking.group,
                "bot": one.entrant,
                "first": rounded(one.first),
                "best_rank": one.best_rank,
                "worst_rank": one.worst_rank,
                "above_next": rounded(one.above_next),
            }


def _ratings(
    bots: Sequence[str], tallies: Sequence[Tally], seed: bytes
) -> Iterator[dict[str, Any]]:
    """Yield what everybody is rated by the fixtures of the stage, the best first."""
    games = rated_games(tallies)
    if not games:
        return
    everyone = sorted({*bots, *(bot for game in games for bot in game[:2])})
    rated, intervals = rate(everyone, games), rate_intervals(everyone, games, seed)
    for bot in sorted(everyone, key=lambda bot: (-round(rated[bot], _DIGITS), bot)):
        low, high = intervals[bot]
        yield {
            "bot": bot,
            # Whole points: nobody is rated more closely, and all computers agree.
            "rating": round(rated[bot]),
            "low": round(low),
            "high": round(high),
        }
