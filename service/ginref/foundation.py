"""What a referee stands on: its data folder, its store, its seal and its archive.

Each is looked at before the referee takes work, and what is not fit is named.
"""

import contextlib
import logging
import re
import resource
from pathlib import Path
from typing import Final

from ginref import __version__
from ginref.adapters.archive import open_archive
from ginref.adapters.embedded_server import EmbeddedServer
from ginref.adapters.own_folder import is_own
from ginref.adapters.redis_address import UnsupportedStoreError
from ginref.adapters.redis_store import RedisStore, open_store
from ginref.adapters.sealing import AesSealer
from ginref.app.port import Archive, Registry, SealError, StoreUnavailableError
from ginref.app.trace import Tracer
from ginref.config import ServeConfig
from ginref.setting import masked
from ginref.setting_kind import Part

_LOG: Final = logging.getLogger(__name__)

_SEAL: Final = "seal"

FILES_MOST: Final = 65_536
"""Open files that a process asks for, if it may have so many."""

_DATA_MARK: Final = re.compile(
    r"operator\.token|referee\.(json|log)|house|keys|records|store|tls"
)
"""What a data folder holds after a start, or from the one who starts a referee."""

_CAVEATS: Final = {
    "local/everysec": (
        "a server that is killed while its disk is busy forgets what it acknowledged"
        " last, unless appendfsync is always"
    ),
    "replicated/everysec": (
        "a primary that is killed and back before a replica takes over may have"
        " forgotten what it acknowledged last, and its replicas then forget it, too,"
        " unless appendfsync is always"
    ),
}
"""What fit stores can still lose without a power cut."""


class StartError(Exception):
    """The referee cannot start; the message says why and what to do."""


def allow_files() -> None:
    """Let this process open as many files as it may: each connection is one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES_MOST if hard == resource.RLIM_INFINITY else min(hard, FILES_MOST)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def make_data_folder(folder: Path) -> None:
    """Make the data folder, unless it is there.

    Raises:
        StartError: It cannot be made, or belongs to others.
    """
    try:
        if not is_own(folder, _DATA_MARK):
            raise StartError(
                f"{folder} holds other things: --data needs a folder of its own"
            )
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        message = f"{error.filename or folder}: {error.strerror or error}"
        raise StartError(message) from error


def shown(store: str | None) -> str:
    """Return a store's URL without the password that it may hold."""
    return "embedded" if store is None else masked(store)


async def ready_archive(config: ServeConfig) -> Archive:
    """Return the archive, ready to take records where they are signed here.

    Raises:
        StartError: It cannot take them.
    """
    try:
        archive = open_archive(config.records)
        if Part.SIGNER in config.roles:
            await archive.prepare()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        message = f"{config.records} cannot keep records: {reason}"
        raise StartError(message) from error
    return archive


async def check_seal(
    config: ServeConfig, registry: Registry, sealer: AesSealer
) -> None:
    """Keep away from matches that only another key can open.

    Nobody could go on with them, and in the end they would be taken for damaged.

    Raises:
        StartError: The store is sealed with another key.
    """
    kept = await registry.add("seal", _SEAL, sealer.seal(b"", _SEAL).hex())
    try:
        sealer.open(bytes.fromhex(kept), _SEAL)
    except (SealError, ValueError) as error:
        message = (
            f"the store is sealed with another key than that in {config.keys_folder}:"
            " all referees of a store share one --keys folder"
        )
        raise StartError(message) from error


async def start_tracer(
    config: ServeConfig, stack: contextlib.AsyncExitStack
) -> Tracer | None:
    """Return what traces calls until the stack ends; None if nobody collects them.

    Raises:
        StartError: This installation cannot send traces.
    """
    if config.otel_endpoint is None:
        return None
    try:
        # An extra, which most do without.
        from ginref.adapters.tracing import open_tracer  # noqa: PLC0415
    except ImportError as error:
        raise StartError("otel_endpoint: install ginref[otel] for that") from error
    tracer = open_tracer(config.otel_endpoint, __version__)
    stack.push_async_callback(tracer.aclose)
    return tracer


async def start_store(
    config: ServeConfig,
    stack: contextlib.AsyncExitStack,
    tracer: Tracer | None = None,
) -> RedisStore:
    """Return the store of the settings, or an embedded one that ends with the stack."""
    url = config.store
    if url is None:
        embedded = EmbeddedServer(config.data / "store")
        url = await stack.enter_async_context(embedded)
    store = open_store(url, tracer)
    stack.push_async_callback(store.aclose)
    return store


async def fit_durability(config: ServeConfig, store: RedisStore) -> str:
    """Return what the store promises, which is enough for matches.

    Raises:
        StartError: It is not enough, and nobody has said that it will do.
    """
    reported = await store.durability()
    if reported.problems and not config.assume_durable:
        listed = "; ".join(reported.problems)
        message = f"the store is not fit for matches: {listed}"
        raise StartError(message)
    if caveat := _CAVEATS.get(reported.mode):
        _LOG.warning("the store is %s: %s", reported.mode, caveat)
    return reported.mode


async def store_problems(config: ServeConfig, store: RedisStore) -> tuple[str, ...]:
    """Return why matches should not be trusted to the store now."""
    try:
        reported = await store.durability()
    except StoreUnavailableError:
        return ("the store does not answer",)
    except UnsupportedStoreError as error:
        return (str(error),)
    return () if config.assume_durable else reported.problems
