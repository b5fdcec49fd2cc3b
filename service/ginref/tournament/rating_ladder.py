"""Ratings of a ladder that goes on: each result moves the two who played.

A skill is a mean and how uncertain it is. The table of an event is better made by
`rating`, which looks at all results at once.

Source: Weng and Lin, "A Bayesian approximation method for online ranking" (2011), the
Bradley-Terry model with full pairing, with the constants of the library OpenSkill.
"""

import math
from typing import Final, NamedTuple

MEAN: Final = 25.0
DEVIATION: Final = 25 / 3
"""Of a bot that nothing is known about."""

_BETA: Final = DEVIATION / 2
"""Deviation of one performance around the skill."""

_KAPPA: Final = 0.0001
"""Least share of the variance that one result can leave."""

DRIFT: Final = 25 / 300
"""What a result adds to the deviation before it counts, so that no bot freezes."""


class Skill(NamedTuple):
    """What is known of a bot's skill.

    Attributes:
        mean: The likeliest value.
        deviation: Standard deviation of what is known.
    """

    mean: float = MEAN
    deviation: float = DEVIATION

    @property
    def shown(self) -> float:
        """A value that the skill is above almost certainly: the ladder's order."""
        return self.mean - 3 * self.deviation


def play_ladder(
    first: Skill, second: Skill, score: float, drift: float = DRIFT
) -> tuple[Skill, Skill]:
    """Return the skills of two bots after they have played.

    Args:
        first: One of them.
        second: The other.
        score: What the first one scored: 1, 1/2 or 0.
        drift: What is added to both deviations; 0 is for bots that never change.
    """
    spreads = [skill.deviation**2 + drift**2 for skill in (first, second)]
    scale = math.sqrt(sum(spreads) + 2 * _BETA**2)
    chance = 1 / (1 + math.exp((second.mean - first.mean) / scale))
    return (
        _learn(first, spreads[0], scale, score - chance, chance),
        _learn(second, spreads[1], scale, chance - score, chance),
    )


def new_version(skill: Skill) -> Skill:
    """Return the skill of a bot's next version: the mean is kept, all else is open."""
    return Skill(skill.mean)


def _learn(
    skill: Skill, variance: float, scale: float, surprise: float, chance: float
) -> Skill:
    mean = skill.mean + variance / scale * surprise
    deviation = math.sqrt(variance)
    weight = deviation / scale
    known = weight * variance / scale**2 * chance * (1 - chance)
    return Skill(mean, deviation * math.sqrt(max(1 - known, _KAPPA)))
