import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ginref.adapters.sealing import FILE_NAME, AesSealer
from ginref.adapters.secret_file import SecretFileError
from ginref.app.port import SealError

KEY = bytes(range(32))


@given(st.binary(), st.text())
def test_what_is_sealed_opens_under_the_same_context(plain: bytes, told: str) -> None:
    sealed = AesSealer(KEY).seal(plain, told)

    assert AesSealer(KEY).open(sealed, told) == plain
    assert len(sealed) == 12 + len(plain) + 16


def test_the_same_text_is_never_sealed_to_the_same_bytes() -> None:
    sealer = AesSealer(KEY)

    assert len({sealer.seal(b"plain", "m") for _ in range(100)}) == 100


@pytest.mark.parametrize(
    ("key", "context"),
    [
        pytest.param(KEY, "n", id="another context"),
        pytest.param(KEY[::-1], "m", id="another key"),
    ],
)
def test_nothing_else_opens_it(key: bytes, context: str) -> None:
    sealed = AesSealer(KEY).seal(b"plain", "m")

    with pytest.raises(SealError, match=repr(context)):
        AesSealer(key).open(sealed, context)


def test_damage_anywhere_keeps_it_shut() -> None:
    sealer = AesSealer(KEY)
    sealed = sealer.seal(b"plain", "m")

    for at in range(len(sealed)):
        damaged = bytearray(sealed)
        damaged[at] ^= 1
        with pytest.raises(SealError):
            sealer.open(bytes(damaged), "m")
        with pytest.raises(SealError):
            sealer.open(sealed[:at], "m")


@pytest.mark.parametrize("size", [0, 16, 31, 33])
def test_a_key_has_one_size(size: int) -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        AesSealer(bytes(size))


def test_a_key_is_made_once_and_kept_from_others(tmp_path: Path) -> None:
    folder = tmp_path / "keys"
    sealed = AesSealer.open_or_create(folder).seal(b"plain", "m")

    assert AesSealer.open_or_create(folder).open(sealed, "m") == b"plain"
    assert stat.S_IMODE((folder / FILE_NAME).stat().st_mode) == 0o600
    assert [file.name for file in folder.iterdir()] == [FILE_NAME]


def test_all_who_come_first_at_the_same_time_get_the_same_key(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        sealers = list(pool.map(AesSealer.open_or_create, [tmp_path] * 16))

    sealed = sealers[0].seal(b"plain", "m")
    assert {sealer.open(sealed, "m") for sealer in sealers} == {b"plain"}


def test_a_key_that_is_open_to_others_is_refused(tmp_path: Path) -> None:
    AesSealer.open_or_create(tmp_path)
    (tmp_path / FILE_NAME).chmod(0o644)

    with pytest.raises(SecretFileError, match="is open to others"):
        AesSealer.open_or_create(tmp_path)


def test_a_file_that_holds_no_key_is_refused(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(os.urandom(16))
    (tmp_path / FILE_NAME).chmod(0o600)

    with pytest.raises(SecretFileError, match="is no sealing key"):
        AesSealer.open_or_create(tmp_path)


def test_a_key_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).mkdir()

    with pytest.raises(SecretFileError, match=r"sealing.key cannot be read"):
        AesSealer.open_or_create(tmp_path)
