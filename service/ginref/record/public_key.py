"""Public keys of a referee: their names, and the files they are published in.

A key is Ed25519, 32 bytes. Its name is the thumbprint of its JSON form, so that a
name cannot be given to another key.

Source: RFC 7638 for thumbprints, RFC 8037 for Ed25519 in JSON, RFC 7517 for sets.
"""

import base64
import binascii
import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_public_key,
)

from ginref.record.setup import canonical

KEY_SIZE: Final = 32
"""Bytes of a public key."""

_NONE_RETIRED: Final[Mapping[str, str]] = MappingProxyType({})

_PEM: Final = re.compile(rb"-----BEGIN ([A-Z ]+)-----\s.*?-----END \1-----", re.DOTALL)


class PublicKeyError(ValueError):
    """Text that holds no public key of a referee."""


def thumbprint(key: bytes) -> str:
    """Return the name of a public key: its RFC 7638 thumbprint, 43 letters."""
    return _text64(hashlib.sha256(canonical(_jwk(key))).digest())


def write_jwks(
    keys: Iterable[bytes], retired_at: Mapping[str, str] = _NONE_RETIRED
) -> bytes:
    """Return a JSON Web Key Set of public keys.

    Args:
        keys: The keys.
        retired_at: Since when those are retired that sign no more, by name.
    """
    listed = []
    for key in keys:
        key_id = thumbprint(key)
        jwk = {**_jwk(key), "kid": key_id, "use": "sig"}
        if key_id in retired_at:
            jwk["retired_at"] = retired_at[key_id]
        listed.append(jwk)
    return canonical({"keys": listed})


def write_pem(
    keys: Iterable[bytes], retired_at: Mapping[str, str] = _NONE_RETIRED
) -> bytes:
    """Return public keys in PEM, each below a line with its name.

    Args:
        keys: The keys.
        retired_at: Since when those are retired that sign no more, by name; said in
            the same line.
    """
    text = b""
    for key in keys:
        key_id = thumbprint(key)
        since = f" retired {retired_at[key_id]}" if key_id in retired_at else ""
        text += f"key {key_id}{since}\n".encode()
        text += Ed25519PublicKey.from_public_bytes(key).public_bytes(
            Encoding.PEM, PublicFormat.SubjectPublicKeyInfo
        )
    return text


def read_public_keys(data: bytes) -> dict[str, bytes]:
    """Read public keys by name from a JSON Web Key Set or from PEM.

    Keys of other kinds in a set are passed over.

    Raises:
        PublicKeyError: The text is neither, holds no key, or names a key wrongly.
    """
    found = read_pem(data) if b"-----BEGIN" in data else read_jwks(data)
    if not found:
        raise PublicKeyError("no Ed25519 key in it")
    return found


def read_pem(data: bytes) -> dict[str, bytes]:
    """Read public keys by name from PEM.

    Raises:
        PublicKeyError: A block is no Ed25519 public key.
    """
    keys = []
    for block in _PEM.finditer(data):
        if block[1] != b"PUBLIC KEY":
            raise PublicKeyError("a public key expected, not anything else in PEM")
        try:
            key = load_pem_public_key(block[0])
        except (ValueError, UnsupportedAlgorithm):
            raise PublicKeyError("damaged PEM") from None
        if not isinstance(key, Ed25519PublicKey):
            raise PublicKeyError("an Ed25519 key expected, not one of another kind")
        keys.append(key.public_bytes(Encoding.Raw, PublicFormat.Raw))
    return {thumbprint(key): key for key in keys}


def read_jwks(data: bytes) -> dict[str, bytes]:
    """Read public keys by name from a JSON Web Key Set, or from a single key.

    Raises:
        PublicKeyError: It is none, or a key's name is not its thumbprint.
    """
    try:
        whole = json.loads(data)
    except (ValueError, RecursionError):
        raise PublicKeyError("neither a JSON Web Key Set nor PEM") from None
    listed = whole.get("keys", [whole]) if isinstance(whole, Mapping) else None
    if not isinstance(listed, list):
        raise PublicKeyError("not a JSON Web Key Set")
    keys = [_read_jwk(jwk) for jwk in listed if _is_ours(jwk)]
    return {thumbprint(key): key for key in keys}


def _jwk(key: bytes) -> dict[str, str]:
    return {"crv": "Ed25519", "kty": "OKP", "x": _text64(key)}


def _is_ours(jwk: object) -> bool:
    if not isinstance(jwk, Mapping):
        raise PublicKeyError("not a JSON Web Key Set")
    return (jwk.get("kty"), jwk.get("crv")) == ("OKP", "Ed25519")


def _read_jwk(jwk: Mapping[str, Any]) -> bytes:
    text = jwk.get("x")
    try:
        key = base64.b64decode(f"{text}=", altchars=b"-_", validate=True)
    except (ValueError, binascii.Error):
        key = b""
    if len(key) != KEY_SIZE or _text64(key) != text:
        raise PublicKeyError("a key that is not 32 bytes")
    if jwk.get("kid", thumbprint(key)) != thumbprint(key):
        raise PublicKeyError(f"the key named {jwk['kid']!r} is {thumbprint(key)}")
    return key


def _text64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
