"""Values of somebody's file with their path, so that the first wrong one is named."""

import enum
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from ginref.engine.error import shown
from ginref.tournament.error import FieldError
from ginref.tournament.name import is_name

_Choice = TypeVar("_Choice", bound=enum.StrEnum)

_TEXT_LENGTH: Final = 500
_DURATION: Final = re.compile(r"([0-9]{1,9})(ms|s|m|h|d)")
_UNITS_MS: Final = {
    "ms": 1,
    "s": 1_000,
    "m": 60_000,
    "h": 3_600_000,
    "d": 86_400_000,
}
_DURATION_MOST_MS: Final = 366 * _UNITS_MS["d"]


@dataclass(frozen=True, slots=True)
class Option:
    """A value and where it stands.

    Attributes:
        value: The value: text, a whole number, a boolean, None, a list or a mapping.
        path: Names and positions that lead to it.
    """

    value: Any
    path: str = ""

    def fail(self, what: str) -> FieldError:
        """Return the error that something is wrong here."""
        return FieldError(self.path, what)

    def at(self, name: str, value: object) -> "Option":
        """Return a member's value with its path."""
        return Option(value, f"{self.path}{'.' if self.path else ''}{name}")

    def members(
        self, *, needed: Iterable[str] = (), allowed: Iterable[str] = ()
    ) -> dict[str, "Option"]:
        """Return the members of a mapping by name.

        Raises:
            FieldError: It is no mapping, a name is missing, or one is unknown.
        """
        if not isinstance(self.value, dict):
            raise self.fail("a mapping expected")
        needed = tuple(needed)
        known = {*needed, *allowed}
        for name, value in self.value.items():
            if name not in known:
                expected = ", ".join(sorted(known))
                what = f"unknown key; one of {expected} expected"
                raise self.at(str(name), value).fail(what)
        for name in needed:
            if name not in self.value:
                raise self.at(name, None).fail("missing")
        return {name: self.at(name, value) for name, value in self.value.items()}

    def items(self) -> Iterator["Option"]:
        """Return the items of a list.

        Raises:
            FieldError: It is no list.
        """
        if not isinstance(self.value, list | tuple):
            raise self.fail("a list expected")
        return (
            Option(value, f"{self.path}[{at}]") for at, value in enumerate(self.value)
        )

    def text(self, most: int = _TEXT_LENGTH) -> str:
        """Return a text.

        Raises:
            FieldError: It is none, too long, or holds half of a letter.
        """
        value = self.value
        if not isinstance(value, str) or len(value) > most:
            raise self.fail(f"{shown(value)}: text of {most} letters at most expected")
        if any("\ud800" <= letter <= "\udfff" for letter in value):
            raise self.fail("text with half of a letter")
        return value

    def name(self) -> str:
        """Return a name: small letters, digits, dots, dashes, 2 to 32 of them.

        Raises:
            FieldError: It is none.
        """
        if not is_name(self.value):
            what = "2 to 32 small letters, digits, '.', '_' or '-' expected"
            raise self.fail(f"{shown(self.value)}: {what}")
        return self.value

    def number(self, low: int, high: int) -> int:
        """Return a whole number within bounds.

        Raises:
            FieldError: It is none.
        """
        value = self.value
        if not isinstance(value, int) or isinstance(value, bool):
            raise self.fail(f"{shown(value)}: a whole number expected")
        if not low <= value <= high:
            raise self.fail(f"{shown(value)} is not within {low} to {high}")
        return value

    def flag(self) -> bool:
        """Return a switch.

        Raises:
            FieldError: It is none.
        """
        if not isinstance(self.value, bool):
            raise self.fail(f"{shown(self.value)}: true or false expected")
        return self.value

    def choice(self, kind: type[_Choice]) -> _Choice:
        """Return one of a closed set of words.

        Raises:
            FieldError: It is none of them.
        """
        if isinstance(self.value, str) and self.value in tuple(kind):
            return kind(self.value)
        expected = ", ".join(kind)
        raise self.fail(f"{shown(self.value)}: one of {expected} expected")

    def duration_ms(self) -> int:
        """Return a duration such as `90s`, `15m` or `2h` in milliseconds.

        Raises:
            FieldError: It is none, or longer than a year.
        """
        found = _DURATION.fullmatch(self.value) if isinstance(self.value, str) else None
        if found is None:
            what = "a duration such as 250ms, 90s, 15m, 2h or 7d expected"
            raise self.fail(f"{shown(self.value)}: {what}")
        milliseconds = int(found[1]) * _UNITS_MS[found[2]]
        if milliseconds > _DURATION_MOST_MS:
            raise self.fail(f"{self.value} is longer than a year")
        return milliseconds


def duration_text(milliseconds: int) -> str:
    """Write a duration in the largest unit that leaves no rest."""
    for unit, size_ms in reversed(_UNITS_MS.items()):
        if milliseconds and milliseconds % size_ms == 0:
            return f"{milliseconds // size_ms}{unit}"
    return "0s"
