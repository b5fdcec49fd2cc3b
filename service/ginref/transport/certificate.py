"""The certificate that the API is served with, taken up anew when its files change."""

import logging
import ssl
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol, Self

import grpc
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from cryptography.x509 import (
    Certificate,
    load_pem_x509_certificate,
    load_pem_x509_certificates,
)

from ginref.transport.address import BindError

_LOG: Final = logging.getLogger(__name__)

_Marks = tuple[tuple[int, ...] | None, ...]


class CertificateObserver(Protocol):
    """Counts what became of changed certificates."""

    def certificate(self, *, taken: bool, until_s: float) -> None:
        """Count a certificate that was looked at.

        Args:
            taken: It is served with from now on; else the one before stays.
            until_s: Unix time in seconds when the one that is served with ends.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class CertificateFiles:
    """Where the certificate of a server is, in PEM.

    Attributes:
        chain: The certificate, and what leads to its root.
        key: Its private key.
        client_ca: What certificates of clients must lead to; None to ask for none.
    """

    chain: Path
    key: Path
    client_ca: Path | None = None

    def marks(self) -> _Marks:
        """Return what differs once a file was replaced or written to."""
        return tuple(map(_mark, (self.chain, self.key, self.client_ca)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A certificate with its key, which belong together.

    Attributes:
        chain: The certificate and what leads to its root, in PEM.
        key: Its private key, in PEM.
        client_ca: Roots for certificates of clients, in PEM; None to ask for none.
        until_s: Unix time in seconds when the certificate ends.
        context: What serves HTTP with it.
    """

    chain: bytes
    key: bytes = field(repr=False)
    client_ca: bytes | None
    until_s: float
    context: ssl.SSLContext

    @classmethod
    def read(cls, files: CertificateFiles) -> Self:
        """Read a pair.

        Raises:
            BindError: A file cannot be read or used, or they do not belong together.
        """
        try:
            key, chain = files.key.read_bytes(), files.chain.read_bytes()
            roots = files.client_ca.read_bytes() if files.client_ca else None
        except OSError as error:
            message = f"{error.filename} cannot be read: {error.strerror}"
            raise BindError(message) from error
        # The core of gRPC would only say that the address cannot be used.
        certificate = _read_certificate(files.chain, chain)
        try:
            secret = load_pem_private_key(key, None)
        except (TypeError, ValueError, UnsupportedAlgorithm) as error:
            message = f"{files.key} holds no unencrypted private key in PEM"
            raise BindError(message) from error
        if certificate.public_key() != secret.public_key():
            raise BindError(f"{files.key} is not the key of {files.chain}")
        if roots is not None:
            try:
                load_pem_x509_certificates(roots)
            except ValueError as error:
                message = f"{files.client_ca} holds no certificates in PEM"
                raise BindError(message) from error
        return cls(
            chain=chain,
            key=key,
            client_ca=roots,
            until_s=certificate.not_valid_after_utc.timestamp(),
            context=_context(files),
        )

    def configuration(self) -> grpc.ServerCertificateConfiguration:
        """Return it as gRPC takes it."""
        return grpc.ssl_server_certificate_configuration(
            [(self.key, self.chain)], self.client_ca
        )


class Certificates:
    """Serves every new connection with what the files hold by then.

    Connections that are open go on as they are. While a changed pair is of no use, the
    one before stays, and the log says why.
    """

    def __init__(
        self, files: CertificateFiles, observer: CertificateObserver | None = None
    ) -> None:
        """Read the files for the first time.

        Raises:
            BindError: They cannot be used.
        """
        self._files = files
        self._observer = observer
        self._marks = files.marks()
        self._pair = self._told = Pair.read(files)
        self._lock = threading.Lock()
        self._tell(taken=True)

    def credentials(self) -> grpc.ServerCredentials:
        """Return credentials that look at the files before each handshake."""
        return grpc.dynamic_ssl_server_credentials(
            self._pair.configuration(),
            # None, for no change, is left out of the types that it comes with.
            self.look,  # type: ignore[arg-type]
            require_client_authentication=self._files.client_ca is not None,
        )

    def look(self) -> grpc.ServerCertificateConfiguration | None:
        """Return what gRPC serves new connections with, if that has changed for it.

        It is called by threads of gRPC, and raises nothing.
        """
        with self._lock:
            self._renew()
            if self._pair is self._told:
                return None
            self._told = self._pair
            return self._told.configuration()

    def pair(self) -> Pair:
        """Return what a new connection is served with, from any thread."""
        with self._lock:
            self._renew()
            return self._pair

    def _renew(self) -> None:
        marks = self._files.marks()
        if marks == self._marks:
            return
        # What is written while it is read has another mark the next time.
        self._marks = marks
        try:
            self._pair = Pair.read(self._files)
        except BindError as error:
            _LOG.warning("the certificate before is served with: %s", error)
            self._tell(taken=False)
            return
        _LOG.info("%s is served with from now on", self._files.chain)
        self._tell(taken=True)

    def _tell(self, *, taken: bool) -> None:
        if self._observer is not None:
            self._observer.certificate(taken=taken, until_s=self._pair.until_s)


def _read_certificate(path: Path, chain: bytes) -> Certificate:
    try:
        return load_pem_x509_certificate(chain)
    except ValueError as error:
        raise BindError(f"{path} holds no certificate in PEM") from error


def _context(files: CertificateFiles) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.set_alpn_protocols(["http/1.1"])
    try:
        context.load_cert_chain(files.chain, files.key)
        if files.client_ca is not None:
            context.load_verify_locations(files.client_ca)
            context.verify_mode = ssl.CERT_REQUIRED
    except OSError as error:
        message = f"{files.chain} and {files.key} cannot be served with"
        raise BindError(message) from error
    return context


def _mark(path: Path | None) -> tuple[int, ...] | None:
    if path is None:
        return None
    try:
        # Through links: an orchestrator replaces what they lead to.
        facts = path.stat()
    except OSError:
        return None
    return facts.st_dev, facts.st_ino, facts.st_mtime_ns, facts.st_size
