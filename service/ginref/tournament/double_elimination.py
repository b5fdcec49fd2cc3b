"""Double elimination: two brackets, and whoever loses twice is out.

The lower bracket alternates: in odd rounds its own entrants meet each other, in even
rounds they meet the losers of the next round of the upper bracket. The order in which
those fall decides how soon two can meet again.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from ginref.tournament.bracket import (
    Bracket,
    Node,
    first_slots,
    give_places,
    take_out_byes,
)
from ginref.tournament.format import Drop, GrandFinal
from ginref.tournament.single_elimination import upper_bracket
from ginref.tournament.source import LoserOf, WinnerOf

_T = TypeVar("_T")

_SMALL: Final = (Drop.NATURAL, Drop.REVERSE, Drop.NATURAL)
"""For up to 16 entrants."""

_MIDDLE: Final = (Drop.NATURAL, Drop.REVERSE, Drop.REVERSE_HALF_SHIFT, Drop.REVERSE)
"""For up to 32 entrants."""

_LARGE: Final = (
    Drop.NATURAL,
    Drop.REVERSE,
    Drop.HALF_SHIFT,
    Drop.REVERSE_HALF_SHIFT,
    Drop.REVERSE,
)
"""For more: what puts rematches off longest of all orders for 64, tossing coins."""


def drop_rounds(size: int) -> int:
    """Return how many rounds of an upper bracket have losers that fall in an order."""
    return max(0, size.bit_length() - 2)


def usual_drops(size: int) -> tuple[Drop, ...]:
    """Return the drop orders of a bracket's size that put rematches off."""
    count = drop_rounds(size)
    if count <= len(_SMALL):
        return _SMALL[:count]
    if count == len(_MIDDLE):
        return _MIDDLE
    turns = (Drop.NATURAL, Drop.REVERSE)
    return (*_LARGE, *(turns[at % 2] for at in range(count - len(_LARGE))))


def double_elimination(
    entrants: int,
    *,
    grand_final: GrandFinal = GrandFinal.RESET,
    drops: Sequence[Drop] | None = None,
    byes: Sequence[int] | None = None,
) -> Bracket:
    """Return the brackets of a field.

    Args:
        entrants: How many seeds there are, two at least.
        grand_final: How the winners of both brackets meet.
        drops: How the losers of each upper round but the last one fall.
        byes: The seeds that skip the first round; None for the first ones.
    """
    slots = first_slots(entrants, byes)
    rounds = len(slots).bit_length() - 1
    orders = usual_drops(len(slots)) if drops is None else tuple(drops)
    upper = list(upper_bracket(slots, "W"))
    lower = list(_lower_bracket(rounds, orders))
    nodes = list(take_out_byes([*upper, *lower, *_grand_final(rounds, grand_final)]))
    count = 2 * (rounds - 1)
    nodes = give_places(nodes, [f"L{number}" for number in range(count, 0, -1)], 3)
    nodes = _place_winners(nodes, rounds, grand_final)
    return Bracket(tuple(_place_the_unfallen(nodes)), {"grand_final": "GF1"})


def _lower_bracket(rounds: int, orders: Sequence[Drop]) -> Iterator[Node]:
    if rounds == 1:
        return
    losers = _arrange([LoserOf(node) for node in _keys("W", 1, rounds)], orders[0])
    for at in range(len(losers) // 2):
        a, b = losers[2 * at], losers[2 * at + 1]
        yield Node(key=f"L1.{at + 1}", round="L1", a=a, b=b)
    for number in range(2, rounds + 1):
        order = orders[number - 1] if number < rounds else Drop.NATURAL
        fallen = _arrange([LoserOf(n) for n in _keys("W", number, rounds)], order)
        drop, before = f"L{2 * number - 2}", f"L{2 * number - 3}"
        for at, a in enumerate(fallen, 1):
            yield Node(
                key=f"{drop}.{at}", round=drop, a=a, b=WinnerOf(f"{before}.{at}")
            )
        after = f"L{2 * number - 1}"
        for at in range(1, len(fallen) // 2 + 1):
            a_key, b_key = f"{drop}.{2 * at - 1}", f"{drop}.{2 * at}"
            yield Node(
                key=f"{after}.{at}", round=after, a=WinnerOf(a_key), b=WinnerOf(b_key)
            )


def _keys(name: str, number: int, rounds: int) -> list[str]:
    return [f"{name}{number}.{at + 1}" for at in range(1 << (rounds - number))]


def _arrange(items: list[_T], order: Drop) -> list[_T]:
    first, second = items[: len(items) // 2], items[len(items) // 2 :]
    match order:
        case Drop.NATURAL:
            return items
        case Drop.REVERSE:
            return items[::-1]
        case Drop.HALF_SHIFT:
            return second + first
        case Drop.REVERSE_HALF_SHIFT:
            return first[::-1] + second[::-1]


def _grand_final(rounds: int, mode: GrandFinal) -> Iterator[Node]:
    if mode is GrandFinal.NONE:
        return
    champion = f"W{rounds}.1"
    challenger = (
        LoserOf(champion) if rounds == 1 else WinnerOf(f"L{2 * (rounds - 1)}.1")
    )
    yield Node(key="GF1.1", round="GF1", a=WinnerOf(champion), b=challenger)
    if mode is GrandFinal.RESET:
        yield Node(
            key="GF2.1",
            round="GF2",
            a=WinnerOf("GF1.1"),
            b=LoserOf("GF1.1"),
            unless_won_by_a="GF1.1",
        )


def _place_winners(nodes: list[Node], rounds: int, mode: GrandFinal) -> list[Node]:
    """Give the first two places to the last nodes of all."""
    upper, lower = f"W{rounds}.1", f"L{2 * (rounds - 1)}.1"
    firsts: dict[str, tuple[int, int | None]]
    if mode is not GrandFinal.NONE:
        firsts = {"GF1.1": (1, 2), "GF2.1": (1, 2)}
    elif rounds == 1:
        firsts = {upper: (1, 2)}
    else:
        firsts = {upper: (1, None), lower: (2, 3)}
    return [
        replace(node, winner_place=firsts[node.key][0], loser_place=firsts[node.key][1])
        if node.key in firsts
        else node
        for node in nodes
    ]


def _place_the_unfallen(nodes: list[Node]) -> Iterator[Node]:
    """Place those who leave the upper bracket and cannot fall, as if they had lost."""
    entered = {
        side.node: node.loser_place
        for node in nodes
        for side in (node.a, node.b)
        if isinstance(side, LoserOf)
    }
    for node in nodes:
        place = entered.get(node.key) if node.loser_place is None else node.loser_place
        yield replace(node, loser_place=place)
