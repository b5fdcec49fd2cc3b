"""`ginref tournament rehearse`: a tournament is played once before it counts."""

import asyncio
import contextlib
import logging
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich.console import Console
from rich.live import Live
from rich.text import Text

from ginref.cli.child_referee import ChildRefereeError
from ginref.cli.organizing import CommandError, complain, printable
from ginref.cli.rehearsal import Rehearsal, rehearsed
from ginref.cli.tournament_course import read_file
from ginref.cli.tournament_table import LINES_MOST, overview, progress_of
from ginref.cli.verify import verify
from ginref.tournament.configuration_read import read_configuration
from ginref.tournament.error import FieldError
from ginref.tournament.field_check import check_field
from ginref_client.error import ClientError
from ginref_client.tournament import Tournament

_ENTRANTS: Final = 8
_LEAST: Final = 3
_INTERRUPTED: Final = 130


def rehearse(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The tournament's file, in YAML.")
    ],
    entrants: Annotated[
        int | None,
        typer.Option(
            min=_LEAST,
            max=64,
            metavar="N",
            help="How many bots play; by default those of the file, or 8.",
        ),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Keep everything here; by default it is thrown away."
        ),
    ] = None,
) -> None:
    """Play a tournament on a referee of its own, with all that can go wrong in it.

    Built-in bots play it with a fast clock. One crashes in the middle of a match and
    comes back, another one never shows up, and the referee is started again on the
    way. Then the signed export is verified with the records of all matches.

    Exit status: 0 if it came to its end and is proved, else 1.
    """
    console = Console(markup=False, highlight=False, soft_wrap=True)
    # Bots that find no referee for a while are part of it.
    logging.getLogger("ginref_client").setLevel(logging.ERROR)
    try:
        document = rehearsed(read_file(file))
        bots = _bots(document, read_file(file)["entry"], entrants)
        with _place(folder) as place:
            with _stage(console) as stage:
                rehearsal = Rehearsal(place, document, bots, stage.tell, stage.show)
                asyncio.run(rehearsal.run())
            if stage.latest is not None:
                console.print(overview(stage.latest))
            console.print("Verifying the export; the referee is gone:", style="bold")
            keys = [rehearsal.home / "keys"]
            verify([rehearsal.export], keys=keys, matches=rehearsal.records)
    except (ClientError, CommandError, ChildRefereeError, OSError) as error:
        complain("tournament rehearse", str(error))
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        raise typer.Exit(_INTERRUPTED) from None


class _Stage:
    """What people see while it goes on.

    Attributes:
        latest: The tournament as it was seen last.
    """

    def __init__(self, console: Console, live: Live | None) -> None:
        self.latest: Tournament | None = None
        self._console = console
        self._live = live
        self._over = 0

    def tell(self, line: str) -> None:
        """Write a line."""
        self._console.print(Text(printable(line)))

    def show(self, seen: Tournament) -> None:
        """Show how the tournament stands."""
        self.latest = seen
        over, known = progress_of(seen)
        if self._live is not None:
            self._live.update(overview(seen, LINES_MOST))
        elif over > self._over:
            # Nothing moves in a file or a pipe: a line for each fixture instead.
            self.tell(f"{over} of {known} fixtures are over")
        self._over = over


@contextlib.contextmanager
def _stage(console: Console) -> Iterator[_Stage]:
    if not console.is_terminal:
        yield _Stage(console, None)
        return
    with Live(console=console, transient=True) as live:
        yield _Stage(console, live)


@contextlib.contextmanager
def _place(folder: Path | None) -> Iterator[Path]:
    """Return an empty folder.

    Raises:
        CommandError: The one that is named is not empty.
    """
    if folder is None:
        # Sockets have short paths.
        with tempfile.TemporaryDirectory(prefix="gr") as made:
            yield Path(made)
        return
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        message = f"{folder} is not empty"
        raise CommandError(message)
    yield folder


def _bots(
    document: dict[str, Any], entry: dict[str, Any], entrants: int | None
) -> list[str]:
    """Return the names of those who play.

    Raises:
        CommandError: The stages are not for so many.
    """
    named = [one["bot"] for one in entry["listed"]] or list(entry["invited"])
    usual = len(named) if len(named) >= _LEAST else _ENTRANTS
    count = entrants or min(entry["capacity"] or usual, usual)
    try:
        check_field(read_configuration(document), count)
    except FieldError as error:
        message = f"{error}: another number of --entrants is needed"
        raise CommandError(message) from None
    others = (f"bot-{at:02}" for at in range(1, count + 1))
    return [*dict.fromkeys([*named, *others])][:count]
