"""Pair a small field: look at every pairing, and ahead to the rounds that follow."""

from collections.abc import Iterator, Mapping
from typing import Final

from ginref.tournament.swiss_field import Table

LARGEST_FIELD: Final = 12
"""Entrants, a bye among them: with 12 there are 10,395 pairings."""

_PATIENCE: Final = 20_000
"""Pairs tried when looking ahead, before rounds to come count as impossible."""

Pairs = tuple[tuple[int, int], ...]


def fewest_rematches(table: Table) -> tuple[Pairs, ...]:
    """Return all pairings in which as few pairs as possible meet again, best first."""
    for allowed in range(len(table) // 2 + 1):
        found = list(_pairings(table, tuple(range(len(table))), allowed))
        if found:
            return tuple(sorted(found, key=lambda pairs: _cost(table, pairs)))
    return ()


def _cost(table: Table, pairs: Pairs) -> tuple[int, list[tuple[int, int]]]:
    return sum(table.costs(a)[b] for a, b in pairs), table.by_seed(pairs)


def _pairings(table: Table, free: tuple[int, ...], rematches: int) -> Iterator[Pairs]:
    """Yield each pairing of those who are free, with so many rematches at most."""
    if not free:
        yield ()
        return
    first, *others = free
    for other in others:
        left = rematches - table.has_met(first, other)
        if left >= 0:
            rest = tuple(entrant for entrant in others if entrant != other)
            for pairs in _pairings(table, rest, left):
                yield ((first, other), *pairs)


class Lookahead:
    """A search for rounds that share no pair; it gives up after a fixed effort."""

    def __init__(self) -> None:
        """Begin with all the patience there is."""
        self._patience = _PATIENCE
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
