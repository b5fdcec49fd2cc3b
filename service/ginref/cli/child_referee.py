"""A referee in a child process, for as long as a command needs one."""

import asyncio
import json
import os
import sys
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from ginref.adapters import embedded_child
from ginref.adapters.child_end import end_children

_START_PATIENCE: Final = 30.0
_STOP_PATIENCE: Final = 15.0
_POLL: Final = 0.02
_COMPLAINT: Final = "ginref serve: "


class ChildRefereeError(Exception):
    """The referee did not start; the message says why."""


class ChildReferee:
    """Runs `ginref serve` on this machine. It ends with its context, or with us.

    Attributes:
        address: Address of its gRPC API.
    """

    def __init__(self, folder: Path, *, dev: bool, listen: str = "127.0.0.1:0") -> None:
        """Keep everything in a folder; `dev` allows seeded deals.

        Args:
            folder: Where its store, its keys and its records are.
            dev: Allow seeded deals.
            listen: Address to serve at; port 0 picks a free one.
        """
        self.address = ""
        self._listen = listen
        self._folder = folder
        self._dev = dev
        self._log_start = 0
        self._process: asyncio.subprocess.Process | None = None

    def operator_token(self) -> str:
        """Return the operator's token."""
        return (self._folder / "operator.token").read_text().strip()

    async def __aenter__(self) -> Self:
        """Start it and wait until it answers.

        Raises:
            ChildRefereeError: It ended instead.
        """
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        command = [
            *(sys.executable, "-m", "ginref", "serve", "--data", str(self._folder)),
            *("--listen", self._listen, "--admin", "127.0.0.1:0"),
            *("--http", "off"),
            *(("--dev",) if self._dev else ()),
        ]
        # Settings of this machine's own referee are none of this one's.
        environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("GINREF_")
        }
        # Bound to this process, so that a killed command leaves nothing running.
        binding = [sys.executable, embedded_child.__file__, str(os.getpid())]
        # Another referee may work in the folder, and write there, too.
        with self._log_file().open("ab") as log:
            self._log_start = log.tell()
            self._process = await asyncio.create_subprocess_exec(
                *binding,
                *command,
                # Where the kernel does not bind it, its end of this pipe does.
                stdin=asyncio.subprocess.PIPE,
                stdout=log,
                stderr=log,
                env=environment,
                start_new_session=True,
            )
        try:
            await self._ready()
        except BaseException:
            await self._stop()
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop it, and wait until it is gone."""
        await self._stop()

    async def _ready(self) -> None:
        until = time.monotonic() + _START_PATIENCE
        while time.monotonic() < until:
            facts = self._addresses()
            if self._process is None or self._process.returncode is not None:
                break
            if facts.get("pid") == self._process.pid:
                self.address = facts["grpc"]
                return
            await asyncio.sleep(_POLL)
        raise ChildRefereeError(self._last_words())

    def _addresses(self) -> dict[str, Any]:
        with suppress(FileNotFoundError, ValueError):
            facts: dict[str, Any] = json.loads(
                (self._folder / "referee.json").read_text()
            )
            return facts
        return {}

    def _last_words(self) -> str:
        """Return why the referee ended, as far as its log tells."""
        with self._log_file().open("rb") as log:
            log.seek(self._log_start)
            lines = log.read().decode(errors="replace").split("\n")
        said = [line for line in lines if line.strip()]
        for place, line in enumerate(said):
            if line.startswith(_COMPLAINT):
                return "\n".join(said[place:]).removeprefix(_COMPLAINT)
        return said[-1] if said else "the referee did not start"

    def _log_file(self) -> Path:
        return self._folder / "referee.log"

    async def _stop(self) -> None:
        if self._process is not None:
            await end_children(self._process, patience_s=_STOP_PATIENCE)
