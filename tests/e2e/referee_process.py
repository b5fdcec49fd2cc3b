"""A real referee in a process of its own."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

START_PATIENCE = 120.0


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
    program: str = "ginref"

    def start(self) -> "RefereeProcess":
        """Start it and wait until it is ready."""
        command = [
            *(sys.executable, "-m", self.program, "serve"),
            *("--data", str(self.data)),
            *("--listen", self.listen),
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
                # What goes before these is given as an option.
                env={
                    **os.environ,
                    "GINREF_ADMIN": "127.0.0.1:0",
                    "GINREF_HTTP": "off",
                    **self.environment,
                },
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
        # Whoever asked for it cannot end what it never got.
        self.kill()
        raise AssertionError(self.log())

    def log(self) -> str:
        """What it has said."""
        return (self.data / "referee.log").read_text()

    def kill(self) -> None:
        """End it without a chance to clean up."""
        self.end(signal.SIGKILL)

    def stop(self) -> int:
        """End it as an operator would, and return its exit status."""
        return self.end(signal.SIGTERM)

    def end(self, number: signal.Signals) -> int:
        """Send a signal, and return the exit status."""
        if self.process is None:
            return 0
        if self.process.poll() is None:
            self.process.send_signal(number)
        code = self.process.wait(timeout=120)
        self.process = None
        return code

    def children(self) -> list[int]:
        """Return the ids of processes that it has started."""
        assert self.process is not None
        pid = self.process.pid
        path = Path(f"/proc/{pid}/task/{pid}/children")
        return [int(child) for child in path.read_text().split()]

    def token(self) -> str:
        """Return the operator's token."""
        return (self.data / "operator.token").read_text().strip()

    def metric(self, name: str) -> float:
        """Return a figure that it tells of itself."""
        with urllib.request.urlopen(
            f"http://{self.admin}/metrics", timeout=120
        ) as told:
            lines = told.read().decode().splitlines()
        (found,) = [line for line in lines if line.startswith(f"{name} ")]
        return float(found.rpartition(" ")[2])
