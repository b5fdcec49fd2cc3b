"""The gRPC server: services, limits, and an end that loses nothing."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final

import grpc
import grpc.aio
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_health.v1.health import SERVICE_NAME as HEALTH_NAME
from grpc_health.v1.health import aio as health

from ginref.app.caller import Caller
from ginref.app.challenge import Challenges
from ginref.app.desk import Desk
from ginref.app.gate import Gate
from ginref.app.session import Session
from ginref.app.session_policy import SessionPolicy
from ginref.app.tools import Tools
from ginref.app.tournament_desk import TournamentDesk
from ginref.app.tournament_watch import TournamentWatcher
from ginref.app.watch import Watcher
from ginref.transport.address import Address, BindError
from ginref.transport.bot_service import BotService
from ginref.transport.call import CallObserver
from ginref.transport.certificate import (
    CertificateFiles,
    CertificateObserver,
    Certificates,
)
from ginref.transport.interceptor import Interceptor
from ginref.transport.listener import file_share
from ginref.transport.referee_service import RefereeService
from ginref.transport.registry_service import RegistryService
from ginref.transport.tournament_service import TournamentService
from ginref.v1 import (
    bot_service_pb2,
    bot_service_pb2_grpc,
    referee_service_pb2,
    referee_service_pb2_grpc,
    registry_service_pb2,
    registry_service_pb2_grpc,
    tournament_service_pb2,
    tournament_service_pb2_grpc,
)

__all__ = ["BindError", "RefereeServer", "ServerOptions"]

RECEIVE_BYTES: Final = 64 * 1024
"""Most bytes of a message that reach this process at all."""

METADATA_BYTES: Final = 4 * 1024
"""Most bytes of a call's metadata, headers of HTTP/2 included."""

DESCRIBED: Final = tuple(
    service
    for module in (
        referee_service_pb2,
        registry_service_pb2,
        tournament_service_pb2,
        bot_service_pb2,
        health_pb2,
    )
    for service in module.DESCRIPTOR.services_by_name.values()
)
"""Every service that is served; reflection apart."""

METHODS: Final = tuple(
    f"{service.full_name}/{method.name}"
    for service in DESCRIBED
    for method in service.methods
)
"""Every method that is served, as `package.Service/Method`; reflection apart."""

SERVICES: Final = tuple(
    service.full_name for service in DESCRIBED if service.full_name != HEALTH_NAME
)
"""Full names of the services of the API."""

_AGE_GRACE_MS: Final = 60_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerOptions:
    """How the API is served.

    Attributes:
        listen: Address; port 0 picks a free one.
        dev: Serve reflection, too.
        allow_plaintext: Serve without TLS beyond this machine.
        tls_cert: Certificate chain in PEM.
        tls_key: Private key in PEM.
        tls_client_ca: What certificates of clients must lead to, in PEM; None to ask
            for none.
        drain_ms: Milliseconds for calls to end when the server stops.
        write_ms: Milliseconds after which a stream that is not read is dropped.
        admit_ms: Milliseconds after which an open stream is ended if its token has
            been revoked or has expired.
        connection_age_ms: Milliseconds after which a connection is made anew, so
            that load spreads over replicas; None for never.
        call_limit: Most calls at once, streams included.
        stream_limit: Most calls at once on one connection.
        connection_limit: Most connections; fewer where fewer files may be open.
        idle_ms: Milliseconds after which a connection without calls is closed.
        handshake_ms: Milliseconds for a connection to begin to speak.
    """

    listen: str = "127.0.0.1:7878"
    dev: bool = False
    allow_plaintext: bool = False
    tls_cert: Path | None = None
    tls_key: Path | None = None
    tls_client_ca: Path | None = None
    drain_ms: int = 3000
    write_ms: int = 10_000
    admit_ms: int = 5_000
    connection_age_ms: int | None = None
    call_limit: int = 8192
    stream_limit: int = 1000
    connection_limit: int = 10_000
    idle_ms: int = 600_000
    handshake_ms: int = 20_000

    @property
    def certificate(self) -> CertificateFiles | None:
        """Where its certificate is; None for plaintext.

        Raises:
            BindError: The certificate or its key is missing.
        """
        chain, key = self.tls_cert, self.tls_key
        if chain is None and key is None and self.tls_client_ca is None:
            return None
        if chain is None or key is None:
            raise BindError("a certificate and its key belong together: one is missing")
        return CertificateFiles(chain=chain, key=key, client_ca=self.tls_client_ca)

    def channel_arguments(self) -> list[tuple[str, int]]:
        """Return the settings of the gRPC core."""
        arguments = {
            "grpc.max_receive_message_length": RECEIVE_BYTES,
            "grpc.max_metadata_size": METADATA_BYTES,
            "grpc.absolute_max_metadata_size": 2 * METADATA_BYTES,
            # A peer that vanished is noticed; one that asks often is not punished.
            "grpc.keepalive_time_ms": 30_000,
            "grpc.keepalive_timeout_ms": 10_000,
            "grpc.keepalive_permit_without_calls": 1,
            "grpc.http2.min_recv_ping_interval_without_data_ms": 10_000,
            "grpc.http2.max_pings_without_data": 0,
            # After a stall all those of a while are read at once.
            "grpc.http2.max_ping_strikes": 20,
            "grpc.max_concurrent_streams": self.stream_limit,
            "grpc.max_allowed_incoming_connections": self._most_connections(),
            "grpc.max_connection_idle_ms": self.idle_ms,
            "grpc.server_handshake_timeout_ms": self.handshake_ms,
            # Calls wait for this process to accept them instead of being cancelled.
            "grpc.server.max_pending_requests": 2 * self.call_limit,
            "grpc.server.max_pending_requests_hard_limit": 4 * self.call_limit,
            # A second process on the same port must fail, not share it.
            "grpc.so_reuseport": 0,
        }
        if self.connection_age_ms is not None:
            arguments["grpc.max_connection_age_ms"] = self.connection_age_ms
            arguments["grpc.max_connection_age_grace_ms"] = _AGE_GRACE_MS
        return [*arguments.items()]

    def _most_connections(self) -> int:
        """Leave files for the store and for records when others take connections."""
        return min(self.connection_limit, file_share(2))


