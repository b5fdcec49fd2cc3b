"""A tournament before anybody has entered: who would meet whom, how long, and how sure.

Everything is said of seeds, as nobody is known yet.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from ginref.tournament.configuration import Boards, Configuration, Stage
from ginref.tournament.configuration_write import configuration_digest
from ginref.tournament.event import (
    Advanced,
    Created,
    Event,
    Registered,
    RoundPaired,
    Seeded,
)
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
from ginref.tournament.lifecycle import Lifecycle
from ginref.tournament.log import LogEntry, append
from ginref.tournament.plan import plan
from ginref.tournament.score import legs_of
from ginref.tournament.stage_view import StageView

BETTER: Final = 0.55
"""How often the better one of two wins a single game, where fixtures are compared."""


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
        fixture: How often the better one wins a fixture that wins 55 % of its games.
    """

    boards: int | None
    matches: int
    points: float | None
    chance: float | None
    fixture: float


@dataclass(frozen=True, slots=True)
class Meeting:
    """A fixture that is known beforehand: `seed:1` against `winner:R1.2`."""

    node: str
    a: str
    b: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StagePreview:
    """A stage before it is played.

    Attributes:
        forecast: How large it is, and how long it takes.
        separation: What it can tell apart.
        meetings: Fixtures that are known beforehand; of a Swiss those of its first
            round by seeds, of a ladder none.
    """

    forecast: StageForecast
    separation: Separation
    meetings: tuple[Meeting, ...]


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
    forecasts = forecast(configuration, entrants, think_ms)
    planned = plan(configuration, _started(configuration, entrants), 0)
    return Preview(
        stages=tuple(
            StagePreview(
                forecast=one,
                separation=_separation(configuration, view.stage, one.entrants),
                meetings=tuple(_meetings(view, planned.events, one.entrants)),
            )
            for view, one in zip(planned.stages, forecasts, strict=True)
        ),
        cautions=cautions,
        qualifying=qualifying,
    )


def _started(configuration: Configuration, entrants: int) -> list[LogEntry]:
    """Return the log of a tournament whose seeds have just started."""
    bots = tuple(str(seed) for seed in range(1, entrants + 1))
    events: list[Event] = [
        Created(tournament="", configuration=configuration_digest(configuration)),
        Advanced(to=Lifecycle.REGISTRATION),
        *(Registered(bot=bot, owner=bot) for bot in bots),
        Advanced(to=Lifecycle.SEEDING),
        Seeded(order=bots, lots=bytes(32).hex()),
        Advanced(to=Lifecycle.RUNNING),
    ]
    entries: list[LogEntry] = []
    for at, event in enumerate(events):
        entry = append(entries, event, time_ms=0, actor="", request_id=str(at))
        entries.append(entry)
    return entries


def _meetings(
    view: StageView, events: tuple[Event, ...], entrants: int
) -> Iterator[Meeting]:
    for fixture in view.fixtures:
        a, b = fixture.sources
        yield Meeting(fixture.node, str(a), str(b))
    for event in events:
        if isinstance(event, RoundPaired) and isinstance(view.stage.format, Swiss):
            for at, (one, other) in enumerate(event.pairs, 1):
                yield Meeting(f"R1.{at}", f"seed:{one}", f"seed:{other}")
            if event.bye is not None:
                at = entrants // 2 + 1
                yield Meeting(f"R1.{at}", f"seed:{event.bye}", "bye")


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
        fixture=chance_in_best_of(best_of, BETTER),
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
