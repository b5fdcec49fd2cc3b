"""Ratings of bots that do not change: the strengths that explain all results at once.

The order in which games were played plays no part, as a frozen bot does not learn.
Ratings of other rules or of fixtures of another length are another scale.

Source: Bradley and Terry (1952); 400 points are odds of ten to one, as with Elo.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Final, NamedTuple

from ginref.tournament.figure_chance import Chance
from ginref.tournament.standing_tally import DRAW, LOSS, WIN, Kind, Tally, observations

LEVEL: Final = 1500
"""Mean rating of a field, or rating of the bot that it is anchored to."""

PRIOR: Final = 2.0
"""Draws against an average bot that everyone is credited with; they keep the rating
of a bot that has won all its games finite."""

_SCALE: Final = 400 / math.log(10)
_MOST_SWEEPS: Final = 10_000
_SETTLED: Final = 1e-9
_CLOSE: Final = 1e-4
"""Strengths that move no farther are settled, or close enough: 0.02 points."""

_LONGEST_STEP: Final = 1.0
_FARTHEST: Final = 20.0
"""In natural units; without prior, the rating of a bot that always wins ends here."""


class RatedGame(NamedTuple):
    """A result that counts for ratings.

    Attributes:
        score: What the first of the two scored: 1, 1/2 or 0.
    """

    first: str
    second: str
    score: float


def rated_games(
    tallies: Iterable[Tally], *, by_board: bool = False
) -> tuple[RatedGame, ...]:
    """Return the results that say something about skill: nothing that was forfeited.

    Args:
        tallies: Of all rounds.
        by_board: Every deck is a game, its legs together, rather than every fixture.
    """
    games = []
    for tally in tallies:
        if tally.kind is not Kind.PLAYED or tally.second is None:
            continue
        if by_board:
            scores = [_score(net) for net in observations(tally)]
        elif any(board.forfeiters for board in tally.boards):
            scores = []
        elif tally.winner is None:
            scores = [DRAW]
        else:
            scores = [WIN if tally.winner == tally.first else LOSS]
        games += [RatedGame(tally.first, tally.second, score) for score in scores]
    return tuple(games)


def rate(
    entrants: Sequence[str],
    games: Iterable[RatedGame],
    *,
    prior: float = PRIOR,
    anchor: str | None = None,
) -> dict[str, float]:
    """Return the likeliest ratings.

    Args:
        entrants: Everyone to be rated.
        games: What they have played against each other.
        prior: Draws against an average bot that everyone is credited with.
        anchor: The bot whose rating is 1500; by default this is the mean.

    Raises:
        ValueError: A game or the anchor names somebody else.
    """
    level = dict.fromkeys(entrants, 0.0)
    return _scale(_strengths(entrants, games, prior, level, _SETTLED), anchor)


def rate_intervals(  # noqa: PLR0913 - those of `rate`, and the resampling
    entrants: Sequence[str],
    games: Sequence[RatedGame],
    seed: bytes,
    *,
    prior: float = PRIOR,
    anchor: str | None = None,
    resamples: int = 200,
) -> dict[str, tuple[float, float]]:
    """Return where the true ratings lie, 95 times of 100, by drawing games again.

    Args:
        entrants: Everyone to be rated.
        games: What they have played against each other.
        seed: What the draws follow from.
        prior: As for `rate`.
        anchor: As for `rate`.
        resamples: How often all games are drawn.
    """
    chance = Chance(seed)
    level = dict.fromkeys(entrants, 0.0)
    start = _strengths(entrants, games, prior, level, _CLOSE)
    drawn: dict[str, list[float]] = {entrant: [] for entrant in entrants}
    for _ in range(resamples):
        again = chance.resample(games)
        strengths = _strengths(entrants, again, prior, start, _CLOSE)
        for entrant, rating in _scale(strengths, anchor).items():
            drawn[entrant].append(rating)
    return {entrant: _middle(ratings) for entrant, ratings in drawn.items()}


def winning_chance(rating: float, opponent: float) -> float:
    """Return what a bot is expected to score against another."""
    return _expected((rating - opponent) / _SCALE)


def _scale(strengths: Mapping[str, float], anchor: str | None) -> dict[str, float]:
    """Turn strengths in natural units into ratings."""
    if not strengths:
        return {}
    if anchor is None:
        zero = fmean(strengths.values())
    elif anchor in strengths:
        zero = strengths[anchor]
    else:
        raise ValueError(f"{anchor} is not rated")
    return {
        entrant: LEVEL + _SCALE * (strength - zero)
        for entrant, strength in strengths.items()
    }


def _middle(drawn: list[float]) -> tuple[float, float]:
    """Return what 95 of 100 draws lie between."""
    ordered = sorted(drawn)
    outside = len(ordered) * 25 // 1000
    return ordered[outside], ordered[-1 - outside]


def _score(net: float) -> float:
    if not net:
        return DRAW
    return WIN if net > 0 else LOSS


def _expected(difference: float) -> float:
    return 1 / (1 + math.exp(-difference))


def _strengths(
    entrants: Sequence[str],
    games: Iterable[RatedGame],
    prior: float,
    start: Mapping[str, float],
    settled: float,
) -> dict[str, float]:
    """Improve one strength after the other until nothing moves any more."""
    strengths = dict(start)
    scores = dict.fromkeys(entrants, prior / 2)
    met: dict[str, dict[str, int]] = {entrant: {} for entrant in entrants}
    for first, second, score in games:
        if first not in met or second not in met:
            raise ValueError(f"{first} and {second} are not both rated")
        scores[first] += score
        scores[second] += WIN - score
        met[first][second] = met[first].get(second, 0) + 1
        met[second][first] = met[second].get(first, 0) + 1
    for _ in range(_MOST_SWEEPS):
        moved = 0.0
        for entrant, opponents in met.items():
            own = strengths[entrant]
            level = _expected(own)
            expected = prior * level
            slope = prior * level * (1 - level)
            for opponent, count in opponents.items():
                share = _expected(own - strengths[opponent])
                expected += count * share
                slope += count * share * (1 - share)
            if not slope:
                continue
            step = (scores[entrant] - expected) / slope
            step = max(-_LONGEST_STEP, min(_LONGEST_STEP, step))
            strengths[entrant] = max(-_FARTHEST, min(_FARTHEST, own + step))
            moved = max(moved, abs(strengths[entrant] - own))
        if moved < settled:
            break
    return strengths
