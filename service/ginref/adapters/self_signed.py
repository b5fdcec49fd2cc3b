"""A certificate that a referee makes for itself, known by its fingerprint alone."""

import contextlib
import datetime as dt
import ipaddress
import socket
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
)

from ginref.adapters.secret_file import (
    SecretFileError,
    make_folder,
    read_secret,
    replace_secret,
)

FOLDER: Final = "tls"
_CHAIN: Final = "certificate.pem"
_KEY: Final = "key.pem"

_YEARS: Final = dt.timedelta(days=3650)
_EARLY: Final = dt.timedelta(days=1)
_LEFT: Final = dt.timedelta(days=30)

# Addresses for documentation: nobody has them, and nothing is sent to them.
_ELSEWHERE: Final = ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1"))


def keep_certificate(data: Path, hosts: Sequence[str]) -> tuple[Path, Path]:
    """Keep a certificate of one's own in a data folder; return it and its key.

    One that is there is kept as long as it lasts: others know it by its fingerprint.

    Args:
        data: The folder.
        hosts: Names and addresses that a new one is for.

    Raises:
        SecretFileError: A file is open to others, or cannot be read or written.
    """
    folder = data / FOLDER
    chain, key = folder / _CHAIN, folder / _KEY
    make_folder(folder)
    if not (chain.exists() and key.exists() and _lasts(chain)):
        made, secret = _certificate(hosts)
        # The key goes first: with the old certificate it is of no use, and seen so.
        replace_secret(key, secret)
        replace_secret(chain, made)
    read_secret(key)
    return chain, key


def own_addresses() -> Iterator[str]:
    """Yield the addresses of this machine by which others may reach it."""
    for family, address in _ELSEWHERE:
        with (
            contextlib.suppress(OSError),
            socket.socket(family, socket.SOCK_DGRAM) as way,
        ):
            # This only asks for the way, and sends nothing.
            way.connect((address, 9))
            yield str(way.getsockname()[0])


def own_names() -> tuple[str, ...]:
    """Return what this machine is called, by itself and by others."""
    return (socket.gethostname(), "localhost", "127.0.0.1", "::1")


def _lasts(chain: Path) -> bool:
    try:
        certificate = x509.load_pem_x509_certificate(chain.read_bytes())
    except (OSError, ValueError) as error:
        message = f"{chain} holds no certificate in PEM: remove it"
        raise SecretFileError(message) from error
    return certificate.not_valid_after_utc - dt.datetime.now(dt.UTC) > _LEFT


def _certificate(hosts: Sequence[str]) -> tuple[bytes, bytes]:
    # Clients of gRPC take no Ed25519 here.
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "ginref")])
    now = dt.datetime.now(dt.UTC)
    names = x509.SubjectAlternativeName([*map(_general_name, dict.fromkeys(hosts))])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _EARLY)
        .not_valid_after(now + _YEARS)
        .add_extension(names, critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    return (
        made.public_bytes(Encoding.PEM),
        key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()),
    )


def _general_name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)
