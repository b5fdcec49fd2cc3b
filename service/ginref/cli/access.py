"""How a command reaches a referee: as its options say, or as it was joined."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer

from ginref_client.certificate import ClientCertificate
from ginref_client.error import ClientError
from ginref_client.joined import read_joined
from ginref_client.run import read_certificate, read_keys, read_token

Roots = Annotated[Path | None, typer.Option(help="Certificates to trust, in PEM.")]
OwnCertificate = Annotated[
    Path | None,
    typer.Option(
        envvar="GINREF_CLIENT_CERT",
        help="A certificate of your own, where the referee asks for one, in PEM.",
    ),
]
OwnKey = Annotated[
    Path | None,
    typer.Option(envvar="GINREF_CLIENT_KEY", help="The key of that certificate."),
]
AllowPlaintext = Annotated[
    bool,
    typer.Option(
        "--allow-plaintext",
        help="Send the token unencrypted over a network that is yours.",
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """How a command reaches a referee.

    Attributes:
        url: Its address; several replicas with commas.
        token: The token to call it with.
        roots: Certificates to trust, in PEM; None for the system's.
        server_name: What the referee's certificate names; None for the address's host.
        certificate: A certificate of one's own; None for none.
        keys: Public keys of its signatures, by name; nothing if none are known.
    """

    url: str
    token: str = field(repr=False)
    roots: bytes | None
    server_name: str | None
    certificate: ClientCertificate | None
    keys: Mapping[str, bytes]


def find_access(
    url: str | None,
    token_file: Path | None,
    roots: Path | None = None,
    keys: Path | None = None,
    certificate: tuple[Path | None, Path | None] = (None, None),
) -> Access:
    """Return what the options say, and for what they leave out what was joined.

    Raises:
        ClientError: There is no address or no token, or a file cannot be used.
        OSError: A file cannot be read.
    """
    joined = read_joined(url)
    if url is None and joined is None:
        raise ClientError("no referee: give its address, or join one with ginref join")
    try:
        token = read_token(token_file)
    except ClientError:
        if joined is None or token_file is not None:
            raise
        token = joined.token
    own = read_certificate(*certificate)
    if own is None and joined is not None and joined.certificate is not None:
        own = ClientCertificate.read(*joined.certificate)
    kept_roots = joined.roots if joined else None
    kept_keys: Mapping[str, bytes] = joined.keys if joined else {}
    return Access(
        url=url or (joined.url if joined else ""),
        token=token,
        roots=roots.read_bytes() if roots else kept_roots,
        # Of other roots it is not known what they certify.
        server_name=joined.server_name if joined and not roots else None,
        certificate=own,
        keys=read_keys(keys) if keys else kept_keys,
    )
