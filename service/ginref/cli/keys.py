"""`ginref keys`: the keys that a referee signs with."""

from pathlib import Path
from typing import Annotated, Final, NoReturn

import typer
from rich.console import Console

from ginref.adapters.key_folder import KeyFolder, KeyFolderError

app = typer.Typer(
    help="Make and list the keys that a referee signs with.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

DEFAULT_FOLDER: Final = Path("ginref-data") / "keys"

Folder = Annotated[
    Path,
    typer.Option(
        "--folder", metavar="DIR", help="Where the keys are.", envvar="GINREF_KEYS"
    ),
]


@app.command("new")
def new_key(folder: Folder = DEFAULT_FOLDER) -> None:
    """Make a signing key and mark it as the one that signs.

    Older keys stay published, so that records they have signed can be verified. A
    referee that is running goes on with its key until it is started again.
    """
    try:
        keys = KeyFolder.new(folder)
    except KeyFolderError as error:
        _fail(error)
    _show(keys)


@app.command("list")
def list_keys(folder: Folder = DEFAULT_FOLDER) -> None:
    """List the signing keys of a folder by name, the active one first."""
    try:
        keys = KeyFolder(folder)
    except KeyFolderError as error:
        _fail(error)
    _show(keys)


@app.command("public")
def print_public_keys(
    folder: Folder = DEFAULT_FOLDER,
    pem: Annotated[
        bool, typer.Option("--pem", help="PEM instead of a JSON Web Key Set.")
    ] = False,
) -> None:
    """Print the public halves of all keys, for whoever verifies records."""
    try:
        keys = KeyFolder(folder)
    except KeyFolderError as error:
        _fail(error)
    typer.echo(keys.pem() if pem else keys.jwks() + b"\n", nl=False)


def _show(keys: KeyFolder) -> None:
    console = Console(markup=False, highlight=False, soft_wrap=True)
    for key_id in keys.public_keys:
        active = "  active" if key_id == keys.active_id else ""
        console.print(f"{key_id}{active}")


def _fail(error: KeyFolderError) -> NoReturn:
    complaints = Console(stderr=True, markup=False, highlight=False, soft_wrap=True)
    complaints.print(f"ginref keys: {error}")
    raise typer.Exit(1) from error
