"""Signing keys in a folder that all referees of one service share.

Each key is a file `<key id>.pem`, PKCS #8, readable by its owner only. The file
`active` names the one that signs; the others are published still, so that records
they have signed can be verified.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from ginref.adapters.own_folder import is_own
from ginref.adapters.secret_file import (
    SecretFileError,
    lock_folder,
    make_folder,
    read_secret,
    replace_secret,
)
from ginref.record.public_key import thumbprint, write_jwks, write_pem

ACTIVE: Final = "active"
_SUFFIX: Final = ".pem"
_MARK: Final = re.compile(r"active|sealing\.key|[\w-]{43}\.pem", re.ASCII)


class KeyFolderError(Exception):
    """A folder that holds no usable signing keys; says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Ed25519Signer:
    """Signs with one private key.

    Attributes:
        key_id: Name of the key: the thumbprint of its public half.
        public_key: The public half, 32 bytes.
    """

    _key: Ed25519PrivateKey
    key_id: str
    public_key: bytes

    @classmethod
    def of(cls, key: Ed25519PrivateKey) -> Self:
        """Sign with this key."""
        public = key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        return cls(key, thumbprint(public), public)

    def sign(self, message: bytes) -> bytes:
        """Return the Ed25519 signature of exactly these bytes."""
        return self._key.sign(message)

    def __repr__(self) -> str:
        """Name the key, and show nothing of it."""
        return f"Ed25519Signer({self.key_id})"


class KeyFolder:
    """The signing keys of a referee, read once when it is opened."""

    def __init__(self, path: Path) -> None:
        """Open a folder that holds keys.

        Raises:
            KeyFolderError: There is no such folder, a key cannot be read or is open
                to others, or none is marked as active.
        """
        self.path = path
        self._signers = {signer.key_id: signer for signer in _load(path)}
        self.active_id = _read_active(path)
        if self.active_id not in self._signers:
            message = f"{path} has no key {self.active_id}, which is marked active"
            raise KeyFolderError(message)

    @classmethod
    def open_or_create(cls, path: Path) -> Self:
        """Open a folder of keys; make it, and a first key, where they are missing.

        Processes that do this at the same time end up with the same active key.

        Raises:
            KeyFolderError: As for opening, or the folder cannot be written, or
                somebody else uses it.
        """
        if not (path / ACTIVE).exists():
            _check_own(path)
            try:
                make_folder(path)
                with lock_folder(path):
                    if not (path / ACTIVE).exists():
                        replace_secret(path / ACTIVE, _line(_add_key(path)))
            except SecretFileError as error:
                raise KeyFolderError(str(error)) from error
        return cls(path)

    @classmethod
    def new(cls, path: Path) -> Self:
        """Make a key in a folder, mark it as the active one, and open the folder.

        Raises:
            KeyFolderError: The folder cannot be written or read, or somebody else
                uses it.
        """
        _check_own(path)
        try:
            make_folder(path)
            replace_secret(path / ACTIVE, _line(_add_key(path)))
        except SecretFileError as error:
            raise KeyFolderError(str(error)) from error
        return cls(path)

    @property
    def signer(self) -> Ed25519Signer:
        """The active key."""
        return self._signers[self.active_id]

    @property
    def public_keys(self) -> Mapping[str, bytes]:
        """Public keys by name, the active one first."""
        ordered = sorted(self._signers, key=lambda name: (name != self.active_id, name))
        return {name: self._signers[name].public_key for name in ordered}

    def jwks(self) -> bytes:
        """Return all public keys as a JSON Web Key Set."""
        return write_jwks(self.public_keys.values())

    def pem(self) -> bytes:
        """Return all public keys in PEM."""
        return write_pem(self.public_keys.values())


def _check_own(path: Path) -> None:
    try:
        own = is_own(path, _MARK)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise KeyFolderError(f"{path} cannot be read: {reason}") from error
    if not own:
        message = f"{path} holds other things: keys need a folder of their own"
        raise KeyFolderError(message)


def _load(path: Path) -> list[Ed25519Signer]:
    if not path.is_dir():
        raise KeyFolderError(f"{path} is no folder")
    return [_read_key(file) for file in sorted(path.glob(f"*{_SUFFIX}"))]


def _read_key(file: Path) -> Ed25519Signer:
    try:
        key = load_pem_private_key(read_secret(file), password=None)
    except SecretFileError as error:
        raise KeyFolderError(str(error)) from error
    except (ValueError, TypeError):
        raise KeyFolderError(f"{file} holds no private key") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise KeyFolderError(f"{file} holds no Ed25519 key")
    signer = Ed25519Signer.of(key)
    if signer.key_id != file.stem:
        raise KeyFolderError(f"{file} holds the key {signer.key_id}")
    return signer


def _read_active(path: Path) -> str:
    if not (path / ACTIVE).exists():
        raise KeyFolderError(f"{path} has no active key: ginref keys new makes one")
    try:
        return read_secret(path / ACTIVE).decode(errors="replace").strip()
    except SecretFileError as error:
        raise KeyFolderError(str(error)) from error


def _add_key(path: Path) -> str:
    key = Ed25519PrivateKey.generate()
    key_id = Ed25519Signer.of(key).key_id
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    replace_secret(path / f"{key_id}{_SUFFIX}", pem)
    return key_id


def _line(key_id: str) -> bytes:
    return key_id.encode() + b"\n"
