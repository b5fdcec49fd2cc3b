"""`ginref replay`: tell a match that was written down, move by move."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.text import Text

from ginref.engine.error import NotationError
from ginref.engine.notation import parse_match, write_match
from ginref.engine.transcript import Transcript
from ginref.record.document import PAYLOAD_TYPE, RecordError, parse_record
from ginref.record.envelope import EnvelopeError, parse_envelope
from ginref.record.replay import ReplayError
from ginref.record.transcribe import transcribe
from ginref.record.verify import Finding
from ginref_client.arena import Dealt, Happening, MatchResult
from ginref_client.scribe import tell_transcript
from ginref_client.story import Story

_UNPROVED: Final = "No signature was checked: `ginref verify` does that."


class _UnreadableError(Exception):
    """A file that holds no match, or none that can be told.

    Attributes:
        exit_code: The exit status that says so.
    """

    def __init__(self, message: str, exit_code: int = 1) -> None:
        """Keep the exit status."""
        super().__init__(message)
        self.exit_code = exit_code


def replay(  # noqa: PLR0913, PLR0917 - one parameter for each option
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="A match in notation, or a signed record."),
    ],
    first: Annotated[
        int | None,
        typer.Option("--from", min=1, metavar="N", help="Begin with this round."),
    ] = None,
    last: Annotated[
        int | None,
        typer.Option("--to", min=1, metavar="N", help="Stop after this round."),
    ] = None,
    only: Annotated[
        int | None,
        typer.Option("--round", min=1, metavar="N", help="Tell this round only."),
    ] = None,
    hands: Annotated[
        bool, typer.Option("--hands", help="Show each hand after its turn.")
    ] = False,
    notation: Annotated[
        bool,
        typer.Option("--notation", help="Write the match as notation instead."),
    ] = False,
) -> None:
    """Tell a match that was written down, move by move, all cards open.

    Every move is played again by the rules. Of a record no signature is checked.
    Exit status: 0, or 1 when the file holds no match or an illegal one, 4 when the
    deal of a record is not open yet.
    """
    console = Console(markup=False, highlight=False, soft_wrap=True)
    if only:
        first = last = only
    chosen = range(first or 1, (last or _MANY) + 1)
    try:
        transcript, is_record = _read(file)
        if notation:
            _write(console, transcript, is_record=is_record)
            return
        _check_rounds(chosen, len(transcript.rounds))
    except _UnreadableError as error:
        complaints = Console(stderr=True, markup=False, highlight=False, soft_wrap=True)
        complaints.print(_plain(f"ginref replay: {file}: {error}"))
        raise typer.Exit(error.exit_code) from None
    if is_record:
        console.print(Text(_UNPROVED, "dim"))
    _tell(console, transcript, chosen, hands=hands)


_MANY: Final = 10_000
"""More rounds than a match can have."""


def _read(file: Path) -> tuple[Transcript, bool]:
    """Read a match, and say whether it came from a record."""
    try:
        data = file.read_bytes()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise _UnreadableError(f"cannot be read: {reason}") from error
    if data.lstrip().startswith(b"{"):
        return _read_record(data), True
    try:
        return parse_match(data.decode()), False
    except UnicodeDecodeError as error:
        raise _UnreadableError("neither text nor a record") from error
    except NotationError as error:
        raise _UnreadableError(str(error)) from error


def _read_record(data: bytes) -> Transcript:
    try:
        envelope = parse_envelope(data)
        if envelope.payload_type != PAYLOAD_TYPE:
            raise _UnreadableError(f"not a match record: {envelope.payload_type!r}")
        record = parse_record(envelope.payload)
        if not record.is_open:
            raise _UnreadableError(
                "the deal is not open yet", Finding.NOT_OPEN.exit_code
            )
        transcript = transcribe(record.setup, record.entries)
    except EnvelopeError as error:
        raise _UnreadableError(f"not a signed record: {error}") from error
    except (RecordError, ReplayError) as error:
        raise _UnreadableError(str(error)) from error
    if transcript is None:
        raise _UnreadableError("the match ended before a card was dealt")
    return transcript


def _check_rounds(chosen: range, count: int) -> None:
    """Refuse rounds that the match does not have."""
    named = {chosen.start, chosen.stop - 1} - {_MANY}
    if not chosen or max(named) > count:
        has = "1 round" if count == 1 else f"{count} rounds"
        raise _UnreadableError(f"no such rounds: the match has {has}")


def _write(console: Console, transcript: Transcript, *, is_record: bool) -> None:
    if is_record:
        console.print(f"# {_UNPROVED}")
    console.print(_plain(write_match(transcript)), end="")


def _tell(
    console: Console, transcript: Transcript, chosen: range, *, hands: bool
) -> None:
    story = Story([_plain(bot) for bot in transcript.bots], hands=hands)
    is_over = False
    for number, happening in _numbered(transcript):
        is_over = isinstance(happening, MatchResult)
        if number in chosen:
            for part in story.tell(happening):
                console.print(part)
    if not is_over and len(transcript.rounds) in chosen:
        console.print()
        console.print("What was written down ends here; the match was not over.")


def _numbered(transcript: Transcript) -> Iterator[tuple[int, Happening]]:
    """Yield what happened, each with the number of its round."""
    number = 0
    for happening in tell_transcript(transcript):
        number += isinstance(happening, Dealt)
        yield number, happening


def _plain(text: str) -> str:
    """Make text from a file harmless to a terminal."""
    return "".join(
        letter if letter.isprintable() or letter == "\n" else "?" for letter in text
    )
