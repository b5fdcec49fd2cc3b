"""Wake-ups between referees, by publish and subscribe: hints that may get lost."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final

from redis import exceptions
from redis.asyncio import Redis
from redis.asyncio.client import PubSub

from ginref.adapters.redis_script import SHARDS, shard_keys
from ginref.app.match_store import EVERYTHING, EntryId, Wake

_FIRST_DELAY_S: Final = 0.05
_LONGEST_DELAY_S: Final = 2.0
_QUIET_S: Final = 5.0


async def wakes(client: Redis) -> AsyncGenerator[Wake, None]:
    """Yield word of what changed; `EVERYTHING` whenever some may be missing."""
    delay_s = _FIRST_DELAY_S
    while True:
        try:
            async with aclosing(_subscription(client)) as found:
                async for wake in found:
                    delay_s = _FIRST_DELAY_S
                    yield wake
        except (exceptions.RedisError, OSError, TimeoutError):
            await asyncio.sleep(delay_s)
            delay_s = min(2 * delay_s, _LONGEST_DELAY_S)


async def _subscription(client: Redis) -> AsyncGenerator[Wake, None]:
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
                yield _read(message["data"].decode())
            elif message["type"] == "subscribe":
                # The driver may also subscribe again on its own, after a gap.
                confirmed = (confirmed + 1) % len(channels)
                if confirmed == 0:
                    yield EVERYTHING
    finally:
        await pubsub.aclose()


def _read(text: str) -> Wake:
    topic, _, place = text.partition(" ")
    version, _, refusal = place.partition("-")
    return Wake(topic, EntryId(int(version), int(refusal)) if place else None)
