import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ginref.tournament.swiss_matching import largest_matching


@st.composite
def graphs(draw: st.DrawFn) -> list[list[int]]:
    size = draw(st.integers(0, 9))
    edges = [
        edge for edge in itertools.combinations(range(size), 2) if draw(st.booleans())
    ]
    graph: list[list[int]] = [[] for _ in range(size)]
    for a, b in draw(st.permutations(edges)):
        graph[a].append(b)
        graph[b].append(a)
    return graph


def most_pairs(graph: list[list[int]], free: frozenset[int]) -> int:
    if not free:
        return 0
    one = min(free)
    rest = free - {one}
    paired = [1 + most_pairs(graph, rest - {other}) for other in rest & {*graph[one]}]
    return max([most_pairs(graph, rest), *paired])


@given(graphs())
def test_a_matching_is_as_large_as_any(graph: list[list[int]]) -> None:
    partners = largest_matching(graph)

    paired = {
        one: partner for one, partner in enumerate(partners) if partner is not None
    }
    assert all(paired[partner] == one for one, partner in paired.items())
    assert all(partner in graph[one] for one, partner in paired.items())
    assert len(paired) == 2 * most_pairs(graph, frozenset(range(len(graph))))


@pytest.mark.parametrize(
    "graph",
    [
        pytest.param([[1], [0, 2, 4], [1, 3], [2, 4], [3, 1, 5], [4]], id="one flower"),
        pytest.param(
            [[1, 2], [0, 2], [0, 1, 3], [2, 4, 5], [3, 5], [3, 4]], id="two triangles"
        ),
    ],
)
def test_odd_cycles_are_seen_through(graph: list[list[int]]) -> None:
    assert None not in largest_matching(graph)
