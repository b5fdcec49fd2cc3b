"""Settings of a referee: the one table of them, and where each value came from.

A setting comes from the command line, else from the environment as `GINREF_<NAME>`,
else from a file, else from its default. A name that is no setting is refused. Whatever
knows settings by name, the options of `ginref serve` first of all, knows them from
`SETTINGS`, which is made of the fields of `ServeConfig`.
"""

import enum
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any, Final, get_type_hints

from ginref.app.limit import DEFAULTS, Limits, read_limits
from ginref.setting import (
    FOREVER,
    PATH,
    PREFIX,
    SWITCH,
    TEXT,
    WORDS,
    ConfigError,
    Kind,
    Setting,
    choice,
    count,
    duration,
    hint,
    matching,
    words,
)

_CLIENT_NAMES: Final = frozenset({"URL", "TOKEN", "TOKEN_FILE"})
"""Names that bots read from the same environment."""

WORKERS_MOST: Final = 64

_WORKERS_ADMIN: Final = "127.0.0.1:7979"
"""Where probes of several workers begin, clear of the ports of their API."""

_SHARED_AGE_MS: Final = 300_000

PLACES: Final = "What is kept where"
ADDRESSES: Final = "Who can reach it"
WORK: Final = "What it does"
TELLING: Final = "What it tells"

LOG_FORMATS: Final = ("text", "json")
LOG_LEVELS: Final = ("debug", "info", "warning", "error")


class Part(enum.StrEnum):
    """What one process of the referee does."""

    REFEREE = "referee"
    SWEEPER = "sweeper"
    SIGNER = "signer"
    RUNNER = "runner"


