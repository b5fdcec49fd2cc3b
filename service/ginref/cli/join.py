"""`ginref join`: keep a referee's address, token and keys for the other commands."""

import asyncio
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from ginref_client.error import ClientError
from ginref_client.joined import Joined, keep_joined, pin, read_joined
from ginref_client.referee import Referee
from ginref_client.run import read_token


def join(
    url: Annotated[
        str,
        typer.Argument(
            envvar="GINREF_URL",
            help="Address of the referee; several replicas with commas.",
        ),
    ],
    token_file: Annotated[
        Path | None,
        typer.Option(
            envvar="GINREF_TOKEN_FILE",
            help="File with your token; else GINREF_TOKEN has it, or you are asked.",
        ),
    ] = None,
    key_id: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Name of the key to trust, from its host; else all that are shown.",
        ),
    ] = None,
    roots: Annotated[
        Path | None, typer.Option(help="Certificates to trust, in PEM.")
    ] = None,
    allow_plaintext: Annotated[
        bool,
        typer.Option(
            "--allow-plaintext",
            help="Send the token unencrypted over a network that is yours.",
        ),
    ] = False,
) -> None:
    """Keep a referee's address, your token, and the keys that it signs with.

    `ginref connect` then needs neither address nor token, and `ginref verify` trusts
    the keys that were kept, and no others. Joining again takes up new keys, as long as
    the referee still has one of those that are known.
    """
    console = Console(highlight=False, soft_wrap=True)
    try:
        before = read_joined(url)
        token = _token(token_file, before)
        pem = roots.read_bytes() if roots else (before.roots if before else None)
        found = asyncio.run(
            _public_keys(url, token, pem, allow_plaintext=allow_plaintext)
        )
        keys = pin(before.keys if before else {}, found, key_id)
        joined = Joined(url=url, token=token, roots=pem, keys=keys)
        path = keep_joined(joined)
    except (ClientError, OSError) as error:
        complaints = Console(stderr=True, highlight=False, soft_wrap=True)
        complaints.print(Text(f"ginref join: {error}"))
        raise typer.Exit(1) from None
    known = before.keys if before else {}
    console.print(Text(f"joined {url}"))
    for name in sorted(keys):
        news = "known" if name in known else "new"
        console.print(Text(f"  key   {name}  ({news})"))
    console.print(Text(f"  kept  {path}"))


def _token(file: Path | None, before: Joined | None) -> str:
    try:
        return read_token(file)
    except ClientError:
        if before is not None:
            return before.token
        if not sys.stdin.isatty():
            raise
    token: str = typer.prompt("Token", hide_input=True)
    return token.strip()


async def _public_keys(
    url: str, token: str, roots: bytes | None, *, allow_plaintext: bool
) -> dict[str, bytes]:
    async with Referee(
        url, token, roots=roots, allow_plaintext=allow_plaintext
    ) as referee:
        return await referee.public_keys()
