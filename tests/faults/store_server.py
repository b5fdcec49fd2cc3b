"""The store's server of a run, which can be made to fail."""

import asyncio
import os
import resource
import subprocess
import time
from pathlib import Path

from tests.contract.redis_fleet import HOST, Server, until


class StoreServer(Server):
    """A store that may start again with other settings, or without waiting."""

    def __init__(
        self, binary: str, folder: Path, environment: dict[str, str] | None = None
    ) -> None:
        # A server that dies with less than this may forget what it has acknowledged.
        arguments = ["--save", "", "--appendonly", "yes", "--appendfsync", "always"]
        super().__init__(binary, folder, [*arguments, "--enable-debug-command", "yes"])
        self._environment = environment or {}

    def start(self, *more: str) -> None:
        self.launch(*more)
        until(lambda: self.ask("PING") == b"+PONG", patience_s=60)

    def launch(self, *more: str) -> None:
        """Start it, and do not wait until it answers."""
        command = [*self._command, "--port", str(self.port), "--bind", HOST]
        command += ["--dir", str(self._folder), *more]
        with (self._folder / "log").open("ab") as log:
            # A write beyond the limit of a file's size shall fail, not kill.
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, **self._environment},
                restore_signals=False,
                start_new_session=True,
            )

    def kill(self) -> None:
        """End it at once, if it has not ended of itself."""
        if self._process is not None and self._process.poll() is not None:
            self._process = None
        super().kill()

    async def ended(self, patience_s: float) -> bool:
        """Wait for it to end of itself; say whether it did."""
        assert self._process is not None
        end = time.monotonic() + patience_s
        while self._process.poll() is None:
            if time.monotonic() > end:
                return False
            await asyncio.sleep(0.02)
        return True

    def tells(self, start: bytes, patience_s: float) -> bool:
        """Wait for it to answer like this; say whether it does."""
        end = time.monotonic() + patience_s
        while not self.ask("PING").startswith(start):
            if time.monotonic() > end:
                return False
            time.sleep(0.02)
        return True

    def limit_files(self, size: int) -> None:
        """Let no file of it grow beyond a size, or any with -1."""
        assert self._process is not None
        _, hard = resource.prlimit(self._process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(self._process.pid, resource.RLIMIT_FSIZE, (size, hard))

    def file_size(self) -> int:
        """Return the size of the part of its append-only file that grows."""
        parts = list(self._folder.glob("appendonlydir/*.incr.aof"))
        return max((part.stat().st_size for part in parts), default=0)
