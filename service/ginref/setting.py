"""What a setting of a referee is: its kind, its help, how a text becomes its value."""

import enum
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

PREFIX: Final = "GINREF_"
"""What the names of all environment variables begin with."""

FOREVER: Final = timedelta.max
"""A length of time without an end, written `forever`."""

_FILE: Final = "file:"
_STARS: Final = "***"

_NUMBER: Final = re.compile(r"[0-9]{1,12}")
_DURATION: Final = re.compile(r"([0-9]{1,10})([smhd])")
_UNITS: Final = {
    "d": timedelta(days=1),
    "h": timedelta(hours=1),
    "m": timedelta(minutes=1),
    "s": timedelta(seconds=1),
}

_SWITCH: Final = {
    **dict.fromkeys(("1", "true", "yes", "on"), True),
    **dict.fromkeys(("0", "false", "no", "off"), False),
}


class ConfigError(ValueError):
    """A setting that cannot be used; the message names it.

    Attributes:
        names: Settings that contradict each other, if that is what is wrong.
    """

    def __init__(self, what: str, *names: str) -> None:
        """Say what is wrong, after the names."""
        super().__init__(f"{' and '.join(names)}: {what}" if names else what)
        self.names = names


class Source(enum.StrEnum):
    """Who gives a setting, the last word last."""

    DEFAULT = "default"
    FILE = "file"
    ENVIRONMENT = "environment"
    OPTION = "option"

    def spell(self, name: str) -> str:
        """Return a setting's name as it is written there."""
        match self:
            case Source.ENVIRONMENT:
                return f"{PREFIX}{name.upper()}"
            case Source.OPTION:
                return f"--{name.replace('_', '-')}"
            case Source.DEFAULT | Source.FILE:
                return name


