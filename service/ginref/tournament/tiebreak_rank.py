"""Order entrants by one criterion after the other, and say which one parted whom."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean

from ginref.tournament.tiebreak import Contribution, Criterion, TieBreak
from ginref.tournament.tiebreak_sum import ScoreBook


@dataclass(frozen=True, slots=True)
class Placing:
    """Where an entrant stands.

    Attributes:
        rank: Counted from 1; those whom nothing parts share the rank of the first.
        tie_breaks: Its values in the order of the criteria. A head-to-head has none
            where it was not needed, or where not all who were level had met.
        parted_by: What parted it from the one before; None for the first of all and
            for a rank that is shared with the one before.
    """

    entrant: str
    rank: int
    tie_breaks: tuple[TieBreak, ...]
    parted_by: Criterion | None


def rank_entrants(
    entrants: Sequence[str], book: ScoreBook, criteria: Sequence[Criterion]
) -> tuple[Placing, ...]:
    """Order entrants, the best first; those who are level stay in the order given."""
    return _Ranking(entrants, book, criteria).placings()


class _Ranking:
    """A table in the making: groups of entrants who are level so far."""

    def __init__(
        self, entrants: Sequence[str], book: ScoreBook, criteria: Sequence[Criterion]
    ) -> None:
        self._entrants = entrants
        self._book = book
        self._criteria = criteria
        self._values = {
            (criterion, entrant): book.tie_break(criterion, entrant)
            for criterion in criteria
            for entrant in entrants
        }

    def placings(self) -> tuple[Placing, ...]:
        placings: list[Placing] = []
        rank = 1
        for place, (entrant, parted_by) in enumerate(self._order(self._entrants, 0), 1):
            if parted_by is not None:
                rank = place
            values = tuple(
                self._values[criterion, entrant] for criterion in self._criteria
            )
            placings.append(Placing(entrant, rank, values, parted_by))
        return tuple(placings)

    def _order(
        self, level: Sequence[str], at: int
    ) -> Iterator[tuple[str, Criterion | None]]:
        """Yield entrants in order, each with what parted it from the one before."""
        if len(level) <= 1 or at == len(self._criteria):
            yield from ((entrant, None) for entrant in level)
            return
        criterion = self._criteria[at]
        groups = self._part(level, criterion)
        # Fewer who are level may have met, or be in no circle any more.
        repeats = criterion is Criterion.HEAD_TO_HEAD and len(groups) > 1
        for number, group in enumerate(groups):
            for place, (entrant, parted_by) in enumerate(
                self._order(group, at if repeats else at + 1)
            ):
                yield entrant, criterion if number and not place else parted_by

    def _part(self, level: Sequence[str], criterion: Criterion) -> list[list[str]]:
        """Part those who are level by one criterion, the best first."""
        if criterion is Criterion.HEAD_TO_HEAD:
            for entrant, met in _head_to_head(self._book, level).items():
                self._values[criterion, entrant] = met
        sign = -1 if criterion is Criterion.LOTS else 1
        groups: dict[float, list[str]] = {}
        for entrant in level:
            value = self._values[criterion, entrant].value
            groups.setdefault(0 if value is None else sign * value, []).append(entrant)
        return [groups[value] for value in sorted(groups, reverse=True)]


def _head_to_head(book: ScoreBook, level: Sequence[str]) -> Mapping[str, TieBreak]:
    """Return the table of those who are level; empty unless they all have met.

    Those who met more than once count with the mean of what they scored.
    """
    among = set(level)
    met: dict[tuple[str, str], list[Contribution]] = {}
    for entrant in level:
        for seen in book.rounds(entrant):
            other = seen.opponent
            if other is not None and other in among:
                part = Contribution(seen.round, other, seen.points, seen.is_met)
                met.setdefault((entrant, other), []).append(part)
    if any(pair not in met for pair in combinations(level, 2)):
        return {}
    table = {}
    for entrant in level:
        parts = [met[entrant, other] for other in level if other != entrant]
        value = sum(fmean(part.value for part in encounters) for encounters in parts)
        contributions = sorted(part for encounters in parts for part in encounters)
        table[entrant] = TieBreak(Criterion.HEAD_TO_HEAD, value, tuple(contributions))
    return table
