"""Settings of a referee: every name it knows, and where each value came from.

A setting comes from the command line, else from the environment as `GINREF_<NAME>`,
else from its default. A name that is no setting is refused.
"""

import enum
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

PREFIX: Final = "GINREF_"

_CLIENT_NAMES: Final = frozenset({"URL", "TOKEN", "TOKEN_FILE"})
"""Names that bots read from the same environment."""

WORKERS_MOST: Final = 64

_WORKERS_ADMIN: Final = "127.0.0.1:7979"
"""Where probes of several workers begin, clear of the ports of their API."""

_SHARED_AGE_MS: Final = 300_000

FOREVER: Final = timedelta.max
"""A length of time without an end, written `forever`."""

_KEEP_LEAST: Final = timedelta(minutes=1)
_KEEP_MOST: Final = timedelta(days=36_500)

_DURATION: Final = re.compile(r"([0-9]{1,8})([smhd])")
_UNITS: Final = {
    "s": timedelta(seconds=1),
    "m": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
}

_TRUE: Final = frozenset({"1", "true", "yes", "on"})
_FALSE: Final = frozenset({"0", "false", "no", "off"})


class ConfigError(ValueError):
    """A setting that cannot be used; the message names it."""


class Part(enum.StrEnum):
    """What one process of the referee does."""

    REFEREE = "referee"
    SWEEPER = "sweeper"
    SIGNER = "signer"
    RUNNER = "runner"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeConfig:
    """Settings of `ginref serve`.

    Attributes:
        data: Folder for all that the referee keeps on disk.
        store: URL of a Redis or Valkey server; None runs an embedded one. It is read
            from a file if it is given as `file:PATH`.
        keys: Folder of signing keys; None for one in `data`.
        archive: Where signed records are kept: a folder, or `s3://bucket/prefix`;
            None for a folder in `data`.
        keep: How long the store keeps a match whose record is archived.
        listen: Address of the gRPC API; port 0 picks a free one.
        admin: Address of metrics and probes; port 0 picks a free one.
        roles: What this process does.
        house: Bots that come with the client and that anybody may challenge here.
        dev: Allow seeded deals and gRPC reflection.
        allow_plaintext: Serve without TLS beyond this machine.
        tls_cert: Certificate chain in PEM.
        tls_key: Private key in PEM.
        assume_durable: Take work although the store does not tell what it promises.
        drain_ms: Milliseconds for calls to end when the referee stops.
        workers: Processes that serve side by side, each at the next port.
        worker: Which of them this process is; None for one that stands alone, or
            that looks after the others.
        connection_age_ms: Milliseconds after which a connection is made anew, so
            that load spreads; 0 for never, None for never unless there are several
            workers.
    """

    data: Path = Path("ginref-data")
    store: str | None = None
    keys: Path | None = None
    archive: str | None = None
    keep: timedelta = timedelta(days=30)
    listen: str = "127.0.0.1:7878"
    admin: str = "127.0.0.1:7879"
    roles: frozenset[Part] = frozenset(Part)
    house: tuple[str, ...] = ()
    dev: bool = False
    allow_plaintext: bool = False
    tls_cert: Path | None = None
    tls_key: Path | None = None
    assume_durable: bool = False
    drain_ms: int = 3000
    workers: int = 1
    worker: int | None = None
    connection_age_ms: int | None = None

    def __post_init__(self) -> None:
        """Refuse settings that contradict each other.

        Raises:
            ConfigError: Naming a setting at fault.
        """
        if (self.tls_cert is None) != (self.tls_key is None):
            message = "tls_cert and tls_key: give both or neither"
            raise ConfigError(message)
        if not self.roles:
            message = "roles: at least one is needed"
            raise ConfigError(message)
        if self.house and Part.REFEREE not in self.roles:
            message = "house: bots need the role referee to play on"
            raise ConfigError(message)
        if len(set(self.house)) < len(self.house):
            message = "house: each bot once"
            raise ConfigError(message)
        if self.drain_ms < 0:
            message = f"drain_ms: {self.drain_ms}: 0 or more expected"
            raise ConfigError(message)
        if not 1 <= self.workers <= WORKERS_MOST:
            message = f"workers: {self.workers}: 1 to {WORKERS_MOST} expected"
            raise ConfigError(message)

        if self.keep != FOREVER and not _KEEP_LEAST <= self.keep <= _KEEP_MOST:
            message = "keep: 1m to 36500d expected, or forever"
            raise ConfigError(message)

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


