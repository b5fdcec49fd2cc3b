"""Certificates that bots look at, and those that they show."""

import re
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)
from tests.unit.transport.authority import Authority

from ginref_client.certificate import (
    CertificateError,
    ClientCertificate,
    certified_name,
    fetch_certificate,
    fingerprint,
    read_fingerprint,
)

KNOWN = Authority.new().certify()


def test_a_fingerprint_is_the_hash_of_the_first_certificate() -> None:
    certificate = x509.load_pem_x509_certificate(KNOWN.chain)
    digest = certificate.fingerprint(hashes.SHA256())

    assert fingerprint(KNOWN.chain + Authority.new().pem) == digest.hex()
    assert read_fingerprint(digest.hex(":").upper()) == digest.hex()


@pytest.mark.parametrize("text", ["", "ab", "g" * 64, "a" * 63, "a" * 65])
def test_what_is_no_fingerprint_is_refused(text: str) -> None:
    with pytest.raises(CertificateError, match="64 hex digits"):
        read_fingerprint(text)


@pytest.mark.parametrize("pem", [b"", b"none", b"\xff", KNOWN.key])
def test_what_is_no_certificate_is_refused(pem: bytes) -> None:
    with pytest.raises(CertificateError, match="no certificate"):
        fingerprint(pem)
    with pytest.raises(CertificateError, match="no certificate"):
        certified_name(pem)


def test_the_name_in_a_certificate_is_found_where_there_is_one() -> None:
    assert certified_name(KNOWN.chain) == "127.0.0.1"
    assert certified_name(Authority.new().pem) is None


def test_where_nobody_listens_there_is_no_certificate() -> None:
    with pytest.raises(CertificateError, match=re.escape("127.0.0.1:1 shows no")):
        fetch_certificate("127.0.0.1:1", "a" * 64)


def test_a_certificate_of_ones_own_is_read_with_its_key(tmp_path: Path) -> None:
    chain, key = KNOWN.write(tmp_path)

    assert ClientCertificate.read(None, None) is None
    read = ClientCertificate.read(chain, key)
    assert read == ClientCertificate(KNOWN.chain, KNOWN.key)
    assert "PRIVATE" not in repr(read)
    with pytest.raises(CertificateError, match="belong together"):
        ClientCertificate.read(chain, None)
    with pytest.raises(FileNotFoundError):
        ClientCertificate.read(tmp_path / "gone", key)


def test_a_key_of_another_certificate_or_under_a_password_is_refused(
    tmp_path: Path,
) -> None:
    chain, key = KNOWN.write(tmp_path)
    locked = load_pem_private_key(KNOWN.key, None).private_bytes(
        Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"password")
    )
    for wrong in (Authority.new().certify().key, locked, b"none"):
        key.write_bytes(wrong)
        with pytest.raises(CertificateError, match="no certificate in PEM with"):
            ClientCertificate.read(chain, key)
