"""A link between two servers that can be made to swallow everything."""

import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Final

_HOST: Final = "127.0.0.1"


class Link:
    """Passes on bytes at once, or swallows them while both ends believe in it."""

    def __init__(self, port: int) -> None:
        """Listen for connections to a port of this machine."""
        self._target = port
        self._is_open = True
        self._sockets: list[socket.socket] = []
        self._changing = threading.Lock()
        self._listener = socket.create_server((_HOST, 0))
        self.port: int = self._listener.getsockname()[1]
        self._threads: list[threading.Thread] = []
        self._start(self._accept)

    def swallow(self) -> None:
        self._is_open = False

    def restore(self) -> None:
        """Pass on bytes again, on new connections: the old ones lack some."""
        self._is_open = True
        self._cut()

    def close(self) -> None:
        _end(self._listener)
        self._cut()
        for thread in self._threads:
            thread.join()

    def _cut(self) -> None:
        with self._changing:
            sockets, self._sockets = self._sockets, []
        for one in sockets:
            _end(one)

    def _start(self, work: Callable[..., None], *ends: socket.socket) -> None:
        thread = threading.Thread(target=work, args=ends, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        with self._listener, suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                try:
                    far = socket.create_connection((_HOST, self._target))
                except OSError:
                    near.close()
                    continue
                with self._changing:
                    self._sockets += [near, far]
                for ends in ((near, far), (far, near)):
                    self._start(self._pass, *ends)

    def _pass(self, source: socket.socket, sink: socket.socket) -> None:
        # Whoever passes on the other way may have ended both sockets already.
        with suppress(OSError):
            # Otherwise small packets wait for each other, some 40 ms each time.
            sink.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            is_whole = True
            while data := source.recv(65536):
                is_whole = is_whole and self._is_open
                if is_whole:
                    sink.sendall(data)
                elif self._is_open:
                    # It would take each answer for that of an earlier question.
                    break
        _end(sink)
        source.close()


def _end(one: socket.socket) -> None:
    """Let both ends, and whoever waits for either, see the end."""
    with suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
