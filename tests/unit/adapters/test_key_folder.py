import datetime as dt
import os
import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
)

from ginref.adapters.key_folder import ACTIVE, KeyFolder, KeyFolderError
from ginref.record.envelope import is_signature
from ginref.record.public_key import thumbprint

NOON = dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def keys(tmp_path: Path) -> KeyFolder:
    """A folder with a key that signs."""
    return KeyFolder.open_or_create(tmp_path / "keys")


def file_of(keys: KeyFolder, key_id: str | None = None) -> Path:
    return keys.path / f"{key_id or keys.active_id}.pem"


def test_the_first_use_makes_a_folder_and_a_key(tmp_path: Path) -> None:
    keys = KeyFolder.open_or_create(tmp_path / "data" / "keys")

    assert list(keys.public_keys) == [keys.active_id]
    assert mode(keys.path) == 0o700
    files = {file.name: mode(file) for file in keys.path.iterdir()}
    assert files == {ACTIVE: 0o600, f"{keys.active_id}.pem": 0o600}


def test_a_later_use_finds_the_same_key(tmp_path: Path) -> None:
    first = KeyFolder.open_or_create(tmp_path)

    second = KeyFolder.open_or_create(tmp_path)

    assert second.public_keys == first.public_keys
    assert second.signer.sign(b"message") == first.signer.sign(b"message")


@pytest.mark.parametrize("make", [KeyFolder.open_or_create, KeyFolder.new])
@pytest.mark.parametrize("name", ["passwd", "server.pem", "notes"])
def test_no_key_is_written_among_the_files_of_others(
    tmp_path: Path, make: Callable[[Path], KeyFolder], name: str
) -> None:
    (tmp_path / name).write_text("somebody else's")

    with pytest.raises(KeyFolderError, match="keys need a folder of their own"):
        make(tmp_path)

    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_a_folder_whose_key_was_not_marked_yet_gets_another(tmp_path: Path) -> None:
    first = KeyFolder.open_or_create(tmp_path)
    (tmp_path / ACTIVE).unlink()

    second = KeyFolder.open_or_create(tmp_path)

    assert list(second.public_keys) == [second.active_id, first.active_id]


@pytest.mark.parametrize("name", ["sealing.key", ".hidden", "lost+found"])
def test_a_folder_without_things_of_others_gets_a_key(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / name).touch()

    assert KeyFolder.open_or_create(tmp_path).public_keys


