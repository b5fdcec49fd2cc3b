"""The composition root: builds a referee from its settings, runs it, and ends it."""

import asyncio
import contextlib
import logging
import secrets
import signal
import time
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Sequence,
)
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ginref import __version__
from ginref.adapters.addresses_file import addresses_file, publish
from ginref.adapters.collector import collect_seldom
from ginref.adapters.embedded_server import EmbeddedServerError
from ginref.adapters.key_folder import KeyFolder, KeyFolderError
from ginref.adapters.key_watch import KeyWatch
from ginref.adapters.masked_log import log_to_stderr, telling
from ginref.adapters.metrics import PrometheusObserver
from ginref.adapters.operator_token import keep_operator_token
from ginref.adapters.redis_address import UnsupportedStoreError
from ginref.adapters.redis_store import RedisStore
from ginref.adapters.sealing import AesSealer
from ginref.adapters.secret_file import SecretFileError
from ginref.app.allowance import Allowance
from ginref.app.desk import Desk
from ginref.app.gate import Gate
from ginref.app.hub import Hub
from ginref.app.keeper import Keeper
from ginref.app.port import StoreUnavailableError
from ginref.app.signing import Signing
from ginref.app.sweep import Sweeper
from ginref.app.tools import Tools
from ginref.app.tournament_parts import TournamentParts
from ginref.app.watch import Watcher
from ginref.config import ServeConfig
from ginref.foundation import (
    StartError,
    allow_files,
    check_seal,
    fit_durability,
    make_data_folder,
    ready_archive,
    shown,
    start_store,
    start_tracer,
    store_problems,
)
from ginref.setting_kind import ANYONE, OFF, Part
from ginref.transport.admin import AdminServer
from ginref.transport.page import page_routes
from ginref.transport.rest_server import RestOptions, RestServer
from ginref.transport.server import (
    METHODS,
    BindError,
    RefereeServer,
    ServerOptions,
)

_LOG: Final = logging.getLogger(__name__)

_CANCEL_PATIENCE: Final = 0.1

House = Callable[[str], contextlib.AbstractAsyncContextManager[Sequence[str]]]
"""Lets house bots play at a referee's addresses; yields their names."""

Invite = Callable[[str], Awaitable[None]]
"""Tells others how to join a referee at its addresses."""


class SecretChance:
    """Secrets from the operating system."""

    def token(self, size: int) -> bytes:
        """Return unpredictable bytes."""
        return secrets.token_bytes(size)


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """A referee that runs.

    Attributes:
        grpc: Address of the gRPC API.
        http: Address of the pages and of the API over HTTP; empty without them.
        admin: Address of metrics, probes and public keys.
        durability: What the store promises.
        operator_token: File with the operator's token.
        key_id: Key that signs.
    """

    grpc: str
    http: str
    admin: str
    durability: str
    operator_token: Path
    key_id: str


async def serve(
    config: ServeConfig, tell: Callable[[str], None], house: House, invite: Invite
) -> None:
    """Run a referee until SIGTERM or Ctrl-C, and tell what a person wants to know.

    Raises:
        StartError: It cannot start.
    """
    log_to_stderr(as_json=config.log_format == "json", level=config.log_level)
    tell = telling(_LOG, tell, as_json=config.log_format == "json")
    allow_files()
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    async with running(config, stop) as referee, contextlib.AsyncExitStack() as stack:
        collect_seldom()
        if config.worker is not None:
            # Whoever looks after the workers speaks for them.
            await stop.wait()
            return
        bots = await stack.enter_async_context(house(referee.grpc))
        tell(f"ginref {__version__} is ready")
        tell(f"  gRPC API         {referee.grpc}")
        if referee.http:
            tell(f"  pages, REST API  {page_url(config, referee.http)}")
        tell(f"  metrics, probes  http://{referee.admin}/metrics, /readyz, /livez")
        tell(f"  store            {shown(config.store)} ({referee.durability})")
        tell(f"  operator token   {referee.operator_token}")
        tell(f"  signing key      {referee.key_id}")
        if bots:
            tell(f"  house bots       {', '.join(bots)}")
        await invite(referee.grpc)
        await stop.wait()
        tell("stopping: calls under way are finished first")


@contextlib.asynccontextmanager
async def running(config: ServeConfig, stop: asyncio.Event) -> AsyncIterator[Running]:
    """Run a referee for the length of the context.

    Args:
        config: Its settings.
        stop: Set from inside when the referee cannot go on.

    Raises:
        StartError: It cannot start.
    """
    async with contextlib.AsyncExitStack() as stack:
        try:
            referee = await _start(config, stop, stack)
        except (
            EmbeddedServerError,
            KeyFolderError,
            SecretFileError,
            UnsupportedStoreError,
            BindError,
        ) as error:
            raise StartError(str(error)) from error
        except StoreUnavailableError as error:
            message = f"{shown(config.store)}: the store does not answer: {error}"
            raise StartError(message) from error
        except OSError as error:
            message = f"{error.filename or config.data}: {error.strerror or error}"
            raise StartError(message) from error
        yield referee


