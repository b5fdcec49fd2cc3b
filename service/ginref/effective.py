"""Which settings hold, and who gave them: a command line, variables, or a file.

The command line goes before the environment, the environment before the file, and the
file before the defaults. All that cannot be used is named, each with its place.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Final

from ginref.config import (
    SETTINGS,
    SHARED_LISTEN,
    WORKERS_ADMIN,
    WORKERS_HTTP,
    ServeConfig,
)
from ginref.setting import PREFIX, ConfigError, Setting, Source

_CONFIG: Final = "config"

CONFIG_VARIABLE: Final = Source.ENVIRONMENT.spell(_CONFIG)
"""Variable that names the file of settings."""

_CLIENT_NAMES: Final = ("URL", "TOKEN", "TOKEN_FILE", "CLIENT_CERT", "CLIENT_KEY")

_OTHER_VARIABLES: Final = frozenset(
    {CONFIG_VARIABLE, *(f"{PREFIX}{name}" for name in _CLIENT_NAMES)}
)
"""Variables that are no settings: the file, and what bots read."""


@dataclass(frozen=True, slots=True)
class Told:
    """A value that somebody gave.

    Attributes:
        name: What it was given for, which need not be a setting.
        value: A text, or what a file may hold instead.
        source: Who gave it.
        place: Where: an option, a variable, a line of a file.
    """

    name: str
    value: object
    source: Source
    place: str

    def __str__(self) -> str:
        """Place and name, as far as the place does not say it."""
        return (
            f"{self.place}: {self.name}" if self.source is Source.FILE else self.place
        )


@dataclass(frozen=True, slots=True)
class Effective:
    """Settings that hold, and who gave them.

    Attributes:
        config: The settings.
        told: What holds that is not a default, by name.
    """

    config: ServeConfig
    told: Mapping[str, Told]

    def source(self, name: str) -> Source:
        """Return who gave a setting."""
        return self.told[name].source if name in self.told else Source.DEFAULT

    def value(self, name: str) -> Any:  # noqa: ANN401
        """Return what holds for a setting, with what follows from others."""
        config = self.config
        match name:
            case "keys":
                return config.keys_folder
            case "archive":
                return config.records
            case "connection_age_ms":
                return config.connection_age or 0
            case _:
                return getattr(config, name)


def from_options(given: Mapping[str, str | bool | None]) -> Iterator[Told]:
    """Yield what the command line gives; None is what it does not."""
    for name, value in given.items():
        if value is not None:
            # A switch has no text of its own.
            text = str(value) if isinstance(value, bool) else value
            yield Told(name, text, Source.OPTION, Source.OPTION.spell(name))


def from_environment(environment: Mapping[str, str]) -> Iterator[Told]:
    """Yield what environment variables give, but for those that bots read."""
    for variable, text in environment.items():
        if variable.startswith(PREFIX) and variable not in _OTHER_VARIABLES:
            word = variable.removeprefix(PREFIX)
            # No setting is named in capitals.
            name = word.lower() if word == word.upper() else word.upper()
            yield Told(name, text, Source.ENVIRONMENT, variable)


def effective(*sources: Iterable[Told]) -> Effective:
    """Settle what holds; a source goes before those that stand before it.

    Raises:
        ConfigError: Names that are no settings, values that cannot be read, or
            settings that contradict each other.
    """
    values: dict[str, Any] = {}
    held: dict[str, Told] = {}
    problems: list[str] = []
    for told in (told for source in sources for told in source):
        try:
            values[told.name] = _setting(told).read(told.value, str(told))
            held[told.name] = told
        except ConfigError as error:
            problems.append(str(error))
    for name, told in held.items():
        try:
            # Only what holds is looked for in a file.
            values[name] = SETTINGS[name].reveal(values[name], str(told))
        except ConfigError as error:
            problems.append(str(error))
    if problems:
        raise ConfigError("\n".join(problems))
    if values.get("workers", 1) > 1:
        values.setdefault("admin", WORKERS_ADMIN)
        values.setdefault("http", WORKERS_HTTP)
    if values.get("share"):
        values.setdefault("listen", SHARED_LISTEN)
    try:
        config = ServeConfig(**values)
    except ConfigError as error:
        places = ", ".join(held[name].place for name in error.names if name in held)
        raise ConfigError(f"{error} ({places})" if places else str(error)) from None
    return Effective(config, held)


def _setting(told: Told) -> Setting:
    setting = SETTINGS.get(told.name)
    # Workers are given theirs as variables.
    public = told.source is Source.ENVIRONMENT
    if setting is not None and (public or not setting.is_internal):
        return setting
    known = [name for name, one in SETTINGS.items() if not one.is_internal]
    if told.source is not Source.FILE:
        known.append(_CONFIG)
    near = get_close_matches(told.name.lower().replace("-", "_"), known, n=1)
    hint = f"; did you mean {told.source.spell(near[0])}?" if near else ""
    raise ConfigError(f"{told}: no setting of that name{hint}")


def to_environment(config: ServeConfig) -> dict[str, str]:
    """Return the variables by which another process reads the same settings."""
    return {
        setting.variable: setting.write(value)
        for name, setting in SETTINGS.items()
        if (value := getattr(config, name)) is not None and value != ()
    }
