"""Signed bytes with their type: DSSE envelopes with Ed25519 signatures.

What is signed are the bytes that the envelope carries, never an object that was
read from them and written again.

Source: Dead Simple Signing Envelope, version 1.0.2; RFC 8032 for Ed25519.
"""

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from ginref.record.setup import canonical
from ginref.record.shape import refuse_constant

SIGNATURE_SIZE: Final = 64
"""Bytes of a signature."""


class EnvelopeError(ValueError):
    """Bytes that are no envelope."""


class UnsignedError(ValueError):
    """An envelope that nobody has signed, or not with the key it names."""


class PayloadSigner(Protocol):
    """Signs with one Ed25519 key."""

    @property
    def key_id(self) -> str:
        """Name of the key."""

    def sign(self, message: bytes) -> bytes:
        """Return the signature of exactly these bytes, 64 bytes."""


@dataclass(frozen=True, slots=True)
class Signature:
    """One signature of an envelope.

    Attributes:
        key_id: Name of the key that made it; empty if the envelope names none.
        value: The signature, 64 bytes.
    """

    key_id: str
    value: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """A payload, its type, and who signed both.

    Attributes:
        payload: The bytes that are signed.
        payload_type: What they are.
        signatures: Who signed them.
    """

    payload: bytes
    payload_type: str
    signatures: tuple[Signature, ...]

    @property
    def signed(self) -> bytes:
        """The bytes that every signature is over."""
        return pae(self.payload_type, self.payload)


def pae(payload_type: str, payload: bytes) -> bytes:
    """Return type and payload in one string of bytes that cannot be read two ways."""
    kind = payload_type.encode()
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


def is_same_content(one: bytes, other: bytes) -> bool:
    """Say whether two envelopes hold the same bytes, whoever has signed them."""
    try:
        return (
            one == other or parse_envelope(one).signed == parse_envelope(other).signed
        )
    except EnvelopeError:
        return False


def seal_envelope(payload: bytes, payload_type: str, signer: PayloadSigner) -> bytes:
    """Sign a payload and return it in an envelope."""
    signature = {
        "keyid": signer.key_id,
        "sig": _write(signer.sign(pae(payload_type, payload))),
    }
    return canonical(
        {
            "payload": _write(payload),
            "payloadType": payload_type,
            "signatures": [signature],
        }
    )


def parse_envelope(data: bytes) -> Envelope:
    """Read an envelope, without judging its signatures.

    Members that are not known are passed over, as the format asks.

    Raises:
        EnvelopeError: It is none.
    """
    try:
        # Bytes would be read in other encodings, too, as nobody else reads them.
        whole = json.loads(data.decode(), parse_constant=refuse_constant)
    except (ValueError, RecursionError):
        raise EnvelopeError("not JSON") from None
    listed = _member(whole, "signatures", list)
    return Envelope(
        payload=_read(_member(whole, "payload", str), "payload"),
        payload_type=_member(whole, "payloadType", str),
        signatures=tuple(_read_signature(signature) for signature in listed),
    )


def signer_of(envelope: Envelope, keys: Mapping[str, bytes]) -> tuple[str, bool]:
    """Return the name of the key whose signature counts, and whether it is trusted.

    Args:
        envelope: What is signed.
        keys: Public keys that are trusted, by name.

    Raises:
        UnsignedError: Nobody has signed it, or a signature of a trusted key is wrong.
    """
    if not envelope.signatures:
        raise UnsignedError("nobody has signed it")
    known = [mark for mark in envelope.signatures if mark.key_id in keys]
    for mark in known:
        if not is_signature(keys[mark.key_id], mark.value, envelope.signed):
            message = f"the signature was not made with the key {mark.key_id}"
            raise UnsignedError(message)
    return (known or envelope.signatures)[0].key_id, bool(known)


def is_signature(key: bytes, signature: bytes, message: bytes) -> bool:
    """Say whether a signature was made with the private half of a public key."""
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def _read_signature(value: object) -> Signature:
    sig = _read(_member(value, "sig", str), "sig")
    if len(sig) != SIGNATURE_SIZE:
        raise EnvelopeError(f"a signature of {len(sig)} bytes")
    named = isinstance(value, Mapping) and "keyid" in value
    return Signature(_member(value, "keyid", str) if named else "", sig)


def _member(value: object, name: str, kind: type) -> Any:  # noqa: ANN401 - JSON
    if not isinstance(value, Mapping) or not isinstance(value.get(name), kind):
        raise EnvelopeError(f"{name} is missing")
    return value[name]


def _write(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _read(text: str, name: str) -> bytes:
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError:
        raise EnvelopeError(f"{name} is not base64") from None
    # Bits that are left over at the end must not tell two envelopes apart.
    if _write(data) != text:
        raise EnvelopeError(f"{name} is not base64 in its one right form")
    return data
