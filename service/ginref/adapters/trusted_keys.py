"""Public keys that somebody trusts, from wherever they keep them."""

from pathlib import Path
from typing import Final

from ginref.adapters.key_folder import ACTIVE, KeyFolder, KeyFolderError
from ginref.record.public_key import PublicKeyError, read_public_keys

_PATTERNS: Final = ("*.json", "*.jwks", "*.pem")


class TrustedKeysError(Exception):
    """A file or folder that gives no public keys; says which, and why."""


def read_trusted_keys(path: Path) -> dict[str, bytes]:
    """Return public keys by name.

    Args:
        path: A JSON Web Key Set, a PEM file, a folder of such files, or the key
            folder of a referee.

    Raises:
        TrustedKeysError: There is no such thing, or it holds no public keys.
    """
    if not path.is_dir():
        return _read(path)
    if (path / ACTIVE).exists():
        try:
            return dict(KeyFolder(path).public_keys)
        except KeyFolderError as error:
            raise TrustedKeysError(str(error)) from error
    files = sorted({file for pattern in _PATTERNS for file in path.glob(pattern)})
    if not files:
        raise TrustedKeysError(f"{path} holds no keys")
    keys: dict[str, bytes] = {}
    for file in files:
        keys |= _read(file)
    return keys


def _read(path: Path) -> dict[str, bytes]:
    try:
        return read_public_keys(path.read_bytes())
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise TrustedKeysError(f"{path} cannot be read: {reason}") from error
    except PublicKeyError as error:
        raise TrustedKeysError(f"{path} is no file of public keys: {error}") from error
