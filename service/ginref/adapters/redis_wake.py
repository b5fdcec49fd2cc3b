"""Wake-ups between referees, by publish and subscribe: hints that may get lost."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final

from redis import exceptions
from redis.asyncio import Redis
from redis.asyncio.client import PubSub

from ginref.adapters.redis_script import SHARDS, shard_keys

_FIRST_DELAY_S: Final = 0.05
_LONGEST_DELAY_S: Final = 2.0
_QUIET_S: Final = 5.0


async def wakes(client: Redis) -> AsyncGenerator[str, None]:
    """Yield topics that changed; an empty one whenever some may be missing."""
    delay_s = _FIRST_DELAY_S
    while True:
        try:
            async with aclosing(_subscription(client)) as topics:
                async for topic in topics:
                    delay_s = _FIRST_DELAY_S
                    yield topic
        except (exceptions.RedisError, OSError, TimeoutError):
            await asyncio.sleep(delay_s)
            delay_s = min(2 * delay_s, _LONGEST_DELAY_S)


async def _subscription(client: Redis) -> AsyncGenerator[str, None]:
    """Yield what one subscription brings until it breaks.

    Raises:
        RedisError: The connection is lost, or a silent server does not answer.
    """
    channels = [shard_keys(shard).wake for shard in SHARDS]
    pubsub: PubSub = client.pubsub()
    try:
        await pubsub.subscribe(*channels)
        confirmed = 0
        asked = False
        while True:
            message = await pubsub.get_message(timeout=_QUIET_S)
            if message is None:
                if asked:
                    raise exceptions.TimeoutError("the subscription has gone silent")
                await pubsub.ping()
                asked = True
                continue
            asked = False
            if message["type"] == "message":
                yield message["data"].decode()
            elif message["type"] == "subscribe":
                # The driver may also subscribe again on its own, after a gap.
                confirmed = (confirmed + 1) % len(channels)
                if confirmed == 0:
                    yield ""
    finally:
        await pubsub.aclose()
