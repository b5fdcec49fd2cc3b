"""Certificates for tests: an authority, and whom it has certified."""

import datetime as dt
import ipaddress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
)


@dataclass(frozen=True)
class Certified:
    """A certificate and its key, in PEM."""

    chain: bytes
    key: bytes

    def write(self, folder: Path) -> tuple[Path, Path]:
        """Write both into a folder, in place of what is there."""
        chain, key = folder / "tls.crt", folder / "tls.key"
        chain.write_bytes(self.chain)
        key.write_bytes(self.key)
        return chain, key


@dataclass(frozen=True)
class Authority:
    """Certifies whom it likes, for an hour."""

    key: ec.EllipticCurvePrivateKey
    certificate: x509.Certificate

    @classmethod
    def new(cls, name: str = "authority") -> Self:
        """An authority that nobody has heard of."""
        key = ec.generate_private_key(ec.SECP256R1())
        made = _builder(name, name, key).add_extension(
            x509.BasicConstraints(ca=True, path_length=0), critical=True
        )
        return cls(key, made.sign(key, hashes.SHA256()))

    @property
    def pem(self) -> bytes:
        """What those who trust it are given."""
        return self.certificate.public_bytes(Encoding.PEM)

    def certify(self, name: str = "referee") -> Certified:
        """Certify somebody at 127.0.0.1."""
        key = ec.generate_private_key(ec.SECP256R1())
        loopback = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
        issuer = self.certificate.subject.rfc4514_string().removeprefix("CN=")
        made = (
            _builder(name, issuer, key)
            .add_extension(x509.SubjectAlternativeName([loopback]), critical=False)
            .sign(self.key, hashes.SHA256())
        )
        return Certified(
            made.public_bytes(Encoding.PEM),
            key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()),
        )


def _builder(
    name: str, issuer: str, key: ec.EllipticCurvePrivateKey
) -> x509.CertificateBuilder:
    now = dt.datetime.now(dt.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(_name(name))
        .issuer_name(_name(issuer))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(hours=1))
        .not_valid_after(now + dt.timedelta(hours=1))
    )


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, text)])
