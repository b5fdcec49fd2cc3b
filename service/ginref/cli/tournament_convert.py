"""`ginref tournament export` and `report`: an export for other programs, and people.

An export that is not true is converted into nothing.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console

from ginref.adapters.trusted_keys import TrustedKeysError, read_trusted_keys
from ginref.cli.judgment_export import read_records
from ginref.record.verify import Finding
from ginref.tournament.export import Export
from ginref.tournament.export_bracket import viewer_data
from ginref.tournament.export_csv import csv_files
from ginref.tournament.export_verify import ExportVerdict, verify_export
from ginref.tournament.plan import plan
from ginref_client.joined import JoinError, all_pinned

_FINDINGS: Final[Mapping[Finding, str]] = {
    Finding.VALID: "Verified",
    Finding.UNKNOWN_KEY: "True, but signed by an unknown key,",
    Finding.NOT_OPEN: "Not proved, as not everything is open yet,",
}

Source = Annotated[
    Path, typer.Argument(metavar="EXPORT", help="The signed export of a tournament.")
]
Keys = Annotated[
    list[Path] | None,
    typer.Option(
        "--keys",
        metavar="PATH",
        help="Keys to trust: a JWKS or PEM file, or a folder. May be repeated."
        " [default: those of the referees that were joined]",
    ),
]
Records = Annotated[
    Path | None,
    typer.Option("--records", metavar="DIR", help="Folder with the matches' records."),
]


def export(  # noqa: PLR0913, PLR0917 - one parameter for each option
    source: Source,
    csv: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write standings, fixtures, boards as CSV."),
    ] = None,
    brackets: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write JSON that brackets-viewer draws."),
    ] = None,
    page: Annotated[
        Path | None,
        typer.Option("--report", metavar="FILE", help="Write one HTML page."),
    ] = None,
    keys: Keys = None,
    records: Records = None,
) -> None:
    """Convert a signed export, once it is verified, into what others read.

    Exit status: 0, or 1 when the export is broken or a file cannot be written.
    """
    verdict, told = _verified(source, keys, records)
    try:
        if csv is not None:
            csv.mkdir(parents=True, exist_ok=True)
            for name, text in csv_files(told.document).items():
                (csv / name).write_text(text, encoding="utf-8", newline="")
        if brackets is not None:
            planned = plan(told.configuration, told.entries, told.entries[-1].time_ms)
            brackets.write_text(json.dumps(viewer_data(planned), indent=1) + "\n")
        if page is not None:
            _write_page(page, verdict, told)
    except OSError as error:
        raise _stop(f"{error.filename}: {error.strerror}") from None


def report(
    source: Source,
    page: Annotated[
        Path, typer.Argument(metavar="PAGE", help="The HTML file to write.")
    ],
    keys: Keys = None,
    records: Records = None,
) -> None:
    """Write a tournament as one page for people, which needs nothing else.

    Exit status: 0, or 1 when the export is broken or the page cannot be written.
    """
    verdict, told = _verified(source, keys, records)
    try:
        _write_page(page, verdict, told)
    except OSError as error:
        raise _stop(f"{error.filename}: {error.strerror}") from None


def _verified(
    source: Path, keys: list[Path] | None, records: Path | None
) -> tuple[ExportVerdict, Export]:
    """Read an export that is true, whoever has signed it."""
    try:
        trusted = all_pinned() if keys is None else {}
        for path in keys or ():
            trusted |= read_trusted_keys(path)
        listed = None if records is None else list(read_records(trusted, records))
        verdict = verify_export(source.read_bytes(), trusted, listed)
    except (TrustedKeysError, JoinError) as error:
        raise _stop(str(error)) from None
    except OSError as error:
        raise _stop(f"{error.filename} cannot be read: {error.strerror}") from None
    if verdict.export is None or verdict.finding is Finding.BROKEN:
        raise _stop(f"{source}: broken: {verdict.problem}")
    return verdict, verdict.export


def _write_page(page: Path, verdict: ExportVerdict, told: Export) -> None:
    # Pages are made by what comes with ginref[server].
    from ginref.adapters.tournament_report import (  # noqa: PLC0415
        Proof,
        render_report,
    )

    compared = verdict.compared
    proof = Proof(
        finding=_FINDINGS[verdict.finding],
        key_id=verdict.key_id or "",
        records=verdict.records,
        services=told.services if compared is None else compared.services,
        notes=verdict.notes,
    )
    page.write_text(render_report(told.document, proof), encoding="utf-8")


def _stop(message: str) -> typer.Exit:
    complaints = Console(stderr=True, markup=False, highlight=False, soft_wrap=True)
    text = "".join(one if one.isprintable() else "?" for one in message)
    complaints.print(f"ginref tournament: {text}")
    return typer.Exit(1)