async def _start(
    config: ServeConfig, stop: asyncio.Event, stack: contextlib.AsyncExitStack
) -> Running:
    make_data_folder(config.data)
    keys = KeyWatch(KeyFolder.open_or_create(config.keys_folder))
    archive = await ready_archive(config)
    tracer = await start_tracer(config, stack)
    store = await start_store(config, stack, tracer)
    durability = await fit_durability(config, store)
    registry = store.registry()
    observer = PrometheusObserver(
        version=__version__, store=durability, methods=METHODS
    )
    store.observed_by(observer)
    sealer = AesSealer.open_or_create(config.keys_folder)
    await check_seal(config, registry, sealer)
    keeper = Keeper(store, sealer)
    hub = Hub(store, keeper.doubt)
    tools = Tools(
        store=store,
        registry=registry,
        keeper=keeper,
        signer=keys.signer,
        jwks=keys.jwks,
        archive=archive,
        chance=SecretChance(),
        observer=observer,
        engine=__version__,
        allow_seeded=config.dev,
        allowance=Allowance(config.limits),
        hub=hub,
        tracer=tracer,
    )
    tournaments = TournamentParts.of(tools, store.tournaments(), sealer)
    desk = Desk(tools, tournaments.embargo)
    gate = Gate(registry, tools.chance, lambda: time.time_ns() // 1_000_000)
    token_file = await keep_operator_token(config.data, gate)
    for work in (keys.run(), *_work(config, tools, desk, tournaments)):
        await _in_background(stack, stop, work)
    admin = AdminServer(
        config.admin,
        ready=lambda: _problems(config, store, hub),
        metrics=observer.negotiated,
        keys=keys,
    )
    admin_address = await stack.enter_async_context(admin)
    grpc_address = http_address = ""
    if Part.REFEREE in config.roles:
        server = RefereeServer(
            desk,
            gate,
            Watcher(keeper, hub, observer, tournaments.embargo),
            tournaments.desk,
            tools,
            ServerOptions(
                listen=config.listen,
                dev=config.dev,
                allow_plaintext=config.allow_plaintext,
                tls_cert=config.tls_cert,
                tls_key=config.tls_key,
                tls_client_ca=config.tls_client_ca,
                drain_ms=config.drain_ms,
                connection_age_ms=config.connection_age,
            ),
            observer,
            observer,
        )
        grpc_address = await stack.enter_async_context(server)
        if config.http != OFF:
            http_address = await stack.enter_async_context(
                _http(config, server, gate, tools, observer)
            )
    facts = {"grpc": grpc_address, "http": http_address, "admin": admin_address}
    place = addresses_file(config.data, config.worker)
    publish(place, facts)
    stack.callback(place.unlink, missing_ok=True)
    return Running(
        grpc=grpc_address,
        http=http_address,
        admin=admin_address,
        durability=durability,
        operator_token=token_file,
        key_id=keys.signer().key_id,
    )


def _http(
    config: ServeConfig,
    server: RefereeServer,
    gate: Gate,
    tools: Tools,
    observer: PrometheusObserver,
) -> RestServer:
    """Return what serves the same services over HTTP, and pages beside them."""
    options = RestOptions(
        listen=config.http,
        origins=config.http_origins,
        has_guests=config.spectators == ANYONE,
        allow_plaintext=config.allow_plaintext,
        certificates=server.certificates,
        drain_ms=config.drain_ms,
    )
    return RestServer(
        server.services,
        gate,
        tools.hub.drain,
        options,
        observer,
        answers=observer,
        tracer=tools.tracer,
        allowance=tools.allowance,
        pages=page_routes(),
    )


def page_url(config: ServeConfig, address: str) -> str:
    """Return where a browser finds the pages that are served at an address."""
    scheme = "http" if config.tls_cert is None else "https"
    return f"{scheme}://{address}/"


async def _problems(
    config: ServeConfig, store: RedisStore, hub: Hub
) -> tuple[str, ...]:
    """Return why this process should get no work."""
    if hub.draining:
        return ("the referee is about to stop",)
    return await store_problems(config, store)


def _work(
    config: ServeConfig, tools: Tools, desk: Desk, tournaments: TournamentParts
) -> list[Coroutine[Any, Any, None]]:
    work: list[Coroutine[Any, Any, None]] = [tools.hub.run()]
    if Part.SWEEPER in config.roles:
        name = tools.chance.token(8).hex()
        sweeper = Sweeper(tools.store, desk, tools.observer, name)
        work += [sweeper.run(), sweeper.keep_beating()]
    if Part.SIGNER in config.roles:
        signing = Signing(tools, tournaments=tournaments.store, keep_ms=config.keep_ms)
        work.append(signing.run())
    if Part.RUNNER in config.roles:
        work.append(tournaments.runner(tools, desk).run())
    return work


async def _in_background(
    stack: contextlib.AsyncExitStack,
    stop: asyncio.Event,
    work: Coroutine[Any, Any, None],
) -> None:
    task = asyncio.create_task(work)

    def ended(finished: asyncio.Task[None]) -> None:
        if not finished.cancelled():
            _LOG.error("a part of the referee ended", exc_info=finished.exception())
            stop.set()

    async def end() -> None:
        # A driver that is about to connect may swallow the first cancellation.
        while not task.done():
            task.cancel()
            await asyncio.wait({task}, timeout=_CANCEL_PATIENCE)

    task.add_done_callback(ended)
    stack.push_async_callback(end)
