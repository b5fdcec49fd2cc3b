"""Signing keys in a folder that all referees of one service share.

Each key is a file `<key id>.pem`, readable by its owner only. The file `active` names
the one that signs; the others are published still, so that records they have signed
can be verified.

Every change replaces one file as a whole, and none ever goes away, so a reader needs
no lock: it sees the folder as it was before a change, or after.
"""

import contextlib
import datetime as dt
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, Self

from ginref.adapters.key_file import Ed25519Signer, Key, RetiredKey, read_key
from ginref.adapters.own_folder import is_own
from ginref.adapters.secret_file import (
    SecretFileError,
    check_folder,
    lock_folder,
    make_folder,
    read_secret,
    replace_secret,
)
from ginref.record.public_key import write_jwks, write_pem

ACTIVE: Final = "active"
_SUFFIX: Final = ".pem"
_MARK: Final = re.compile(r"active|sealing\.key|[\w-]{43}\.pem", re.ASCII)


class KeyFolderError(Exception):
    """A folder that holds no usable signing keys; says what is wrong with it."""


class KeyFolder:
    """The keys of a referee, read once when it is opened.

    Attributes:
        path: The folder.
        active_id: Name of the key that signs.
        signer: The key that signs.
    """

    def __init__(self, path: Path) -> None:
        """Open a folder that holds keys.

        Raises:
            KeyFolderError: There is no such folder, it or a key is open to others, a
                key cannot be read, or none is marked as active.
        """
        self.path = path
        with _complaining(path):
            check_folder(path)
            self.active_id, self._keys = _read(path)
        self.signer = self.find_signer(self.active_id, "which is marked active")

    @classmethod
    def open_or_create(cls, path: Path) -> Self:
        """Open a folder of keys; make it, and a first key, where they are missing.

        Processes that do this at the same time end up with the same active key.

        Raises:
            KeyFolderError: As for opening, or the folder cannot be written, or
                somebody else uses it.
        """
        if not (path / ACTIVE).exists():
            with _changing(path):
                if not (path / ACTIVE).exists():
                    _activate(path, _add(path))
        return cls(path)

    @staticmethod
    def new(path: Path) -> str:
        """Make a key in a folder, the folder too if it is missing; return its name.

        It signs from now on if no other does.

        Raises:
            KeyFolderError: The folder is open to others or cannot be written, or
                somebody else uses it.
        """
        with _changing(path):
            key_id = _add(path)
            if not (path / ACTIVE).exists():
                _activate(path, key_id)
        return key_id

    def rotate(self, key_id: str | None = None) -> Self:
        """Let another key sign, and return the folder as it is then.

        Args:
            key_id: The key that is to sign; None makes a new one.

        Raises:
            KeyFolderError: There is no such key, it is retired, or the folder cannot
                be written.
        """
        with _changing(self.path):
            if key_id is None:
                key_id = _add(self.path)
            else:
                type(self)(self.path).find_signer(key_id)
            _activate(self.path, key_id)
        return type(self)(self.path)

    def retire(self, key_id: str, now: dt.datetime) -> Self:
        """Keep the public half of a key alone; return the folder as it is then.

        A key that is retired stays so since when it was.

        Raises:
            KeyFolderError: There is no such key, it is the one that signs, or the
                folder cannot be written.
        """
        with _changing(self.path):
            keys = type(self)(self.path)
            key = keys.find(key_id)
            if key_id == keys.active_id:
                message = f"the key {key_id} signs: rotate first, so that another does"
                raise KeyFolderError(message)
            if isinstance(key, Ed25519Signer):
                retired = RetiredKey(key_id, key.public_key, _timestamp(now))
                replace_secret(_file(self.path, key_id), retired.to_file())
        return type(self)(self.path)

    def find(self, key_id: str, which: str = "") -> Key:
        """Return a key by its name.

        Raises:
            KeyFolderError: There is none of this name.
        """
        key = self._keys.get(key_id)
        if key is None:
            said = f", {which}" if which else ""
            raise KeyFolderError(f"{self.path} has no key {key_id}{said}")
        return key

    def find_signer(self, key_id: str, which: str = "") -> Ed25519Signer:
        """Return a key that can sign.

        Raises:
            KeyFolderError: There is none of this name, or it is retired.
        """
        key = self.find(key_id, which)
        if isinstance(key, RetiredKey):
            said = f", {which}," if which else ""
            message = f"the key {key_id}{said} is retired since {key.retired_at}"
            raise KeyFolderError(message)
        return key

    @property
    def public_keys(self) -> Mapping[str, bytes]:
        """Public keys by name: the active one first, retired ones last."""
        retired_at = self.retired_at

        def place(key_id: str) -> tuple[bool, str, str]:
            return key_id != self.active_id, retired_at.get(key_id, ""), key_id

        return {
            name: self._keys[name].public_key for name in sorted(self._keys, key=place)
        }

    @property
    def retired_at(self) -> Mapping[str, str]:
        """Since when keys are retired, by name: UTC, in the form of RFC 3339."""
        return {
            key.key_id: key.retired_at
            for key in self._keys.values()
            if isinstance(key, RetiredKey)
        }

    def jwks(self) -> bytes:
        """Return all public keys as a JSON Web Key Set."""
        return write_jwks(self.public_keys.values(), self.retired_at)

    def pem(self) -> bytes:
        """Return all public keys in PEM."""
        return write_pem(self.public_keys.values(), self.retired_at)


@contextlib.contextmanager
def _complaining(path: Path) -> Iterator[None]:
    try:
        yield
    except SecretFileError as error:
        raise KeyFolderError(str(error)) from error
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise KeyFolderError(f"{path} cannot be read: {reason}") from error


@contextlib.contextmanager
def _changing(path: Path) -> Iterator[None]:
    """Make the folder if it is missing, and be the only one to change it."""
    with _complaining(path):
        if not is_own(path, _MARK):
            message = f"{path} holds other things: keys need a folder of their own"
            raise KeyFolderError(message)
        make_folder(path)
        check_folder(path)
        with lock_folder(path):
            yield


def _read(path: Path) -> tuple[str, dict[str, Key]]:
    """Return which key signs, and all keys by name, as they are at one time."""
    while True:
        active_id = _read_active(path)
        keys = {file.stem: read_key(file) for file in path.glob(f"*{_SUFFIX}")}
        # What was active might have been retired since, or might not be among them.
        if _read_active(path) == active_id:
            return active_id, keys


def _read_active(path: Path) -> str:
    if not (path / ACTIVE).exists():
        raise SecretFileError(f"{path} has no active key: ginref keys new makes one")
    return read_secret(path / ACTIVE).decode(errors="replace").strip()


def _activate(path: Path, key_id: str) -> None:
    replace_secret(path / ACTIVE, key_id.encode() + b"\n")


def _add(path: Path) -> str:
    signer = Ed25519Signer.generate()
    replace_secret(_file(path, signer.key_id), signer.to_file())
    return signer.key_id


def _file(path: Path, key_id: str) -> Path:
    return path / f"{key_id}{_SUFFIX}"


def _timestamp(now: dt.datetime) -> str:
    return now.astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
