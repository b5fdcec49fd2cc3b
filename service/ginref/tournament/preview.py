"""A tournament before anybody has entered: how large, how long, and how sure.

It is counted and not drawn, so that it costs little however many are to come.
"""

from dataclasses import dataclass
from typing import Final

from ginref.tournament.configuration import Boards, Configuration, Stage
from ginref.tournament.field_check import Caution, check_field
from ginref.tournament.figure_power import (
    MIRRORED_SHARE,
    chance_in_best_of,
    separable_chance,
    separable_difference,
)
from ginref.tournament.forecast import (
    QualifyingForecast,
    StageForecast,
    forecast,
    forecast_qualifying,
)
from ginref.tournament.format import Elimination, Ladder, RoundRobin, Swiss
from ginref.tournament.score import legs_of

BETTER: Final = 0.55
"""How often the better one of two wins a single game, where fixtures are compared."""

THINK_MS: Final = 50
"""How long a bot is taken to think about a move if nobody says, in milliseconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Separation:
    """What a stage can tell apart, at a significance of 5 % and a power of 80 %.

    Attributes:
        boards: Boards of each entrant; None where matches go to a target.
        matches: Matches of each entrant at least.
        points: Net points per board by which one must be better to be told apart from
            another in the field; None where matches go to a target.
        chance: Chance of winning a match that is told apart from one half; None for a
            bracket, which compares nobody in the field.
        fixture: How often the better one wins a fixture that wins 55 % of its games;
            None for a ladder, where no single fixture decides anything.
    """

    boards: int | None
    matches: int
    points: float | None
    chance: float | None
    fixture: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StagePreview:
    """A stage before it is played.

    Attributes:
        forecast: How large it is, and how long it takes.
        separation: What it can tell apart.
    """

    forecast: StageForecast
    separation: Separation


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """A tournament before it starts.

    Attributes:
        stages: Its stages.
        cautions: What is possible, and may not be what was meant.
        qualifying: How long it takes to qualify; None where nobody has to.
    """

    stages: tuple[StagePreview, ...]
    cautions: tuple[Caution, ...]
    qualifying: QualifyingForecast | None

    @property
    def typical_ms(self) -> int:
        """How long all stages take if bots think as long as was said."""
        return sum(stage.forecast.typical_ms for stage in self.stages)

    @property
    def longest_ms(self) -> int:
        """How long all stages take if every clock runs down."""
        return sum(stage.forecast.longest_ms for stage in self.stages)


def preview(configuration: Configuration, entrants: int, think_ms: int) -> Preview:
    """Return what a tournament would be.

    Args:
        configuration: What the organizer has declared.
        entrants: How many start.
        think_ms: How long a bot thinks about a move, in milliseconds.

    Raises:
        FieldError: The stages cannot be played by so many.
    """
    cautions = check_field(configuration, entrants)
    qualifying = forecast_qualifying(configuration, entrants, think_ms)
    called_ms = configuration.schedule.check_in_ms
    if qualifying and called_ms is not None and called_ms < qualifying.longest_ms:
        what = "too short for all attempts, if every clock runs down"
        cautions += (Caution("schedule.check_in", what),)
    places = configuration.entry.capacity
    if places is not None and places < entrants:
        what = f"{entrants} entrants for {places} places: the others wait"
        cautions += (Caution("entry.capacity", what),)
    forecasts = forecast(configuration, entrants, think_ms)
    return Preview(
        stages=tuple(
            StagePreview(
                forecast=one,
                separation=_separation(configuration, stage, one.entrants),
            )
            for stage, one in zip(configuration.stages, forecasts, strict=True)
        ),
        cautions=cautions,
        qualifying=qualifying,
    )


def _separation(
    configuration: Configuration, stage: Stage, entrants: int
) -> Separation:
    legs, best_of = legs_of(configuration.boards), stage.match.best_of
    fixtures = _fixtures_each(stage, entrants)
    matches = fixtures * legs * (1 + best_of // 2)
    length = stage.match.ruleset.boards
    boards = None if length is None else matches * length
    is_bracket = isinstance(stage.format, Elimination)
    mirrored = configuration.boards is Boards.MIRRORED
    return Separation(
        boards=boards,
        matches=matches,
        points=None
        if boards is None
        else separable_difference(
            boards,
            in_field=not is_bracket,
            variance_share=MIRRORED_SHARE if mirrored else 1,
        ),
        chance=None if is_bracket else separable_chance(matches, in_field=True),
        fixture=None
        if isinstance(stage.format, Ladder)
        else chance_in_best_of(best_of, BETTER),
    )


def _fixtures_each(stage: Stage, entrants: int) -> int:
    """Return how many fixtures each entrant has: the same for all, or of a bracket one.

    A ladder without an end is taken for one fixture.
    """
    match stage.format:
        case RoundRobin(cycles=cycles, groups=groups):
            return cycles * (entrants // groups - 1)
        case Swiss(rounds=rounds):
            return rounds
        case Ladder(fixtures=fixtures):
            return fixtures or 1
        case _:
            return 1
