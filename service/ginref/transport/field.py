"""Strict reading of single fields: what is absent, unknown or too long is refused.

`at` is the path of the field in its message, as the refusal names it.
"""

import re
from collections.abc import Mapping
from typing import Final, TypeVar

from google.protobuf.message import Message

from ginref.app.error import Reason, RefusedError
from ginref.app.membership import check_name
from ginref.record.submission import REQUEST_ID_BYTES

MESSAGE_BYTES: Final = 16 * 1024
"""Most bytes of a message that the referee reads."""

LARGE_MESSAGE_BYTES: Final = 60 * 1024
"""Most bytes of one about a tournament."""

_T = TypeVar("_T")

_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


def missing(at: str) -> RefusedError:
    """Return the refusal of a message that lacks a required field."""
    return RefusedError(Reason.FIELD_MISSING, f"{at} is missing", field=at)


def invalid(at: str, expected: str) -> RefusedError:
    """Return the refusal of a value that the field cannot have."""
    return RefusedError(Reason.FIELD_INVALID, f"{at}: {expected} expected", field=at)


def require(message: Message, name: str, at: str) -> None:
    """Insist on a field that knows whether it is set.

    Raises:
        RefusedError: FIELD_MISSING.
    """
    if not message.HasField(name):
        raise missing(at)


def read_name(text: str, at: str) -> str:
    """Read the name of a bot or an owner.

    Raises:
        RefusedError: NAME_INVALID.
    """
    check_name(text, at)
    return text


def read_id(text: str, at: str) -> str:
    """Read the identity of a match or a token, as far as its form goes.

    Raises:
        RefusedError: FIELD_MISSING or FIELD_INVALID.
    """
    if not text:
        raise missing(at)
    if not _ID.fullmatch(text):
        raise invalid(at, "an id of at most 64 letters, digits, _ and -")
    return text


def read_request_id(text: str, at: str) -> str:
    """Read the caller's identity of a request.

    Raises:
        RefusedError: REQUEST_ID_INVALID.
    """
    if not 0 < len(text.encode()) <= REQUEST_ID_BYTES:
        raise RefusedError(
            Reason.REQUEST_ID_INVALID,
            f"{at}: 1 to {REQUEST_ID_BYTES} bytes expected",
            field=at,
        )
    return text


def read_enum(value: int, known: Mapping[int, _T], at: str) -> _T:
    """Read a required value of an enum, whose 0 stands for an absent field.

    Raises:
        RefusedError: FIELD_MISSING or ENUM_UNKNOWN.
    """
    if not value:
        raise missing(at)
    if value not in known:
        raise RefusedError(
            Reason.ENUM_UNKNOWN, f"{at}: {value} is unknown", field=at, value=value
        )
    return known[value]


def read_within(value: int, low: int, high: int, at: str) -> int:
    """Read a whole number within bounds.

    Raises:
        RefusedError: FIELD_INVALID.
    """
    if not low <= value <= high:
        raise invalid(at, f"{low} to {high}")
    return value


def read_bytes(value: bytes, size: int, at: str) -> bytes:
    """Read bytes of a fixed size.

    Raises:
        RefusedError: FIELD_INVALID.
    """
    if len(value) != size:
        raise invalid(at, f"{size} bytes")
    return value
