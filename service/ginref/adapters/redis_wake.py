"""Wake-ups between referees, by publish and subscribe: hints that may get lost.

In a cluster each channel is heard at the node that its keys belong to, which is the
one that says something there: the news need not cross the cluster, and come once.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import lru_cache
from typing import Any, Final

from redis import exceptions

from ginref.adapters.redis_call import pack
from ginref.adapters.redis_connection import RedisConnection
from ginref.adapters.redis_node import Node
from ginref.adapters.redis_script import SHARDS, shard_keys
from ginref.adapters.redis_wire import Wire
from ginref.app.match_store import EVERYTHING, EntryId, Wake
from ginref.app.port import StoreUnavailableError

_FIRST_DELAY_S: Final = 0.05
_LONGEST_DELAY_S: Final = 2.0
_QUIET_S: Final = 5.0

_CHANNELS: Final = tuple(shard_keys(shard).wake for shard in SHARDS)
_PING: Final = pack(("PING",))

_PLACES_KEPT: Final = 1024

_BROKEN: Final = (
    exceptions.RedisError,
    OSError,
    StoreUnavailableError,
    TimeoutError,
)


async def wakes(connection: RedisConnection) -> AsyncGenerator[Wake, None]:
    """Yield word of what changed; `EVERYTHING` whenever some may be missing."""
    delay_s = _FIRST_DELAY_S
    while True:
        try:
            async with _subscribed(connection) as news:
                while True:
                    for wake in await news.next():
                        delay_s = _FIRST_DELAY_S
                        yield wake
        except _BROKEN:
            await asyncio.sleep(delay_s)
            delay_s = min(2 * delay_s, _LONGEST_DELAY_S)


@asynccontextmanager
async def _subscribed(connection: RedisConnection) -> AsyncIterator["_News"]:
    """Subscribe wherever there is something to hear.

    Raises:
        RedisError: A server cannot be reached.
        OSError: Likewise.
        StoreUnavailableError: Nobody is there to subscribe at.
    """
    places = await connection.subscribers(_CHANNELS)
    news = _News(len(places))
    ears: list[_Ear] = []
    try:
        for node, channels in places:
            ears.append(await _Ear.open(node, channels, news))
        yield news
    finally:
        for ear in ears:
            ear.close()


class _News:
    """What several subscriptions bring, from when all of them listen."""

    def __init__(self, silent: int) -> None:
        """Expect so many subscriptions."""
        self._silent = silent
        self._wakes: list[Wake] = []
        self._error: Exception | None = None
        self._waiter: asyncio.Future[None] | None = None

    async def next(self) -> Sequence[Wake]:
        """Wait for the next news.

        Raises:
            RedisError: A connection is lost, or a silent server does not answer.
        """
        while not self._wakes:
            if self._error is not None:
                raise self._error
            self._waiter = asyncio.get_running_loop().create_future()
            await self._waiter
        found, self._wakes = self._wakes, []
        return found

    def begin(self) -> None:
        """Note that one of the subscriptions listens."""
        self._silent -= 1
        self.put(EVERYTHING)

    def put(self, wake: Wake) -> None:
        """Bring something."""
        if self._silent <= 0:
            self._wakes.append(wake)
            self._ring()

    def fail(self, error: Exception) -> None:
        """Bring nothing more."""
        self._error = self._error or error
        self._ring()

    def _ring(self) -> None:
        waiter, self._waiter = self._waiter, None
        if waiter is not None and not waiter.done():
            waiter.set_result(None)


class _Ear:
    """A subscription at one server."""

    def __init__(self, wire: Wire, channels: Sequence[str], news: _News) -> None:
        """Subscribe."""
        self._wire = wire
        self._news = news
        self._unconfirmed = len(channels)
        self._has_asked = False
        self._loop = asyncio.get_running_loop()
        self._heard_s = self._loop.time()
        self._alarm = self._loop.call_later(_QUIET_S, self._doubt)
        wire.send(pack(("SUBSCRIBE", *channels)), self)

    @classmethod
    async def open(cls, node: Node, channels: Sequence[str], news: _News) -> "_Ear":
        """Connect and subscribe.

        Raises:
            RedisError: The server cannot be reached.
            OSError: Likewise.
        """
        return cls(await node.open(), channels, news)

    def close(self) -> None:
        """Listen no more."""
        self._alarm.cancel()
        self._wire.end()

    def take(self, answer: Any) -> bool:  # noqa: ANN401 - any answer
        """Pass on what is said.

        Raises:
            RedisError: The server refuses.
        """
        if isinstance(answer, Exception):
            raise answer
        self._heard_s = self._loop.time()
        self._has_asked = False
        kind = answer[0]
        if kind == b"message":
            self._news.put(_read(answer[2]))
        elif kind == b"subscribe":
            self._unconfirmed -= 1
            if not self._unconfirmed:
                self._news.begin()
        return True

    def finish(self, wire: Wire) -> None:
        """Never happens: there is always more to come."""

    def lose(self, error: Exception) -> None:
        """Say that nothing more will come."""
        self._alarm.cancel()
        self._news.fail(error)

    def _doubt(self) -> None:
        """Ask a server that has been silent whether it is there."""
        due_s = self._heard_s + _QUIET_S
        if self._loop.time() < due_s:
            self._alarm = self._loop.call_at(due_s, self._doubt)
        elif self._has_asked:
            silent = exceptions.TimeoutError("the subscription has gone silent")
            self._wire.fail(silent)
        else:
            self._has_asked = True
            self._heard_s = self._loop.time()
            self._alarm = self._loop.call_later(_QUIET_S, self._doubt)
            self._wire.add(_PING)


def _read(data: bytes) -> Wake:
    topic, _, place = data.decode().partition(" ")
    return Wake(topic, _place(place) if place else None)


@lru_cache(_PLACES_KEPT)
def _place(text: str) -> EntryId:
    version, _, refusal = text.partition("-")
    return EntryId(int(version), int(refusal))
