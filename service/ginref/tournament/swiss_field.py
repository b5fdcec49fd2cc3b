"""The field of a Swiss round, and what pairing two of it, or nobody, would cost.

A pairing is better the lower this is, the first difference deciding:

1. how many pairs meet again; then how many of these met in the round before,
2. who sits out: nobody a second time, the lowest score, then the fewest rounds
   unplayed, then the lowest seed,
3. the differences of score within pairs, the largest one first,
4. how many entrants float in the direction they floated in the round before; a bye is
   a float down,
5. how far it is from a slide, summed up in squares: in a score group of n, place i
   meets place i + n // 2; between groups, the last place of the upper meets the
   first of the lower,
6. the pairs by seeds, read from the top; in a large field, the pairs found first.
"""

import enum
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ginref.tournament.standing_tally import (
    Appearance,
    History,
    Tally,
    history,
    total,
)


class Float(enum.Enum):
    """Whether an entrant met a lower score in its latest round, or a higher one."""

    NONE = enum.auto()
    DOWN = enum.auto()
    UP = enum.auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """An entrant that is to be paired.

    Attributes:
        key: The entrant.
        score: Match points so far.
        met: Whom it has played, in any round.
        last_met: Whom it played in the latest round.
        floated: How it floated in the latest round.
        unplayed: How many rounds it has not played.
        has_free_win: Whether it once won without playing.
    """

    key: str
    score: float = 0
    met: frozenset[str] = frozenset()
    last_met: str | None = None
    floated: Float = Float.NONE
    unplayed: int = 0
    has_free_win: bool = False


def field_of(active: Sequence[str], tallies: Iterable[Tally]) -> tuple[Candidate, ...]:
    """Describe the entrants of the next round, in the order of their seeds.

    Args:
        active: Everyone to be paired, the strongest seed first.
        tallies: All rounds so far, of those who have left, too.
    """
    known = history(tallies, award=0)  # boards do not matter here
    latest = max((seen[-1].round for seen in known.values()), default=0)
    return tuple(_candidate(key, known, latest) for key in active)


def _candidate(key: str, known: History, latest: int) -> Candidate:
    rounds = known.get(key, ())
    met = [seen for seen in rounds if seen.is_met and seen.opponent]
    last = rounds[-1] if rounds and rounds[-1].round == latest else None
    return Candidate(
        key=key,
        score=total(rounds),
        met=frozenset(seen.opponent for seen in met if seen.opponent),
        last_met=last.opponent if last and last.is_met else None,
        floated=_float(key, last, known) if last else Float.NONE,
        unplayed=sum(1 for seen in rounds if not seen.is_met),
        has_free_win=any(seen.is_free_win for seen in rounds),
    )


def _float(key: str, last: Appearance, known: History) -> Float:
    if last.is_free_win:
        return Float.DOWN
    if not last.is_met or last.opponent is None:
        return Float.NONE
    mine, theirs = (
        total(seen for seen in known[who] if seen.round < last.round)
        for who in (key, last.opponent)
    )
    if mine == theirs:
        return Float.NONE
    return Float.DOWN if mine > theirs else Float.UP


class _Group(NamedTuple):
    """Entrants of one score.

    Attributes:
        start: The place of the first of them.
        to_lower: What it adds to a pair to take each of them for the upper one.
        to_upper: What it adds to a pair to take each of them for the lower one.
    """

    score: float
    start: int
    to_lower: list[int]
    to_upper: list[int]


class Table:
    """An even field in the order of score and seed, and what its pairs cost.

    Entrants are named by their place in this order, from 0. Each criterion is worth
    more than all the following ones together, so that a cost is a single number.
    """

    def __init__(self, field: Sequence[Candidate]) -> None:
        """Order the field, which comes in the order of seeds."""
        order = sorted(range(len(field)), key=lambda seed: (-field[seed].score, seed))
        self.seeds = tuple(order)
        self.ranked = tuple(field[seed] for seed in order)
        self._at = {entrant.key: at for at, entrant in enumerate(self.ranked)}
        size = len(field)
        self._float_price = size**3 + 1
        sizes = Counter(entrant.score for entrant in self.ranked)
        self._difference_prices: dict[float, int] = {}
        price = self._float_price * (size + 1)
        for difference in sorted({a - b for a in sizes for b in sizes if a > b}):
            self._difference_prices[difference] = price
            price *= size // 2 + 1
        self._consecutive_price = price
        self._rematch_price = price * (size // 2 + 1)
        self._groups = self._split(sizes)
        self._rows: dict[int, list[int]] = {}

    def __len__(self) -> int:
        """Count the entrants."""
        return len(self.ranked)

    def groups(self) -> Iterator[range]:
        """Yield the places of each score group, the highest score first."""
        for group in self._groups:
            yield range(group.start, group.start + len(group.to_lower))

    def has_met(self, a: int, b: int) -> bool:
        """Say whether two have played each other."""
        return self.costs(a)[b] >= self._rematch_price

    def costs(self, a: int) -> list[int]:
        """Return what it costs to pair one with each of the field; 0 for itself."""
        row = self._rows.get(a)
        if row is None:
            row = self._rows[a] = self._row(a)
        return row

    def rematches(self, pairs: Iterable[tuple[int, int]]) -> int:
        """Count the pairs that have met before."""
        return sum(self.has_met(a, b) for a, b in pairs)

    def by_seed(self, pairs: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
        """Return pairs as seeds from 0, in order: the last criterion."""
        named = ((self.seeds[a], self.seeds[b]) for a, b in pairs)
        return sorted((min(pair), max(pair)) for pair in named)

    def _split(self, sizes: Mapping[float, int]) -> list[_Group]:
        groups = []
        start = 0
        for score, size in sizes.items():
            members = self.ranked[start : start + size]
            down = [self._float_price * (m.floated is Float.DOWN) for m in members]
            up = [self._float_price * (m.floated is Float.UP) for m in members]
            to_lower = [(size - 1 - at) ** 2 + price for at, price in enumerate(down)]
            to_upper = [at**2 + price for at, price in enumerate(up)]
            groups.append(_Group(score, start, to_lower, to_upper))
            start += size
        return groups

    def _row(self, a: int) -> list[int]:
        score = self.ranked[a].score
        row: list[int] = []
        own = next(group for group in self._groups if group.score == score)
        place = a - own.start
        half = len(own.to_lower) // 2
        for group in self._groups:
            if group.score > score:
                price = self._difference_prices[group.score - score]
                price += own.to_upper[place]
                row += [price + cost for cost in group.to_lower]
            elif group.score < score:
                price = self._difference_prices[score - group.score]
                price += own.to_lower[place]
                row += [price + cost for cost in group.to_upper]
            else:
                places = range(len(own.to_lower))
                row += [(abs(at - place) - half) ** 2 for at in places]
        for key in self.ranked[a].met:
            if key in self._at:
                row[self._at[key]] += self._rematch_price
        last_met = self.ranked[a].last_met
        if last_met in self._at:
            row[self._at[last_met]] += self._consecutive_price
        row[a] = 0
        return row


def bye_order(field: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Order those who may sit out, the first to do so first.

    Nobody wins without playing a second time, unless everybody already has once.
    """
    eligible = [entrant for entrant in field if not entrant.has_free_win] or field
    from_below = reversed(eligible)
    return tuple(
        sorted(from_below, key=lambda entrant: (entrant.score, entrant.unplayed))
    )
