"""Pair a small field: look at every pairing, and ahead to the rounds that follow."""

from collections.abc import Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Final

from ginref.tournament.swiss_field import Table

LARGEST_FIELD: Final = 12
"""Entrants, a bye among them: with 12 there are 10,395 pairings."""

_PATIENCE: Final = 20_000
"""Pairs tried when looking ahead, before rounds to come count as impossible."""

Pairs = tuple[tuple[int, int], ...]


def fewest_rematches(table: Table) -> Iterator[Pairs]:
    """Yield all pairings in which as few pairs as possible meet again, best first."""
    everyone = tuple(range(len(table)))
    for allowed in range(len(table) // 2 + 1):
        found = sorted(_pairings(table, everyone, allowed), key=itemgetter(0))
        for _, level in groupby(found, key=itemgetter(0)):
            # Most of them nobody ever asks for.
            yield from sorted((pairs for _, pairs in level), key=table.by_seed)
        if found:
            return


def _pairings(
    table: Table, free: tuple[int, ...], rematches: int
) -> Iterator[tuple[int, Pairs]]:
    """Yield each pairing of those who are free, and what it costs.

    Args:
        table: The field.
        free: Who is not paired yet.
        rematches: How many pairs may meet again at most.
    """
    if not free:
        yield 0, ()
        return
    first, *others = free
    costs = table.costs(first)
    for at, other in enumerate(others):
        left = rematches - table.has_met(first, other)
        if left >= 0:
            rest = (*others[:at], *others[at + 1 :])
            for cost, pairs in _pairings(table, rest, left):
                yield cost + costs[other], ((first, other), *pairs)


class Lookahead:
    """A search for rounds that share no pair; it gives up after a fixed effort."""

    def __init__(self, patience: int = _PATIENCE) -> None:
        """Begin with so much patience, in pairs tried."""
        self._patience = patience
        self._unmet: dict[str, set[str]] = {}

    def fits(self, unmet: Mapping[str, set[str]], round_count: int) -> bool:
        """Say whether so many more rounds can do without a rematch.

        Args:
            unmet: For each entrant those it has not met; a bye is one of them. Both
                sides of a pair name each other.
            round_count: How many rounds are to come.
        """
        self._unmet = {key: set(others) for key, others in unmet.items()}
        return self._fits(round_count)

    def _fits(self, round_count: int) -> bool:
        fewest = min(len(others) for others in self._unmet.values())
        if fewest < round_count:
            return False
        # Dirac: who has half of the field left to meet can be paired, whatever else.
        if not round_count or 2 * (fewest - round_count + 1) >= len(self._unmet):
            return True
        return self._fill(sorted(self._unmet), round_count)

    def _fill(self, free: list[str], round_count: int) -> bool:
        """Complete one round, then the others."""
        if not free:
            return self._fits(round_count - 1)
        # Whoever has the fewest left to meet is the hardest to place.
        first = min(free, key=lambda key: (len(self._unmet[key]), key))
        for other in sorted(self._unmet[first].intersection(free)):
            self._patience -= 1
            if self._patience < 0:
                return False
            self._unmet[first].remove(other)
            self._unmet[other].remove(first)
            rest = [key for key in free if key not in {first, other}]
            if self._fill(rest, round_count):
                return True
            self._unmet[first].add(other)
            self._unmet[other].add(first)
        return False
