import datetime as dt
from pathlib import Path

import pytest

from ginref.adapters.key_folder import KeyFolder
from ginref.adapters.trusted_keys import TrustedKeysError, read_trusted_keys


@pytest.fixture
def keys(tmp_path: Path) -> KeyFolder:
    """A folder with a key that signs, and one that is retired."""
    first = KeyFolder.open_or_create(tmp_path / "keys")
    now = dt.datetime(2026, 11, 30, tzinfo=dt.UTC)
    return first.rotate().retire(first.active_id, now)


def test_a_key_folder_gives_its_public_keys(keys: KeyFolder) -> None:
    assert read_trusted_keys(keys.path) == keys.public_keys


@pytest.mark.parametrize("form", ["jwks", "pem"])
def test_a_published_file_gives_its_keys(
    keys: KeyFolder, tmp_path: Path, form: str
) -> None:
    published = tmp_path / "published"
    published.write_bytes(keys.jwks() if form == "jwks" else keys.pem())

    assert read_trusted_keys(published) == keys.public_keys


def test_a_folder_of_published_files_gives_all_their_keys(
    keys: KeyFolder, tmp_path: Path
) -> None:
    other = KeyFolder.open_or_create(tmp_path / "other")
    folder = tmp_path / "trusted"
    folder.mkdir()
    (folder / "one.jwks").write_bytes(keys.jwks())
    (folder / "two.pem").write_bytes(other.pem())
    (folder / "notes.txt").write_text("no keys")

    assert read_trusted_keys(folder) == {**keys.public_keys, **other.public_keys}


def test_what_gives_no_keys_is_named(tmp_path: Path) -> None:
    (tmp_path / "words.pem").write_text("no keys")

    for path, wrong in [
        (tmp_path / "nowhere", "nowhere cannot be read: No such file"),
        (tmp_path / "words.pem", "words.pem is no file of public keys"),
        (tmp_path, "words.pem is no file of public keys"),
    ]:
        with pytest.raises(TrustedKeysError, match=wrong):
            read_trusted_keys(path)


def test_an_empty_folder_holds_no_keys(tmp_path: Path) -> None:
    with pytest.raises(TrustedKeysError, match="holds no keys"):
        read_trusted_keys(tmp_path)


def test_a_key_folder_that_is_open_to_others_is_not_trusted(keys: KeyFolder) -> None:
    (keys.path / f"{keys.active_id}.pem").chmod(0o644)

    with pytest.raises(TrustedKeysError, match="open to others"):
        read_trusted_keys(keys.path)


def test_the_files_of_retired_keys_are_files_of_public_keys(keys: KeyFolder) -> None:
    (retired,) = keys.retired_at

    found = read_trusted_keys(keys.path / f"{retired}.pem")

    assert found == {retired: keys.public_keys[retired]}


def test_a_folder_that_others_may_read_is_not_trusted(keys: KeyFolder) -> None:
    keys.path.chmod(0o755)

    with pytest.raises(TrustedKeysError, match="keys is open to others"):
        read_trusted_keys(keys.path)
