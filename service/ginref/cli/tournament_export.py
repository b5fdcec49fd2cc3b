"""`ginref tournament export`: what proves a tournament, fetched and converted."""

import re
from pathlib import Path
from typing import Annotated, Final

import typer

from ginref.cli import tournament_convert
from ginref.cli.organizing import CommandError, Office, online, printable
from ginref.cli.tournament_convert import Keys
from ginref_client.referee import Referee
from ginref_client.tournament import Tournament

_MATCH_ID: Final = re.compile(r"[a-z0-9]{2,64}")
"""What may name a file, whoever the referee is."""


@online
async def export(  # noqa: PLR0913, PLR0917 - one parameter for each option
    office: Office,
    source: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="The tournament; or the file of its signed export."
        ),
    ],
    save: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where to keep it; by default NAME.json."),
    ] = None,
    csv: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write standings, fixtures, boards as CSV."),
    ] = None,
    brackets: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write JSON that brackets-viewer draws."),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write one HTML page.")
    ] = None,
    keys: Keys = None,
    records: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder of the matches' records; those of a tournament are fetched.",
        ),
    ] = None,
) -> None:
    """Fetch the signed export of a tournament; convert it, once it is verified.

    `ginref verify` proves it. Exit status: 0, or 1 when the export is broken or a file
    cannot be written.
    """
    file = _file_of(source)
    if file is None:
        file = save or Path(f"{source}.json")
        async with office.referee() as referee:
            file.write_bytes(await referee.export_tournament(source))
            office.say(f"export   {file}")
            if records is not None:
                seen = await referee.get_tournament(source)
                saved = await save_records(referee, seen, records)
                office.say(f"records  {saved} in {records}")
    if csv is not None or brackets is not None or report is not None:
        tournament_convert.export(file, csv, brackets, report, keys, records)


async def save_records(referee: Referee, seen: Tournament, folder: Path) -> int:
    """Fetch the signed records of all matches that are over; return how many.

    Raises:
        ClientError: The referee refuses, or does not answer.
        CommandError: It names a match as none is named; nothing is written.
        OSError: A file cannot be written.
    """
    played = [fixture.matches for stage in seen.stages for fixture in stage.fixtures]
    played += [entrant.qualifying.matches for entrant in seen.entrants]
    over = [
        match.match_id for matches in played for match in matches if match.record_digest
    ]
    strange = next((one for one in over if not _MATCH_ID.fullmatch(one)), None)
    if strange is not None:
        raise CommandError(f"no match is named {printable(strange)}")
    _make(folder)
    for match_id in over:
        (folder / f"{match_id}.json").write_bytes(await referee.record(match_id))
    return len(over)


def _file_of(source: str) -> Path | None:
    """Return the file that is named, if there is one."""
    path = Path(source)
    return path if path.is_file() else None


def _make(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
