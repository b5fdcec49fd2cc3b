"""JSON values with their place, so that the first wrong one can be named."""

import itertools
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import rfc8785

_HEX: Final = re.compile(r"(?:[0-9a-f]{2})*")
_DOCUMENT: Final = "the record"
_ABSENT: Final = object()
_EXACT: Final = 2**53
"""Numbers below it are the same in every language that reads JSON."""

_INFINITE: Final = (float("inf"), float("-inf"))
"""What a number becomes that is too large for a fraction."""

_SHOWN: Final = 80
"""Letters of a value that a message quotes."""


class RecordError(ValueError):
    """A record that is none, or that contradicts itself.

    Attributes:
        place: Where the first wrong thing is, such as `entries[12].move`; empty
            for the record as a whole.
        what: What is wrong there.
    """

    def __init__(self, place: str, what: str) -> None:
        """Keep place and wrong; the message is made of both."""
        super().__init__(f"{place or _DOCUMENT}: {what}")
        self.place = place
        self.what = what


@dataclass(frozen=True, slots=True)
class Place:
    """A JSON value and where it stands in its document.

    Attributes:
        value: The value.
        path: Names and positions that lead to it.
    """

    value: Any
    path: str = ""

    def fail(self, what: str) -> RecordError:
        """Return the error that something is wrong here."""
        return RecordError(self.path, what)

    def members(self, names: Mapping[str, bool] | set[str]) -> dict[str, "Place"]:
        """Return the members of an object by name.

        Args:
            names: The names that are allowed. In a mapping, those with a false
                value may be absent.

        Raises:
            RecordError: It is no object, a name is missing, or one is unknown.
        """
        if not isinstance(self.value, dict):
            raise self.fail("an object expected")
        for name in names:
            needed = not isinstance(names, Mapping) or names[name]
            if needed and name not in self.value:
                raise self.fail(f"{name} is missing")
        for name in self.value:
            if name not in names:
                raise self.fail(f"unknown member {name!r}")
        dot = "." if self.path else ""
        return {
            name: Place(value, f"{self.path}{dot}{name}")
            for name, value in self.value.items()
        }

    def items(self) -> Iterator["Place"]:
        """Return the items of a list.

        Raises:
            RecordError: It is no list.
        """
        if not isinstance(self.value, list):
            raise self.fail("a list expected")
        return (
            Place(value, f"{self.path}[{at}]") for at, value in enumerate(self.value)
        )

    def text(self) -> str:
        """Return a text.

        Raises:
            RecordError: It is none.
        """
        if not isinstance(self.value, str):
            raise self.fail("text expected")
        return self.value

    def number(self, *, low: int = 0) -> int:
        """Return a whole number from `low` on.

        Raises:
            RecordError: It is none.
        """
        # True is an int in Python, but no number in JSON.
        value = self.value
        if not isinstance(value, int) or isinstance(value, bool) or value < low:
            raise self.fail(f"a whole number from {low} on expected")
        return value

    def octets(self, *sizes: int) -> bytes:
        """Return bytes written in small hexadecimal digits.

        Raises:
            RecordError: It is something else, or of another size than those given.
        """
        text = self.text()
        if not _HEX.fullmatch(text) or (sizes and len(text) // 2 not in sizes):
            size = " or ".join(map(str, sizes))
            raise self.fail(f"{size} bytes in small hexadecimal digits expected")
        return bytes.fromhex(text)


def read_canonical(payload: bytes) -> Place:
    """Read bytes that are JSON in the form of RFC 8785, and in no other.

    Raises:
        RecordError: They are no JSON, or JSON in another form, or they hold a
            number that is too large for it.
    """
    try:
        value = json.loads(payload, parse_constant=refuse_constant)
    except (ValueError, RecursionError):
        raise RecordError("", "not JSON") from None
    try:
        same = rfc8785.dumps(value) == payload
    except (rfc8785.IntegerDomainError, rfc8785.FloatDomainError):
        raise next(_too_large(value, "")) from None
    except (ValueError, RecursionError):
        same = False
    if not same:
        raise RecordError("", "not the canonical form of its JSON")
    return Place(value)


def refuse_constant(name: str) -> None:
    """Refuse what Python's reader takes for a number, and no other does.

    Raises:
        ValueError: Always.
    """
    raise ValueError(name)


def _too_large(value: object, path: str) -> Iterator[RecordError]:
    """Yield the numbers that the canonical form has no room for."""
    if isinstance(value, dict):
        dot = "." if path else ""
        for name, member in value.items():
            yield from _too_large(member, f"{path}{dot}{name}")
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from _too_large(item, f"{path}[{at}]")
    elif value in _INFINITE or (isinstance(value, int) and abs(value) >= _EXACT):
        shown = _show(value)
        yield RecordError(path, f"{shown} is beyond 2^53 - 1, the largest number")


def first_difference(
    claimed: object, derived: object, path: str = ""
) -> RecordError | None:
    """Return the first place where two JSON values differ, or None.

    Args:
        claimed: What the record says.
        derived: What it should say.
        path: Where both stand.
    """
    return next(_differences(claimed, derived, path), None)


def _differences(claimed: object, derived: object, path: str) -> Iterator[RecordError]:
    if isinstance(claimed, dict) and isinstance(derived, dict):
        dot = "." if path else ""
        for name in sorted({*claimed, *derived}):
            left, right = claimed.get(name, _ABSENT), derived.get(name, _ABSENT)
            yield from _differences(left, right, f"{path}{dot}{name}")
    elif isinstance(claimed, list) and isinstance(derived, list):
        pairs = itertools.zip_longest(claimed, derived, fillvalue=_ABSENT)
        for at, (left, right) in enumerate(pairs):
            yield from _differences(left, right, f"{path}[{at}]")
    elif type(claimed) is not type(derived) or claimed != derived:
        wrong = f"{_show(claimed)} where {_show(derived)} is expected"
        yield RecordError(path, wrong)


def _show(value: object) -> str:
    if value is _ABSENT:
        return "nothing"
    text = json.dumps(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
