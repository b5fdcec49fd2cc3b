"""`ginref join`: keep a referee's address, token and keys for the other commands."""

import asyncio
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from ginref.cli.access import AllowPlaintext, OwnCertificate, OwnKey, Roots
from ginref_client.certificate import (
    CertificateError,
    ClientCertificate,
    certified_name,
    fetch_certificate,
    read_fingerprint,
)
from ginref_client.endpoint import parse_endpoints
from ginref_client.error import ClientError
from ginref_client.joined import Joined, keep_joined, pin, read_joined
from ginref_client.referee import Referee
from ginref_client.run import read_token


def join(  # noqa: PLR0913, PLR0917 - one parameter for each option
    url: Annotated[
        str,
        typer.Argument(
            envvar="GINREF_URL",
            metavar="ADDRESS[#FINGERPRINT]",
            help="Address of the referee; several replicas with commas. With the"
            " fingerprint of its certificate it needs no authority.",
        ),
    ],
    code: Annotated[
        str | None,
        typer.Option(
            help="Code of an invitation, by which a new bot gets a token of its own."
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(
            help="Name of the bot that comes by the code; else you are asked."
        ),
    ] = None,
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
    roots: Roots = None,
    tls_cert: OwnCertificate = None,
    tls_key: OwnKey = None,
    allow_plaintext: AllowPlaintext = False,
) -> None:
    """Keep a referee's address, your token, and the keys that it signs with.

    `ginref connect` then needs neither address nor token, and `ginref verify` trusts
    the keys that were kept, and no others. Joining again takes up new keys, as long as
    the referee still has one of those that are known.
    """
    console = Console(highlight=False, soft_wrap=True)
    try:
        own = _own_certificate(tls_cert, tls_key)
        way = _way(url, roots, own)
        before = way.before
        if code is not None:
            bot = name or _asked("Name of your bot", "no name: give --name")
            token = asyncio.run(_redeemed(way, code, bot, allow_plaintext))
            console.print(Text(f"the bot {bot} is yours"))
        else:
            token = _token(token_file, before)
        joined = Joined(
            url=way.url,
            token=token,
            roots=way.roots,
            keys=before.keys if before else {},
            server_name=way.server_name,
            certificate=way.certificate,
        )
        if code is not None:
            # There is no second one: it must not be lost by what comes now.
            keep_joined(joined)
        found = asyncio.run(_public_keys(way, token, allow_plaintext))
        keys = pin(joined.keys, found, key_id)
        path = keep_joined(replace(joined, keys=keys))
    except (ClientError, OSError) as error:
        complaints = Console(stderr=True, highlight=False, soft_wrap=True)
        complaints.print(Text(f"ginref join: {error}"))
        raise typer.Exit(1) from None
    console.print(Text(f"joined {way.url}"))
    for key in sorted(keys):
        news = "known" if key in joined.keys else "new"
        console.print(Text(f"  key   {key}  ({news})"))
    console.print(Text(f"  kept  {path}"))
    if code is not None:
        console.print(Text("  play  ginref connect --bot careful"))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Way:
    """How a referee is reached.

    Attributes:
        url: Its address; several replicas with commas.
        roots: Certificates to trust, in PEM; None for the system's.
        server_name: What its certificate names; None for the address's host.
        certificate: Files of a certificate of one's own and of its key; None for none.
        before: What was kept of it before; None for nothing.
    """

    url: str
    roots: bytes | None
    server_name: str | None
    certificate: tuple[Path, Path] | None
    before: Joined | None

    def referee(self, token: str, *, allow_plaintext: bool) -> Referee:
        """Return the referee, in a running event loop."""
        own = self.certificate
        return Referee(
            self.url,
            token,
            roots=self.roots,
            server_name=self.server_name,
            certificate=ClientCertificate.read(*own) if own else None,
            allow_plaintext=allow_plaintext,
        )


def _way(url: str, roots: Path | None, own: tuple[Path, Path] | None) -> _Way:
    """Return how to reach a referee, having looked at its certificate where told to.

    Raises:
        ClientError: It cannot be reached so.
        OSError: A file cannot be read.
    """
    address, mark, expected = url.partition("#")
    if not mark:
        before = read_joined(url)
        own = own or (before.certificate if before else None)
        if roots is not None or before is None:
            pem = roots.read_bytes() if roots else None
            return _Way(
                url=url, roots=pem, server_name=None, certificate=own, before=before
            )
        return _Way(
            url=url,
            roots=before.roots,
            server_name=before.server_name,
            certificate=own,
            before=before,
        )
    if roots is not None:
        raise CertificateError("--roots and a fingerprint: give one of them")
    places = [place.strip() for place in address.split(",")]
    secured = ",".join(
        place if "://" in place else f"https://{place}" for place in places
    )
    endpoint, *_ = endpoints = parse_endpoints(secured)
    if not all(one.secure for one in endpoints):
        raise CertificateError(f"{address}: https:// expected with a fingerprint")
    before = read_joined(secured)
    own = own or (before.certificate if before else None)
    pem = fetch_certificate(endpoint.target, read_fingerprint(expected), own)
    return _Way(
        url=secured,
        roots=pem,
        # It is this very certificate, wherever it is met.
        server_name=certified_name(pem),
        certificate=own,
        before=before,
    )


def _own_certificate(chain: Path | None, key: Path | None) -> tuple[Path, Path] | None:
    """Return the files of one's own certificate, wherever the next command starts.

    Raises:
        ClientError: They are no certificate and key.
        OSError: One of them cannot be read.
    """
    ClientCertificate.read(chain, key)
    return (chain.resolve(), key.resolve()) if chain and key else None


def _token(file: Path | None, before: Joined | None) -> str:
    try:
        return read_token(file)
    except ClientError as error:
        if before is not None:
            return before.token
        return _asked("Token", str(error), hide_input=True)


def _asked(what: str, complaint: str, *, hide_input: bool = False) -> str:
    """Ask whoever sits at the terminal.

    Raises:
        ClientError: Nobody does.
    """
    if not sys.stdin.isatty():
        raise ClientError(complaint)
    answer: str = typer.prompt(what, hide_input=hide_input)
    return answer.strip()


async def _redeemed(way: _Way, code: str, bot: str, allow_plaintext: bool) -> str:
    async with way.referee("", allow_plaintext=allow_plaintext) as referee:
        made = await referee.redeem_invitation(code, bot)
    return made.secret


async def _public_keys(
    way: _Way,
    token: str,
    allow_plaintext: bool,
) -> dict[str, bytes]:
    async with way.referee(token, allow_plaintext=allow_plaintext) as referee:
        return await referee.public_keys()
