"""Certificates: the one by which a referee is known, and one's own.

A referee that has certified itself is known by the fingerprint of its certificate,
which its host has told: the SHA-256 of the whole, 64 hexadecimal digits.
"""

import contextlib
import hashlib
import hmac
import re
import socket
import ssl
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Self

from cryptography import x509

from ginref_client.error import ClientError

_FINGERPRINT: Final = re.compile(r"[0-9a-f]{64}")
_PATIENCE_S: Final = 10.0


class CertificateError(ClientError):
    """A certificate that cannot be used, or is not the one that was expected."""


@dataclass(frozen=True, slots=True)
class ClientCertificate:
    """A certificate of one's own, for a referee that asks for one.

    Attributes:
        chain: The certificate, and what leads to its root, in PEM.
        key: Its private key, in PEM.
    """

    chain: bytes
    key: bytes = field(repr=False)

    @classmethod
    def read(cls, chain: Path | None, key: Path | None) -> Self | None:
        """Read it from two files; None where neither is named.

        Raises:
            CertificateError: One of them is not named, or holds something else.
            OSError: One of them cannot be read.
        """
        if chain is None and key is None:
            return None
        if chain is None or key is None:
            raise CertificateError("a certificate and its key belong together")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        try:
            context.load_cert_chain(chain, key, _no_password)
        except (ssl.SSLError, CertificateError):
            raise CertificateError(
                f"{chain} and {key} are no certificate in PEM with its unencrypted key"
            ) from None
        return cls(chain.read_bytes(), key.read_bytes())


def fingerprint(pem: bytes) -> str:
    """Return the fingerprint of the first certificate in PEM.

    Raises:
        CertificateError: There is none.
    """
    return hashlib.sha256(_first(pem)).hexdigest()


def read_fingerprint(text: str) -> str:
    """Read a fingerprint as people write it, with or without colons.

    Raises:
        CertificateError: It is none.
    """
    plain = text.replace(":", "").lower()
    if not _FINGERPRINT.fullmatch(plain):
        raise CertificateError(f"{text!r}: a fingerprint of 64 hex digits expected")
    return plain


def fetch_certificate(
    target: str, expected: str, files: tuple[Path, Path] | None = None
) -> bytes:
    """Return the certificate of a server in PEM, if it has the expected fingerprint.

    Args:
        target: Where it is, HOST:PORT.
        expected: The fingerprint that its host has told.
        files: A certificate of one's own and its key, where the server asks for one.

    Raises:
        CertificateError: It has another certificate, or none.
    """
    host, _, port = target.rpartition(":")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    # Who it is shows by the fingerprint alone, and nothing is said before that.
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols(["h2"])
    if files is not None:
        context.load_cert_chain(*files)
    try:
        with (
            socket.create_connection((host.strip("[]"), int(port)), _PATIENCE_S) as way,
            context.wrap_socket(way) as secured,
        ):
            found = secured.getpeercert(binary_form=True)
    except OSError as error:
        reason = error.strerror or str(error)
        raise CertificateError(f"{target} shows no certificate: {reason}") from error
    shown = hashlib.sha256(found or b"").hexdigest()
    if found is None or not hmac.compare_digest(shown, expected):
        raise CertificateError(
            f"{target} shows another certificate, {shown}: somebody may be in between,"
            " or the host has a new one: ask for it"
        )
    return ssl.DER_cert_to_PEM_cert(found).encode()


def certified_name(pem: bytes) -> str | None:
    """Return a name or an address that a certificate in PEM is for.

    Raises:
        CertificateError: It is none.
    """
    certificate = x509.load_der_x509_certificate(_first(pem))
    names: Sequence[str] = ()
    with contextlib.suppress(x509.ExtensionNotFound):
        found = certificate.extensions.get_extension_for_class(
            x509.SubjectAlternativeName
        ).value
        names = [
            *found.get_values_for_type(x509.DNSName),
            *map(str, found.get_values_for_type(x509.IPAddress)),
        ]
    return names[0].replace("*", "any", 1) if names else None


def _first(pem: bytes) -> bytes:
    try:
        text = pem.decode()
        end = text.index(ssl.PEM_FOOTER) + len(ssl.PEM_FOOTER)
        der = ssl.PEM_cert_to_DER_cert(text[text.index(ssl.PEM_HEADER) : end])
        x509.load_der_x509_certificate(der)
    except ValueError:
        raise CertificateError("no certificate in PEM") from None
    return der


def _no_password() -> str:
    raise CertificateError("the key is encrypted")
