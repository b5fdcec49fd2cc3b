"""TLS for servers of HTTP, with a certificate that is taken up anew when it changes."""

import logging
import ssl
from typing import Final

from ginref.transport.address import BindError
from ginref.transport.certificate import CertificateFiles, Pair

_LOG: Final = logging.getLogger(__name__)


def tls_context(files: CertificateFiles) -> ssl.SSLContext:
    """Return a context that serves each new connection with what the files hold.

    While a changed pair is of no use, the one before stays, and the log says why.

    Raises:
        BindError: They cannot be used.
    """
    seen, context = files.marks(), _load(files)
    latest = context

    def look(connection: ssl.SSLSocket | ssl.SSLObject, *_: object) -> None:
        nonlocal seen, latest
        if (marks := files.marks()) != seen:
            # What is written while it is read has another mark the next time.
            seen = marks
            try:
                latest = _load(files)
            except BindError as error:
                _LOG.warning("the certificate before is served with: %s", error)
        connection.context = latest

    context.sni_callback = look
    return context


def _load(files: CertificateFiles) -> ssl.SSLContext:
    # It says what is wrong in words that the loader does not have.
    Pair.read(files)
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