_ADDRESS: Final = replace(TEXT, metavar="HOST:PORT", expected="an address")
_STORE: Final = replace(TEXT, metavar="URL", expected="a URL")
_ARCHIVE: Final = replace(TEXT, metavar="PLACE", expected="a folder or s3://")
_KEEP: Final = duration(timedelta(minutes=1), timedelta(days=36_500))
_BOTS: Final = replace(WORDS, metavar="BOTS", expected="names of bots")
_ROLES: Final = Kind(
    "ROLES",
    f"some of {', '.join(Part)}",
    lambda text: frozenset(map(Part, words(text))),
    lambda parts: ",".join(part for part in Part if part in parts),
    plain=list,
)
_MS: Final = replace(count(0), metavar="MS")
_LIMITS: Final = Kind(
    "LIMITS", "limits such as creates=5/50,watches=off, or off,", read_limits
)
_ENDPOINT: Final = matching(
    r"https?://[^\s/@?#]+/?", "URL", "http://host:port or https"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeConfig:
    """Settings of `ginref serve`, each with all that is to know of it."""

    data: Annotated[
        Path, Setting(PATH, PLACES, "Folder for all that is kept on disk.")
    ] = Path("ginref-data")
    store: Annotated[
        str | None,
        Setting(
            _STORE,
            PLACES,
            "URL of a Redis or Valkey server, or file:PATH of a file that holds it.",
            "an embedded store",
            is_secret=True,
        ),
    ] = None
    keys: Annotated[
        Path | None,
        Setting(PATH, PLACES, "Folder of signing keys.", "keys in the data folder"),
    ] = None
    archive: Annotated[
        str | None,
        Setting(
            _ARCHIVE,
            PLACES,
            "Where signed records are kept: a folder, or s3://bucket/prefix.",
            "records in the data folder",
        ),
    ] = None
    keep: Annotated[
        timedelta,
        Setting(
            _KEEP,
            PLACES,
            "Time that the store keeps a match whose record is archived:"
            " 30d, 12h, forever.",
        ),
    ] = timedelta(days=30)
    assume_durable: Annotated[
        bool,
        Setting(
            SWITCH,
            PLACES,
            "Take work although the store does not tell what it promises.",
        ),
    ] = False

    listen: Annotated[
        str,
        Setting(
            _ADDRESS, ADDRESSES, "Address of the gRPC API; port 0 picks a free one."
        ),
    ] = "127.0.0.1:7878"
    admin: Annotated[
        str,
        Setting(
            _ADDRESS,
            ADDRESSES,
            "Address of metrics, probes and public keys; port 0 picks a free one.",
            f"127.0.0.1:7879; {_WORKERS_ADMIN} with several workers",
        ),
    ] = "127.0.0.1:7879"
    allow_plaintext: Annotated[
        bool, Setting(SWITCH, ADDRESSES, "Serve without TLS beyond this machine.")
    ] = False
    tls_cert: Annotated[
        Path | None, Setting(PATH, ADDRESSES, "Certificate chain in PEM.", "none")
    ] = None
    tls_key: Annotated[
        Path | None, Setting(PATH, ADDRESSES, "Private key in PEM.", "none")
    ] = None
    connection_age_ms: Annotated[
        int | None,
        Setting(
            _MS,
            ADDRESSES,
            "Milliseconds until a connection is made anew, so that load spreads;"
            " 0 for never.",
            f"never; {_SHARED_AGE_MS} with several workers",
        ),
    ] = None

    roles: Annotated[
        frozenset[Part],
        Setting(_ROLES, WORK, f"What this process does: {_ROLES.expected}.", "all"),
    ] = frozenset(Part)
    workers: Annotated[
        int,
        Setting(
            count(1, WORKERS_MOST),
            WORK,
            "Processes that serve side by side, at ports in a row.",
        ),
    ] = 1
    worker: Annotated[
        int | None,
        Setting(
            count(0, WORKERS_MOST - 1),
            WORK,
            "Which of them this process is.",
            "one that stands alone",
            is_internal=True,
        ),
    ] = None
    drain_ms: Annotated[
        int, Setting(_MS, WORK, "Milliseconds for calls to end at a stop.")
    ] = 3000
    limits: Annotated[
        Limits,
        Setting(
            _LIMITS,
            WORK,
            "How much each token may ask for: NAME=PER_SECOND/BURST, NAME=MOST or"
            " NAME=off, with commas; off for no limits.",
            "generous ones",
        ),
    ] = DEFAULTS
    house: Annotated[
        tuple[str, ...],
        Setting(
            _BOTS,
            WORK,
            "Bots that anybody may challenge here: some of careful, simple.",
            "none",
        ),
    ] = ()
    dev: Annotated[
        bool, Setting(SWITCH, WORK, "Allow seeded deals and gRPC reflection.")
    ] = False

    log_format: Annotated[
        str,
        Setting(
            choice(*LOG_FORMATS),
            TELLING,
            "Form of the log on standard error: text, or one line of JSON an event.",
        ),
    ] = "text"
    log_level: Annotated[
        str,
        Setting(
            choice(*LOG_LEVELS),
            TELLING,
            f"How much is logged: {', '.join(LOG_LEVELS)}; with debug every call.",
        ),
    ] = "info"
    otel_endpoint: Annotated[
        str | None,
        Setting(
            _ENDPOINT,
            TELLING,
            "Collector of OpenTelemetry that traces are sent to, by OTLP over gRPC.",
            "no traces",
        ),
    ] = None

    def __post_init__(self) -> None:
        """Refuse settings that contradict each other.

        Raises:
            ConfigError: Naming those at fault.
        """
        if (self.tls_cert is None) != (self.tls_key is None):
            raise ConfigError("give both or neither", "tls_cert", "tls_key")
        if not self.roles:
            raise ConfigError("at least one is needed", "roles")
        if self.house and Part.REFEREE not in self.roles:
            raise ConfigError("bots need the role referee to play on", "house", "roles")
        if len(set(self.house)) < len(self.house):
            raise ConfigError("each bot once", "house")

    @property
    def keep_ms(self) -> int | None:
        """Milliseconds that the store keeps an archived match; None for ever."""
        return None if self.keep == FOREVER else self.keep // timedelta(milliseconds=1)

    @property
    def connection_age(self) -> int | None:
        """Milliseconds that a connection lasts; None for as long as it will."""
        if self.connection_age_ms is not None:
            return self.connection_age_ms or None
        return _SHARED_AGE_MS if self.workers > 1 else None

    @property
    def keys_folder(self) -> Path:
        """Folder of signing keys."""
        return self.keys or self.data / "keys"

    @property
    def records(self) -> str:
        """Where signed records are kept: a folder, or `s3://bucket/prefix`."""
        return self.archive or str(self.data / "records")


def _settings() -> dict[str, Setting]:
    hints = get_type_hints(ServeConfig, include_extras=True)
    return {
        field.name: replace(
            hints[field.name].__metadata__[0], name=field.name, default=field.default
        )
        for field in fields(ServeConfig)
    }


SETTINGS: Final[Mapping[str, Setting]] = _settings()
"""All settings by name, in the order in which they are told."""


@dataclass(frozen=True, slots=True)
class Told:
    """What somebody gave for a setting.

    Attributes:
        value: A text, or what a file may hold instead.
        place: Where: an option, a variable, a line of a file.
    """

    value: object
    place: str


@dataclass(frozen=True, slots=True)
class Effective:
    """Settings that hold, and who gave them.

    Attributes:
        config: The settings.
        origins: Where each came from that is not a default, by name.
    """

    config: ServeConfig
    origins: Mapping[str, str]


def from_options(given: Mapping[str, str | bool | None]) -> dict[str, Told]:
    """Return what the command line gives.

    Args:
        given: What was given, by name; None for what was not.

    Raises:
        ConfigError: A name that is no setting.
    """
    told = {}
    for name, value in given.items():
        if name not in SETTINGS:
            raise ConfigError(f"{name}: no setting of that name{hint(name, SETTINGS)}")
        if value is not None:
            plain = str(value) if isinstance(value, bool) else value
            told[name] = Told(plain, SETTINGS[name].option)
    return told


def from_environment(environment: Mapping[str, str]) -> dict[str, Told]:
    """Return what environment variables give.

    Raises:
        ConfigError: A name that is no setting, and none that bots read.
    """
    known = {setting.variable: name for name, setting in SETTINGS.items()}
    told = {}
    for variable, text in environment.items():
        if variable in known:
            told[known[variable]] = Told(text, variable)
        elif variable.startswith(PREFIX) and (
            variable.removeprefix(PREFIX) not in _CLIENT_NAMES
        ):
            near = hint(variable, known)
            raise ConfigError(f"{variable}: no setting of that name{near}")
    return told


def effective(*sources: Mapping[str, Told]) -> Effective:
    """Settle what holds; a source goes before those that stand before it.

    Raises:
        ConfigError: A value that cannot be read, or settings that contradict each
            other.
    """
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for source in sources:
        for name, told in source.items():
            values[name] = SETTINGS[name].read(told.value, told.place)
            origins[name] = told.place
    for name, place in origins.items():
        if SETTINGS[name].is_secret:
            values[name] = SETTINGS[name].reveal(values[name], place)
    if values.get("workers", 1) > 1:
        values.setdefault("admin", _WORKERS_ADMIN)
    try:
        config = ServeConfig(**values)
    except ConfigError as error:
        places = ", ".join(origins[name] for name in error.names if name in origins)
        raise ConfigError(f"{error} ({places})") from None
    return Effective(config, origins)


def read_config(
    given: Mapping[str, str | bool | None], environment: Mapping[str, str]
) -> ServeConfig:
    """Return what the command line and the environment say.

    Raises:
        ConfigError: A name that is unknown, a value that cannot be read, or settings
            that contradict each other.
    """
    return effective(from_environment(environment), from_options(given)).config


def to_environment(config: ServeConfig) -> dict[str, str]:
    """Return the variables by which another process reads the same settings."""
    return {
        setting.variable: setting.write(value)
        for name, setting in SETTINGS.items()
        if (value := getattr(config, name)) not in {None, ()}
    }
