"""The certificate that a referee makes for itself."""

import datetime as dt
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from ginref.adapters import self_signed
from ginref.adapters.secret_file import SecretFileError
from ginref.adapters.self_signed import keep_certificate, own_addresses, own_names

HOSTS = ["referee.example", "192.0.2.7", "::1", "::1"]


def test_a_certificate_is_made_once_with_a_key_that_nobody_else_reads(
    tmp_path: Path,
) -> None:
    chain, key = keep_certificate(tmp_path, HOSTS)
    before = chain.read_bytes(), key.read_bytes()

    assert keep_certificate(tmp_path, ["other.example"]) == (chain, key)

    assert (chain.read_bytes(), key.read_bytes()) == before
    assert key.stat().st_mode & 0o777 == 0o600
    assert key.parent.stat().st_mode & 0o777 == 0o700
    certificate = x509.load_pem_x509_certificate(before[0])
    assert (
        certificate.public_key() == load_pem_private_key(before[1], None).public_key()
    )
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName)
    assert names.value.get_values_for_type(x509.DNSName) == ["referee.example"]
    addresses = names.value.get_values_for_type(x509.IPAddress)
    assert [*map(str, addresses)] == ["192.0.2.7", "::1"]
    certificate.verify_directly_issued_by(certificate)


def test_one_that_is_about_to_end_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(self_signed, "_YEARS", dt.timedelta(days=29))
    chain, _ = keep_certificate(tmp_path, HOSTS)
    before = chain.read_bytes()
    monkeypatch.undo()

    keep_certificate(tmp_path, HOSTS)
    after = chain.read_bytes()
    keep_certificate(tmp_path, HOSTS)

    assert before != after == chain.read_bytes()


def test_what_is_no_certificate_is_not_replaced(tmp_path: Path) -> None:
    chain, _ = keep_certificate(tmp_path, HOSTS)
    chain.write_text("something else")

    with pytest.raises(SecretFileError, match="no certificate"):
        keep_certificate(tmp_path, HOSTS)


def test_a_key_that_others_read_is_refused(tmp_path: Path) -> None:
    _, key = keep_certificate(tmp_path, HOSTS)
    key.chmod(0o644)

    with pytest.raises(SecretFileError, match="open to others"):
        keep_certificate(tmp_path, HOSTS)


def test_a_machine_is_known_by_names_and_addresses() -> None:
    assert {"localhost", "127.0.0.1"} < set(own_names())
    assert len({*own_addresses()}) <= 2
