"""The key of a bot: what it signs its submissions with, so that a record proves them.

The file holds the private half in PEM, for its owner's eyes only. Whoever has it can
sign in the bot's name.
"""

import os
import secrets
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

from ginref_client.error import ClientError

FILE: Final = "bot-key.pem"
"""Name of the file in a bot's state folder."""

_FILE_MODE: Final = 0o600
_OTHERS: Final = 0o077


class BotKeyError(ClientError):
    """The file of a key cannot be used."""


class BotKey:
    """Signs submissions.

    Attributes:
        public_key: The public half, 32 bytes: what the referee is to know.
    """

    def __init__(self, key: Ed25519PrivateKey) -> None:
        """Sign with this key."""
        self._key = key
        self.public_key = key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)

    @classmethod
    def keep(cls, folder: Path) -> Self:
        """Return the key in a folder that is there; make it if there is none.

        Raises:
            BotKeyError: The file holds no key, or others may read it.
            OSError: It cannot be read or written.
        """
        path = folder / FILE
        if not path.exists():
            _create(path)
        return cls._read(path)

    @classmethod
    def _read(cls, path: Path) -> Self:
        if path.stat().st_mode & _OTHERS:
            raise BotKeyError(f"{path} may be read by others: chmod 600 {path}")
        try:
            key = load_pem_private_key(path.read_bytes(), password=None)
        except (ValueError, TypeError, UnsupportedAlgorithm):
            raise BotKeyError(f"{path} holds no private key in PEM") from None
        if not isinstance(key, Ed25519PrivateKey):
            raise BotKeyError(f"{path} holds a key of another kind than Ed25519")
        return cls(key)

    def sign(self, message: bytes) -> bytes:
        """Return the signature of exactly these bytes, 64 bytes."""
        return self._key.sign(message)


def _create(path: Path) -> None:
    """Put a new key there whole, unless another process is faster."""
    text = Ed25519PrivateKey.generate().private_bytes(
        Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
    )
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _FILE_MODE)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        path.hardlink_to(draft)
    except FileExistsError:
        pass
    finally:
        draft.unlink(missing_ok=True)
