"""A listening socket that lets in so many connections at once, and no more."""

import resource
import socket
from collections.abc import Callable
from typing import Any, Final


def file_share(parts: int) -> int:
    """Return one of so many equal parts of the files that the process may open."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return max(1, files // parts)


class _Connection(socket.socket):
    """A connection that says when its file is free again."""

    def __init__(self, fileno: int, freed: Callable[[], None]) -> None:
        super().__init__(fileno=fileno)
        self._freed: Final = freed

    def close(self) -> None:
        was_open = self.fileno() >= 0
        super().close()
        if was_open:
            self._freed()


class Listener(socket.socket):
    """A listening socket; a connection beyond the most that it has is closed at once.

    It counts from the first moment on, before anybody has proven or said anything.
    """

    def __init__(self, listening: socket.socket, most: int) -> None:
        """Take the place of a listening socket.

        Args:
            listening: That socket.
            most: Most connections at once.
        """
        super().__init__(fileno=listening.detach())
        self._most: Final = most
        self._count = 0

    def accept(self) -> tuple[socket.socket, Any]:
        """Return the next connection, and who has made it.

        Raises:
            ConnectionAbortedError: There are too many; a loop goes on after it.
        """
        connection, peer = super().accept()
        if self._count >= self._most:
            connection.close()
            raise ConnectionAbortedError
        self._count += 1
        return _Connection(connection.detach(), self._free), peer

    def _free(self) -> None:
        self._count -= 1
