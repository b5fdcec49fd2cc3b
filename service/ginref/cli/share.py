"""`ginref serve --share`: a certificate of one's own, and a line for others to join."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import typer

from ginref.adapters.operator_token import OPERATOR_TOKEN
from ginref.adapters.secret_file import SecretFileError, read_secret
from ginref.adapters.self_signed import keep_certificate, own_addresses, own_names
from ginref.cli.house import own_url
from ginref.config import ServeConfig
from ginref.foundation import StartError, make_data_folder
from ginref.transport.address import Address, BindError
from ginref_client.certificate import certified_name, fingerprint
from ginref_client.error import ClientError
from ginref_client.referee import Referee

USES: Final = 8
"""Most bots that come by the code of one start."""

HOURS: Final = 24
"""How long that code works."""

_ANYWHERE: Final = frozenset({"0.0.0.0", "::"})  # noqa: S104 - what is recognised


def with_certificate(config: ServeConfig) -> ServeConfig:
    """Return the settings with a certificate, which is made if none is named.

    Raises:
        StartError: It cannot be kept in the data folder, or the address to listen on
            is none.
    """
    if not config.share or config.tls_cert is not None:
        return config
    make_data_folder(config.data)
    try:
        hosts = [*_hosts(Address.parse(config.listen)), *own_names()]
        chain, key = keep_certificate(config.data, hosts)
    except (BindError, SecretFileError) as error:
        raise StartError(str(error)) from error
    return replace(config, tls_cert=chain, tls_key=key)


async def invite(config: ServeConfig, addresses: str) -> None:
    """Print how others join a referee at these addresses, if it is to be shared.

    It is printed and not logged, since the code in it is a secret.

    Raises:
        StartError: There is no code for them.
    """
    if not config.share or config.tls_cert is None:
        return
    try:
        chain = config.tls_cert.read_bytes()
        code = await _code(config, addresses.partition(",")[0], chain)
        mark = fingerprint(chain)
    except (ClientError, SecretFileError, OSError) as error:
        raise StartError(f"share: {error}") from error
    places = [
        str(replace(one, host=host))
        for one in map(Address.parse, addresses.split(","))
        for host in [next(_hosts(one))]
    ]
    typer.echo(f"  to join          by {USES} bots, within {HOURS} hours:")
    typer.echo(f"ginref join '{','.join(places)}#{mark}' --code {code}")


async def _code(config: ServeConfig, address: str, chain: bytes) -> str:
    operator = read_secret(config.data / OPERATOR_TOKEN).decode().strip()
    async with Referee(
        own_url(address, is_secure=True),
        operator,
        roots=chain,
        server_name=certified_name(chain),
    ) as referee:
        made = await referee.create_invitation(uses=USES, lifetime=HOURS * 3600)
    return made.code


def _hosts(address: Address) -> Iterator[str]:
    """Yield where others may reach what listens at an address, the likeliest first."""
    if address.host not in _ANYWHERE:
        yield address.host
        return
    yield from own_addresses()
    yield own_names()[0]
