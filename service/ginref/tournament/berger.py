"""Round robins: everyone meets everyone, once or twice, in one table or in groups.

The first entrant of a pair is seat A, which deals on odd boards. With an odd field the
missing opponent is a bye; nothing else stands for an absent entrant, so no fixture is
ever between two of them.

Source: FIDE handbook C.05, annex 1, Berger tables.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

_EXCHANGED: Final = 2
"""How many rounds change places in the first cycle of two."""

_SMALLEST_EXCHANGE: Final = 5
"""From this field on the exchange keeps anyone from three equal seats in a row."""


@dataclass(frozen=True, slots=True)
class BergerRound:
    """One round of a round robin.

    Attributes:
        number: Counted from 1.
        pairs: Who meets whom, seat A first.
        bye: Who sits out; None in an even field.
    """

    number: int
    pairs: tuple[tuple[str, str], ...]
    bye: str | None


def round_robin(entrants: Sequence[str]) -> tuple[BergerRound, ...]:
    """Pair everyone with everyone once; entrants are in the order of their seeds.

    Raises:
        ValueError: Fewer than two entrants, or one of them twice.
    """
    _refuse_unplayable(entrants)
    places: list[str | None] = list(entrants)
    if len(places) % 2:
        places.append(None)
    cycle = len(places) - 1
    return tuple(_pair_round(places, number) for number in range(1, cycle + 1))


def double_round_robin(entrants: Sequence[str]) -> tuple[BergerRound, ...]:
    """Pair everyone with everyone twice, in the second cycle with seats swapped.

    The last two rounds of the first cycle change places, or somebody would keep the
    same seat three times running where the cycles join.

    Raises:
        ValueError: Fewer than two entrants, or one of them twice.
    """
    cycle = round_robin(entrants)
    first = list(cycle)
    if len(entrants) >= _SMALLEST_EXCHANGE:
        first[-_EXCHANGED:] = reversed(first[-_EXCHANGED:])
    second = [(tuple((b, a) for a, b in played.pairs), played.bye) for played in cycle]
    rounds = [(played.pairs, played.bye) for played in first] + second
    return tuple(
        BergerRound(number, pairs, bye) for number, (pairs, bye) in enumerate(rounds, 1)
    )


def snake_groups(
    entrants: Sequence[str], group_count: int
) -> tuple[tuple[str, ...], ...]:
    """Deal entrants in the order of their seeds to groups, there and back again.

    Raises:
        ValueError: No group, a group of fewer than two, or an entrant twice.
    """
    _refuse_unplayable(entrants)
    if group_count < 1 or len(entrants) < 2 * group_count:
        message = f"{len(entrants)} entrants do not make {group_count} groups of two"
        raise ValueError(message)
    groups: list[list[str]] = [[] for _ in range(group_count)]
    for place, entrant in enumerate(entrants):
        turn, step = divmod(place, group_count)
        groups[group_count - 1 - step if turn % 2 else step].append(entrant)
    return tuple(tuple(group) for group in groups)


def _refuse_unplayable(entrants: Sequence[str]) -> None:
    if len(set(entrants)) != len(entrants):
        raise ValueError("an entrant is named twice")
    if len(entrants) < 2:  # noqa: PLR2004 - it takes two
        raise ValueError("a round robin takes two entrants or more")


def _pair_round(places: Sequence[str | None], number: int) -> BergerRound:
    """Pair a round of the table: the pivot meets the last place, the rest mirror it."""
    last = len(places) - 1
    pivot = (number - 1) * (last + 1) // 2 % last
    top = (pivot, last) if number % 2 else (last, pivot)
    mirrored = [
        ((pivot + step) % last, (pivot - step) % last)
        for step in range(1, (last + 1) // 2)
    ]
    pairs: list[tuple[str, str]] = []
    bye = None
    for a, b in (top, *mirrored):
        first, second = places[a], places[b]
        if first is not None and second is not None:
            pairs.append((first, second))
        else:
            bye = first or second
    return BergerRound(number, tuple(pairs), bye)
