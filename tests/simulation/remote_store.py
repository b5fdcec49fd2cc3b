"""The store as one referee reaches it: over a network that fails."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from typing import Any, Final, TypeVar

from tests.simulation.loop import Process
from tests.simulation.network import Network, settle
from tests.simulation.server import StoreServer

from ginref.app.match_store import (
    EVERYTHING,
    Applied,
    ApplyResult,
    Backlog,
    Change,
    Creation,
    Duplicate,
    Durability,
    EntryId,
    MatchPage,
    MatchStore,
    StoredEntry,
    StoredMatch,
    SubmissionKey,
    Wake,
)
from ginref.app.port import StoreUnavailableError

_T = TypeVar("_T")

_PATIENCE: Final = (0.1, 0.6)
"""Seconds after which a referee gives up waiting for the store."""

_CHORES: Final = {"backlog", "beat", "due", "finished", "live_count"}
"""What is asked so often that it takes no time: what follows from it does."""


class Wakes:
    """Wakes on their way to the referees that listen."""

    def __init__(self, server: StoreServer, network: Network) -> None:
        """Carry the wakes of a store once `run` is awaited."""
        self._server = server
        self._network = network
        self._listeners: dict[RemoteStore, asyncio.Queue[Wake]] = {}

    async def run(self) -> None:
        """Carry wakes for good."""
        async for wake in self._server.wakes():
            for store, queue in list(self._listeners.items()):
                self._carry(store, queue, wake)

    def _carry(
        self, store: "RemoteStore", queue: asyncio.Queue[Wake], wake: Wake
    ) -> None:
        network = self._network
        if store.is_deaf or network.store_away:
            store.has_missed = True
            network.journal.count("wake lost")
            return
        network.later(network.delay(), queue.put_nowait, wake)
        if network.happens(network.weather.wake_twice):
            network.journal.count("wake twice")
            network.later(network.delay() * 3, queue.put_nowait, wake)

    def listen(self, store: "RemoteStore") -> asyncio.Queue[Wake]:
        """Subscribe a referee; it has everything to look at first."""
        queue: asyncio.Queue[Wake] = asyncio.Queue()
        queue.put_nowait(EVERYTHING)
        self._listeners[store] = queue
        return queue

    def leave(self, store: "RemoteStore") -> None:
        """End a subscription."""
        self._listeners.pop(store, None)

    def reconnect(self) -> None:
        """Tell who has missed wakes and hears again that there were some."""
        if self._network.store_away:
            return
        for store, queue in list(self._listeners.items()):
            if store.has_missed and not store.is_deaf:
                store.has_missed = False
                self._network.journal.count("gap told")
                self._network.later(self._network.delay(), queue.put_nowait, EVERYTHING)


class RemoteStore(MatchStore):
    """Asks the one store. An answer can be late, or lost though the thing was done.

    Attributes:
        is_deaf: No wake comes through.
        has_missed: One did not.
        crash: Kills the process that asks, a little later.
    """

    def __init__(
        self,
        server: StoreServer,
        network: Network,
        wakes: Wakes,
        process: Process,
        crash: Callable[[], None],
    ) -> None:
        """Ask a server for a process."""
        self.is_deaf = False
        self.has_missed = False
        self.process = process
        self.crash = crash
        self._server = server
        self._network = network
        self._wakes = wakes

    async def _ask(
        self,
        what: str,
        ask: Callable[[], Coroutine[Any, Any, _T]],
        change: Change | None = None,
    ) -> _T:
        network, weather = self._network, self._network.weather
        loop = asyncio.get_running_loop()
        reply: asyncio.Future[_T] = loop.create_future()
        patience = network.dice.between(*_PATIENCE)
        if network.store_away or network.happens(weather.request_lost):
            network.journal.count("request lost")
            network.later(patience, settle, reply, StoreUnavailableError(what))
            return await reply
        if what in _CHORES:
            self._arrive(what, ask, change, reply, patience)
            return await reply
        if change is not None and network.happens(weather.crash):
            # The request has left; whether it arrives first is open.
            network.later(network.delay(), self.crash)
        network.later(network.delay(), self._arrive, what, ask, change, reply, patience)
        return await reply

    def _arrive(
        self,
        what: str,
        ask: Callable[[], Coroutine[Any, Any, _T]],
        change: Change | None,
        reply: "asyncio.Future[_T]",
        patience: float,
    ) -> None:
        network = self._network
        if network.store_away:
            network.later(patience, settle, reply, StoreUnavailableError(what))
            return
        outcome = _at_once(ask())
        stored = change is not None and isinstance(outcome, Applied)
        if change is not None and stored and not self.process.is_alive:
            network.journal.count("stored for a dead referee")
            self._server.leave_unheard(change, "a crash")
        if network.happens(network.weather.reply_lost):
            network.journal.count("reply lost")
            if change is not None and stored:
                network.journal.count("reply lost, yet stored")
                self._server.leave_unheard(change, "a lost reply")
            network.later(patience, settle, reply, StoreUnavailableError(what))
            return
        if what in _CHORES:
            settle(reply, outcome)
        else:
            network.later(network.delay(), settle, reply, outcome)

    async def create(self, creation: Creation) -> Applied | Duplicate:
        return await self._ask("create", lambda: self._server.create(creation))

    async def read(
        self, match_id: str, key: SubmissionKey | None = None
    ) -> StoredMatch | None:
        return await self._ask("read", lambda: self._server.read(match_id, key))

    async def apply(self, change: Change) -> ApplyResult:
        return await self._ask("apply", lambda: self._server.apply(change), change)

    async def log(
        self, match_id: str, *, after: EntryId | None = None
    ) -> Sequence[StoredEntry]:
        return await self._ask("log", lambda: self._server.log(match_id, after=after))

    async def beat(self) -> int:
        return await self._ask("beat", self._server.beat)

    async def due(self, limit: int) -> Sequence[str]:
        return await self._ask("due", lambda: self._server.due(limit))

    async def list_matches(
        self, *, bot: str | None, limit: int, cursor: str | None
    ) -> MatchPage:
        return await self._ask(
            "list",
            lambda: self._server.list_matches(bot=bot, limit=limit, cursor=cursor),
        )

    async def finished(self, limit: int) -> Sequence[str]:
        return await self._ask("finished", lambda: self._server.finished(limit))

    async def backlog(self) -> Backlog:
        return await self._ask("backlog", self._server.backlog)

    async def live_count(self) -> int:
        return await self._ask("live_count", self._server.live_count)

    async def acknowledge(self, match_id: str, keep_ms: int | None = None) -> None:
        await self._ask(
            "acknowledge", lambda: self._server.acknowledge(match_id, keep_ms)
        )

    async def has_expired(self, match_id: str) -> bool:
        return await self._ask("expired", lambda: self._server.has_expired(match_id))

    async def live_matches(self, bot: str) -> Sequence[str]:
        return await self._ask("live", lambda: self._server.live_matches(bot))

    async def drop_live(self, bot: str, match_id: str) -> None:
        await self._ask("drop", lambda: self._server.drop_live(bot, match_id))

    async def attach(self, bot: str, attachment: str) -> None:
        await self._ask("attach", lambda: self._server.attach(bot, attachment))

    async def attachment(self, bot: str) -> str | None:
        return await self._ask("attachment", lambda: self._server.attachment(bot))

    async def wakes(self) -> AsyncGenerator[Wake, None]:
        queue = self._wakes.listen(self)
        try:
            while True:
                yield await queue.get()
        finally:
            self._wakes.leave(self)

    async def identity_key(self) -> bytes:
        return await self._ask("identity", self._server.identity_key)

    async def durability(self) -> Durability:
        return await self._ask("durability", self._server.durability)

    async def aclose(self) -> None:
        """Give nothing back: there are no connections."""


def _at_once(work: Coroutine[Any, Any, _T]) -> _T:
    """Run what never waits."""
    try:
        work.send(None)
    except StopIteration as done:
        result: _T = done.value
        return result
    raise AssertionError("the store in memory waits for something")
