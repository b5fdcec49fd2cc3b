"""Hidden state sealed where it is stored: AES-GCM under a key beside the store.

Every match, the part of a context before its slash, has a key of its own, derived
from the one in the file: the random nonces of one key stay few however long a
referee runs.
"""

import functools
import hmac
import os
from pathlib import Path
from typing import Final, Self

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from ginref.adapters.secret_file import (
    SecretFileError,
    add_secret,
    make_folder,
    read_secret,
)
from ginref.app.port import SealError

KEY_SIZE: Final = 32
FILE_NAME: Final = "sealing.key"

_NONCE_SIZE: Final = 12
_CIPHERS: Final = 4096
"""Matches whose cipher is kept."""

_PURPOSE: Final = b"ginref/sealing/v1"


class AesSealer:
    """Seals with AES-256-GCM, bound to a context.

    Sealed bytes are a random nonce of 12 bytes, then the encrypted text with its
    tag of 16.
    """

    def __init__(self, key: bytes) -> None:
        """Take the key, 32 bytes.

        Raises:
            ValueError: The key has another size.
        """
        if len(key) != KEY_SIZE:
            raise ValueError("a sealing key is 32 bytes")
        self._key = key
        self._cipher_of = functools.lru_cache(_CIPHERS)(self._derive)

    @classmethod
    def open_or_create(cls, folder: Path) -> Self:
        """Take the key of a folder; make one where it is missing.

        Processes that do this at the same time end up with the same key.

        Raises:
            SecretFileError: The key cannot be read or written, is open to others,
                or is no key.
        """
        path = folder / FILE_NAME
        if not path.exists():
            make_folder(folder)
            add_secret(path, os.urandom(KEY_SIZE))
        key = read_secret(path)
        if len(key) != KEY_SIZE:
            raise SecretFileError(f"{path} is no sealing key: 32 bytes expected")
        return cls(key)

    def seal(self, plain: bytes, context: str) -> bytes:
        """Encrypt and authenticate; the context must be the same to open it."""
        nonce = os.urandom(_NONCE_SIZE)
        return nonce + self._cipher(context).encrypt(nonce, plain, context.encode())

    def open(self, sealed: bytes, context: str) -> bytes:
        """Decrypt.

        Raises:
            SealError: The bytes or the context are not what was sealed.
        """
        nonce, text = sealed[:_NONCE_SIZE], sealed[_NONCE_SIZE:]
        try:
            return self._cipher(context).decrypt(nonce, text, context.encode())
        except (InvalidTag, ValueError) as error:
            message = f"what is stored for {context!r} does not open"
            raise SealError(message) from error

    def _cipher(self, context: str) -> AESGCM:
        return self._cipher_of(context.partition("/")[0])

    def _derive(self, match_id: str) -> AESGCM:
        return AESGCM(hmac.digest(self._key, _PURPOSE + match_id.encode(), "sha256"))
