"""The table of an event: who stands where, by what, and how well that is known."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from ginref.tournament.figure import Estimate, estimate, share_interval
from ginref.tournament.standing_tally import (
    DRAW,
    LOSS,
    WIN,
    Appearance,
    Kind,
    Tally,
    history,
    total,
)
from ginref.tournament.tiebreak import Criterion, Edition, TieBreak
from ginref.tournament.tiebreak_rank import Placing, rank_entrants
from ginref.tournament.tiebreak_sum import ScoreBook


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One line of the table.

    Attributes:
        rank: Shared by those whom nothing parts.
        points: Match points.
        tie_breaks: The values in the order of the criteria, with what they are made of.
        parted_by: What parted the entrant from the line above, if anything did.
        won: Fixtures won in play.
        drawn: Fixtures drawn.
        lost: Fixtures lost in play.
        unplayed: Rounds without play, by kind: byes, forfeits, absences.
        boards_forfeited: Boards that the entrant forfeited.
        net_per_board: Net points per board with the awards for forfeited ones: by this
            it is ranked.
        skill: Net points per board of the boards that both sides played to the end,
            with their interval.
        adjusted: The same without what was luck; None where that is not known.
        score_interval: Where the true share of points from fixtures in play lies; None
            without any.
    """

    entrant: str
    rank: int
    points: float
    tie_breaks: tuple[TieBreak, ...]
    parted_by: Criterion | None
    won: int
    drawn: int
    lost: int
    unplayed: tuple[Kind, ...]
    boards_forfeited: int
    net_per_board: float
    skill: Estimate
    adjusted: Estimate | None
    score_interval: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Rules:
    """By what a table is ordered.

    Attributes:
        criteria: What decides, first to last.
        award: Net points that a forfeited board costs.
        round_count: Rounds of the whole event, those to come among them.
        edition: What unplayed rounds count for.
    """

    criteria: tuple[Criterion, ...]
    award: int
    round_count: int
    edition: Edition = Edition.GIN_2026


@dataclass(frozen=True, slots=True)
class Cell:
    """How one entrant did against another.

    Attributes:
        points: Match points from their fixtures.
        fixtures: How many fixtures they had.
        net: Net points per board that both played to the end, with their interval.
    """

    points: float
    fixtures: int
    net: Estimate


def stand(
    entrants: Sequence[str],
    tallies: Sequence[Tally],
    rules: Rules,
    lots: dict[str, int] | None = None,
) -> tuple[Standing, ...]:
    """Return the table, the best first; those who are level stay in the order given."""
    seen = history(tallies, rules.award)
    book = ScoreBook(seen, rules.edition, rules.round_count, lots)
    placings = rank_entrants(entrants, book, rules.criteria)
    return tuple(_standing(placing, book) for placing in placings)


def _standing(placing: Placing, book: ScoreBook) -> Standing:
    entrant = placing.entrant
    rounds = book.rounds(entrant)
    scores = [seen.points for seen in rounds if seen.is_met]
    adjusted = [seen.adjusted for seen in rounds if seen.adjusted is not None]
    is_known = len(adjusted) == len(rounds)
    return Standing(
        entrant=entrant,
        rank=placing.rank,
        points=book.points(entrant),
        tie_breaks=placing.tie_breaks,
        parted_by=placing.parted_by,
        won=scores.count(WIN),
        drawn=scores.count(DRAW),
        lost=scores.count(LOSS),
        unplayed=tuple(seen.kind for seen in rounds if not seen.is_met),
        boards_forfeited=sum(seen.forfeited for seen in rounds),
        net_per_board=book.tie_break(Criterion.NET_PER_BOARD, entrant).value or 0.0,
        skill=estimate([net for seen in rounds for net in seen.skill]),
        adjusted=estimate([*chain(*adjusted)]) if is_known else None,
        score_interval=share_interval(sum(scores), len(scores)) if scores else None,
    )


def cross_table(tallies: Sequence[Tally]) -> dict[tuple[str, str], Cell]:
    """Return how everyone did against everyone they met, as the first of the two."""
    met: dict[tuple[str, str], list[Appearance]] = {}
    for entrant, rounds in history(tallies, award=0).items():
        for seen in rounds:
            if seen.opponent is not None:
                met.setdefault((entrant, seen.opponent), []).append(seen)
    return {
        pair: Cell(
            points=total(encounters),
            fixtures=len(encounters),
            net=estimate([net for seen in encounters for net in seen.skill]),
        )
        for pair, encounters in met.items()
    }
