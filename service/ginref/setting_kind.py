"""What sorts of values the settings of a referee have, beside the plain ones."""

import enum
import re
from dataclasses import replace
from datetime import timedelta
from typing import Final

from ginref.app.limit import read_limits
from ginref.setting import TEXT, Kind, count, duration, matching, words
from ginref.transport.address import Address, BindError

OFF: Final = "off"

HOUSE_BOTS: Final = ("careful", "simple")
"""Bots that come with the client, and can play for the house."""

ANYONE: Final = "anyone"
LOG_FORMATS: Final = ("text", "json")
LOG_LEVELS: Final = ("debug", "info", "warning", "error")


class Part(enum.StrEnum):
    """What one process of the referee does."""

    REFEREE = "referee"
    SWEEPER = "sweeper"
    SIGNER = "signer"
    RUNNER = "runner"


def _read_address(text: str) -> str:
    try:
        Address.parse(text)
    except BindError:
        raise ValueError from None
    return text


ADDRESS: Final = Kind("HOST:PORT", "HOST:PORT or [IPV6]:PORT", _read_address)
HTTP: Final = replace(
    ADDRESS,
    expected="HOST:PORT, [IPV6]:PORT or off",
    read=lambda text: text if text == OFF else _read_address(text),
)
_ORIGIN: Final = re.compile(r"\*|https?://[^\s/@?#,]+")
STORE: Final = replace(TEXT, metavar="URL", expected="a URL")
ARCHIVE: Final = matching(
    r"(?s)(?!s3://).+|s3://[^\s@?#]+", "PLACE", "a folder or s3://bucket/prefix"
)
KEEP: Final = duration(timedelta(minutes=1), timedelta(days=36_500))


def _read_bots(text: str) -> tuple[str, ...]:
    names = words(text)
    if not set(names) <= set(HOUSE_BOTS):
        raise ValueError
    return names


def _read_origins(text: str) -> tuple[str, ...]:
    origins = words(text)
    if not all(map(_ORIGIN.fullmatch, origins)):
        raise ValueError
    return origins


ORIGINS: Final = Kind(
    "ORIGINS",
    "origins such as https://example.org, or *",
    _read_origins,
    ",".join,
    plain=list,
)
BOTS: Final = Kind(
    "BOTS", f"some of {', '.join(HOUSE_BOTS)}", _read_bots, ",".join, plain=list
)
ROLES: Final = Kind(
    "ROLES",
    f"some of {', '.join(Part)}",
    lambda text: frozenset(map(Part, words(text))),
    lambda parts: ",".join(part for part in Part if part in parts),
    plain=list,
)
MS: Final = replace(count(0, 2**31 - 1), metavar="MS")
"""As many milliseconds as gRPC can count."""
LIMITS: Final = Kind(
    "LIMITS", "limits such as creates=5/50,watches=off, or off,", read_limits
)
ENDPOINT: Final = matching(r"https?://[^\s/@?#]+/?", "URL", "http://host:port or https")
