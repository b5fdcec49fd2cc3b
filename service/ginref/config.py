"""Settings of a referee: the one table of them.

`SETTINGS` is made of the fields of `ServeConfig`. Whatever knows settings by name knows
them from there: the options of `ginref serve`, the variables, the file and its example.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import timedelta
from itertools import combinations
from pathlib import Path
from typing import Annotated, Final, get_type_hints

from ginref.app.limit import DEFAULTS, Limits
from ginref.setting import (
    FOREVER,
    PATH,
    SWITCH,
    ConfigError,
    Setting,
    choice,
    count,
)
from ginref.setting_kind import (
    ADDRESS,
    ANYONE,
    ARCHIVE,
    BOTS,
    ENDPOINT,
    HTTP,
    KEEP,
    LIMITS,
    LOG_FORMATS,
    LOG_LEVELS,
    MS,
    OFF,
    ORIGINS,
    ROLES,
    STORE,
    Part,
)
from ginref.transport.address import Address, BindError

WORKERS_MOST: Final = 64

WORKERS_ADMIN: Final = "127.0.0.1:7979"
"""Where probes of several workers begin, clear of the ports of their API."""

WORKERS_HTTP: Final = "127.0.0.1:8079"
"""Where the pages of several workers begin, clear of both."""

SHARED_LISTEN: Final = "0.0.0.0:7878"
"""Where a referee listens that is shared, if nothing else is said."""

_SHARED_AGE_MS: Final = 300_000

PLACES: Final = "What is kept where"
ADDRESSES: Final = "Who can reach it"
WORK: Final = "What it does"
TELLING: Final = "What it tells"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeConfig:
    """Settings of `ginref serve`, each with all that is to know of it."""

    data: Annotated[
        Path, Setting(PATH, PLACES, "Folder for all that is kept on disk.")
    ] = Path("ginref-data")
    store: Annotated[
        str | None,
        Setting(
            STORE,
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
            ARCHIVE,
            PLACES,
            "Where signed records are kept: a folder, or s3://bucket/prefix.",
            "records in the data folder",
        ),
    ] = None
    keep: Annotated[
        timedelta,
        Setting(
            KEEP,
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
            ADDRESS,
            ADDRESSES,
            "Address of the gRPC API; port 0 picks a free one.",
            f"127.0.0.1:7878; {SHARED_LISTEN} with --share",
        ),
    ] = "127.0.0.1:7878"
    http: Annotated[
        str,
        Setting(
            HTTP,
            ADDRESSES,
            "Address of the pages and of the API over HTTP, or off; port 0 picks a"
            " free one.",
            f"127.0.0.1:7880; {WORKERS_HTTP} with several workers",
        ),
    ] = "127.0.0.1:7880"
    http_origins: Annotated[
        tuple[str, ...],
        Setting(
            ORIGINS,
            ADDRESSES,
            "Whose pages may call the API over HTTP, such as https://example.org; *"
            " for all.",
            "none",
        ),
    ] = ()
    spectators: Annotated[
        str,
        Setting(
            choice(ANYONE, "token"),
            ADDRESSES,
            "Who may look on over HTTP: anyone, or whoever has a token.",
        ),
    ] = ANYONE
    admin: Annotated[
        str,
        Setting(
            ADDRESS,
            ADDRESSES,
            "Address of metrics, probes and public keys; port 0 picks a free one.",
            f"127.0.0.1:7879; {WORKERS_ADMIN} with several workers",
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
    tls_client_ca: Annotated[
        Path | None,
        Setting(
            PATH,
            ADDRESSES,
            "Roots in PEM: whoever connects needs a certificate of theirs.",
            "none",
        ),
    ] = None
    share: Annotated[
        bool,
        Setting(
            SWITCH,
            ADDRESSES,
            "Let others join by one line: with a certificate of its own, if none is"
            " named, at all addresses, if none is given to listen on.",
        ),
    ] = False
    connection_age_ms: Annotated[
        int | None,
        Setting(
            MS,
            ADDRESSES,
            "Milliseconds until a connection is made anew, so that load spreads;"
            " 0 for never.",
            f"never; {_SHARED_AGE_MS} with several workers",
        ),
    ] = None

    roles: Annotated[
        frozenset[Part],
        Setting(ROLES, WORK, f"What this process does: {ROLES.expected}.", "all"),
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
        int, Setting(MS, WORK, "Milliseconds for calls to end at a stop.")
    ] = 3000
    limits: Annotated[
        Limits,
        Setting(
            LIMITS,
            WORK,
            "How much each token may ask for: NAME=PER_SECOND/BURST, NAME=MOST or"
            " NAME=off, with commas; off for no limits.",
            "generous ones",
        ),
    ] = DEFAULTS
    house: Annotated[
        tuple[str, ...],
        Setting(
            BOTS,
            WORK,
            f"Bots that anybody may challenge here: {BOTS.expected}.",
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
            ENDPOINT,
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
        if self.tls_client_ca is not None:
            if self.tls_cert is None:
                what = "certificates of clients need one of the referee"
                raise ConfigError(what, "tls_client_ca", "tls_cert")
            if self.share or self.house:
                raise ConfigError(
                    "who comes so has no certificate of those roots",
                    "tls_client_ca",
                    "share" if self.share else "house",
                )
        if not self.roles:
            raise ConfigError("at least one is needed", "roles")
        if self.house and Part.REFEREE not in self.roles:
            raise ConfigError("bots need the role referee to play on", "house", "roles")
        if self.share and Part.REFEREE not in self.roles:
            raise ConfigError("others join the role referee", "share", "roles")
        if len(set(self.house)) < len(self.house):
            raise ConfigError("each bot once", "house")
        if Part.REFEREE in self.roles:
            self._check_addresses()

    def _check_addresses(self) -> None:
        names = ("listen", "admin", *(("http",) if self.http != OFF else ()))
        try:
            rows = {name: Address.parse(getattr(self, name)) for name in names}
        except BindError as error:
            raise ConfigError(str(error)) from None
        listen, http = rows["listen"], rows.get("http")
        is_secured = self.tls_cert is not None or self.share
        if not (listen.is_loopback or self.allow_plaintext or is_secured):
            raise ConfigError(
                f"{listen} is reached from elsewhere: give tls_cert and tls_key, or"
                " allow_plaintext",
                "listen",
            )
        is_open = self.allow_plaintext or self.tls_cert is not None
        if http is not None and not (http.is_loopback or is_open):
            raise ConfigError(
                f"{http} is reached from elsewhere: give tls_cert and tls_key, or"
                " allow_plaintext",
                "http",
            )
        # A worker has one port of each row.
        row = self.workers if self.worker is None else 1
        for (name, one), (other_name, other) in combinations(rows.items(), 2):
            are_apart = one.host != other.host or 0 in {one.port, other.port}
            if not are_apart and abs(one.port - other.port) < row:
                what = "each needs ports of its own, as many as there are workers"
                raise ConfigError(what, name, other_name)

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
