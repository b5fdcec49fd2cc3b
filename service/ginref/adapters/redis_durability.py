"""What a store reports about keeping what it has acknowledged."""

from collections.abc import Iterator
from typing import Any, Final

from ginref.adapters.redis_address import UnsupportedStoreError
from ginref.adapters.redis_connection import RedisConnection
from ginref.adapters.redis_status import Status
from ginref.app.match_store import Durability

LEAST_VERSION: Final = (7, 0)

_SETTINGS: Final = ("appendfsync", "min-replicas-to-write")
_UNKNOWN: Final = "unknown"
_FROM_WEAK_TO_STRONG: Final = (_UNKNOWN, "no", "everysec", "always")


class UnsupportedServerError(UnsupportedStoreError):
    """A server that is too old: no setting makes it fit."""


async def durability(connection: RedisConnection) -> Durability:
    """Ask every server that takes writes for its settings and its state.

    Raises:
        StoreUnavailableError: One does not answer.
        UnsupportedServerError: One is older than 7.0.
    """
    commands = [("CONFIG", "GET", name) for name in _SETTINGS]
    found = await connection.ask_servers(*commands, ("CLUSTER", "INFO"))
    problems: list[str] = []
    flushes: list[str] = []
    keeps_files = True
    for address, status, (*answers, cluster) in found:
        settings = dict(zip(_SETTINGS, map(_setting, answers), strict=True))
        _demand_version(status, str(address))
        flush = settings["appendfsync"] or _UNKNOWN
        flushes.append(flush if flush in _FROM_WEAK_TO_STRONG else _UNKNOWN)
        keeps_files = keeps_files and status.has_file is not False
        least = settings["min-replicas-to-write"]
        wanted = connection.replicas_wanted(address, status)
        texts = [
            *_setting_problems(status, settings),
            *_state_problems(status, cluster),
            *_replica_problems(status, wanted, int(least or 0)),
        ]
        prefix = f"{address}: " if len(found) > 1 else ""
        problems += [prefix + text for text in texts]
    weakest = min(flushes, key=_FROM_WEAK_TO_STRONG.index)
    return Durability(
        mode=_mode(
            weakest,
            is_replicated=connection.is_replicated,
            keeps_files=keeps_files,
        ),
        problems=tuple(problems),
    )


def _mode(flush: str, *, is_replicated: bool, keeps_files: bool) -> str:
    if not keeps_files:
        return "none"
    if is_replicated:
        return f"replicated/{flush}"
    return _UNKNOWN if flush == _UNKNOWN else f"local/{flush}"


def _setting(answer: Any) -> str | None:  # noqa: ANN401 - of CONFIG GET, or an error
    """Read a setting; None where the server does not show it."""
    return answer[1].decode() if isinstance(answer, list) and answer else None


def _demand_version(status: Status, place: str) -> None:
    if status.version is not None and status.version < LEAST_VERSION:
        version = ".".join(map(str, status.version))
        raise UnsupportedServerError(
            f"the server at {place} is of version {version}; 7.0 or later is needed"
        )


def _setting_problems(status: Status, settings: dict[str, str | None]) -> Iterator[str]:
    if None in settings.values():
        yield "the server does not show its settings (CONFIG GET)"
    if status.policy not in {"noeviction", None}:
        yield (
            f"maxmemory-policy is {status.policy}: matches may be thrown away;"
            " set noeviction"
        )
    if status.has_file is False:
        yield "appendonly is off: a restart loses matches; set it to yes"


def _state_problems(status: Status, cluster: object) -> Iterator[str]:
    if status.role is None:
        yield "the server does not show its state (INFO)"
    elif status.role != "master":
        yield "the server is a replica: it takes no moves"
    if status.is_loading:
        yield "the server still reads its files"
    if not status.file_works:
        yield "the server could not write its append-only file"
    if status.is_cluster and isinstance(cluster, bytes):
        lines = cluster.splitlines()
        if b"cluster_state:ok" not in lines:
            yield "cluster_state is not ok: some moves have no server"


def _replica_problems(status: Status, wanted: int, least: int) -> Iterator[str]:
    if status.replicas < wanted and status.role is not None:
        yield (
            f"replicas: {status.replicas} connected, {wanted} wanted:"
            " no move can be acknowledged"
        )
    good = status.good_replicas
    if good is not None and good < least:
        yield (
            f"min-replicas-to-write is {least}, and {good} keep up:"
            " the server takes no moves"
        )
