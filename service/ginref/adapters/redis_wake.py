"""Wake-ups between referees, by publish and subscribe: hints that may get lost.

In a cluster each channel is heard at the node that its keys belong to, which is the
one that says something there: the news need not cross the cluster, and come once.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Final

from redis import exceptions
from redis.asyncio import Redis

from ginref.adapters.redis_connection import RedisConnection
from ginref.adapters.redis_script import SHARDS, shard_keys
from ginref.app.match_store import EVERYTHING, EntryId, Wake
from ginref.app.port import StoreUnavailableError

_FIRST_DELAY_S: Final = 0.05
_LONGEST_DELAY_S: Final = 2.0
_QUIET_S: Final = 5.0

_CHANNELS: Final = tuple(shard_keys(shard).wake for shard in SHARDS)

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
            async with aclosing(_subscriptions(connection)) as found:
                async for wake in found:
                    delay_s = _FIRST_DELAY_S
                    yield wake
        except _BROKEN:
            await asyncio.sleep(delay_s)
            delay_s = min(2 * delay_s, _LONGEST_DELAY_S)


async def _subscriptions(connection: RedisConnection) -> AsyncGenerator[Wake, None]:
    """Yield what the subscriptions bring until the first of them breaks.

    Raises:
        RedisError: A connection is lost, or a silent server does not answer.
        StoreUnavailableError: Nobody is there to subscribe at.
    """
    places = await connection.subscribers(_CHANNELS)
    streams = [_subscription(client, channels) for client, channels in places]
    async with aclosing(_merged(streams) if len(streams) > 1 else streams[0]) as found:
        async for wake in found:
            yield wake


async def _merged(
    streams: Sequence[AsyncGenerator[Wake, None]],
) -> AsyncGenerator[Wake, None]:
    """Yield what several subscriptions bring, from when all of them listen.

    Raises:
        RedisError: One of them has broken.
    """
    news: asyncio.Queue[Wake | None] = asyncio.Queue()

    async def listen(stream: AsyncGenerator[Wake, None]) -> None:
        try:
            async with aclosing(stream):
                async for wake in stream:
                    news.put_nowait(wake)
        finally:
            news.put_nowait(None)

    listeners = [asyncio.create_task(listen(stream)) for stream in streams]
    silent = len(listeners)
    try:
        while (wake := await news.get()) is not None:
            if wake is EVERYTHING:
                silent = max(silent - 1, 0)
            if not silent:
                yield wake
    finally:
        for listener in listeners:
            listener.cancel()
        ends = await asyncio.gather(*listeners, return_exceptions=True)
    raise next(end for end in ends if isinstance(end, Exception))


async def _subscription(
    client: Redis, channels: Sequence[str]
) -> AsyncGenerator[Wake, None]:
    """Yield what one subscription brings until it breaks.

    Raises:
        RedisError: The connection is lost, or a silent server does not answer.
    """
    # A bare connection: what the driver does around a subscription takes longer
    # than all else that becomes of a wake-up.
    pool = client.connection_pool
    connection = await pool.get_connection()
    try:
        await connection.send_command("SUBSCRIBE", *channels)
        unconfirmed = len(channels)
        asked = False
        while True:
            said = await connection.read_response(timeout=_QUIET_S)
            if said is None:
                if asked:
                    raise exceptions.TimeoutError("the subscription has gone silent")
                await connection.send_command("PING")
                asked = True
                continue
            asked = False
            if said[0] == b"message":
                yield _read(said[2].decode())
            elif said[0] == b"subscribe":
                unconfirmed -= 1
                if not unconfirmed:
                    yield EVERYTHING
    finally:
        try:
            await connection.disconnect(nowait=True)
        finally:
            await pool.release(connection)


def _read(text: str) -> Wake:
    topic, _, place = text.partition(" ")
    version, _, refusal = place.partition("-")
    return Wake(topic, EntryId(int(version), int(refusal)) if place else None)
