"""`ginref keys`: the keys that a referee signs with."""

import contextlib
import datetime as dt
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console

from ginref.adapters.key_folder import KeyFolder, KeyFolderError

app = typer.Typer(
    help="Make, list, rotate and retire the keys that a referee signs with.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

DEFAULT_FOLDER: Final = Path("ginref-data") / "keys"

# The name of a key may begin with a dash.
_NAMES_A_KEY: Final = {"ignore_unknown_options": True}

Folder = Annotated[
    Path,
    typer.Option(
        "--folder", metavar="DIR", help="Where the keys are.", envvar="GINREF_KEYS"
    ),
]


@app.command("new")
def new_key(folder: Folder = DEFAULT_FOLDER) -> None:
    """Make a key, to be published before it signs, and print its name.

    It signs at once only if no other key does; `ginref keys rotate` lets it.
    """
    with _complaining():
        key_id = KeyFolder.new(folder)
    typer.echo(key_id)


@app.command("list")
def list_keys(folder: Folder = DEFAULT_FOLDER) -> None:
    """List all keys of a folder: the active one, which signs, first; retired ones last.

    Of retired keys it says since when they are.
    """
    with _complaining():
        keys = KeyFolder(folder)
    _show(keys)


@app.command("rotate", context_settings=_NAMES_A_KEY)
def rotate_keys(
    key: Annotated[
        str | None,
        typer.Argument(metavar="KEY", help="The key that is to sign, or a new one."),
    ] = None,
    folder: Folder = DEFAULT_FOLDER,
) -> None:
    """Let another key sign from now on.

    Referees that are running take it up within a few seconds. The key that signed
    before stays published, and could be taken again; `ginref keys retire` ends that.
    """
    with _complaining():
        keys = KeyFolder(folder).rotate(key)
    _show(keys)


@app.command("retire", context_settings=_NAMES_A_KEY)
def retire_key(
    key: Annotated[str, typer.Argument(help="The key that is to sign no more.")],
    folder: Folder = DEFAULT_FOLDER,
) -> None:
    """Delete the private half of a key that no longer signs, for good.

    Its public half stays published, marked with this time, so that records it has
    signed can be verified. The key that signs cannot be retired.
    """
    with _complaining():
        keys = KeyFolder(folder).retire(key, dt.datetime.now(dt.UTC))
    _show(keys)


@app.command("public")
def print_public_keys(
    folder: Folder = DEFAULT_FOLDER,
    pem: Annotated[
        bool, typer.Option("--pem", help="PEM instead of a JSON Web Key Set.")
    ] = False,
) -> None:
    """Print the public halves of all keys, for whoever verifies records."""
    with _complaining():
        keys = KeyFolder(folder)
    typer.echo(keys.pem() if pem else keys.jwks() + b"\n", nl=False)


def _show(keys: KeyFolder) -> None:
    for key_id in keys.public_keys:
        if key_id == keys.active_id:
            said = "  active"
        elif key_id in keys.retired_at:
            said = f"  retired {keys.retired_at[key_id]}"
        else:
            said = ""
        typer.echo(f"{key_id}{said}")


@contextlib.contextmanager
def _complaining() -> Iterator[None]:
    try:
        yield
    except KeyFolderError as error:
        complaints = Console(stderr=True, markup=False, highlight=False, soft_wrap=True)
        complaints.print(f"ginref keys: {error}")
        raise typer.Exit(1) from error
