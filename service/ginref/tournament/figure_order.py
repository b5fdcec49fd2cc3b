"""How sure is this order: the event played again and again on boards drawn from it.

Each fixture is drawn anew from its own decks, legs together, as many as it had. A
fixture of a single deck is decided by what the ratings of all expect. What was not
played, or was forfeited, stays as it is.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ginref.tournament.figure_chance import Chance
from ginref.tournament.rating import rate, rated_games, winning_chance
from ginref.tournament.standing_tally import (
    DRAW,
    LOSS,
    WIN,
    Kind,
    Tally,
    history,
    observations,
)

RESAMPLES: Final = 1000
"""How often the event is drawn, unless asked for more."""

_FEWEST_DECKS: Final = 2

_Score = tuple[str, float, float, int]
"""An entrant, its points, its net points per board summed over decks, and the decks."""


@dataclass(frozen=True, slots=True)
class Certainty:
    """How sure a place in the table is.

    Attributes:
        first: How often the entrant comes first; a shared first place is split.
        best_rank: The rank it is not above, 39 times of 40.
        worst_rank: The rank it is not below, 39 times of 40.
        above_next: How often it is above the next one in the table, level counting
            half; None for the last.
    """

    entrant: str
    first: float
    best_rank: int
    worst_rank: int
    above_next: float | None


def certainties(
    order: Sequence[str],
    tallies: Sequence[Tally],
    seed: bytes,
    resamples: int = RESAMPLES,
) -> tuple[Certainty, ...]:
    """Return how sure each place is, by match points and then net points per board.

    Args:
        order: The table, the best first.
        tallies: What it is made of.
        seed: What the draws follow from.
        resamples: How often the event is drawn.
    """
    event = _Event(order, tallies)
    chance = Chance(seed)
    first = dict.fromkeys(order, 0.0)
    ranks: dict[str, list[int]] = {entrant: [] for entrant in order}
    above = [0.0] * len(order)
    for _ in range(resamples):
        scores = event.draw(chance)
        ordered = sorted(scores.values(), reverse=True)
        leaders = [entrant for entrant in order if scores[entrant] == ordered[0]]
        for entrant in leaders:
            first[entrant] += 1 / len(leaders)
        rank_of = {score: rank for rank, score in reversed([*enumerate(ordered, 1)])}
        for place, entrant in enumerate(order):
            ranks[entrant].append(rank_of[scores[entrant]])
            mine, theirs = scores[entrant], scores[order[(place + 1) % len(order)]]
            above[place] += (mine > theirs) + (mine == theirs) / 2
    outside = resamples * 25 // 1000
    certain = []
    for place, entrant in enumerate(order):
        drawn = sorted(ranks[entrant])
        is_last = place == len(order) - 1
        certain.append(
            Certainty(
                entrant,
                first[entrant] / resamples,
                drawn[outside],
                drawn[-1 - outside],
                None if is_last else above[place] / resamples,
            )
        )
    return tuple(certain)


class _Event:
    """What stays of an event, and what is drawn of it."""

    def __init__(self, entrants: Sequence[str], tallies: Sequence[Tally]) -> None:
        self._entrants = entrants
        self._decks: list[tuple[str, str, tuple[float, ...]]] = []
        self._expected: list[tuple[str, str, float]] = []
        fixed = []
        everyone = sorted(history(tallies, award=0))
        ratings = rate(everyone, rated_games(tallies))
        for tally in tallies:
            if not _is_drawn(tally) or tally.second is None:
                fixed.append(tally)
                continue
            first, second = tally.first, tally.second
            decks = observations(tally)
            if len(decks) >= _FEWEST_DECKS:
                self._decks.append((first, second, decks))
            else:
                chance = winning_chance(ratings[first], ratings[second])
                self._expected.append((first, second, chance))
        self._fixed = {
            entrant: sum(seen.points for seen in rounds)
            for entrant, rounds in history(fixed, award=0).items()
        }

    def draw(self, chance: Chance) -> dict[str, tuple[float, float]]:
        """Play the event once: points, and net points per board, of each entrant."""
        points = {entrant: self._fixed.get(entrant, LOSS) for entrant in self._entrants}
        nets = dict.fromkeys(self._entrants, 0.0)
        counts = dict.fromkeys(self._entrants, 0)
        for entrant, scored, net, count in self._scores(chance):
            if entrant in points:
                points[entrant] += scored
                nets[entrant] += net
                counts[entrant] += count
        return {
            entrant: (points[entrant], nets[entrant] / (counts[entrant] or 1))
            for entrant in self._entrants
        }

    def _scores(self, chance: Chance) -> Iterator[_Score]:
        for first, second, decks in self._decks:
            count = len(decks)
            net = sum(chance.resample(decks))
            scored = DRAW if not net else WIN if net > 0 else LOSS
            yield first, scored, net, count
            yield second, WIN - scored, -net, count
        for first, second, expected in self._expected:
            scored = WIN if chance.share() < expected else LOSS
            yield first, scored, 0.0, 0
            yield second, WIN - scored, 0.0, 0


def _is_drawn(tally: Tally) -> bool:
    """Say whether a fixture is drawn anew: it was played, and nothing forfeited."""
    return tally.kind is Kind.PLAYED and not any(
        board.forfeiters for board in tally.boards
    )
