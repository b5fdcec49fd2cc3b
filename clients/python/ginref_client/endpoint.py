"""Addresses of referees, and channels to them."""

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

import grpc
import grpc.aio

from ginref_client.certificate import ClientCertificate
from ginref_client.error import EndpointError

_KEEPALIVE_MS: Final = 20_000
_KEEPALIVE_TIMEOUT_MS: Final = 10_000
_RECEIVE_BYTES: Final = 64 * 1024 * 1024
_PORTS: Final = {"http": 80, "https": 443}

_OPTIONS: Final[Sequence[tuple[str, int | str]]] = (
    ("grpc.keepalive_time_ms", _KEEPALIVE_MS),
    ("grpc.keepalive_timeout_ms", _KEEPALIVE_TIMEOUT_MS),
    ("grpc.keepalive_permit_without_calls", 1),
    # Two attachments must not share a connection that has died.
    ("grpc.use_local_subchannel_pool", 1),
    # Waiting between attempts is this client's business, not the channel's.
    ("grpc.initial_reconnect_backoff_ms", 100),
    # In spite of its name, what an attempt may take: a handshake across the world.
    ("grpc.min_reconnect_backoff_ms", 5000),
    ("grpc.max_reconnect_backoff_ms", 1000),
    # An export holds a whole tournament.
    ("grpc.max_receive_message_length", _RECEIVE_BYTES),
)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a referee answers.

    Attributes:
        target: The address as gRPC names it.
        secure: Whether the connection is encrypted.
    """

    target: str
    secure: bool

    @classmethod
    def parse(cls, url: str, *, allow_plaintext: bool = False) -> "Endpoint":
        """Read `https://host:port`, `http://host:port`, `host:port` or `unix:path`.

        Without a scheme a loopback address is plain and any other encrypted.

        Raises:
            EndpointError: The address is unreadable, or plain and not loopback: the
                token would travel in the open.
        """
        if url.startswith("unix:"):
            return cls(url, secure=False)
        try:
            parts = urlsplit(url if "://" in url else f"//{url}")
        except ValueError:
            raise EndpointError(f"{url}: https://HOST:PORT expected") from None
        try:
            host, port = parts.hostname, parts.port or _PORTS.get(parts.scheme)
        except ValueError:
            raise EndpointError(f"{url}: the port is not a number") from None
        if not host or not port or parts.scheme not in {"", *_PORTS}:
            raise EndpointError(f"{url}: https://HOST:PORT expected")
        loopback = _is_loopback(host)
        secure = parts.scheme == "https" or not (parts.scheme or loopback)
        if not (secure or loopback or allow_plaintext):
            raise EndpointError(
                f"{url}: this would send the token unencrypted over a network; "
                "use https://, or allow plaintext if the network is yours"
            )
        name = f"[{host}]" if ":" in host else host
        return cls(f"{name}:{port}", secure=secure)

    def open(
        self,
        roots: bytes | None = None,
        server_name: str | None = None,
        certificate: ClientCertificate | None = None,
    ) -> grpc.aio.Channel:
        """Open a channel.

        Args:
            roots: Certificates to trust, in PEM; None for the system's.
            server_name: What the certificate must name; None for the host.
            certificate: A certificate of one's own, where the referee asks for one.
        """
        if not self.secure:
            return grpc.aio.insecure_channel(self.target, options=_OPTIONS)
        own = (certificate.key, certificate.chain) if certificate else (None, None)
        credentials = grpc.ssl_channel_credentials(roots, *own)
        named = [("grpc.ssl_target_name_override", server_name)] if server_name else []
        return grpc.aio.secure_channel(
            self.target, credentials, options=[*_OPTIONS, *named]
        )

    def __str__(self) -> str:
        """Address as people write it."""
        if self.target.startswith("unix:"):
            return self.target
        return f"{'https' if self.secure else 'http'}://{self.target}"


def parse_endpoints(
    urls: str | Sequence[str], *, allow_plaintext: bool = False
) -> tuple[Endpoint, ...]:
    """Read addresses: a sequence, or one text with commas in between.

    Raises:
        EndpointError: There is none, or one of them cannot be used.
    """
    texts = urls.split(",") if isinstance(urls, str) else urls
    endpoints = tuple(
        Endpoint.parse(text.strip(), allow_plaintext=allow_plaintext)
        for text in texts
        if text.strip()
    )
    if not endpoints:
        raise EndpointError("no address of a referee")
    return endpoints


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def bearer(token: str) -> tuple[tuple[str, str], ...]:
    """Return the metadata that presents a token; none without one."""
    if not token:
        return ()
    return (("authorization", f"Bearer {token}"),)
