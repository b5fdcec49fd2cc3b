"""What `ginref serve` refuses to start with: status 2, and one line that says why."""

import datetime as dt
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import redis
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
)
from tests.contract.redis_fleet import free_port
from tests.e2e.referee_process import RefereeProcess
from typer.testing import CliRunner

from ginref.adapters.key_folder import KeyFolder
from ginref.cli import app

LOCAL = {
    "GINREF_LISTEN": "127.0.0.1:0",
    "GINREF_ADMIN": "127.0.0.1:0",
    "GINREF_HTTP": "127.0.0.1:0",
}

PASSWORD = "sesame"


def _refused(*options: object, env: dict[str, str] | None = None) -> str:
    """Run the command, and return the one line that it says."""
    command = ["serve", *map(str, options)]
    result = CliRunner().invoke(app, command, env={**LOCAL, **(env or {})})
    assert result.exit_code == 2, result.output
    assert isinstance(result.exception, SystemExit)
    assert not result.stdout
    (line,) = result.stderr.splitlines()
    prefix, _, told = line.partition(": ")
    assert prefix == "ginref serve"
    return told


def _configure(url: str, setting: str, value: str) -> None:
    """Change a setting of a store."""
    with redis.Redis(unix_socket_path=url.removeprefix("unix://")) as store:
        store.config_set(setting, value)


SETTINGS = [
    pytest.param(
        {"GINREF_LISTN": "x"},
        "GINREF_LISTN: no setting of that name; did you mean GINREF_LISTEN?",
        id="an unknown variable",
    ),
    pytest.param(
        {"GINREF_DATA": ""}, "GINREF_DATA: a value is missing", id="an empty value"
    ),
    pytest.param(
        {"GINREF_TLS_KEY": "key.pem"},
        "tls_cert and tls_key: give both or neither (GINREF_TLS_KEY)",
        id="a key without a certificate",
    ),
]


@pytest.mark.parametrize(("environment", "told"), SETTINGS)
def test_a_setting_that_cannot_be_meant_is_refused(
    folder: Path, environment: dict[str, str], told: str
) -> None:
    env = {"GINREF_DATA": str(folder / "data"), **environment}

    assert _refused(env=env) == told
    assert not (folder / "data").exists()


OPTIONS = [
    pytest.param(
        ("--drain-ms", "-1"),
        "--drain-ms: '-1': a whole number, 0 to 2147483647, expected",
        id="less than no time",
    ),
    pytest.param(
        ("--store", "http://127.0.0.1:1"),
        "not a store URL that is supported; use one of unix://, redis://, ",
        id="a store of another kind",
    ),
]


@pytest.mark.parametrize(("options", "told"), OPTIONS)
def test_an_option_that_cannot_be_meant_is_refused(
    folder: Path, options: tuple[str, ...], told: str
) -> None:
    assert _refused("--data", folder / "data", *options).startswith(told)


ADDRESSES = [
    pytest.param(
        "127.0.0.1:65536",
        "--listen: '127.0.0.1:65536': HOST:PORT or [IPV6]:PORT expected",
        id="no such port",
    ),
    pytest.param(
        "0.0.0.0:0",
        "listen: 0.0.0.0:0 is reached from elsewhere: give tls_cert and tls_key, "
        "or allow_plaintext (--listen)",
        id="plaintext beyond this machine",
    ),
]


@pytest.mark.parametrize(("listen", "told"), ADDRESSES)
def test_an_address_that_cannot_be_served_is_refused(
    folder: Path, listen: str, told: str
) -> None:
    assert _refused("--data", folder / "data", "--listen", listen) == told
    assert not (folder / "data").exists()


