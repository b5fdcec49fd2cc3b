"""A bracket: its nodes, the places they decide, and how byes leave it.

A bracket of N entrants is drawn for the next power of two. Slots without a seed are
byes; a node with a bye is taken out, and whoever would have met nobody stands where
the node's winner would.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ginref.tournament.source import BYE, Bye, LoserOf, Seed, Source, WinnerOf


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A place in a bracket where two entrants meet.

    Attributes:
        key: Its name in the stage, `W1.2`: bracket, round and position.
        round: Its round's name, `W1`.
        a: Who stands on the first side.
        b: Who stands on the second side.
        winner_place: The place that winning it decides, or None.
        loser_place: The place of whoever is out with it. Losers who fall into
            another bracket do not take it.
        unless_won_by_a: Node whose first side must not win for this one to be
            needed, or None.
    """

    key: str
    round: str
    a: Source
    b: Source
    winner_place: int | None = None
    loser_place: int | None = None
    unless_won_by_a: str | None = None


@dataclass(frozen=True, slots=True)
class Bracket:
    """All nodes of a stage, each after those it depends on.

    Attributes:
        nodes: The nodes.
        names: Rounds and nodes that have a name of their own, such as `final`.
    """

    nodes: tuple[Node, ...]
    names: Mapping[str, str]

    @property
    def falling(self) -> frozenset[str]:
        """Nodes whose loser goes on somewhere else."""
        return frozenset(
            side.node
            for node in self.nodes
            for side in (node.a, node.b)
            if isinstance(side, LoserOf) and node.unless_won_by_a is None
        )


def bracket_size(entrants: int) -> int:
    """Return how many slots the first round of a bracket has: a power of two."""
    return 1 << (entrants - 1).bit_length()


def slot_order(size: int) -> tuple[int, ...]:
    """Return the seeds of the first round from top to bottom.

    The first seed meets the last, and the first two can only meet in the final:
    each seed s of a bracket half as large becomes the pair s, size + 1 - s.
    """
    order: tuple[int, ...] = (1,)
    while len(order) < size:
        total = 2 * len(order) + 1
        order = tuple(seed for one in order for seed in (one, total - one))
    return order


def first_slots(entrants: int, byes: Sequence[int] | None = None) -> tuple[Source, ...]:
    """Return who stands in the slots of the first round.

    Args:
        entrants: How many seeds there are.
        byes: The seeds that meet nobody; None for the first ones. A seed that gets
            a bye changes places with one that loses it.
    """
    size = bracket_size(entrants)
    usual = range(1, size - entrants + 1)
    chosen = tuple(usual if byes is None else byes)
    gain = [seed for seed in chosen if seed not in usual]
    lose = [seed for seed in usual if seed not in chosen]
    swapped = dict(zip([*gain, *lose], [*lose, *gain], strict=True))
    return tuple(
        BYE if seed > entrants else Seed(swapped.get(seed, seed))
        for seed in slot_order(size)
    )


def take_out_byes(nodes: Iterable[Node]) -> tuple[Node, ...]:
    """Return the nodes where two can meet, with their sides put right."""
    instead: dict[Source, Source] = {}
    kept: list[Node] = []
    for node in nodes:
        a, b = instead.get(node.a, node.a), instead.get(node.b, node.b)
        if isinstance(a, Bye) or isinstance(b, Bye):
            instead[WinnerOf(node.key)] = b if isinstance(a, Bye) else a
            instead[LoserOf(node.key)] = BYE
        else:
            kept.append(replace(node, a=a, b=b))
    return tuple(kept)


def give_places(nodes: Iterable[Node], order: Sequence[str], first: int) -> list[Node]:
    """Give the losers of rounds their places, the last round first.

    All losers of a round share a place, and the next one is further by their number.

    Args:
        nodes: The nodes.
        order: Names of rounds, from the best place to the worst.
        first: The place of whoever loses the first of these rounds.
    """
    listed = list(nodes)
    places: dict[str, int] = {}
    place = first
    for name in order:
        places[name] = place
        place += sum(node.round == name for node in listed)
    return [
        replace(node, loser_place=places[node.round]) if node.round in places else node
        for node in listed
    ]
