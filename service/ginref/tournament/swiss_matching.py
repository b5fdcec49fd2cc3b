"""The most pairs that a field allows: a largest matching of a graph.

Source: Edmonds, "Paths, trees, and flowers" (1965): odd cycles shrink to one place.
"""

from collections import deque
from collections.abc import Sequence


def largest_matching(neighbours: Sequence[Sequence[int]]) -> list[int | None]:
    """Return the partner of each vertex, for as many as possible; None is alone.

    Args:
        neighbours: For each vertex those it may be paired with; both name each other.
    """
    partners: list[int | None] = [None] * len(neighbours)
    for vertex, others in enumerate(neighbours):
        # Most pairs are found without any search.
        if partners[vertex] is None:
            free = next((other for other in others if partners[other] is None), None)
            if free is not None:
                partners[vertex], partners[free] = free, vertex
    for vertex in range(len(neighbours)):
        if partners[vertex] is None:
            _Search(neighbours, partners).improve(vertex)
    return partners


class _Search:
    """A search for a path of unpaired and paired edges in turn, between two alone.

    Attributes:
        parents: The vertex before each one that a pair would be broken up for.
        bases: The vertex that stands for the odd cycle that each one is in.
    """

    def __init__(
        self, neighbours: Sequence[Sequence[int]], partners: list[int | None]
    ) -> None:
        self._neighbours = neighbours
        self._partners = partners
        self.parents: dict[int, int] = {}
        self.bases = list(range(len(neighbours)))

    def improve(self, root: int) -> None:
        """Pair the root with somebody, if there is a way."""
        outer = {root}
        queue = deque([root])
        while queue:
            vertex = queue.popleft()
            for other in self._neighbours[vertex]:
                is_inside = self.bases[vertex] == self.bases[other]
                if is_inside or self._partners[vertex] == other:
                    continue
                if other in outer:
                    for shrunk in self._shrink(vertex, other):
                        if shrunk not in outer:
                            outer.add(shrunk)
                            queue.append(shrunk)
                elif other not in self.parents:
                    self.parents[other] = vertex
                    partner = self._partners[other]
                    if partner is None:
                        self._flip(other)
                        return
                    outer.add(partner)
                    queue.append(partner)

    def _flip(self, end: int) -> None:
        """Pair up along the path, from its end to the root."""
        vertex: int | None = end
        while vertex is not None:
            before = self.parents[vertex]
            following = self._partners[before]
            self._partners[vertex], self._partners[before] = before, vertex
            vertex = following

    def _shrink(self, a: int, b: int) -> list[int]:
        """Make one of the odd cycle that an edge closes; return who is in it."""
        top = self._meeting_base(a, b)
        inside: set[int] = set()
        for start, child in ((a, b), (b, a)):
            self._mark(start, child, top, inside)
        shrunk = [vertex for vertex, base in enumerate(self.bases) if base in inside]
        for vertex in shrunk:
            self.bases[vertex] = top
        return shrunk

    def _mark(self, vertex: int, child: int, top: int, inside: set[int]) -> None:
        """Note the bases from a vertex up to the top, and how to come back down."""
        while self.bases[vertex] != top:
            partner = self._partner(vertex)
            inside |= {self.bases[vertex], self.bases[partner]}
            self.parents[vertex] = child
            child, vertex = partner, self.parents[partner]

    def _meeting_base(self, a: int, b: int) -> int:
        """Return the base nearest to both on their ways to the root."""
        on_the_way = set()
        vertex = a
        while True:
            vertex = self.bases[vertex]
            on_the_way.add(vertex)
            partner = self._partners[vertex]
            if partner is None:
                break
            vertex = self.parents[partner]
        vertex = self.bases[b]
        while vertex not in on_the_way:
            vertex = self.bases[self.parents[self._partner(vertex)]]
        return vertex

    def _partner(self, vertex: int) -> int:
        """Return the partner of an outer vertex; only the root has none."""
        partner = self._partners[vertex]
        return vertex if partner is None else partner