@pytest.mark.parametrize("option", ["--listen", "--admin"])
def test_an_address_that_is_taken_is_refused(
    folder: Path, valkey_url: str, option: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        told = _refused("--data", folder, "--store", valkey_url, option, address)

    assert told.startswith(f"{address} cannot be listened on: ")


def test_a_store_that_does_not_answer_is_refused(folder: Path) -> None:
    port = free_port()
    url = f"redis://ada:{PASSWORD}@127.0.0.1:{port}/0"

    told = _refused("--data", folder, "--store", url)

    assert told.startswith(
        f"redis://***@127.0.0.1:{port}/0: the store does not answer: "
    )
    assert "Connect call failed" in told
    assert PASSWORD not in told


def test_a_store_with_another_password_is_refused(
    folder: Path, forgetful_url: str
) -> None:
    _configure(forgetful_url, "requirepass", PASSWORD)

    told = _refused("--data", folder, "--store", f"{forgetful_url}?password=wrong")

    assert told.startswith(f"{forgetful_url}?***: the store does not answer: ")
    assert "password" in told
    assert "wrong" not in told.lower().replace("wrongpass", "")


def test_a_store_that_is_sealed_with_another_key_is_refused(
    folder: Path, valkey_url: str
) -> None:
    """Its matches could not be read, and would be taken for damaged."""
    mine = RefereeProcess(folder / "mine", store=valkey_url).start()
    try:
        told = _refused("--data", folder / "yours", "--store", valkey_url)
    finally:
        mine.stop()

    assert told == (
        "the store is sealed with another key than that in "
        f"{folder / 'yours' / 'keys'}: all referees of a store share one --keys folder"
    )


def test_a_store_that_forgets_is_refused(folder: Path, forgetful_url: str) -> None:
    _configure(forgetful_url, "maxmemory-policy", "allkeys-lru")

    assert _refused("--data", folder, "--store", forgetful_url) == (
        "the store is not fit for matches: maxmemory-policy is allkeys-lru: matches "
        "may be thrown away; set noeviction; appendonly is off: a restart loses "
        "matches; set it to yes"
    )


def test_a_data_folder_that_is_a_file_is_refused(folder: Path) -> None:
    path = folder / "data"
    path.write_text("not a folder")

    assert _refused("--data", path) == f"{path}: File exists"


@pytest.mark.parametrize("option", ["--data", "--keys"])
def test_a_folder_of_somebody_else_is_refused(folder: Path, option: str) -> None:
    other = folder / "other"
    other.mkdir()
    (other / "passwd").write_text("somebody else's")

    told = _refused(option, other, env={"GINREF_DATA": str(folder / "data")})

    assert told.startswith(f"{other} holds other things: ")
    assert [file.name for file in other.iterdir()] == ["passwd"]


@pytest.mark.parametrize(
    ("name", "rights", "remedy"),
    [("", 0o755, "chmod 700"), ("active", 0o644, "chmod 600")],
    ids=["folder", "file"],
)
def test_keys_that_others_may_read_are_refused(
    folder: Path, name: str, rights: int, remedy: str
) -> None:
    place = KeyFolder.open_or_create(folder / "keys").path / name
    place.chmod(rights)

    told = _refused("--data", folder / "data", "--keys", folder / "keys")

    assert told == f"{place} is open to others: take the rights away ({remedy})"


PLACES = [
    pytest.param("/proc/ginref", id="in no file system"),
    pytest.param("/etc/passwd", id="a file"),
    pytest.param("/etc/passwd/below", id="below a file"),
    pytest.param("/proc/self/fdinfo", id="a folder that takes nothing"),
]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("option", ["--data", "--keys", "--archive"])
def test_a_place_that_cannot_be_written_is_refused(
    folder: Path, option: str, place: str
) -> None:
    told = _refused(option, place, env={"GINREF_DATA": str(folder / "data")})

    assert told.startswith(place)
    assert not (folder / "data" / "store").exists()


def test_who_signs_nothing_needs_no_place_for_records(
    folder: Path, valkey_url: str
) -> None:
    options = ("--data", folder, "--store", valkey_url, "--roles", "referee,sweeper")

    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        told = _refused(*options, "--archive", "/proc/ginref", "--listen", address)

    assert told.startswith(f"{address} cannot be listened on: ")


def test_a_data_folder_below_a_file_is_refused(folder: Path) -> None:
    (folder / "data").write_text("not a folder")
    path = folder / "data" / "below"

    assert _refused("--data", path) == f"{path}: Not a directory"


def _secret() -> tuple[ec.EllipticCurvePrivateKey, bytes]:
    key = ec.generate_private_key(ec.SECP256R1())
    return key, key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def _certificate(key: ec.EllipticCurvePrivateKey) -> bytes:
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "referee")])
    now = dt.datetime.now(dt.UTC)
    builder = x509.CertificateBuilder(
        name, name, key.public_key(), 1, now, now + dt.timedelta(hours=1)
    )
    return builder.sign(key, hashes.SHA256()).public_bytes(Encoding.PEM)


CERTIFICATES = [
    pytest.param("junk", "key", "holds no certificate in PEM", id="no certificate"),
    pytest.param(
        "chain", "junk", "holds no unencrypted private key in PEM", id="no key"
    ),
    pytest.param("chain", "other", "is not the key of", id="another key"),
    pytest.param("gone", "key", "cannot be read: No such file", id="no file"),
]


@pytest.mark.parametrize(("chain", "key", "told"), CERTIFICATES)
def test_a_certificate_that_is_none_is_refused(
    folder: Path, valkey_url: str, chain: str, key: str, told: str
) -> None:
    secret, written = _secret()
    files = {
        "junk": b"junk",
        "key": written,
        "other": _secret()[1],
        "chain": _certificate(secret),
    }
    for name, data in files.items():
        (folder / name).write_bytes(data)
    options = ("--data", folder / "data", "--store", valkey_url)
    files_given = ("--tls-cert", folder / chain, "--tls-key", folder / key)

    assert told in _refused(*options, *files_given)


def test_what_cannot_start_leaves_nothing_running(folder: Path) -> None:
    command = [sys.executable, "-m", "ginref", "serve", "--data", str(folder / "data")]
    ended = subprocess.run(
        [*command, "--tls-cert", "gone", "--tls-key", "gone"],
        capture_output=True,
        check=False,
        cwd=folder,
        env={**os.environ, **LOCAL},
        text=True,
        timeout=60,
    )

    assert ended.returncode == 2
    assert not ended.stdout
    assert len(ended.stderr.splitlines()) == 1, ended.stderr
    assert not (folder / "data" / "referee.json").exists()
    assert not (folder / "data" / "store" / "server.sock").exists()
