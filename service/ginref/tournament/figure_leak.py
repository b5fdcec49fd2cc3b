"""Does anyone play better for having seen the deck before?

On mirrored boards each deck is played twice. Whoever remembers nothing does no better
on the second leg than on the first; whoever recognizes the cards does.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Final

from ginref.tournament.standing_tally import Board, Tally

_LEGS: Final = 2
_FEWEST: Final = 2


@dataclass(frozen=True, slots=True)
class LeakTest:
    """What the second legs brought an entrant beyond the first ones.

    Attributes:
        gain: Net points of a second leg minus those of its first, on average.
        deviations: The gain in standard deviations: beyond 3 or so it is no luck.
            None for fewer than two decks, and for gains that are all alike.
        decks: How many decks were played twice without a forfeit.
    """

    entrant: str
    gain: float
    deviations: float | None
    decks: int


def leak_tests(tallies: Iterable[Tally]) -> tuple[LeakTest, ...]:
    """Test each entrant that has played decks twice, in alphabetical order."""
    gains: dict[str, list[int]] = {}
    for tally in tallies:
        if tally.second is None:
            continue
        for gain in _gains(tally):
            gains.setdefault(tally.first, []).append(gain)
            gains.setdefault(tally.second, []).append(-gain)
    return tuple(_test(entrant, gains[entrant]) for entrant in sorted(gains))


def _gains(tally: Tally) -> Iterable[int]:
    decks: dict[int, list[Board]] = {}
    for board in tally.boards:
        if board.deck is not None:
            decks.setdefault(board.deck, []).append(board)
    for legs in decks.values():
        if len(legs) == _LEGS and not any(leg.forfeiters for leg in legs):
            before, after = legs
            yield after.net - before.net


def _test(entrant: str, gains: list[int]) -> LeakTest:
    gain = fmean(gains)
    spread = stdev(gains) if len(gains) >= _FEWEST else 0.0
    error = spread / math.sqrt(len(gains))
    return LeakTest(entrant, gain, gain / error if error else None, len(gains))
