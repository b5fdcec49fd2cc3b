"""`ginref verify`: prove signed match records, and exports of tournaments."""

import json
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.progress import Progress
from rich.text import Text

from ginref.adapters.trusted_keys import TrustedKeysError, read_trusted_keys
from ginref.cli.judgment import Judgment, judge, missing
from ginref.cli.kept import KeptError, find_evidence
from ginref.record.verify import Finding
from ginref_client.joined import JoinError, pinned

_HEADLINES: Final = {
    Finding.VALID: Text("VALID", "bold green"),
    Finding.UNKNOWN_KEY: Text("TRUE, BUT SIGNED BY AN UNKNOWN KEY", "bold yellow"),
    Finding.NOT_OPEN: Text("NOT PROVED: THE DEAL IS NOT OPEN YET", "bold yellow"),
    Finding.BROKEN: Text("BROKEN", "bold red"),
}
_NAME_WIDTH: Final = 10

_WORTH_A_PROCESS: Final = 16
"""Files that are worth the start of another process."""


def verify(  # noqa: PLR0913, PLR0917 - one parameter for each option
    records: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="Signed match records, exports of tournaments, or folders of such.",
        ),
    ],
    keys: Annotated[
        list[Path] | None,
        typer.Option(
            "--keys",
            metavar="PATH",
            help="Keys to trust: a JWKS or PEM file, or a folder. May be repeated."
            " [default: those of the referees that were joined]",
        ),
    ] = None,
    matches: Annotated[
        Path | None,
        typer.Option(
            "--records",
            metavar="DIR",
            help="Folder with the records of an export's matches, to be compared.",
        ),
    ] = None,
    evidence: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="PATH",
            help="What a bot has kept of a match, or its state folder, to be compared."
            " May be repeated.",
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object a line for programs.")
    ] = False,
    jobs: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Processes at most. [default: one for each core]"
        ),
    ] = None,
) -> None:
    """Prove match records: signature, deal, every move, the clocks and the score.

    Of the export of a tournament, its log, draw, pairings, results and tables are
    worked out again, and what people decided is listed. A record that a bot's evidence
    contradicts is broken.

    Exit status: 0 when every record is valid and its key trusted, 3 when a record is
    valid but its key unknown, 4 when a deal is not open yet, so that no move could be
    checked, whether its key is known or not, 1 when a record is broken or unreadable.
    Of several records the worst one counts.
    """
    console, complaints = _console(stderr=False), _console(stderr=True)
    try:
        referees = pinned() if keys is None else ()
        trusted = {name: key for known in referees for name, key in known.items()}
        for path in keys or ():
            trusted |= read_trusted_keys(path)
        kept = find_evidence(evidence or ())
    except (TrustedKeysError, JoinError, KeptError) as error:
        complaints.print(_plain(f"ginref verify: {error}"))
        raise typer.Exit(Finding.BROKEN.exit_code) from error
    worst, files = Finding.VALID, list[Path]()
    for path in records:
        found = sorted(path.glob("*.json")) if path.is_dir() else [path]
        if not found:
            complaints.print(_plain(f"ginref verify: {path} holds no records"))
            worst = Finding.BROKEN
        files += found
    with Progress(
        console=complaints,
        transient=True,
        disable=len(files) == 1 or not complaints.is_terminal,
        redirect_stdout=console.is_terminal,
        redirect_stderr=False,
    ) as progress:
        work = partial(
            judge,
            trusted,
            records=matches,
            evidence=kept.files,
            heads=kept.heads,
            referees=referees,
        )
        judged = _compared(_judged(files, work, jobs or os.cpu_count() or 1))
        without = set(kept.files)
        for judgment in progress.track(judged, len(files), description="Verifying"):
            _report(judgment, console, complaints, as_json=as_json)
            worst = max(worst, judgment.finding, key=lambda finding: finding.rank)
            without.discard(judgment.facts.get("match_id", ""))
    for match_id in sorted(without & kept.named):
        for path in kept.files[match_id]:
            _report(missing(match_id, path), console, complaints, as_json=as_json)
        worst = Finding.BROKEN
    if without - kept.named:
        count = len(without - kept.named)
        text = f"ginref verify: there is evidence of {count} more matches, no record"
        complaints.print(_plain(text))
    raise typer.Exit(worst.exit_code)


def _judged(
    files: Sequence[Path], work: Callable[[Path], Judgment], jobs: int
) -> Iterator[Judgment]:
    """Judge all files in their order, in several processes where that is worth it."""
    jobs = min(jobs, len(files) // _WORTH_A_PROCESS)
    if jobs <= 1:
        yield from map(work, files)
        return
    # A fork would copy the locks of the thread that draws the progress.
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        yield from pool.map(work, files, chunksize=4)


def _compared(judged: Iterator[Judgment]) -> Iterator[Judgment]:
    """Break a record whose match another one tells differently, by a trusted key."""
    seen: dict[str, tuple[bytes, Path]] = {}
    for judgment in judged:
        if judgment.told is None:
            yield judgment
            continue
        match_id, chain = judgment.told
        first_chain, first = seen.setdefault(match_id, (chain, judgment.path))
        yield judgment if chain == first_chain else judgment.contradicting(first)


def _report(
    judgment: Judgment, console: Console, complaints: Console, *, as_json: bool
) -> None:
    if as_json:
        console.print(json.dumps(judgment.facts))
    elif judgment.unread is not None:
        text = f"ginref verify: {judgment.path} {judgment.unread}"
        complaints.print(_plain(text))
    else:
        headline = _HEADLINES[judgment.finding]
        console.print(Text(f"{_plain(str(judgment.path))}: "), headline, sep="")
        for name, text in judgment.lines:
            console.print(f"  {name:{_NAME_WIDTH}}{_plain(text)}")


def _console(*, stderr: bool) -> Console:
    return Console(stderr=stderr, markup=False, highlight=False, soft_wrap=True)


def _plain(text: str) -> str:
    """Make text from a file harmless to a terminal."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)
