"""How the referee talks to Redis: shared round trips, bounded waits, no retries.

Commands that are given in one turn of the event loop leave in one packet. A few
connections carry all of them: while these are busy, commands gather for the next
packet, so that load makes packets larger instead of making callers queue.

The driver would send a command again after a lost answer, which may store a move
twice; the caller does that with the same request id instead.
"""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

from redis import exceptions
from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from ginref.adapters.redis_script import Script
from ginref.app.port import StoreUnavailableError

SCHEMES: Final = ("unix", "redis", "rediss")

CONNECTION_LIMIT: Final = 4
PACKET_LIMIT: Final = 256
"""Most commands in one packet."""

CONNECT_PATIENCE_S: Final = 1.0
ANSWER_PATIENCE_S: Final = 2.0

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


def pool_of(url: str, *, answer_patience_s: float | None) -> BlockingConnectionPool:
    """Make connections to the server at a URL, which connect when first used.

    Args:
        url: A `unix://`, `redis://` or `rediss://` URL.
        answer_patience_s: How long a connection waits for each answer; None where
            its user bounds the wait.

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
        return BlockingConnectionPool.from_url(
            url,
            max_connections=CONNECTION_LIMIT,
            timeout=ANSWER_PATIENCE_S,
            socket_timeout=answer_patience_s,
            socket_connect_timeout=CONNECT_PATIENCE_S,
            retry=Retry(NoBackoff(), 0),
            protocol=2,
        )
    except ValueError as error:
        raise UnsupportedStoreError(f"not a store URL: {error}") from error


def client_of(url: str) -> Redis:
    """Make a client for what takes a connection of its own, as a subscription does.

    Raises:
        UnsupportedStoreError: The URL has another scheme, or cannot be read.
    """
    return Redis.from_pool(pool_of(url, answer_patience_s=ANSWER_PATIENCE_S))


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


@dataclass(frozen=True, slots=True)
class _Call:
    """A command that waits for its answer.

    Attributes:
        parts: The command.
        script: The script that it runs by its name in the server's cache, if any.
        answer: Where the answer goes.
    """

    parts: tuple[Argument, ...]
    script: Script | None
    answer: asyncio.Future[Any]

    def settle(self, answer: object) -> None:
        """Give the answer to the caller, who may have gone away."""
        if self.answer.done():
            return
        if isinstance(answer, Exception):
            self.answer.set_exception(answer)
        else:
            self.answer.set_result(answer)

    def in_full(self) -> "_Call":
        """Return the call with the text of its script instead of the name."""
        if self.script is None:
            return self
        return _Call(("EVAL", self.script.text, *self.parts[2:]), None, self.answer)


class RedisConnection:
    """Commands and scripts on one server; answers are as the server sends them."""

    def __init__(self, url: str, *, patience_s: float = ANSWER_PATIENCE_S) -> None:
        """Prepare connections; none is made before it is needed.

        Args:
            url: A `unix://`, `redis://` or `rediss://` URL.
            patience_s: How long a packet may take, in seconds.

        Raises:
            UnsupportedStoreError: The URL has another scheme, or cannot be read.
        """
        self._pool = pool_of(url, answer_patience_s=None)
        self._patience_s = patience_s
        self._waiting: list[_Call] = []
        self._senders: set[asyncio.Task[None]] = set()
        self._is_turn_open = False

    async def run(
        self, script: Script, keys: Sequence[str], arguments: Sequence[Argument]
    ) -> Any:  # noqa: ANN401 - the shape of the answer is the script's
        """Run a script as a whole.

        Raises:
            StoreUnavailableError: Whether it ran is unknown.
        """
        parts = ("EVALSHA", script.sha, len(keys), *keys, *arguments)
        with unavailable():
            return await self._call(parts, script)

    async def command(self, *parts: Argument) -> Any:  # noqa: ANN401 - the command's
        """Send one command.

        Raises:
            StoreUnavailableError: Whether it was carried out is unknown.
        """
        with unavailable():
            return await self._call(parts)

    async def commands(self, commands: Sequence[tuple[Argument, ...]]) -> list[Any]:
        """Send several commands, in no certain order; return their answers in order.

        Raises:
            StoreUnavailableError: Which of them were carried out is unknown.
        """
        calls = [self._call(parts) for parts in commands]
        answers = await asyncio.gather(*calls, return_exceptions=True)
        with unavailable():
            for answer in answers:
                if isinstance(answer, BaseException):
                    raise answer
        return answers

    async def aclose(self) -> None:
        """Wait for what is under way, then give back connections."""
        self._send_waiting()
        while self._senders:
            await asyncio.wait(self._senders)
        await self._pool.aclose()

    def _call(
        self, parts: tuple[Argument, ...], script: Script | None = None
    ) -> asyncio.Future[Any]:
        """Put a command into the packet of this turn."""
        loop = asyncio.get_running_loop()
        call = _Call(parts, script, loop.create_future())
        self._waiting.append(call)
        if not self._is_turn_open:
            self._is_turn_open = True
            loop.call_soon(self._end_turn)
        return call.answer

    def _end_turn(self) -> None:
        self._is_turn_open = False
        self._send_waiting()

    def _send_waiting(self) -> None:
        """Send what waits, as far as there are connections to carry it."""
        while self._waiting and len(self._senders) < CONNECTION_LIMIT:
            packet = self._waiting[:PACKET_LIMIT]
            del self._waiting[:PACKET_LIMIT]
            sender = asyncio.create_task(self._send(packet))
            self._senders.add(sender)
            sender.add_done_callback(self._sent)

    def _sent(self, sender: asyncio.Task[None]) -> None:
        self._senders.discard(sender)
        self._send_waiting()

    async def _send(self, packet: list[_Call]) -> None:
        """Send a packet and hand out the answers."""
        try:
            async with asyncio.timeout(self._patience_s):
                forgotten = await self._exchange(packet)
                if forgotten:
                    await self._exchange([call.in_full() for call in forgotten])
        except Exception as error:  # noqa: BLE001 - it goes to the callers
            for call in packet:
                call.settle(error)

    async def _exchange(self, packet: list[_Call]) -> list[_Call]:
        """Send a packet on one connection and hand out the answers.

        Returns:
            The calls whose scripts the server has not seen since it started: these
            have not run.
        """
        forgotten: list[_Call] = []
        connection = await self._pool.get_connection()
        try:
            await connection.send_packed_command(b"".join(map(_packed, packet)))
            for call in packet:
                try:
                    call.settle(await connection.read_response())
                except exceptions.NoScriptError as error:
                    if call.script is None:
                        call.settle(error)
                    else:
                        forgotten.append(call)
                except exceptions.ResponseError as error:
                    call.settle(error)
        except BaseException:
            # An answer that is still to come must not meet the next command.
            await connection.disconnect(nowait=True)
            raise
        finally:
            await self._pool.release(connection)
        return forgotten


def _packed(call: _Call) -> bytes:
    """Write a command as the protocol has it: every part after its length."""
    pieces = [b"*%d\r\n" % len(call.parts)]
    for part in call.parts:
        data = part if isinstance(part, bytes) else str(part).encode()
        pieces.append(b"$%d\r\n%b\r\n" % (len(data), data))
    return b"".join(pieces)
