"""A test that two bots play until it is clear which of two strengths is the true one.

It looks at pairs of boards with seats swapped, or at single matches: at anything that
is independent of each other. Strength is normalized: the mean beyond a level score, in
standard deviations of a single game, on the scale on which Elo is.

Source: Wald, "Sequential Analysis"; Van den Bergh, "Normalized Elo", for the likeliest
distribution under either strength.
"""

import enum
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

_SCALE: Final = 800 / math.log(10)
"""Normalized Elo of one standard deviation."""

_EMPTY: Final = 1e-3
"""What a result that has not occurred counts for, so that any course is finite."""

_LEVEL: Final = 0.5

_MOST_ROUNDS: Final = 50
_SETTLED: Final = 1e-9
_HALVINGS: Final = 60

_PAIR_SCORES: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
_GAME_SCORES: Final = (0.0, 0.5, 1.0)


class Verdict(enum.StrEnum):
    """What a sequential test says so far."""

    GO_ON = "go_on"
    NOT_STRONGER = "not_stronger"
    STRONGER = "stronger"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hypotheses:
    """What a sequential test decides between.

    Attributes:
        weak: Normalized Elo of a bot that is not stronger.
        strong: Normalized Elo of a bot that is; 35 is to win 55 % of single games.
        false_alarm: How often a weak one is taken for strong.
        miss: How often a strong one is taken for weak.
    """

    weak: float = 0
    strong: float = 35
    false_alarm: float = 0.05
    miss: float = 0.05

    @property
    def bounds(self) -> tuple[float, float]:
        """Log-likelihood ratios below or above which the test is decided."""
        return (
            math.log(self.miss / (1 - self.false_alarm)),
            math.log((1 - self.miss) / self.false_alarm),
        )


@dataclass(frozen=True, slots=True)
class SequentialTest:
    """A sequential test as it stands.

    Attributes:
        ratio: The log-likelihood ratio of strong against weak.
        strength: Normalized Elo as it was measured.
        verdict: What follows.
    """

    ratio: float
    strength: float
    verdict: Verdict


def judge_counts(counts: Sequence[int], hypotheses: Hypotheses) -> SequentialTest:
    """Judge by how often each result occurred.

    Args:
        counts: Of lost, drawn and won games; or of pairs of games by their sum, from
            both lost to both won. Half a pair does not count.
        hypotheses: What to decide between.

    Raises:
        ValueError: There are neither three nor five counts, or nothing was played.
    """
    scores = {len(each): each for each in (_GAME_SCORES, _PAIR_SCORES)}.get(len(counts))
    if scores is None or sum(counts) < 1 or min(counts) < 0:
        raise ValueError(f"{list(counts)} are no counts of games, nor of pairs")
    games = 1 if scores is _GAME_SCORES else 2
    weights = [count or _EMPTY for count in counts]
    total = sum(weights)
    shares = [weight / total for weight in weights]
    mean, deviation = _moments(scores, shares)
    unit = math.sqrt(games) / _SCALE
    weak, strong = (
        _likeliest(scores, shares, unit * strength)
        for strength in (hypotheses.weak, hypotheses.strong)
    )
    ratio = sum(
        weight * math.log(high / low)
        for weight, high, low in zip(weights, strong, weak, strict=True)
    )
    strength = (mean - _LEVEL) / deviation / unit
    return SequentialTest(ratio, strength, _verdict(ratio, hypotheses))


def judge_nets(
    nets: Sequence[float], boards: int, hypotheses: Hypotheses
) -> SequentialTest:
    """Judge by net points.

    Args:
        nets: Net points of each observation, as the tested bot sees them.
        boards: How many boards an observation has, 2 for mirrored ones.
        hypotheses: What to decide between.

    Raises:
        ValueError: Nothing was played.
    """
    if not nets:
        raise ValueError("no board has been played")
    mean = math.fsum(nets) / len(nets)
    variance = math.fsum((net - mean) ** 2 for net in nets) / len(nets)
    # Equal observations, a single one for instance, say nothing about their spread.
    deviation = math.sqrt(variance) or abs(mean) or 1.0
    unit = math.sqrt(boards) / _SCALE
    apart = [
        1 + (mean / deviation - unit * strength) ** 2
        for strength in (hypotheses.weak, hypotheses.strong)
    ]
    ratio = len(nets) / 2 * math.log(apart[0] / apart[1])
    strength = mean / deviation / unit
    return SequentialTest(ratio, strength, _verdict(ratio, hypotheses))


def expected_matches(chance: float, risk: float = 0.05) -> tuple[int, int]:
    """Return how many matches a test of 1/2 against a higher chance takes on average.

    Args:
        chance: The higher chance of winning a match.
        risk: How often either mistake is made.

    Returns:
        If 1/2 is true, and if the higher chance is.
    """
    upper = math.log((1 - risk) / risk)
    lower = -upper
    win, loss = math.log(2 * chance), math.log(2 * (1 - chance))
    drift = ((win + loss) / 2, chance * win + (1 - chance) * loss)
    ends = (
        (1 - risk) * lower + risk * upper,
        risk * lower + (1 - risk) * upper,
    )
    weak, strong = (end / step for end, step in zip(ends, drift, strict=True))
    return math.ceil(weak), math.ceil(strong)


def _verdict(ratio: float, hypotheses: Hypotheses) -> Verdict:
    lower, upper = hypotheses.bounds
    if ratio <= lower:
        return Verdict.NOT_STRONGER
    return Verdict.STRONGER if ratio >= upper else Verdict.GO_ON


def _moments(scores: Sequence[float], shares: Sequence[float]) -> tuple[float, float]:
    """Return mean and standard deviation of a distribution."""
    parts = list(zip(scores, shares, strict=True))
    mean = sum(score * share for score, share in parts)
    variance = sum(share * (score - mean) ** 2 for score, share in parts)
    return mean, math.sqrt(variance)


def _likeliest(
    scores: Sequence[float], shares: Sequence[float], deviations: float
) -> list[float]:
    """Return the distribution that explains the shares best, at a given strength.

    Strength is how many deviations of the distribution its mean is beyond level. The
    deviation depends on the distribution in turn: a few rounds settle both.
    """
    likeliest = [1 / len(scores)] * len(scores)
    for _ in range(_MOST_ROUNDS):
        mean, deviation = _moments(scores, likeliest)
        beyond = [
            score
            - _LEVEL
            - deviations * deviation * (1 + ((mean - score) / deviation) ** 2) / 2
            for score in scores
        ]
        tilt = _tilt(beyond, shares)
        before = likeliest
        likeliest = [
            share / (1 + tilt * step)
            for share, step in zip(shares, beyond, strict=True)
        ]
        if math.dist(before, likeliest) < _SETTLED:
            break
    return likeliest


def _tilt(beyond: Sequence[float], shares: Sequence[float]) -> float:
    """Return how far shares must lean for a mean of nothing beyond the level."""
    if min(beyond) >= 0 or max(beyond) <= 0:
        return 0.0
    low, high = -1 / max(beyond), -1 / min(beyond)
    middle = 0.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        left = sum(
            share * step / (1 + middle * step)
            for share, step in zip(shares, beyond, strict=True)
        )
        low, high = (middle, high) if left > 0 else (low, middle)
    return middle
