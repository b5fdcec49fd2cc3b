"""How the referee talks to Redis: bounded waits, no silent retries, one error.

The driver would send a command again after a lost answer, which may store a move
twice; the caller does that with the same request id instead.
"""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final
from urllib.parse import urlsplit

from redis import exceptions
from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from ginref.adapters.redis_script import Script
from ginref.app.port import StoreUnavailableError

SCHEMES: Final = ("unix", "redis", "rediss")

CONNECTION_LIMIT: Final = 32
CONNECT_TIMEOUT_S: Final = 1.0
ANSWER_TIMEOUT_S: Final = 2.0

Argument = str | bytes | int

_UNAVAILABLE: Final = (
    exceptions.ConnectionError,
    exceptions.TimeoutError,
    exceptions.ReadOnlyError,
    exceptions.OutOfMemoryError,
    exceptions.ClusterDownError,
    exceptions.TryAgainError,
    OSError,
    TimeoutError,
)
_UNAVAILABLE_CODES: Final = (
    "BUSY",
    "MISCONF",
    "NOREPLICAS",
)


class UnsupportedStoreError(ValueError):
    """A store URL that this version cannot open."""


def client_of(url: str) -> Redis:
    """Make a client of the server at a URL; it connects when it is first used.

    Raises:
        UnsupportedStoreError: The URL has another scheme, or cannot be read.
    """
    scheme = urlsplit(url).scheme
    if scheme not in SCHEMES:
        known = ", ".join(f"{name}://" for name in SCHEMES)
        raise UnsupportedStoreError(
            f"store URLs of the scheme {scheme!r} are not supported; use one of {known}"
        )
    try:
        pool = BlockingConnectionPool.from_url(
            url,
            max_connections=CONNECTION_LIMIT,
            timeout=ANSWER_TIMEOUT_S,
            socket_timeout=ANSWER_TIMEOUT_S,
            socket_connect_timeout=CONNECT_TIMEOUT_S,
            retry=Retry(NoBackoff(), 0),
            protocol=2,
        )
    except ValueError as error:
        raise UnsupportedStoreError(f"not a store URL: {error}") from error
    return Redis.from_pool(pool)


@contextmanager
def unavailable() -> Iterator[None]:
    """Turn the driver's ways of saying "not now" into one error.

    Raises:
        StoreUnavailableError: The server did not answer, or cannot serve now.
    """
    try:
        yield
    except _UNAVAILABLE as error:
        raise StoreUnavailableError(str(error)) from error
    except exceptions.ResponseError as error:
        if str(error).startswith(_UNAVAILABLE_CODES):
            raise StoreUnavailableError(str(error)) from error
        raise


class RedisConnection:
    """Commands and scripts on one server."""

    def __init__(self, client: Redis) -> None:
        """Use a client, and close it in the end."""
        self._client = client
        self._execute: Callable[..., Awaitable[Any]] = client.execute_command

    async def run(
        self, script: Script, keys: Sequence[str], arguments: Sequence[Argument]
    ) -> Any:  # noqa: ANN401 - the shape of the answer is the script's
        """Run a script as a whole.

        Raises:
            StoreUnavailableError: Whether it ran is unknown.
        """
        with unavailable():
            tail = (len(keys), *keys, *arguments)
            try:
                return await self._execute("EVALSHA", script.sha, *tail)
            except exceptions.NoScriptError:
                # The server has restarted or never seen it: nothing ran.
                return await self._execute("EVAL", script.text, *tail)

    async def command(self, *parts: Argument) -> Any:  # noqa: ANN401 - the command's
        """Send one command.

        Raises:
            StoreUnavailableError: Whether it was carried out is unknown.
        """
        with unavailable():
            return await self._execute(*parts)

    async def commands(self, commands: Sequence[tuple[Argument, ...]]) -> list[Any]:
        """Send several commands at once, not as one step; return their answers.

        Raises:
            StoreUnavailableError: Which of them were carried out is unknown.
        """
        with unavailable():
            pipeline = self._client.pipeline(transaction=False)
            for parts in commands:
                pipeline.execute_command(*parts)
            answers: list[Any] = await pipeline.execute()
            return answers

    async def aclose(self) -> None:
        """Give back connections."""
        await self._client.aclose()
