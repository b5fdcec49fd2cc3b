"""Pair a large field: as its score groups suggest, then exchange until nothing gains.

Exchanging partners between two pairs removes any rematch while fewer than half of the
field has been met. Beyond that a largest matching of those who have not met says how
many rematches nobody can avoid.
"""

from collections.abc import Iterable
from typing import Final

from ginref.tournament.swiss_field import Table
from ginref.tournament.swiss_matching import largest_matching

_LARGEST_DEEP: Final = 128
"""Entrants up to which three pairs exchange partners; beyond, two are enough."""

Pairs = tuple[tuple[int, int], ...]


def pair_by_exchange(table: Table) -> Pairs:
    """Return a pairing with as few rematches as possible that no exchange improves."""
    pairs = _Exchange(table, _slide(table)).improve()
    if not table.rematches(pairs):
        return pairs
    size = len(table)
    unmet = [
        [
            other
            for other in range(size)
            if other != one and not table.has_met(one, other)
        ]
        for one in range(size)
    ]
    partners = largest_matching(unmet)
    alone = [one for one, partner in enumerate(partners) if partner is None]
    forced = list(zip(alone[::2], alone[1::2], strict=True))
    found = [
        (one, partner)
        for one, partner in enumerate(partners)
        if partner is not None and one < partner
    ]
    return _Exchange(table, found + forced).improve()


def _slide(table: Table) -> list[tuple[int, int]]:
    """Pair each score group by a slide; whoever is left over floats down one group."""
    pairs: list[tuple[int, int]] = []
    floating: int | None = None
    for places in table.groups():
        group = list(places)
        if floating is not None:
            pairs.append((floating, group.pop(0)))
        floating = group.pop() if len(group) % 2 else None
        half = len(group) // 2
        pairs.extend(zip(group[:half], group[half:], strict=True))
    return pairs


class _Exchange:
    """Partners that change as long as that lowers the cost.

    Entrants are places of the table; what each pair costs is kept for both of it.
    """

    def __init__(self, table: Table, start: Iterable[tuple[int, int]]) -> None:
        self._table = table
        self._partners = [0] * len(table)
        self._paid = [0] * len(table)
        for a, b in start:
            self._pair(a, b)

    def improve(self) -> Pairs:
        """Let each pair that costs anything look for exchanges, until none gains.

        Each exchange lowers the cost of the whole, so this comes to an end.
        """
        waiting = [a for a, b in enumerate(self._partners) if a < b]
        while waiting:
            a = waiting.pop()
            if self._paid[a]:
                waiting.extend(self._exchange(a))
        return tuple((a, b) for a, b in enumerate(self._partners) if a < b)

    def _exchange(self, a: int) -> tuple[int, ...]:
        """Make the exchange that gains most for a pair; return who changed partners."""
        b = self._partners[a]
        search = self._longer if len(self._partners) <= _LARGEST_DEEP else self._swap
        gain, chain = max(search(a, b), search(b, a))
        if gain <= 0:
            return ()
        for first, second in zip(chain[::2], chain[1::2], strict=True):
            self._pair(first, second)
        return chain

    def _swap(self, end: int, other: int) -> tuple[int, tuple[int, ...]]:
        """Find the best exchange with a second pair: what it gains, and the new pairs.

        One of a pair takes somebody, whose partner is left for the other.
        """
        to_end, to_other = self._table.costs(end), self._table.costs(other)
        gains = [
            paid - cost - to_other[partner]
            for paid, cost, partner in zip(
                self._paid, to_end, self._partners, strict=True
            )
        ]
        # With each other or themselves they exchange nothing.
        gains[end] = gains[other] = -self._paid[end]
        best = max(gains)
        c = gains.index(best)
        return best + self._paid[end], (end, c, self._partners[c], other)

    def _longer(self, end: int, other: int) -> tuple[int, tuple[int, ...]]:
        """Find the best exchange with a second pair, or with a second and a third."""
        best, chain = self._swap(end, other)
        to_end, to_other = self._table.costs(end), self._table.costs(other)
        for c, d in enumerate(self._partners):
            if c in {end, other}:
                continue
            open_gain = self._paid[end] + self._paid[c] - to_end[c]
            if open_gain <= best:
                continue
            to_d = self._table.costs(d)
            for e, f in enumerate(self._partners):
                gain = open_gain + self._paid[e] - to_d[e] - to_other[f]
                if gain > best and e not in {end, other, c, d}:
                    best, chain = gain, (end, c, d, e, f, other)
        return best, chain

    def _pair(self, a: int, b: int) -> None:
        self._partners[a], self._partners[b] = b, a
        self._paid[a] = self._paid[b] = self._table.costs(a)[b]
