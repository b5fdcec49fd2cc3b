"""Where a store is, as its URL says."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Final, NamedTuple
from urllib.parse import parse_qsl, unquote

SENTINEL_PORT: Final = 26379
SERVER_PORT: Final = 6379


class UnsupportedStoreError(ValueError):
    """A store that this version cannot use."""


class Way(Enum):
    """How the server that takes moves is found."""

    DIRECT = auto()
    SENTINEL = auto()
    CLUSTER = auto()


_WAYS: Final = {
    "unix": Way.DIRECT,
    "redis": Way.DIRECT,
    "rediss": Way.DIRECT,
    "redis+sentinel": Way.SENTINEL,
    "rediss+sentinel": Way.SENTINEL,
    "redis+cluster": Way.CLUSTER,
    "rediss+cluster": Way.CLUSTER,
}

_TLS_OPTIONS: Final = frozenset(
    {
        "ssl_ca_certs",
        "ssl_cert_reqs",
        "ssl_certfile",
        "ssl_check_hostname",
        "ssl_keyfile",
    }
)
_OPTIONS: Final = frozenset(
    {
        "db",
        "password",
        "replicas",
        "sentinel_password",
        "sentinel_username",
        "username",
    }
)


class Address(NamedTuple):
    """Where one server listens: host and port, or the path of a socket and 0."""

    host: str
    port: int

    def __str__(self) -> str:
        """Write it as people do."""
        if not self.port:
            return self.host
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Login:
    """Name and password at a server; empty where it wants none."""

    username: str = ""
    password: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreAddress:
    """What a store URL says.

    Attributes:
        way: How the server that takes moves is found.
        addresses: The server, the Sentinels, or some nodes of the cluster.
        service: Name of the server among its Sentinels.
        login: Name and password at the servers.
        sentinel_login: Name and password at the Sentinels.
        database: Number of the database.
        tls: Talk to all of them by TLS.
        tls_options: Settings of TLS by the driver's names.
        replicas: Replicas that must confirm each write, at least; None to take as
            many as there are; 0, where none takes over by itself, to ask none.
    """

    way: Way
    addresses: tuple[Address, ...]
    service: str = ""
    login: Login = field(default_factory=Login)
    sentinel_login: Login = field(default_factory=Login)
    database: int = 0
    tls: bool = False
    tls_options: Mapping[str, str] = field(default_factory=dict)
    replicas: int | None = None


def parse_store_url(url: str) -> StoreAddress:
    """Read a store URL.

    Raises:
        UnsupportedStoreError: It has another scheme, an unknown option, or cannot
            be read. The message holds no password.
    """
    scheme = url.partition("://")[0]
    way = _WAYS.get(scheme) if "://" in url else None
    if way is None:
        known = ", ".join(f"{name}://" for name in _WAYS)
        raise UnsupportedStoreError(
            f"not a store URL that is supported; use one of {known}"
        )
    try:
        return _read(way, url)
    except ValueError as error:
        raise UnsupportedStoreError(f"not a store URL: {error}") from error


def _read(way: Way, url: str) -> StoreAddress:
    scheme, _, rest = url.partition("://")
    rest, _, query = rest.partition("?")
    places, _, path = rest.partition("/")
    login, _, places = places.rpartition("@")
    username, _, password = login.partition(":")
    options = dict(parse_qsl(query, keep_blank_values=True))
    tls = scheme.startswith("rediss")
    if unknown := options.keys() - (_OPTIONS | _TLS_OPTIONS if tls else _OPTIONS):
        raise ValueError(f"{scheme}:// has no option {', '.join(sorted(unknown))}")
    name = unquote(path)
    _demand_name(way, scheme, places, name)
    if scheme == "unix":
        addresses: tuple[Address, ...] = (Address(f"/{name}", 0),)
    else:
        port = SENTINEL_PORT if way is Way.SENTINEL else SERVER_PORT
        addresses = tuple(_address(place, port) for place in places.split(","))
    if way is Way.DIRECT and len(addresses) > 1:
        raise ValueError("several hosts need redis+sentinel:// or redis+cluster://")
    in_path = name if scheme in {"redis", "rediss"} else ""
    database = _count("db", options.get("db", in_path or "0"), 0)
    if way is Way.CLUSTER and database:
        raise ValueError("a cluster has no database but 0")
    replicas = options.get("replicas")
    return StoreAddress(
        way=way,
        addresses=addresses,
        service=name if way is Way.SENTINEL else "",
        login=Login(
            options.get("username", unquote(username)),
            options.get("password", unquote(password)),
        ),
        sentinel_login=Login(
            options.get("sentinel_username", ""), options.get("sentinel_password", "")
        ),
        database=database,
        tls=tls,
        tls_options={name: options[name] for name in options.keys() & _TLS_OPTIONS},
        replicas=None
        if replicas is None
        else _count("replicas", replicas, 0 if way is Way.DIRECT else 1),
    )


def _demand_name(way: Way, scheme: str, places: str, name: str) -> None:
    """Check what stands after the hosts.

    Raises:
        ValueError: It is missing, or too much.
    """
    if scheme == "unix" and (not name or places):
        raise ValueError("unix:// wants the path of a socket and no host")
    if way is Way.SENTINEL and not name:
        raise ValueError("redis+sentinel:// wants the name of the service as its path")
    if way is Way.CLUSTER and name:
        raise ValueError("redis+cluster:// has no path")


def _address(place: str, usual_port: int) -> Address:
    """Read `host`, `host:port` or `[host]:port`.

    Raises:
        ValueError: There is no host, or the port is none.
    """
    if place.startswith("["):
        host, _, rest = place[1:].partition("]")
        port = rest.removeprefix(":")
    else:
        host, _, port = place.partition(":")
    if not host:
        raise ValueError("a host is missing")
    return Address(host, _count("port", port, 1) if port else usual_port)


def _count(name: str, text: str, least: int) -> int:
    if not (text.isascii() and text.isdigit()) or int(text) < least:
        raise ValueError(f"{name}: a whole number from {least} on expected")
    return int(text)
