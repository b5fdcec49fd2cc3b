"""Several referees side by side, each in a process of its own, and who minds them.

Workers share nothing but the store, the keys and the archive. Each is a fresh
interpreter, since a process that uses gRPC must not be forked, and each ends with the
process that started it.
"""

import asyncio
import contextlib
import json
import logging
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from ginref import __version__
from ginref.adapters import embedded_child
from ginref.adapters.addresses_file import addresses_file, publish
from ginref.adapters.child_end import end_children
from ginref.adapters.embedded_server import EmbeddedServer, EmbeddedServerError
from ginref.adapters.masked_log import log_to_stderr, telling
from ginref.adapters.operator_token import OPERATOR_TOKEN
from ginref.bootstrap import House, Invite, page_url
from ginref.config import ServeConfig
from ginref.effective import to_environment
from ginref.foundation import StartError, make_data_folder, shown
from ginref.setting import PREFIX
from ginref.setting_kind import OFF
from ginref.transport.address import Address, BindError

_LOG: Final = logging.getLogger(__name__)

_START_PATIENCE_S: Final = 60.0
_STOP_PATIENCE_S: Final = 10.0
"""Beyond the time for calls under way: what else a worker needs to close."""

_POLL_S: Final = 0.02
_FIRST_DELAY_S: Final = 0.1
_LONGEST_DELAY_S: Final = 5.0
_STEADY_S: Final = 10.0
"""A worker that has run so long is started again without much ado."""


async def supervise(
    config: ServeConfig, tell: Callable[[str], None], house: House, invite: Invite
) -> None:
    """Run workers until SIGTERM or Ctrl-C, and tell what a person wants to know.

    Raises:
        StartError: The store or one of them cannot start.
    """
    log_to_stderr(as_json=config.log_format == "json", level=config.log_level)
    tell = telling(_LOG, tell, as_json=config.log_format == "json")
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    make_data_folder(config.data)
    async with contextlib.AsyncExitStack() as stack:
        url = config.store or await _embedded(config, stack)
        crew = Crew(replace(config, store=url), stop)
        stack.push_async_callback(crew.stop)
        if not await crew.start():
            return
        addresses = ",".join(worker.grpc for worker in crew.workers if worker.grpc)
        bots = await stack.enter_async_context(house(addresses))
        tell(f"ginref {__version__} is ready, with {config.workers} workers")
        for worker in crew.workers:
            tell(f"  gRPC API         {worker.grpc}")
            if worker.http:
                tell(f"  pages, REST API  {page_url(config, worker.http)}")
            tell(f"  metrics, probes  http://{worker.admin}/metrics, /readyz, /livez")
        tell(f"  store            {shown(config.store)}")
        tell(f"  operator token   {config.data / OPERATOR_TOKEN}")
        if bots:
            tell(f"  house bots       {', '.join(bots)}")
        await invite(addresses)
        await stop.wait()
        tell("stopping: calls under way are finished first")


async def _embedded(config: ServeConfig, stack: contextlib.AsyncExitStack) -> str:
    try:
        return await stack.enter_async_context(EmbeddedServer(config.data / "store"))
    except EmbeddedServerError as error:
        raise StartError(str(error)) from error


class Worker:
    """One referee among several, started again whenever it ends by itself.

    Attributes:
        grpc: Address of its gRPC API, once it has been up.
        admin: Address of its metrics and probes, once it has been up.
        http: Address of its pages, once it has been up and if it has any.
    """

    def __init__(self, config: ServeConfig) -> None:
        """Run with settings of its own."""
        self.grpc = ""
        self.admin = ""
        self.http = ""
        self._config = config
        self._place = addresses_file(config.data, config.worker)
        self._process: asyncio.subprocess.Process | None = None

    @property
    def pid(self) -> int | None:
        """Process id while it runs."""
        if self._process is None or self._process.returncode is not None:
            return None
        return self._process.pid

    async def start(self) -> None:
        """Start it, and wait until it is up.

        Raises:
            StartError: It ended instead, having said why, or takes too long.
        """
        number = self._config.worker
        inherited = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(PREFIX)
        }
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, embedded_child.__file__, str(os.getpid())),
            *(sys.executable, "-m", "ginref", "serve"),
            # Where the kernel does not bind it to us, its end of this pipe does.
            stdin=asyncio.subprocess.PIPE,
            # Not as options: a store's password would be seen by everybody.
            env={**inherited, **to_environment(self._config)},
            # An interrupt from the terminal is for us, who pass it on.
            start_new_session=True,
        )
        try:
            async with asyncio.timeout(_START_PATIENCE_S):
                while not self._is_up():
                    if self.pid is None:
                        raise StartError(f"worker {number} did not start")
                    await asyncio.sleep(_POLL_S)
        except TimeoutError:
            raise StartError(f"worker {number} takes too long to start") from None

    def _is_up(self) -> bool:
        with contextlib.suppress(FileNotFoundError, ValueError):
            facts = json.loads(self._place.read_text())
            if facts["pid"] == self.pid:
                self.grpc, self.admin = facts["grpc"], facts["admin"]
                self.http = facts["http"]
                # The same ports serve again after a restart.
                self._config = replace(
                    self._config,
                    listen=self.grpc or self._config.listen,
                    admin=self.admin,
                    http=self.http or self._config.http,
                )
                return True
        return False

    async def ended(self) -> int:
        """Wait until it ends, and return its status."""
        return 0 if self._process is None else await self._process.wait()

    async def stop(self) -> None:
        """Ask it to end, then see to it."""
        if self._process is not None:
            patience_s = self._config.drain_ms / 1000 + _STOP_PATIENCE_S
            await end_children(self._process, patience_s=patience_s)


