"""`ginref tournament example` and `preview`: before anybody has entered."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich.console import Console

from ginref.tournament import preview as previewing
from ginref.tournament.configuration import Configuration
from ginref.tournament.configuration_read import FIELD_MOST
from ginref.tournament.error import FieldError
from ginref.tournament.example import EXAMPLES
from ginref.tournament.meeting import Meeting, meetings
from ginref.tournament.preview import Preview, Separation, StagePreview

_USUAL: Final = "swiss"
_Meetings = Sequence[Sequence[Meeting]]
_UNITS: Final = ((86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (1000, "s"))


def example(
    name: Annotated[
        str,
        typer.Argument(metavar="[FORMAT]", help=f"One of {', '.join(EXAMPLES)}."),
    ] = _USUAL,
) -> None:
    """Print a tournament's file to start from, with comments."""
    if name not in EXAMPLES:
        message = f"{name!r} is none of {', '.join(EXAMPLES)}"
        raise typer.BadParameter(message)
    typer.echo(EXAMPLES[name], nl=False)


def preview(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A tournament's file.")],
    entrants: Annotated[
        int, typer.Option(min=2, max=FIELD_MOST, metavar="N", help="How many start.")
    ],
    think_ms: Annotated[
        int,
        typer.Option(
            "--think-ms", min=0, metavar="MS", help="What a bot thinks about a move."
        ),
    ] = previewing.THINK_MS,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object for programs.")
    ] = False,
) -> None:
    """Say what a tournament comes to: who meets whom, for how long, and how sure it is.

    Exit status: 0, or 1 when the file declares none, or none for so many entrants;
    line and field of the first wrong thing are named.
    """
    # YAML is read by what comes with ginref[server].
    from ginref.adapters.tournament_file import (  # noqa: PLC0415
        TournamentFileError,
        read_tournament,
    )

    try:
        declared = read_tournament(file.read_bytes())
    except OSError as error:
        raise _stop(f"{file} cannot be read: {error.strerror}") from None
    except TournamentFileError as error:
        raise _stop(f"{file}: {error}") from None
    configuration = declared.configuration
    try:
        shown = previewing.preview(configuration, entrants, think_ms)
    except FieldError as error:
        raise _stop(f"{file}: {declared.blame(error)}") from None
    known = meetings(configuration, entrants)
    if as_json:
        typer.echo(json.dumps(_facts(configuration, entrants, shown, known)))
        return
    console = Console(markup=False, highlight=False, soft_wrap=True)
    for line in _lines(configuration, entrants, shown, known):
        console.print(line)


def _stop(message: str) -> typer.Exit:
    complaints = Console(stderr=True, markup=False, highlight=False, soft_wrap=True)
    text = "".join(one if one.isprintable() else "?" for one in message)
    complaints.print(f"ginref tournament preview: {text}")
    return typer.Exit(1)


def _facts(
    configuration: Configuration, entrants: int, shown: Preview, known: _Meetings
) -> dict[str, Any]:
    qualifying = shown.qualifying
    return {
        "name": configuration.name,
        "entrants": entrants,
        "qualifying": None if qualifying is None else asdict(qualifying),
        "stages": [
            {
                **asdict(stage.forecast),
                "separation": asdict(stage.separation),
                "meetings": [asdict(meeting) for meeting in stage_meetings],
            }
            for stage, stage_meetings in zip(shown.stages, known, strict=True)
        ],
        "cautions": [asdict(caution) for caution in shown.cautions],
    }


def _lines(
    configuration: Configuration, entrants: int, shown: Preview, known: _Meetings
) -> Iterator[str]:
    typical, longest = _time(shown.typical_ms), _time(shown.longest_ms)
    yield f"{configuration.name}: {entrants} entrants"
    yield f"  takes      {typical}, or {longest} if clocks run down"
    if (short := shown.qualifying) is not None:
        typical, longest = _time(short.typical_ms), _time(short.longest_ms)
        yield f"  qualifying {typical} before that, or {longest}"
    for caution in shown.cautions:
        yield f"  caution    {caution.path}: {caution.what}"
    for stage, stage_meetings in zip(shown.stages, known, strict=True):
        yield from _stage_lines(stage)
        for meeting in stage_meetings:
            yield f"  {meeting.node:11}{meeting.a} - {meeting.b}"


def _stage_lines(stage: StagePreview) -> Iterator[str]:
    size = stage.forecast
    yield f"stage {size.stage}: {size.entrants} entrants"
    matches = f"{size.matches}"
    if size.most_matches != size.matches:
        matches += f" to {size.most_matches}"
    yield f"  plays      {size.fixtures} fixtures in {size.rounds} rounds"
    yield f"  matches    {matches}"
    yield f"  takes      {_time(size.typical_ms)}, or {_time(size.longest_ms)}"
    for line in _separated(stage.separation):
        yield f"  tells      {line}"


def _separated(separation: Separation) -> Iterator[str]:
    each = f"{separation.matches} matches each"
    if separation.boards is not None:
        each = f"{separation.boards} boards each"
    if separation.points is not None:
        yield f"{separation.points:.1f} net points per board apart ({each})"
    elif separation.chance is not None:
        yield f"a bot that wins {separation.chance:.0%} of its matches ({each})"
    if separation.fixture is not None:
        yield (
            f"who is better in {separation.fixture:.0%} of fixtures, if it wins"
            f" {previewing.BETTER:.0%} of single games"
        )


def _time(time_ms: int) -> str:
    """Write a time in its two largest units."""
    parts: list[str] = []
    for size_ms, unit in _UNITS:
        count, time_ms = divmod(time_ms, size_ms)
        if count or parts:
            parts.append(f"{count} {unit}")
    return " ".join(parts[:2]) or "less than a second"
