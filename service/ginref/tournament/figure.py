"""How much a number is worth that was measured a few times: means with margins."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean, stdev
from typing import Final

CONFIDENCE: Final = 0.95
"""How often an interval holds the true value, unless another share is asked for."""

_NORMAL: Final = NormalDist()

_EXACT_FREEDOM: Final = 2
"""Up to so many degrees of freedom Student's t has a closed form."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean of independent observations.

    Attributes:
        mean: The mean; None without any observation.
        margin: Half the width of its interval; None for fewer than two observations.
        count: How many observations there are.
    """

    mean: float | None
    margin: float | None
    count: int

    @property
    def is_clear(self) -> bool:
        """Whether the interval leaves zero out."""
        if self.mean is None or self.margin is None:
            return False
        return abs(self.mean) > self.margin


def estimate(observations: Sequence[float], confidence: float = CONFIDENCE) -> Estimate:
    """Return the mean of independent observations with its interval by Student's t."""
    count = len(observations)
    if not count:
        return Estimate(None, None, 0)
    if count == 1:
        return Estimate(float(observations[0]), None, 1)
    error = stdev(observations) / math.sqrt(count)
    margin = student_quantile((1 + confidence) / 2, count - 1) * error
    return Estimate(fmean(observations), margin, count)


def share_interval(
    won: float, count: int, confidence: float = CONFIDENCE
) -> tuple[float, float]:
    """Return the interval of a share of wins, draws being halves; never out of 0 to 1.

    Source: Wilson (1927); unlike the simple one it holds after few games, too.

    Raises:
        ValueError: Nothing was counted, or more was won than counted.
    """
    if count < 1 or not 0 <= won <= count:
        raise ValueError(f"{won} of {count} is no share")
    z = _NORMAL.inv_cdf((1 + confidence) / 2)
    share = won / count
    weight = 1 + z * z / count
    middle = (share + z * z / (2 * count)) / weight
    spread = share * (1 - share) / count + z * z / (4 * count * count)
    margin = z * math.sqrt(spread) / weight
    # Rounding must not leave the share itself out.
    return min(share, max(0.0, middle - margin)), max(share, min(1.0, middle + margin))


def student_quantile(probability: float, freedom: int) -> float:
    """Return the value below which Student's t is with a probability.

    Exact for one or two degrees of freedom; for three it is 0.2 % off, beyond that
    closer.

    Source: Abramowitz and Stegun, 26.7.5.

    Raises:
        ValueError: No degree of freedom.
    """
    if freedom < 1:
        raise ValueError("Student's t needs a degree of freedom")
    if freedom == 1:
        return math.tan(math.pi * (probability - 0.5))
    if freedom == _EXACT_FREEDOM:
        excess = 2 * probability - 1
        return excess * math.sqrt(2 / (1 - excess * excess))
    z = _NORMAL.inv_cdf(probability)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    wide = float(freedom)
    return z + sum(term / wide**power for power, term in enumerate(terms, 1))
