"""A tournament as people read it in a terminal: how far it is, and who stands where."""

from collections.abc import Iterator, Sequence
from typing import Final

from rich.console import Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from ginref.cli.organizing import printable
from ginref_client.tournament import Entrant, Fixture, StandingLine, Tournament
from ginref_client.tournament_change import (
    entrant_exit_name,
    entrant_state_name,
    fixture_state_name,
    qualifying_state_name,
    state_name,
)

LINES_MOST: Final = 20
"""Lines of each table, so that a live one fits into a window."""

_BAR_WIDTH: Final = 40
_OVER: Final = frozenset({"final", "not_needed"})
_TEXTS: Final = frozenset(
    {"bot", "fixture", "sides", "state", "result", "owner", "qualifying"}
)
_NEWS: Final = ("playing", "stopped", "ready")


def overview(seen: Tournament, most: int | None = None) -> RenderableType:
    """Return a tournament as a whole.

    Args:
        seen: The tournament.
        most: Most lines of each of its tables; None for all.
    """
    parts: list[RenderableType] = [_title(seen), _progress(seen)]
    parts += [Text(line, "yellow") for line in problem_lines(seen)]
    if not any(stage.fixtures for stage in seen.stages):
        parts.append(_entrants(seen, most))
    for stage in seen.stages:
        for ranking in stage.rankings:
            if ranking.lines:
                name = f"{stage.name} {ranking.group}".strip()
                parts.append(_ranking(name, ranking.lines, most))
        live = [one for one in stage.fixtures if _state(one) in _NEWS]
        if live:
            parts.append(_fixtures(stage.name, live, most))
    return Group(*parts)


def fixtures(seen: Tournament) -> RenderableType:
    """Return all fixtures of a tournament that are known."""
    return Group(
        *(
            _fixtures(stage.name, stage.fixtures, None)
            for stage in seen.stages
            if stage.fixtures
        )
    )


def problem_lines(seen: Tournament) -> Iterator[str]:
    """Yield what a tournament waits for, or what its organizer should know."""
    for problem in seen.problems:
        word = "waits for you" if problem.blocking else "note"
        yield printable(f"{word}: {problem.about}: {problem.message}")


def progress_of(seen: Tournament) -> tuple[int, int]:
    """Return how many known fixtures are over, and how many there are."""
    known = [one for stage in seen.stages for one in stage.fixtures]
    return sum(_state(one) in _OVER for one in known), len(known)


def _title(seen: Tournament) -> Text:
    title = f", {printable(seen.title)}" if seen.title else ""
    return Text(
        f"{seen.tournament_id}{title}: {state_name(seen.state)}, "
        f"version {seen.version}",
        "bold",
    )


def _progress(seen: Tournament) -> RenderableType:
    over, known = progress_of(seen)
    if not known:
        count = len(seen.entrants)
        return Text(f"{count} entrant{'' if count == 1 else 's'}")
    row = Table.grid(padding=(0, 1))
    bar = ProgressBar(total=known, completed=over, width=_BAR_WIDTH)
    row.add_row(bar, f"{over} of {known} fixtures")
    return row


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    for column in columns:
        text = column in _TEXTS
        table.add_column(column, justify="left" if text else "right")
    return table


def _entrants(seen: Tournament, most: int | None) -> Table:
    columns = ["bot", "owner", "state", "checked in", "seed"]
    qualifies = any(one.HasField("qualifying") for one in seen.entrants)
    table = _table("entrants", *columns, *(["qualifying"] if qualifies else []))
    for one in seen.entrants[:most]:
        latency = f" ({one.latency_ms} ms)" if one.HasField("latency_ms") else ""
        table.add_row(
            one.bot,
            one.owner,
            _part(one),
            f"yes{latency}" if one.checked_in else "no",
            str(one.seed) if one.HasField("seed") else "",
            *([_qualifying(one)] if qualifies else []),
        )
    return table


def _part(entrant: Entrant) -> str:
    """Say how an entrant takes part, and why it does not any more."""
    state, why = entrant_state_name(entrant.state), entrant_exit_name(entrant.exit)
    return f"{state} ({why})" if entrant.exit else state


def _qualifying(entrant: Entrant) -> str:
    """Say how far an entrant has come with qualifying, and how its matches ended."""
    matches = entrant.qualifying.matches
    endings = ", ".join(one.ending or "goes on" for one in matches)
    state = qualifying_state_name(entrant.qualifying.state)
    return f"{state}: {endings}".replace("_", " ") if matches else state


def _ranking(name: str, lines: Sequence[StandingLine], most: int | None) -> Table:
    table = _table(
        name, "rank", "bot", "points", "won", "drawn", "lost", "net", "boards"
    )
    for line in lines[:most]:
        table.add_row(*_cells(line))
    if most is not None and len(lines) > most:
        table.caption = f"and {len(lines) - most} more"
    return table


def _cells(line: StandingLine) -> tuple[str, ...]:
    mean = f"{line.mean:+.1f}" if line.HasField("mean") else ""
    margin = f" ±{line.margin:.1f}" if line.HasField("margin") else ""
    return (
        # Who is still in has no place yet.
        str(line.rank or ""),
        line.bot,
        f"{line.points:g}" if line.HasField("points") else "",
        str(line.won),
        str(line.drawn),
        str(line.lost),
        f"{mean}{margin}",
        str(line.boards),
    )


def _fixtures(name: str, shown: Sequence[Fixture], most: int | None) -> Table:
    table = _table(f"{name}: fixtures", "fixture", "sides", "state", "result")
    ordered = sorted(shown, key=lambda one: _order(_state(one)))
    for one in ordered[:most]:
        sides = " - ".join(side.bot or side.source for side in one.sides)
        attempt = f", attempt {one.attempt}" if one.attempt > 1 else ""
        table.add_row(
            f"{one.group} {one.node}".strip(),
            sides,
            f"{_state(one)}{attempt}",
            _result(one),
        )
    return table


def _order(state: str) -> int:
    return _NEWS.index(state) if state in _NEWS else len(_NEWS)


def _result(fixture: Fixture) -> str:
    if fixture.HasField("result"):
        result = fixture.result
        told = " ".join(filter(None, (result.kind, result.winner, result.cause)))
        return told.replace("_", " ")
    over = sum(match.over for match in fixture.matches)
    return f"{over} of its matches over" if over else ""


def _state(fixture: Fixture) -> str:
    return fixture_state_name(fixture.state)