class RefereeServer:
    """Serves the API for the length of its context, whose value is its address."""

    def __init__(  # noqa: PLR0913, PLR0917 - the parts of a referee
        self,
        desk: Desk,
        gate: Gate,
        watcher: Watcher,
        tournaments: TournamentDesk,
        tools: Tools,
        options: ServerOptions,
        observer: CallObserver | None = None,
        certificate_observer: CertificateObserver | None = None,
    ) -> None:
        """Put the services in front of the use cases.

        Raises:
            BindError: The certificate cannot be used.
        """
        self._hub = tools.hub
        self._options = options
        files = options.certificate
        self.certificates: Final = (
            Certificates(files, certificate_observer) if files else None
        )
        """What is served with; None for plaintext."""
        # Sessions end by themselves before the server loses patience.
        policy = SessionPolicy(drain_ms=options.drain_ms // 3)

        def attach(caller: Caller) -> Session:
            return Session(desk, tools, caller, policy, tournaments)

        self._referee: Final = RefereeService(
            desk, watcher, Challenges(tools, desk.opening)
        )
        self._registry: Final = RegistryService(gate)
        self._tournaments: Final = TournamentService(
            tournaments, TournamentWatcher(tournaments, tools.hub, tools.observer)
        )
        self._bots: Final = BotService(
            attach, desk.receipts.acknowledge_unread, tools.allowance
        )
        self._interceptor: Final = Interceptor(
            gate,
            write_timeout=options.write_ms / 1000,
            admit_interval=options.admit_ms / 1000,
            observer=observer,
            tracer=tools.tracer,
            allowance=tools.allowance,
        )
        self._health: Final = health.HealthServicer()
        self._server: grpc.aio.Server | None = None
        self._credentials: grpc.ServerCredentials | None = None

    @property
    def services(self) -> Mapping[str, object]:
        """What answers the calls of each service, by its full name."""
        return dict(
            zip(
                SERVICES,
                (self._referee, self._registry, self._tournaments, self._bots),
                strict=True,
            )
        )

    async def __aenter__(self) -> str:
        """Bind and serve.

        Raises:
            BindError: The address cannot be used, or plaintext would leave this
                machine.
        """
        server = grpc.aio.server(
            interceptors=[self._interceptor],
            options=self._options.channel_arguments(),
            maximum_concurrent_rpcs=self._options.call_limit,
        )
        referee_service_pb2_grpc.add_RefereeServiceServicer_to_server(
            self._referee, server
        )
        registry_service_pb2_grpc.add_RegistryServiceServicer_to_server(
            self._registry, server
        )
        tournament_service_pb2_grpc.add_TournamentServiceServicer_to_server(
            self._tournaments, server
        )
        bot_service_pb2_grpc.add_BotServiceServicer_to_server(self._bots, server)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, server)
        if self._options.dev:
            _reflect(server)
        address = self._bind(server)
        await server.start()
        for name in SERVICES:
            await self._health.set(name, health_pb2.HealthCheckResponse.SERVING)
        self._server = server
        return str(address)

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Take no new calls, tell bots and watchers, and let calls end."""
        await self._health.enter_graceful_shutdown()
        self._hub.drain()
        if self._server is not None:
            await self._server.stop(self._options.drain_ms / 1000)

    def _bind(self, server: grpc.aio.Server) -> Address:
        options = self._options
        address = Address.parse(options.listen)
        if self.certificates is None:
            address.check_plaintext(allowed=options.allow_plaintext)
        try:
            if self.certificates is None:
                return address.at(server.add_insecure_port(str(address)))
            # The core of gRPC asks them without keeping them.
            self._credentials = self.certificates.credentials()
            return address.at(server.add_secure_port(str(address), self._credentials))
        except RuntimeError as error:
            message = f"{address} cannot be listened on: another process may use it"
            raise BindError(message) from error


def _reflect(server: grpc.aio.Server) -> None:
    """Let tools ask what is served."""
    # Imported here: only development servers need it.
    from grpc_reflection.v1alpha import reflection  # noqa: PLC0415

    names = (*SERVICES, HEALTH_NAME, reflection.SERVICE_NAME)
    reflection.enable_server_reflection(names, server)
