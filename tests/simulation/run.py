"""Runs one seed from the first fault to the verdict."""

import asyncio
import logging
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from tests.simulation.audit import Audit
from tests.simulation.dice import Dice
from tests.simulation.journal import Journal
from tests.simulation.loop import SimulatedLoop, StuckError
from tests.simulation.oracle import Oracle
from tests.simulation.plan import draw_plan
from tests.simulation.trouble import Trouble
from tests.simulation.world import World

_STEP_LIMIT: Final = 40_000
_PATIENCE: Final = 30.0
"""Seconds of the run within which all must be over once nothing goes wrong."""

_GLANCE: Final = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a seed has come to.

    Attributes:
        seed: The seed.
        problems: What must not happen, and did.
        counts: How often what happened.
        digest: Hash over everything that happened.
        steps: Callbacks that ran.
        seconds: Seconds of the run, by its own clock.
        lines: What happened, if it was kept.
    """

    seed: int
    problems: tuple[str, ...]
    counts: Counter[str]
    digest: str
    steps: int
    seconds: float
    lines: tuple[str, ...] = ()


def simulate(seed: int, *, keep: bool = False) -> Outcome:
    """Run a seed; keep what happened, line by line, if a person will read it."""
    plan = draw_plan(Dice(seed, "plan"))
    loop = SimulatedLoop(  # type: ignore[abstract] # what it leaves out raises
        Dice(seed, "order"), plan.width, _STEP_LIMIT
    )
    world = World(seed, plan, loop, keep=keep)
    journal = world.journal
    with _listening(journal):
        try:
            loop.run(_run(world))
        except StuckError as error:
            journal.problem(f"stuck: {error}")
        for uncaught in (*loop.errors, *map(repr, loop.unseen())):
            journal.problem(f"uncaught: {uncaught}")
        journal.note("end", loop.steps)
        outcome = _outcome(seed, world)
        loop.close()
    return outcome


def _outcome(seed: int, world: World) -> Outcome:
    loop, journal = world.loop, world.journal
    return Outcome(
        seed=seed,
        problems=tuple(journal.problems),
        counts=Counter(journal.counts),
        digest=journal.digest,
        steps=loop.steps,
        seconds=loop.time(),
        lines=tuple(journal.lines),
    )


async def _run(world: World) -> None:
    await world.begin()
    await Trouble(world).make()
    limit = world.network.now() + _PATIENCE
    while not world.is_over or await world.server.finished(1):
        await asyncio.sleep(_GLANCE)
        if world.network.now() > limit:
            world.journal.problem(f"not over: {world.unfinished}")
            return
    await Audit(world).ask_again()
    await Oracle(world).judge()


class _Log(logging.Handler):
    """Takes what referees complain of for a problem."""

    def __init__(self, journal: Journal) -> None:
        super().__init__(logging.ERROR)
        self._journal = journal

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, OSError):
            # The archive was full, as planned.
            return
        self._journal.problem(f"logged: {record.getMessage()}: {error!r}")


@contextmanager
def _listening(journal: Journal) -> Iterator[None]:
    log, handler = logging.getLogger("ginref"), _Log(journal)
    propagate, level = log.propagate, log.level
    log.addHandler(handler)
    log.propagate = False
    log.setLevel(logging.WARNING)
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.propagate = propagate
        log.setLevel(level)
