"""Single elimination: the bracket of a field where whoever loses is out."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from ginref.tournament.bracket import (
    Bracket,
    Node,
    first_slots,
    give_places,
    take_out_byes,
)
from ginref.tournament.source import LoserOf, Source, WinnerOf

_BOTH_SEMIFINALS: Final = 4
"""Entrants from which on two semi-finals are played."""


def upper_bracket(slots: Sequence[Source], name: str) -> Iterator[Node]:
    """Yield the nodes of a tree, round by round, over the slots of its first one.

    Args:
        slots: Who stands in the first round, a power of two.
        name: Letter of its rounds.
    """
    sides, number = list(slots), 0
    while len(sides) > 1:
        number += 1
        winners: list[Source] = []
        for at in range(0, len(sides), 2):
            key = f"{name}{number}.{at // 2 + 1}"
            a, b = sides[at], sides[at + 1]
            yield Node(key=key, round=f"{name}{number}", a=a, b=b)
            winners.append(WinnerOf(key))
        sides = winners


def single_elimination(
    entrants: int, *, third_place: bool = False, byes: Sequence[int] | None = None
) -> Bracket:
    """Return the bracket of a field.

    Args:
        entrants: How many seeds there are, two at least.
        third_place: The losers of the semi-finals meet, where two are played.
        byes: The seeds that skip the first round; None for the first ones.
    """
    slots = first_slots(entrants, byes)
    rounds = len(slots).bit_length() - 1
    order = [f"R{number}" for number in range(rounds, 0, -1)]
    nodes = give_places(take_out_byes(upper_bracket(slots, "R")), order, 2)
    *others, final = nodes
    final = replace(final, winner_place=1)
    names = {"final": final.key, "semifinals": f"R{rounds - 1}"}
    if not third_place or entrants < _BOTH_SEMIFINALS:
        return Bracket((*others, final), names)
    third = Node(
        key="3P",
        round="3P",
        a=LoserOf(f"R{rounds - 1}.1"),
        b=LoserOf(f"R{rounds - 1}.2"),
        winner_place=3,
        loser_place=4,
    )
    # Whoever is out already in the semi-finals is where it would have been last.
    others = [
        replace(node, loser_place=4) if node.round == f"R{rounds - 1}" else node
        for node in others
    ]
    return Bracket((*others, third, final), {**names, "third_place": "3P"})