def read_config(
    given: Mapping[str, Any], environment: Mapping[str, str]
) -> ServeConfig:
    """Combine what was given on the command line with the environment.

    Args:
        given: Settings by name; None for those that were not given.
        environment: Environment variables.

    Raises:
        ConfigError: An unknown name, or a value that cannot be read.
    """
    names = {field.name for field in fields(ServeConfig)}
    values: dict[str, Any] = {}
    for variable, text in environment.items():
        if not variable.startswith(PREFIX):
            continue
        word = variable.removeprefix(PREFIX)
        name = word.lower()
        if name in names:
            values[name] = _read(name, text)
        elif word not in _CLIENT_NAMES:
            message = f"{variable}: no setting of that name"
            raise ConfigError(message)
    for name, value in given.items():
        if name not in names:
            message = f"{name}: no setting of that name"
            raise ConfigError(message)
        if value is not None:
            values[name] = _read(name, value) if isinstance(value, str) else value
    if values.get("workers", 1) > 1:
        values.setdefault("admin", _WORKERS_ADMIN)
    return ServeConfig(**values)


def to_environment(config: ServeConfig) -> dict[str, str]:
    """Return the variables by which another process reads the same settings."""
    values = {
        field.name: getattr(config, field.name)
        for field in fields(ServeConfig)
        if getattr(config, field.name) not in {None, ()}
    }
    return {f"{PREFIX}{name.upper()}": _write(value) for name, value in values.items()}


def _write(value: object) -> str:
    if isinstance(value, frozenset):
        return ",".join(sorted(value))
    if isinstance(value, tuple):
        return ",".join(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, timedelta):
        return "forever" if value == FOREVER else f"{value // _UNITS['s']}s"
    return str(value)


def _read(name: str, text: str) -> object:
    if not text:
        message = f"{name}: a value is missing"
        raise ConfigError(message)
    read = _READERS.get(name)
    return text if read is None else read(name, text)


def _read_path(_: str, text: str) -> Path:
    return Path(text)


def _read_store(name: str, text: str) -> str:
    # A password among the variables of a process is read by whoever may look at it.
    scheme, _, path = text.partition(":")
    if scheme != "file":
        return text
    try:
        url = Path(path).read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        message = f"{name}: {path}: a file that holds a URL expected"
        raise ConfigError(message) from None
    if not url:
        message = f"{name}: {path}: a value is missing"
        raise ConfigError(message)
    return url


def _read_names(_: str, text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(","))


def _read_roles(_: str, text: str) -> frozenset[Part]:
    try:
        return frozenset(Part(word.strip()) for word in text.split(","))
    except ValueError:
        known = ", ".join(Part)
        message = f"roles: {text!r}: some of {known} expected, separated by commas"
        raise ConfigError(message) from None


def _read_duration(name: str, text: str) -> timedelta:
    if text == "forever":
        return FOREVER
    found = _DURATION.fullmatch(text)
    if found is None:
        message = f"{name}: {text!r}: a time like 30d, 12h, 5m or forever expected"
        raise ConfigError(message)
    return int(found[1]) * _UNITS[found[2]]


def _read_switch(name: str, text: str) -> bool:
    word = text.lower()
    if word not in _TRUE | _FALSE:
        message = f"{name}: {text!r}: true or false expected"
        raise ConfigError(message)
    return word in _TRUE


def _read_count(name: str, text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        message = f"{name}: {text!r}: a whole number expected"
        raise ConfigError(message)
    return int(text)


_READERS: Final[Mapping[str, Callable[[str, str], object]]] = {
    **dict.fromkeys(("data", "keys", "tls_cert", "tls_key"), _read_path),
    **dict.fromkeys(("dev", "allow_plaintext", "assume_durable"), _read_switch),
    **dict.fromkeys(
        ("drain_ms", "workers", "worker", "connection_age_ms"), _read_count
    ),
    "house": _read_names,
    "keep": _read_duration,
    "roles": _read_roles,
    "store": _read_store,
}
"""How a text becomes a value, where it is not one already."""
