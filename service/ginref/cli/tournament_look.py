"""`ginref tournament`: how one stands, what it waits for, and how it goes on."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Annotated, Any, Final

import typer
from rich.live import Live

from ginref.cli.organizing import (
    AsJson,
    Name,
    Office,
    json_of,
    online,
)
from ginref.cli.tournament_table import (
    LINES_MOST,
    fixtures,
    overview,
    problem_lines,
)
from ginref_client.referee import Referee
from ginref_client.tournament import Entry, Tournament
from ginref_client.tournament_change import state_name

_ENDED: Final = frozenset({"finished", "archived", "cancelled"})
_TEXT_MOST: Final = 160


@online
async def status(
    office: Office,
    name: Name,
    all_fixtures: Annotated[
        bool, typer.Option("--fixtures", help="List all fixtures, too.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Say how a tournament stands."""
    async with office.referee() as referee:
        seen = await referee.get_tournament(name)
    if as_json:
        office.tell(json_of(seen))
        return
    office.console.print(overview(seen))
    if all_fixtures:
        office.console.print(fixtures(seen))


@online
async def problems(office: Office, name: Name, as_json: AsJson = False) -> None:
    """Say what a tournament waits for.

    Exit status: 0, or 2 when it waits for its organizer.
    """
    async with office.referee() as referee:
        seen = await referee.get_tournament(name)
    if as_json:
        for problem in seen.problems:
            office.tell(json_of(problem))
    else:
        for line in problem_lines(seen):
            office.say(line)
    if any(problem.blocking for problem in seen.problems):
        raise typer.Exit(2)


@online
async def list_(office: Office, as_json: AsJson = False) -> None:
    """List tournaments, newest first."""
    async with office.referee() as referee:
        async for seen in referee.list_tournaments():
            if as_json:
                office.tell(json_of(seen))
                continue
            made = seen.create_time.ToJsonString()
            title = f"  {seen.title}" if seen.title else ""
            office.say(f"{made}  {seen.tournament_id}: {state_name(seen.state)}{title}")


@online
async def watch(
    office: Office,
    name: Name,
    cursor: Annotated[
        int,
        typer.Option(min=0, metavar="N", help="Entries of the log that you know."),
    ] = 0,
    as_json: AsJson = False,
) -> None:
    """Follow a tournament until it is over.

    In a terminal it is a live table; elsewhere, and with `--json`, one line for each
    entry of its log.
    """
    async with office.referee() as referee:
        seen = await referee.get_tournament(name)
        if state_name(seen.state) in _ENDED and cursor >= seen.version:
            return
        if office.console.is_terminal and not as_json:
            await _show(office, referee, seen)
            return
        async for entry in referee.watch_tournament(name, cursor):
            facts = json.loads(entry.json)
            if as_json:
                typer.echo(entry.json)
            else:
                office.say(entry_line(facts))
            if _is_last(facts, seen):
                return


async def _show(office: Office, referee: Referee, seen: Tournament) -> None:
    """Show a live table until the tournament is over."""
    if state_name(seen.state) in _ENDED:
        office.console.print(overview(seen))
        return
    with Live(overview(seen, LINES_MOST), console=office.console) as live:
        news = _gathered(referee.watch_tournament(seen.tournament_id, seen.version))
        async for _ in news:
            seen = await referee.get_tournament(seen.tournament_id)
            live.update(overview(seen, LINES_MOST))
            if state_name(seen.state) in _ENDED:
                return


def _is_last(facts: dict[str, Any], seen: Tournament) -> bool:
    """Say whether a tournament is over with an entry: it may be archived much later.

    Args:
        facts: The entry.
        seen: The tournament when one began to watch.
    """
    if facts["event"]["kind"] == "secret_opened":
        return True
    return state_name(seen.state) in _ENDED and facts["sequence"] >= seen.version


async def _gathered(entries: AsyncIterator[Entry]) -> AsyncIterator[int]:
    """Yield whenever there is news, and how much: many entries may come at once."""
    waiting: asyncio.Queue[Entry | BaseException | None] = asyncio.Queue()

    async def read() -> None:
        try:
            async for entry in entries:
                waiting.put_nowait(entry)
            waiting.put_nowait(None)
        except Exception as error:  # noqa: BLE001 - raised again where it is waited for
            waiting.put_nowait(error)

    reading = asyncio.create_task(read())
    try:
        while True:
            news = [await waiting.get()]
            while not waiting.empty():
                news.append(waiting.get_nowait())
            if count := sum(isinstance(one, Entry) for one in news):
                yield count
            last = news[-1]
            if isinstance(last, BaseException):
                raise last
            if last is None:
                return
    finally:
        reading.cancel()


def entry_line(facts: dict[str, Any]) -> str:
    """Write an entry of a log as people read it."""
    event = dict(facts["event"])
    kind = event.pop("kind").replace("_", " ")
    told = ", ".join(f"{name} {_text(value)}" for name, value in event.items() if value)
    line = f"{facts['sequence']:>5}  {kind}{': ' if told else ''}{told}"
    return line if len(line) <= _TEXT_MOST else f"{line[:_TEXT_MOST]}…"


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)
