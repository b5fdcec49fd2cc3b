"""Who goes on from the groups of a stage, and with which seed.

All first ones come before all second ones. Within a rank, whoever has done better per
fixture comes first: groups need not be of one size. In a bracket, nobody meets somebody
of its own group in the first round if that can be avoided: within a rank, seeds change
places as little as possible.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Final

from ginref.tournament.bracket import first_slots
from ginref.tournament.configuration import Promotion
from ginref.tournament.event import GroupRanking
from ginref.tournament.source import Seed

_MOST_TRIED: Final = 5040
"""Orders of one rank that are tried: those of seven groups."""


@dataclass(frozen=True, slots=True)
class Qualified:
    """Somebody who goes on."""

    bot: str
    group: str
    rank: int


def qualify(
    rankings: Sequence[GroupRanking],
    promotion: Promotion,
    worth: Mapping[str, tuple[float, ...]],
) -> tuple[Qualified, ...]:
    """Return who goes on, the best first.

    Args:
        rankings: The ranking of each group, without ties.
        promotion: How many go on.
        worth: What compares bots across groups, the better one larger.
    """
    ranked = [
        Qualified(bot, ranking.group, at)
        for ranking in rankings
        for at, bot in enumerate(
            (bot for placing in ranking.placings for bot in placing.bots), 1
        )
    ]

    def order(one: Qualified) -> tuple[float, ...]:
        return one.rank, *(-value for value in worth.get(one.bot, ()))

    ranked.sort(key=order)
    each = [one for one in ranked if one.rank <= promotion.each]
    after = [one for one in ranked if one.rank == promotion.each + 1]
    return (*each, *after[: promotion.best])


def keep_apart(
    qualified: Sequence[Qualified], byes: Sequence[int] | None = None
) -> tuple[Qualified, ...]:
    """Return seeds for a bracket whose first round has no two of one group.

    Args:
        qualified: Who goes on, the best first.
        byes: The seeds that skip the first round; None for the first ones.
    """
    order = list(qualified)
    ranks = sorted({one.rank for one in order}, reverse=True)
    for rank in ranks:
        places = [at for at, one in enumerate(order) if one.rank == rank]
        if not _clashes(order, byes):
            break
        order = _best_of(order, places, byes)
    return tuple(order)


def _best_of(
    order: list[Qualified], places: Sequence[int], byes: Sequence[int] | None
) -> list[Qualified]:
    """Return the first order of one rank with the fewest clashes."""
    best, fewest = order, _clashes(order, byes)
    tried = permutations([order[at] for at in places])
    for _, arranged in zip(range(_MOST_TRIED), tried, strict=False):
        option = list(order)
        for at, one in zip(places, arranged, strict=True):
            option[at] = one
        clashes = _clashes(option, byes)
        if clashes < fewest:
            best, fewest = option, clashes
        if not fewest:
            break
    return best


def _clashes(order: Sequence[Qualified], byes: Sequence[int] | None) -> int:
    return sum(
        order[a - 1].group == order[b - 1].group and order[a - 1].group != ""
        for a, b in _first_pairs(len(order), byes)
    )


def _first_pairs(
    entrants: int, byes: Sequence[int] | None
) -> Iterator[tuple[int, int]]:
    slots = first_slots(entrants, byes)
    for at in range(0, len(slots), 2):
        a, b = slots[at], slots[at + 1]
        if isinstance(a, Seed) and isinstance(b, Seed):
            yield a.number, b.number