def test_all_who_come_first_at_the_same_time_get_the_same_key(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        opened = list(pool.map(KeyFolder.open_or_create, [tmp_path / "keys"] * 16))

    assert len({keys.active_id for keys in opened}) == 1
    left = KeyFolder(tmp_path / "keys")
    assert list(left.public_keys) == [left.active_id]


def test_a_signature_is_good_for_the_published_key(keys: KeyFolder) -> None:
    signer = keys.signer

    assert signer.key_id == thumbprint(keys.public_keys[signer.key_id])
    assert is_signature(signer.public_key, signer.sign(b"message"), b"message")
    assert not is_signature(signer.public_key, signer.sign(b"message"), b"massage")


def test_nothing_of_a_private_key_is_shown(keys: KeyFolder) -> None:
    signer = keys.signer

    assert repr(signer) == f"Ed25519Signer({signer.key_id})"


@pytest.mark.parametrize("rights", [0o604, 0o602, 0o620, 0o644, 0o660, 0o777])
def test_a_key_that_is_open_to_others_is_refused(tmp_path: Path, rights: int) -> None:
    keys = KeyFolder.open_or_create(tmp_path)
    (tmp_path / f"{keys.active_id}.pem").chmod(rights)

    with pytest.raises(KeyFolderError, match="is open to others"):
        KeyFolder.open_or_create(tmp_path)


@pytest.mark.parametrize("rights", [0o400, 0o440, 0o640])
def test_a_mounted_secret_may_be_read_by_a_group(tmp_path: Path, rights: int) -> None:
    keys = KeyFolder.open_or_create(tmp_path)
    (tmp_path / f"{keys.active_id}.pem").chmod(rights)

    assert KeyFolder.open_or_create(tmp_path).active_id == keys.active_id


def test_a_folder_that_is_missing_is_no_key_folder(tmp_path: Path) -> None:
    with pytest.raises(KeyFolderError, match="is no folder"):
        KeyFolder(tmp_path / "nowhere")


def test_a_folder_in_which_no_key_is_active_is_refused(tmp_path: Path) -> None:
    KeyFolder.open_or_create(tmp_path)
    (tmp_path / ACTIVE).unlink()

    with pytest.raises(KeyFolderError, match="has no active key"):
        KeyFolder(tmp_path)


def test_an_active_key_that_is_gone_is_named(tmp_path: Path) -> None:
    keys = KeyFolder.open_or_create(tmp_path)
    (tmp_path / f"{keys.active_id}.pem").unlink()

    with pytest.raises(KeyFolderError, match=f"has no key {keys.active_id}"):
        KeyFolder.open_or_create(tmp_path)


def test_a_key_under_the_name_of_another_is_refused(tmp_path: Path) -> None:
    keys = KeyFolder.open_or_create(tmp_path)
    (tmp_path / f"{keys.active_id}.pem").rename(tmp_path / "other.pem")

    with pytest.raises(
        KeyFolderError, match=f"other.pem holds the key {keys.active_id}"
    ):
        KeyFolder(tmp_path)


def test_a_file_without_a_key_is_named(tmp_path: Path) -> None:
    KeyFolder.open_or_create(tmp_path)
    damaged = tmp_path / "damaged.pem"
    damaged.write_text("-----BEGIN PRIVATE KEY-----")
    damaged.chmod(0o600)

    with pytest.raises(KeyFolderError, match=r"damaged.pem holds no private key"):
        KeyFolder(tmp_path)


def test_a_key_of_another_kind_is_refused(tmp_path: Path) -> None:
    KeyFolder.open_or_create(tmp_path)
    other = tmp_path / "other.pem"
    other.write_bytes(
        ec.generate_private_key(ec.SECP256R1()).private_bytes(
            Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
        )
    )
    other.chmod(0o600)

    with pytest.raises(KeyFolderError, match="holds no Ed25519 key"):
        KeyFolder(tmp_path)


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(KeyFolderError, match="cannot be written"):
        KeyFolder.open_or_create(tmp_path / "file" / "keys")


@pytest.mark.parametrize("rights", [0o701, 0o702, 0o704, 0o720, 0o755, 0o777])
def test_a_folder_that_is_open_to_others_is_refused(
    keys: KeyFolder, rights: int
) -> None:
    files = sorted(keys.path.iterdir())
    keys.path.chmod(rights)
    uses: tuple[Callable[[], object], ...] = (
        lambda: KeyFolder(keys.path),
        lambda: KeyFolder.open_or_create(keys.path),
        lambda: KeyFolder.new(keys.path),
        keys.rotate,
        lambda: keys.retire(keys.active_id, NOON),
    )

    for use in uses:
        with pytest.raises(KeyFolderError, match=f"{keys.path} is open to others"):
            use()

    assert sorted(keys.path.iterdir()) == files


def test_an_empty_folder_that_is_open_to_others_gets_no_key(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)

    with pytest.raises(KeyFolderError, match=r"take the rights away \(chmod 700\)"):
        KeyFolder.open_or_create(tmp_path)

    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("rights", [0o500, 0o550, 0o750, 0o2750])
def test_a_group_may_look_into_the_folder(keys: KeyFolder, rights: int) -> None:
    keys.path.chmod(rights)

    assert KeyFolder(keys.path).active_id == keys.active_id


@pytest.fixture
def mounted(keys: KeyFolder, monkeypatch: pytest.MonkeyPatch) -> KeyFolder:
    """The folder as an orchestrator mounts it: open, but written by nobody."""
    real = os.statvfs(keys.path)
    as_mounted = os.statvfs_result((*real[:8], real.f_flag | os.ST_RDONLY, *real[9:]))
    keys.path.chmod(0o1777)
    monkeypatch.setattr(os, "statvfs", lambda _: as_mounted)
    return keys


def test_a_mount_that_nobody_can_write_may_be_open(mounted: KeyFolder) -> None:
    assert KeyFolder(mounted.path).active_id == mounted.active_id

    file_of(mounted).chmod(0o644)
    with pytest.raises(KeyFolderError, match=r"\.pem is open to others"):
        KeyFolder(mounted.path)


def test_a_public_key_without_a_mark_is_no_key_of_the_folder(keys: KeyFolder) -> None:
    after = keys.rotate().retire(keys.active_id, NOON)
    file = file_of(after, keys.active_id)
    file.write_bytes(file.read_bytes().partition(b"\n")[2])

    with pytest.raises(KeyFolderError, match="does not say since when"):
        KeyFolder(keys.path)


def test_a_retired_key_cannot_be_the_active_one(keys: KeyFolder) -> None:
    after = keys.rotate().retire(keys.active_id, NOON)
    (keys.path / ACTIVE).write_text(keys.active_id)

    with pytest.raises(KeyFolderError, match="marked active, is retired since"):
        KeyFolder(after.path)
