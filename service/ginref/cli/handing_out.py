"""What commands about tokens, bots and invitations share: how they read and show."""

import datetime as dt
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from google.protobuf.timestamp_pb2 import Timestamp
from rich.table import Table
from rich.text import Text

from ginref.adapters.secret_file import SecretFileError, replace_secret
from ginref.cli.organizing import CommandError, Office, printable
from ginref.setting import Kind, duration

_LONGEST: Final = dt.timedelta(days=3650)
_LIFETIME: Final = duration(dt.timedelta(seconds=1), _LONGEST, endless=False)

OVERLAP: Final = duration(dt.timedelta(0), _LONGEST, endless=False)
"""How long a token goes on working beside the one that replaces it."""

Lifetime = Annotated[
    str | None,
    typer.Option(metavar="TIME", help="How long it works: 30d, 12h, 5m."),
]
To = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Write the secret into this file, which nobody else can read, in place of"
        " what is there; else it is printed.",
    ),
]


def seconds(text: str, option: str, kind: Kind) -> float:
    """Read a length of time that an option gives.

    Raises:
        CommandError: It is none of the kind.
    """
    try:
        length: dt.timedelta = kind.read(text)
    except ValueError:
        message = f"{option}: {text!r}: {kind.expected} expected"
        raise CommandError(message) from None
    return length.total_seconds()


def lifetime_seconds(lifetime: str | None) -> float | None:
    """Read how long something is to work; None if it is not said.

    Raises:
        CommandError: It is no length of time, or without an end.
    """
    return None if lifetime is None else seconds(lifetime, "--lifetime", _LIFETIME)


def check_place(to: Path | None) -> None:
    """See that a secret can be kept, before there is one.

    Raises:
        CommandError: It cannot.
    """
    if to is None:
        return
    folder = to.parent
    if not folder.is_dir() or to.is_dir() or not os.access(folder, os.W_OK):
        raise CommandError(f"{to} cannot be written")


def hand_over(
    office: Office, secret: str, to: Path | None, facts: Mapping[str, Any] | None
) -> None:
    """Write a secret into a file, or print it.

    Args:
        office: Where the command works.
        secret: The secret.
        to: The file; None to print it.
        facts: What else is told to programs; None to tell people.

    Raises:
        CommandError: The file cannot be written; the secret was printed instead.
    """
    if to is not None:
        try:
            replace_secret(to, f"{secret}\n".encode())
        except SecretFileError as error:
            typer.echo(secret)
            raise CommandError(f"{error}: the secret is shown instead") from None
    if facts is not None:
        told = {"secret": secret} if to is None else {"file": str(to)}
        office.tell({**facts, **told})
    elif to is None:
        typer.echo(secret)
    else:
        office.say(f"kept in {to}")


def moment(time: Timestamp) -> str:
    """Return a time for people, UTC to the minute."""
    return f"{time.ToDatetime():%Y-%m-%d %H:%M} UTC"


def show(office: Office, rows: Sequence[tuple[str, ...]], *columns: str) -> None:
    """Show a table; texts of others cannot command a terminal."""
    table = Table(box=None, pad_edge=False)
    for place, column in enumerate(columns):
        # What a row is called by is copied as a whole.
        table.add_column(column, overflow="fold", no_wrap=not place)
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    office.console.print(table)
