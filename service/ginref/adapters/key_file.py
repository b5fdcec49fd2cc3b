"""One key of a referee in a file, in PEM: either it can sign, or it is retired.

The file of a key that signs holds its private half, PKCS #8. Of a retired key only
the public half is left, below the line that says since when.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from ginref.adapters.secret_file import SecretFileError, read_secret
from ginref.record.public_key import PublicKeyError, read_pem, thumbprint, write_pem

_PUBLIC: Final = b"-----BEGIN PUBLIC KEY-----"
_RETIRED: Final = re.compile(
    rb"^key [\w-]{43} retired (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)$", re.MULTILINE
)


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

    @classmethod
    def generate(cls) -> Self:
        """Sign with a key that nobody has had before."""
        return cls.of(Ed25519PrivateKey.generate())

    def sign(self, message: bytes) -> bytes:
        """Return the Ed25519 signature of exactly these bytes."""
        return self._key.sign(message)

    def to_file(self) -> bytes:
        """Return what the file of this key holds: a secret."""
        return self._key.private_bytes(
            Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
        )

    def __repr__(self) -> str:
        """Name the key, and show nothing of it."""
        return f"Ed25519Signer({self.key_id})"


@dataclass(frozen=True, slots=True)
class RetiredKey:
    """A key that signs no more, and is known for what it has signed.

    Attributes:
        key_id: Name of the key.
        public_key: The public half, 32 bytes.
        retired_at: Since when, UTC, in the form of RFC 3339.
    """

    key_id: str
    public_key: bytes
    retired_at: str

    def to_file(self) -> bytes:
        """Return what the file of this key holds: no secret."""
        return write_pem([self.public_key], {self.key_id: self.retired_at})


Key = Ed25519Signer | RetiredKey


def read_key(file: Path) -> Key:
    """Read the key of a file that is named after it.

    Raises:
        SecretFileError: The file cannot be read, is open to others, or holds
            something else.
    """
    data = read_secret(file)
    key = _read_retired(file, data) if _PUBLIC in data else _read_signer(file, data)
    if key.key_id != file.stem:
        raise SecretFileError(f"{file} holds the key {key.key_id}")
    return key


def _read_signer(file: Path, data: bytes) -> Ed25519Signer:
    try:
        key = load_pem_private_key(data, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise SecretFileError(f"{file} holds no private key") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise SecretFileError(f"{file} holds no Ed25519 key")
    return Ed25519Signer.of(key)


def _read_retired(file: Path, data: bytes) -> RetiredKey:
    try:
        keys = read_pem(data)
    except PublicKeyError as error:
        raise SecretFileError(f"{file} holds no key: {error}") from None
    mark = _RETIRED.search(data)
    if len(keys) != 1 or mark is None:
        message = f"{file} does not say since when its one key is retired"
        raise SecretFileError(message)
    ((key_id, public_key),) = keys.items()
    return RetiredKey(key_id, public_key, mark[1].decode())
