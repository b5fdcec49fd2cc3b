"""Real referees: processes of their own on stores of their own."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

START_PATIENCE = 30.0


@dataclass
class RefereeProcess:
    """A referee in a process of its own, which can be killed and started again."""

    data: Path
    store: str | None = None
    options: tuple[str, ...] = ()
    listen: str = "127.0.0.1:0"
    process: subprocess.Popen[bytes] | None = None
    address: str = ""
    admin: str = ""
    environment: dict[str, str] = field(default_factory=dict)

    def start(self) -> "RefereeProcess":
        """Start it and wait until it is ready."""
        command = [
            *(sys.executable, "-m", "ginref", "serve", "--data", str(self.data)),
            *("--listen", self.listen, "--admin", "127.0.0.1:0"),
            *(("--store", self.store) if self.store else ()),
            *self.options,
        ]
        self.data.mkdir(parents=True, exist_ok=True)
        log = (self.data / "referee.log").open("ab")
        with log:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, **self.environment},
            )
        self._wait()
        return self

    def _wait(self) -> None:
        assert self.process is not None
        path = self.data / "referee.json"
        until = time.monotonic() + START_PATIENCE
        while time.monotonic() < until:
            if self.process.poll() is not None:
                break
            with suppress(FileNotFoundError, ValueError):
                facts = json.loads(path.read_text())
                if facts["pid"] == self.process.pid:
                    # The same port serves again after a restart.
                    self.listen = self.address = facts["grpc"]
                    self.admin = facts["admin"]
                    return
            time.sleep(0.02)
        raise AssertionError(self.log())

    def log(self) -> str:
        """What it has said."""
        return (self.data / "referee.log").read_text()

    def kill(self) -> None:
        """End it without a chance to clean up."""
        self._end(signal.SIGKILL)

    def stop(self) -> int:
        """End it as an operator would, and return its exit status."""
        return self._end(signal.SIGTERM)

    def _end(self, number: signal.Signals) -> int:
        if self.process is None:
            return 0
        if self.process.poll() is None:
            self.process.send_signal(number)
        code = self.process.wait(timeout=30)
        self.process = None
        return code

    def token(self) -> str:
        """Return the operator's token."""
        return (self.data / "operator.token").read_text().strip()


@pytest.fixture
def folder() -> Iterator[Path]:
    """Return a short-named folder: sockets have short paths."""
    path = Path(tempfile.mkdtemp(prefix="gr"))
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def referee(folder: Path) -> Iterator[RefereeProcess]:
    """Return a running referee on an embedded store, seeds allowed."""
    process = RefereeProcess(folder / "data", options=("--dev",)).start()
    yield process
    process.stop()