@dataclass(frozen=True, slots=True)
class Kind:
    """What sort of value a setting has.

    Attributes:
        metavar: Word that stands for the value in a help text.
        expected: What a text should have been that is no such value.
        read: Makes the value of a text.
        write: Makes a text of the value, of which `read` makes the same value again.
        plain: What it may be in a file besides text.
    """

    metavar: str
    expected: str
    read: Callable[[str], Any]
    write: Callable[[Any], str] = str
    plain: type | None = None


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: all that is known of it, wherever it is asked for.

    Attributes:
        kind: What sort of value it has.
        section: Heading that it stands under.
        help: What it is for, in one sentence.
        unset: What holds without it, where its default does not say so.
        is_secret: It is shown masked, and `file:PATH` stands for what a file holds.
        is_internal: A referee sets it for its own processes.
        name: Name of its field.
        default: Value of a setting that nobody has given.
    """

    kind: Kind
    section: str
    help: str
    unset: str = ""
    is_secret: bool = False
    is_internal: bool = False
    name: str = ""
    default: Any = None

    @property
    def variable(self) -> str:
        """Environment variable that gives it."""
        return Source.ENVIRONMENT.spell(self.name)

    @property
    def option(self) -> str:
        """Option of the command line that gives it."""
        return Source.OPTION.spell(self.name)

    @property
    def default_text(self) -> str:
        """What holds without it, in words."""
        return self.unset or self.kind.write(self.default)

    def read(self, value: object, place: str) -> Any:  # noqa: ANN401
        """Return the value that was given as a text, or in a file.

        Args:
            value: What was given.
            place: Where, to be named if it cannot be read.

        Raises:
            ConfigError: It cannot be read.
        """
        if value is None or value == "":
            raise ConfigError(f"{place}: a value is missing")
        text = value if isinstance(value, str) else self._plain(value)
        if text is not None and "\0" not in text:
            try:
                return self.kind.read(text)
            except ValueError:
                pass
        # What somebody took for a URL with a password is none to be shown, either.
        told = _STARS if self.is_secret or "@" in str(value) else repr(value)
        raise ConfigError(f"{place}: {told}: {self.kind.expected} expected")

    def _plain(self, value: object) -> str | None:
        if isinstance(value, list) and self.kind.plain is list:
            return ",".join(value) if all(isinstance(v, str) for v in value) else None
        # True is an int, too.
        return str(value) if type(value) is self.kind.plain else None

    def reveal(self, value: Any, place: str) -> Any:  # noqa: ANN401
        """Return a value, of a secret that a file holds what it holds.

        A password among the variables of a process is read by whoever may look at it.

        Raises:
            ConfigError: There is no such file, or no secret in it.
        """
        if not self.is_secret or not value.startswith(_FILE):
            return value
        path = value.removeprefix(_FILE)
        try:
            secret = Path(path).read_text(encoding="utf-8").strip()
        except (OSError, ValueError):
            message = f"{place}: {path}: a file that holds it expected"
            raise ConfigError(message) from None
        if not secret:
            raise ConfigError(f"{place}: {path}: a value is missing")
        if secret.startswith(_FILE):
            raise ConfigError(f"{place}: {path}: names another file")
        return secret

    def write(self, value: object) -> str:
        """Return the text for a value, of which the same value can be read."""
        return self.kind.write(value)

    def show(self, value: object) -> str | None:
        """Return the text for a value, for all to see; None for no value."""
        if value is None or value == ():
            return None
        text = self.write(value)
        return masked(text) if self.is_secret else text


def masked(secret: str) -> str:
    """Return a URL without what may be a password in it, or of anything else stars.

    A password need not be written as a URL has it, so that what might belong to one
    is masked as well.
    """
    scheme, colon, rest = secret.partition("://")
    if not colon or not re.fullmatch(r"[a-z][a-z0-9+]*", scheme):
        return _STARS
    place, _, options = rest.partition("?")
    if "@" in options:
        return f"{scheme}://{_STARS}"
    _, at, host = place.rpartition("@")
    told = f"{_STARS}@{host}" if at else place
    return f"{scheme}://{told}" + (f"?{_STARS}" if options else "")


def count(least: int, most: int | None = None) -> Kind:
    """Return the kind of whole numbers within bounds."""

    def read(text: str) -> int:
        number = int(text) if _NUMBER.fullmatch(text) else -1
        if number < least or (most is not None and number > most):
            raise ValueError
        return number

    limits = f"{least} or more" if most is None else f"{least} to {most}"
    return Kind("NUMBER", f"a whole number, {limits},", read, plain=int)


def choice(*known: str) -> Kind:
    """Return the kind of words of which one is chosen."""

    def read(text: str) -> str:
        if text not in known:
            raise ValueError
        return text

    return Kind("|".join(known), f"one of {', '.join(known)}", read)


def matching(pattern: str, metavar: str, expected: str) -> Kind:
    """Return the kind of texts of a certain form."""

    def read(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError
        return text

    return Kind(metavar, expected, read)


def duration(least: timedelta, most: timedelta, *, endless: bool = True) -> Kind:
    """Return the kind of lengths of time within bounds, or also without an end."""

    def read(text: str) -> timedelta:
        if endless and text == "forever":
            return FOREVER
        found = _DURATION.fullmatch(text)
        if found is None:
            raise ValueError
        number, unit = int(found[1]), _UNITS[found[2]]
        if number > most // unit or number * unit < least:
            raise ValueError
        return number * unit

    limits = f"{_write_duration(least)} to {_write_duration(most)}"
    forever = ", or forever" if endless else ","
    expected = f"a time like 30d, 12h or 5m, {limits}{forever}"
    return Kind("TIME", expected, read, _write_duration)


def _write_duration(length: timedelta) -> str:
    if length == FOREVER:
        return "forever"
    unit = next(unit for unit, size in _UNITS.items() if not length % size)
    return f"{length // _UNITS[unit]}{unit}"


def _read_switch(text: str) -> bool:
    if text.lower() not in _SWITCH:
        raise ValueError
    return _SWITCH[text.lower()]


def words(text: str) -> tuple[str, ...]:
    """Return the words of a list with commas in between."""
    return tuple(word.strip() for word in text.split(",")) if text else ()


TEXT: Final = Kind("TEXT", "text", str)
PATH: Final = Kind("PATH", "a path", Path)
SWITCH: Final = Kind(
    "BOOLEAN",
    "true or false",
    _read_switch,
    lambda value: "true" if value else "false",
    plain=bool,
)
