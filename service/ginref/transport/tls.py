"""TLS for servers of HTTP, with a certificate that is taken up anew when it changes."""

import ssl

from ginref.transport.certificate import Certificates


def tls_context(certificates: Certificates) -> ssl.SSLContext:
    """Return a context that serves each new connection with what is there by then."""
    context = certificates.pair().context

    def look(connection: ssl.SSLSocket | ssl.SSLObject, *_: object) -> None:
        connection.context = certificates.pair().context

    context.sni_callback = look
    return context
