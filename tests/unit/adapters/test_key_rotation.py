"""Other keys sign, and old ones stay known for what they have signed."""

import datetime as dt
import json
import os
import stat
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ginref.adapters.key_folder import KeyFolder, KeyFolderError
from ginref.adapters.sealing import FILE_NAME, AesSealer
from ginref.record.public_key import read_jwks, read_pem

NOON = dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC)
LATER = NOON + dt.timedelta(hours=1)


@pytest.fixture
def keys(tmp_path: Path) -> KeyFolder:
    """A folder with a key that signs."""
    return KeyFolder.open_or_create(tmp_path / "keys")


def file_of(keys: KeyFolder) -> Path:
    """The file of the key that signs."""
    return keys.path / f"{keys.active_id}.pem"


def test_a_new_key_is_published_before_it_signs(keys: KeyFolder) -> None:
    new = KeyFolder.new(keys.path)

    after = KeyFolder(keys.path)
    assert after.active_id == keys.active_id
    assert list(after.public_keys) == [keys.active_id, new]


def test_the_first_key_of_a_folder_signs(tmp_path: Path) -> None:
    new = KeyFolder.new(tmp_path / "keys")

    assert KeyFolder(tmp_path / "keys").active_id == new


def test_after_a_rotation_a_new_key_signs_and_the_old_one_is_published(
    keys: KeyFolder,
) -> None:
    after = keys.rotate()

    assert after.signer.key_id == after.active_id != keys.active_id
    assert list(after.public_keys) == [after.active_id, keys.active_id]
    assert KeyFolder(keys.path).public_keys == after.public_keys


def test_a_key_that_was_made_before_may_be_taken(keys: KeyFolder) -> None:
    waiting = KeyFolder.new(keys.path)

    after = keys.rotate(waiting)

    assert after.active_id == waiting
    assert after.rotate(keys.active_id).active_id == keys.active_id
    assert len(after.public_keys) == 2


@pytest.mark.parametrize("key_id", ["nobody", "", "../keys/active"])
def test_a_key_that_is_not_there_neither_signs_nor_retires(
    keys: KeyFolder, key_id: str
) -> None:
    with pytest.raises(KeyFolderError, match=f"has no key {key_id}$"):
        keys.rotate(key_id)
    with pytest.raises(KeyFolderError, match=f"has no key {key_id}$"):
        keys.retire(key_id, NOON)

    assert KeyFolder(keys.path).public_keys == keys.public_keys


def test_of_a_retired_key_only_the_public_half_is_left(keys: KeyFolder) -> None:
    keys.rotate()

    after = keys.retire(keys.active_id, NOON)

    assert after.retired_at == {keys.active_id: "2026-11-30T12:00:00Z"}
    assert after.public_keys.items() >= keys.public_keys.items()
    assert b"PRIVATE" not in file_of(keys).read_bytes()
    assert stat.S_IMODE(file_of(keys).stat().st_mode) == 0o600


def test_a_retired_key_signs_no_more(keys: KeyFolder) -> None:
    after = keys.rotate().retire(keys.active_id, NOON)

    with pytest.raises(KeyFolderError, match="is retired since 2026-11-30T12:00:00Z"):
        after.rotate(keys.active_id)

    assert KeyFolder(keys.path).active_id == after.active_id


def test_a_key_stays_retired_since_when_it_was(keys: KeyFolder) -> None:
    after = keys.rotate().retire(keys.active_id, NOON)

    assert after.retire(keys.active_id, LATER).retired_at == after.retired_at


def test_the_key_that_signs_cannot_be_retired(keys: KeyFolder) -> None:
    KeyFolder.new(keys.path)

    with pytest.raises(KeyFolderError, match=f"the key {keys.active_id} signs"):
        keys.retire(keys.active_id, NOON)

    assert KeyFolder(keys.path).signer.key_id == keys.active_id


def test_a_rotation_by_somebody_else_counts_for_who_retires(keys: KeyFolder) -> None:
    other = KeyFolder(keys.path).rotate()

    with pytest.raises(KeyFolderError, match="signs"):
        keys.retire(other.active_id, NOON)

    assert keys.retire(keys.active_id, NOON).active_id == other.active_id


def test_retired_keys_come_last_by_when_they_were(keys: KeyFolder) -> None:
    second = keys.rotate()
    third = second.rotate()
    waiting = KeyFolder.new(keys.path)
    third.retire(second.active_id, NOON)
    after = third.retire(keys.active_id, LATER)

    assert list(after.public_keys) == [
        third.active_id,
        waiting,
        second.active_id,
        keys.active_id,
    ]


def test_both_published_forms_hold_all_keys_and_mark_the_retired(
    keys: KeyFolder,
) -> None:
    after = keys.rotate().retire(keys.active_id, NOON)

    active, retired = json.loads(after.jwks())["keys"]
    assert read_jwks(after.jwks()) == read_pem(after.pem()) == after.public_keys
    assert retired.pop("retired_at") == "2026-11-30T12:00:00Z"
    assert active.keys() == retired.keys() == {"crv", "kid", "kty", "use", "x"}
    named = [line for line in after.pem().decode().splitlines() if line[:4] == "key "]
    assert named == [
        f"key {after.active_id}",
        f"key {keys.active_id} retired 2026-11-30T12:00:00Z",
    ]


def test_no_change_touches_the_key_that_seals(keys: KeyFolder) -> None:
    sealed = AesSealer.open_or_create(keys.path).seal(b"a hand", "m/state")
    before = (keys.path / FILE_NAME).read_bytes()

    KeyFolder.new(keys.path)
    keys.rotate().retire(keys.active_id, NOON)

    assert (keys.path / FILE_NAME).read_bytes() == before
    assert AesSealer.open_or_create(keys.path).open(sealed, "m/state") == b"a hand"


def test_what_root_writes_belongs_to_the_owner_of_the_folder(keys: KeyFolder) -> None:
    owner = os.geteuid() or 12345
    for place in (keys.path, *keys.path.iterdir()):
        os.chown(place, owner, -1)

    keys.rotate().retire(keys.active_id, NOON)

    files = list(keys.path.iterdir())
    assert [file.stat().st_uid for file in files] == [owner] * 3


def test_who_reads_while_others_change_always_finds_a_key_that_signs(
    keys: KeyFolder,
) -> None:
    over = threading.Event()

    def read() -> int:
        count = 0
        while not over.is_set():
            assert KeyFolder(keys.path).signer.sign(b"message")
            count += 1
        return count

    def change() -> None:
        changing = keys
        for _ in range(20):
            former = changing.active_id
            changing = changing.rotate().retire(former, NOON)

    with ThreadPoolExecutor(3) as pool:
        reading = [pool.submit(read) for _ in range(2)]
        try:
            pool.submit(change).result()
        finally:
            over.set()

        assert all(reader.result() for reader in reading)
    assert len(KeyFolder(keys.path).retired_at) == 20


def test_rotations_at_the_same_time_all_happen(keys: KeyFolder) -> None:
    with ThreadPoolExecutor(8) as pool:
        rotated = list(pool.map(lambda _: keys.rotate().active_id, range(16)))

    after = KeyFolder(keys.path)
    assert len(after.public_keys) == 17
    assert after.active_id in rotated
