"""Two referees on one store, and a bot that gives something time to happen to them."""

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.e2e.referee_process import RefereeProcess

from ginref.adapters.embedded_server import EmbeddedServer
from ginref.engine.move import Move
from ginref.engine.view import SeatView
from ginref_client.bots.simple import Simple


class Calm(Simple):
    """A bot that takes its time until what happens is over.

    Attributes:
        over: Set when it is.
        pause_s: How long it waits with each move until then.
    """

    over = threading.Event()
    pause_s = 0.1

    def choose(self, view: SeatView) -> Move:
        """Wait a little, so that no match is over before its time."""
        self.over.wait(self.pause_s)
        return super().choose(view)


@asynccontextmanager
async def two_replicas(folder: Path) -> AsyncIterator[list[RefereeProcess]]:
    """Run two referees on one store, with one folder of keys and one of records."""
    shared = ("--keys", str(folder / "keys"), "--archive", str(folder / "records"))
    async with EmbeddedServer(folder / "store") as url:
        both = [
            RefereeProcess(folder / name, store=url, options=shared)
            for name in ("one", "two")
        ]
        try:
            for replica in both:
                await asyncio.to_thread(replica.start)
            yield both
        finally:
            for replica in both:
                replica.kill()
