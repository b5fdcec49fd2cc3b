"""Who would meet whom in a tournament before anybody has entered.

Everything is said of seeds, as nobody is known yet.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from ginref.tournament.configuration import Configuration
from ginref.tournament.configuration_write import configuration_digest
from ginref.tournament.event import (
    Advanced,
    Created,
    Event,
    Registered,
    RoundPaired,
    Seeded,
)
from ginref.tournament.format import Swiss
from ginref.tournament.lifecycle import Lifecycle
from ginref.tournament.log import LogEntry, append
from ginref.tournament.plan import plan
from ginref.tournament.stage_view import StageView


@dataclass(frozen=True, slots=True)
class Meeting:
    """A fixture that is known beforehand: `seed:1` against `winner:R1.2`."""

    node: str
    a: str
    b: str


def meetings(
    configuration: Configuration, entrants: int
) -> tuple[tuple[Meeting, ...], ...]:
    """Return the fixtures of each stage that are known beforehand.

    Of a Swiss these are the first round by seeds, of a ladder none. A round robin of
    hundreds takes seconds.

    Args:
        configuration: Stages that can be played by so many.
        entrants: How many start.
    """
    planned = plan(configuration, _started(configuration, entrants), 0)
    return tuple(tuple(_meetings(view, planned.events)) for view in planned.stages)


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


def _meetings(view: StageView, events: tuple[Event, ...]) -> Iterator[Meeting]:
    for fixture in view.fixtures:
        a, b = fixture.sources
        yield Meeting(fixture.node, str(a), str(b))
    for event in events:
        if isinstance(event, RoundPaired) and isinstance(view.stage.format, Swiss):
            for at, (one, other) in enumerate(event.pairs, 1):
                yield Meeting(f"R1.{at}", f"seed:{one}", f"seed:{other}")
            if event.bye is not None:
                at = len(event.pairs) + 1
                yield Meeting(f"R1.{at}", f"seed:{event.bye}", "bye")
