"""A link between two servers that can be made to swallow everything."""

import socket
import threading
from contextlib import suppress

from tests.contract.redis_fleet import HOST


class Link:
    """Passes on bytes at once, or swallows them while both ends believe in it."""

    def __init__(self, port: int) -> None:
        """Listen for connections to a port of this machine."""
        self._target = port
        self._is_open = True
        self._sockets: list[socket.socket] = []
        self._listener = socket.create_server((HOST, 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def swallow(self) -> None:
        self._is_open = False

    def restore(self) -> None:
        """Pass on bytes again, on new connections: the old ones lack some."""
        self._is_open = True
        self._cut()

    def close(self) -> None:
        self._listener.close()
        self._cut()

    def _cut(self) -> None:
        sockets, self._sockets = self._sockets, []
        for one in sockets:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                far = socket.create_connection((HOST, self._target))
                self._sockets += [near, far]
                for ends in ((near, far), (far, near)):
                    threading.Thread(target=self._pass, args=ends, daemon=True).start()

    def _pass(self, source: socket.socket, sink: socket.socket) -> None:
        # Otherwise small packets wait for each other, some 40 ms each time.
        sink.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with suppress(OSError):
            while data := source.recv(65536):
                if self._is_open:
                    sink.sendall(data)
