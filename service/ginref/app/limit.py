"""How much one token may ask for: every limit, its default, and how it is written."""

import enum
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, TypeVar

_OFF: Final = "off"

_RATE: Final = re.compile(r"([0-9]{1,6})/([0-9]{1,6})")
_CAP: Final = re.compile(r"[0-9]{1,7}")

_Name = TypeVar("_Name")
_Limit = TypeVar("_Limit")


class Kind(enum.StrEnum):
    """What is asked for, and may be asked for only so often."""

    MOVES = "moves"
    STEPS = "steps"
    CREATES = "creates"
    READS = "reads"
    WRITES = "writes"
    OPENS = "opens"


class Cap(enum.StrEnum):
    """What there may be only so much of at once."""

    STREAMS = "streams"
    WATCHES = "watches"
    MATCHES = "matches"
    ALL_MATCHES = "all-matches"


@dataclass(frozen=True, slots=True)
class Rate:
    """How often something may be asked for.

    Attributes:
        per_second: How often in the long run.
        burst: How often at once, after a rest.
    """

    per_second: int
    burst: int


@dataclass(frozen=True, slots=True)
class Limits:
    """What one token may ask one process for; without an entry there is no limit.

    Attributes:
        rates: How often, by kind.
        caps: How much at once.
    """

    rates: Mapping[Kind, Rate] = field(default_factory=lambda: MappingProxyType({}))
    caps: Mapping[Cap, int] = field(default_factory=lambda: MappingProxyType({}))

    def __str__(self) -> str:
        """Return the text that is read as these limits."""
        rates = {kind: self.rates.get(kind) for kind in Kind}
        words = [
            f"{kind}={f'{rate.per_second}/{rate.burst}' if rate else _OFF}"
            for kind, rate in rates.items()
        ]
        return ",".join([*words, *(f"{cap}={self.caps.get(cap, _OFF)}" for cap in Cap)])


UNLIMITED: Final = Limits()

DEFAULTS: Final = Limits(
    MappingProxyType(
        {
            Kind.MOVES: Rate(20, 200),
            Kind.STEPS: Rate(500, 5_000),
            Kind.CREATES: Rate(10, 200),
            Kind.READS: Rate(200, 2_000),
            Kind.WRITES: Rate(20, 500),
            Kind.OPENS: Rate(20, 400),
        }
    ),
    MappingProxyType(
        {
            Cap.STREAMS: 400,
            Cap.WATCHES: 200,
            Cap.MATCHES: 1_000,
            Cap.ALL_MATCHES: 20_000,
        }
    ),
)
"""Generous ones: they are there for whoever asks without end."""


def read_limits(text: str) -> Limits:
    """Read limits such as `creates=5/50,watches=off`; others keep their defaults.

    `off` alone switches off all of them.

    Raises:
        ValueError: A limit is none that there is, comes twice, or has no such value.
    """
    if text == _OFF:
        return UNLIMITED
    rates, caps = dict(DEFAULTS.rates), dict(DEFAULTS.caps)
    given = [word.partition("=") for word in text.split(",")]
    values = {name.strip(): value.strip() for name, _, value in given}
    if len(values) < len(given):
        raise ValueError
    for name, value in values.items():
        if name in {*Kind}:
            _take(rates, Kind(name), value, _read_rate)
        else:
            _take(caps, Cap(name), value, _read_cap)
    return Limits(MappingProxyType(rates), MappingProxyType(caps))


def _take(
    limits: dict[_Name, _Limit], name: _Name, text: str, read: Callable[[str], _Limit]
) -> None:
    """Set a limit, or take it away."""
    if text == _OFF:
        limits.pop(name, None)
    else:
        limits[name] = read(text)


def _read_rate(text: str) -> Rate:
    found = _RATE.fullmatch(text)
    if found is None or not all(map(int, found.groups())):
        raise ValueError
    return Rate(int(found[1]), int(found[2]))


def _read_cap(text: str) -> int:
    if not _CAP.fullmatch(text) or not int(text):
        raise ValueError
    return int(text)
