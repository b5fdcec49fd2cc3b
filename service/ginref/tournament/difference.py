"""What operations would change: shown before they are done."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ginref.tournament.configuration import Configuration
from ginref.tournament.event import Event
from ginref.tournament.fixture import Fixture
from ginref.tournament.ledger import Ledger
from ginref.tournament.log import LogEntry, append
from ginref.tournament.plan import Plan, plan, rankings
from ginref.tournament.roster import waiting
from ginref.tournament.shape import to_json
from ginref.tournament.stage_view import StageView

_PREVIEW = "preview"


@dataclass(frozen=True, slots=True)
class Change:
    """One fact that is, or would be, another one.

    Attributes:
        path: What it is about, such as `fixtures.main/W2.1`.
        before: What it was; empty if it was not there.
        after: What it is then; empty if it is gone.
    """

    path: str
    before: str
    after: str


def preview(
    configuration: Configuration,
    entries: Sequence[LogEntry],
    events: Sequence[Event],
    now_ms: int,
) -> tuple[Change, ...]:
    """Return what some events would change; nothing is appended."""
    longer = list(entries)
    for at, event in enumerate(events):
        longer.append(
            append(
                longer,
                event,
                time_ms=now_ms,
                actor=_PREVIEW,
                request_id=f"{_PREVIEW}-{at}",
            )
        )
    before = plan(configuration, entries, now_ms)
    return changes(before, plan(configuration, longer, now_ms))


def changes(before: Plan, after: Plan) -> tuple[Change, ...]:
    """Return the facts that differ between two moments of a tournament."""
    old, new = dict(_facts(before)), dict(_facts(after))
    return tuple(
        Change(path, old.get(path, ""), new.get(path, ""))
        for path in sorted({*old, *new})
        if old.get(path) != new.get(path)
    )


def _facts(planned: Plan) -> Iterator[tuple[str, str]]:
    ledger = planned.ledger
    yield "lifecycle", str(ledger.lifecycle)
    for at, bot in enumerate(ledger.order, 1):
        yield f"seeds.{at}", bot
    waits = {entrant.bot for entrant in waiting(ledger)}
    for bot in ledger.entrants:
        departure = ledger.departures.get(bot)
        state = "waiting" if bot in waits else "in"
        yield f"entrants.{bot}", state if departure is None else str(departure.cause)
    for name, appeal in ledger.appeals.items():
        yield f"appeals.{name}", "open" if appeal.upheld is None else "decided"
    for view in planned.stages:
        for fixture in view.fixtures:
            yield f"fixtures.{view.stage.name}/{fixture.node}", _describe(fixture)
        yield from _ranks(ledger, view)


def _ranks(ledger: Ledger, view: StageView) -> Iterator[tuple[str, str]]:
    name = view.stage.name
    if view.closing is not None:
        yield f"stages.{name}", "closed"
    for ranking in rankings(ledger, view):
        for placing in ranking.placings:
            for bot in placing.bots:
                yield f"ranks.{name}/{ranking.group or '-'}/{bot}", str(placing.rank)


def _describe(fixture: Fixture) -> str:
    a, b = (
        bot or str(source)
        for bot, source in zip(fixture.entrants, fixture.sources, strict=True)
    )
    facts = [f"{a} - {b}", str(fixture.state), f"attempt {fixture.attempt}"]
    if fixture.result is not None:
        facts.append(_text(to_json(fixture.result, is_named=True)))
    return ", ".join(facts)


def _text(result: dict[str, object]) -> str:
    return " ".join(str(value) for value in result.values() if value is not None)