class Crew:
    """All workers of a referee.

    Attributes:
        workers: The workers, by number.
    """

    def __init__(self, config: ServeConfig, stop: asyncio.Event) -> None:
        """Run as many as the settings say, unless told to stop.

        Raises:
            StartError: There is no row of ports that begins where the settings say.
        """
        try:
            listen = Address.parse(config.listen)
            admin = Address.parse(config.admin)
            http = None if config.http == OFF else Address.parse(config.http)
            self.workers = [
                Worker(
                    replace(
                        config,
                        worker=number,
                        listen=str(listen.plus(number)),
                        admin=str(admin.plus(number)),
                        http=OFF if http is None else str(http.plus(number)),
                    )
                )
                for number in range(config.workers)
            ]
        except BindError as error:
            raise StartError(str(error)) from error
        self._place = addresses_file(config.data, config.worker)
        self._stop = stop
        self._minding: list[asyncio.Task[None]] = []

    async def start(self) -> bool:
        """Start all; False if they were told to stop before they were up.

        Raises:
            StartError: One cannot start.
        """
        starting = asyncio.create_task(self._start())
        stopping = asyncio.create_task(self._stop.wait())
        try:
            await asyncio.wait(
                {starting, stopping}, return_when=asyncio.FIRST_COMPLETED
            )
            if not starting.done():
                return False
            starting.result()
        finally:
            for task in (starting, stopping):
                task.cancel()
            await asyncio.wait({starting, stopping})
        self._publish()
        self._minding = [
            asyncio.create_task(self._mind(worker)) for worker in self.workers
        ]
        return True

    async def _start(self) -> None:
        first, *others = self.workers
        # The first one makes the keys and the operator's token that all share.
        await first.start()
        async with asyncio.TaskGroup() as group:
            for worker in others:
                group.create_task(_started(worker))
        for worker in others:
            if not worker.grpc and not worker.admin:
                raise StartError("not all workers did start")

    async def stop(self) -> None:
        """End all workers, and forget where they were."""
        for task in self._minding:
            task.cancel()
        if self._minding:
            await asyncio.wait(self._minding)
        await asyncio.gather(*(worker.stop() for worker in self.workers))
        self._place.unlink(missing_ok=True)

    async def _mind(self, worker: Worker) -> None:
        """Start a worker again whenever it ends; later and later if it will not run."""
        loop = asyncio.get_running_loop()
        delay_s = _FIRST_DELAY_S
        while True:
            began = loop.time()
            status = await worker.ended()
            _LOG.error("worker %s ended with status %d", worker.grpc, status)
            if loop.time() - began > _STEADY_S:
                delay_s = _FIRST_DELAY_S
            await asyncio.sleep(delay_s)
            delay_s = min(2 * delay_s, _LONGEST_DELAY_S)
            try:
                await worker.start()
            except (StartError, OSError):
                _LOG.exception("worker %s did not start again", worker.grpc)
                await worker.stop()
            else:
                self._publish()

    def _publish(self) -> None:
        """Tell where all workers are."""
        facts = [
            {
                "grpc": worker.grpc,
                "admin": worker.admin,
                "http": worker.http,
                "pid": worker.pid,
            }
            for worker in self.workers
        ]
        publish(
            self._place,
            {
                "grpc": ",".join(worker.grpc for worker in self.workers if worker.grpc),
                "admin": ",".join(worker.admin for worker in self.workers),
                "http": ",".join(worker.http for worker in self.workers if worker.http),
                "workers": facts,
            },
        )


async def _started(worker: Worker) -> None:
    # The others are not to be left half started: who failed is seen afterwards.
    with contextlib.suppress(StartError):
        await worker.start()
