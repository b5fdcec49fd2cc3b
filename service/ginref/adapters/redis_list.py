"""Lists of matches in a Redis store, by time.

A list is written before its match and outlives it, so whoever reads one looks which of
its matches are there.
"""

from collections.abc import Sequence

from ginref.adapters import redis_reply
from ginref.adapters.redis_call import Argument
from ginref.adapters.redis_connection import RedisConnection
from ginref.adapters.redis_script import match_keys

Place = tuple[int, str]
"""When a match was listed, in milliseconds, and its id."""


async def newest(
    connection: RedisConnection,
    keys: Sequence[str],
    place: Place | None,
    limit: int,
) -> list[Place]:
    """Return the next places after one, in falling order of time and id.

    Raises:
        StoreUnavailableError: The store does not answer.
    """
    highest = "+inf" if place is None else f"({place[0]}"
    commands: list[tuple[Argument, ...]] = [
        ("ZREVRANGEBYSCORE", key, highest, "-inf", "WITHSCORES", "LIMIT", 0, limit)
        for key in keys
    ]
    if place is not None:
        commands += [
            ("ZREVRANGEBYSCORE", key, place[0], place[0], "WITHSCORES") for key in keys
        ]
    answers = await connection.commands(commands)
    places = sorted({one for answer in answers for one in redis_reply.scored(answer)})
    places.reverse()
    return [one for one in places if place is None or one < place][:limit]


async def kept(
    connection: RedisConnection, places: Sequence[Place], bot: str | None
) -> list[Place]:
    """Drop places of matches that were never made or have expired.

    Of a bot, also of those that were made without it.

    Raises:
        StoreUnavailableError: The store does not answer.
    """
    if not places:
        return []
    answers = await connection.commands(
        [("HGET", match_keys(match_id).match, "bots") for _, match_id in places]
    )
    return [
        place
        for place, bots in zip(places, answers, strict=True)
        if bots is not None and (bot is None or bot in bots.decode().split("\n"))
    ]
