"""House bots: programs of the host that any bot may challenge, always there.

They come in through the API like everybody's, each from a process of its own.
"""

import asyncio
import contextlib
import json
import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Final

from ginref.adapters import embedded_child
from ginref.adapters.child_end import end_children
from ginref.adapters.operator_token import OPERATOR_TOKEN
from ginref.adapters.secret_file import (
    SecretFileError,
    make_folder,
    read_secret,
    replace_secret,
)
from ginref.cli import house_bot
from ginref.config import ServeConfig
from ginref.foundation import StartError
from ginref.setting import PREFIX
from ginref.tournament.configuration import HOUSE
from ginref.transport.address import Address
from ginref_client.certificate import certified_name
from ginref_client.error import AccessError, ClientError
from ginref_client.referee import Referee

_LOG: Final = logging.getLogger(__name__)

_FOLDER: Final = HOUSE
_ANY_HOST: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - where they are reached

_STOP_PATIENCE_S: Final = 5.0
_FIRST_DELAY_S: Final = 0.2
_LONGEST_DELAY_S: Final = 30.0
_STEADY_S: Final = 60.0
"""A bot that has run so long is started again without much ado."""


# The last one is that of a token that is no text.
_FAILURES: Final = (ClientError, SecretFileError, OSError, ValueError)


class House:
    """The house bots of a referee, for the length of its context."""

    def __init__(self, config: ServeConfig, addresses: str) -> None:
        """Play on the referee at these addresses, with commas in between.

        Raises:
            BindError: One of them is none.
        """
        self._bots = config.house
        self._data = config.data
        self._folder = config.data / _FOLDER
        self._roots = config.tls_cert
        self._as_json = config.log_format == "json"
        self._urls = ",".join(
            own_url(one, is_secure=config.tls_cert is not None)
            for one in addresses.split(",")
            if one
        )
        self._processes: dict[str, asyncio.subprocess.Process] = {}
        self._minding: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Sequence[str]:
        """Add the bots to the referee, start them, and return their names.

        Raises:
            StartError: The referee refuses them, or a file of theirs cannot be used.
        """
        try:
            for bot in self._bots:
                await self._start(bot)
        except BaseException as error:
            await self._stop()
            if isinstance(error, _FAILURES):
                raise StartError(f"house: {error}") from error
            raise
        self._minding = [asyncio.create_task(self._mind(bot)) for bot in self._bots]
        return [_name(bot) for bot in self._bots]

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop them."""
        for task in self._minding:
            task.cancel()
        if self._minding:
            await asyncio.wait(self._minding)
        await self._stop()

    async def _mind(self, bot: str) -> None:
        """Start a bot again whenever it ends; later and later if it will not run."""
        loop = asyncio.get_running_loop()
        delay_s = _FIRST_DELAY_S
        while True:
            began = loop.time()
            process = self._processes.get(bot)
            if process is not None and (status := await process.wait()):
                _LOG.error("house bot %s ended with status %d", bot, status)
            if loop.time() - began > _STEADY_S:
                delay_s = _FIRST_DELAY_S
            await asyncio.sleep(delay_s)
            delay_s = min(2 * delay_s, _LONGEST_DELAY_S)
            try:
                await self._start(bot)
            except _FAILURES:
                self._processes.pop(bot, None)
                _LOG.exception("house bot %s did not start again", bot)

    async def _start(self, bot: str) -> None:
        state = self._folder / bot
        make_folder(state)
        settings = {
            "bot": bot,
            "urls": self._urls,
            "token_file": str(await self._token_file(bot)),
            "state": str(state),
            "roots": str(self._roots) if self._roots else None,
            "server_name": self._server_name(),
            "as_json": self._as_json,
        }
        inherited = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(PREFIX)
        }
        self._processes[bot] = await asyncio.create_subprocess_exec(
            *(sys.executable, embedded_child.__file__, str(os.getpid())),
            *(sys.executable, "-m", house_bot.__name__, json.dumps(settings)),
            # Where the kernel does not bind it to us, its end of this pipe does.
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
            env=inherited,
            start_new_session=True,
        )

    async def _token_file(self, bot: str) -> Path:
        """Return a file with a working token of a bot, which is added if need be."""
        path = self._folder / f"{bot}.token"
        with contextlib.suppress(SecretFileError, UnicodeDecodeError, AccessError):
            async with self._referee(read_secret(path).decode().strip()) as referee:
                await referee.list_bots()
            return path
        operator = read_secret(self._data / OPERATOR_TOKEN).decode().strip()
        async with self._referee(operator) as referee:
            await referee.create_owner(HOUSE)
            await referee.create_bot(_name(bot), HOUSE, house=True)
            made = await referee.create_token("bot", bot=_name(bot))
        replace_secret(path, f"{made.secret}\n".encode())
        return path

    def _referee(self, token: str) -> Referee:
        return Referee(
            self._urls,
            token,
            roots=self._roots.read_bytes() if self._roots else None,
            server_name=self._server_name(),
            allow_plaintext=True,
        )

    def _server_name(self) -> str | None:
        """Return a name in the certificate, which need not name this machine."""
        if self._roots is None:
            return None
        return certified_name(self._roots.read_bytes())

    async def _stop(self) -> None:
        await end_children(*self._processes.values(), patience_s=_STOP_PATIENCE_S)


def _name(bot: str) -> str:
    return f"{HOUSE}.{bot}"


def own_url(text: str, *, is_secure: bool) -> str:
    """Return where this machine reaches what listens at an address."""
    address = Address.parse(text)
    host = _ANY_HOST.get(address.host, address.host)
    scheme = "https" if is_secure else "http"
    return f"{scheme}://{Address(host, address.port)}"
