"""One server of a store: shared round trips, bounded waits, no retries.

Commands that are given in one turn of the event loop leave in one packet. A few
connections carry all of them: while these are busy, commands gather for the next
packet, so that load makes packets larger instead of making callers queue.

Where writes must reach replicas, a packet ends with a small write of its own and
WAIT, on the same connection. Without that write some servers answer WAIT for the
last write of the connection, not for what its commands have just read.
"""

import asyncio
from collections.abc import Sequence
from typing import Any, Final, Protocol

from redis import exceptions
from redis.asyncio import (
    BlockingConnectionPool,
    Connection,
    Redis,
    SSLConnection,
    UnixDomainSocketConnection,
)
from redis.asyncio.connection import AbstractConnection
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from ginref.adapters.redis_address import Address, Login, StoreAddress
from ginref.adapters.redis_call import Call, pack
from ginref.adapters.redis_error import NOT_RUN, NotReplicatedError
from ginref.adapters.redis_script import TOUCH
from ginref.adapters.redis_status import SECTIONS, UNKNOWN, Status, parse_status

CONNECTION_LIMIT: Final = 4
PACKET_LIMIT: Final = 256
"""Most commands in one packet."""

CONNECT_PATIENCE_S: Final = 1.0
ANSWER_PATIENCE_S: Final = 2.0
REPLICA_PATIENCE_MS: Final = 1000
"""How long a write may take to reach its replicas."""

STATUS_AGE_S: Final = 1.0
"""How old what is known of a server's state may become while it is used."""

_SERVER_ERRORS: Final = (exceptions.ResponseError, exceptions.BusyLoadingError)
"""Errors that are answers: the next answer can be read."""


class Owner(Protocol):
    """Whom a node belongs to."""

    def returned(self, call: Call, error: Exception) -> None:
        """Take back a call that has certainly not run."""

    def doubted(self, address: Address) -> None:
        """Learn that a server has not answered."""

    def replicas_wanted(self, address: Address, status: Status) -> int:
        """Say how many replicas must confirm a write at a server in this state."""


def pool_of(
    store: StoreAddress,
    address: Address,
    *,
    login: Login | None = None,
    answer_patience_s: float | None = None,
) -> BlockingConnectionPool:
    """Make connections to one server, which connect when first used.

    Args:
        store: How to talk to servers of this store.
        address: The server.
        login: Name and password where they are not the store's.
        answer_patience_s: How long a connection waits for each answer; None where
            its user bounds the wait.
    """
    who = store.login if login is None else login
    facts: dict[str, Any] = {"db": store.database if login is None else 0}
    kind: type[AbstractConnection] = Connection
    if not address.port:
        kind = UnixDomainSocketConnection
        facts |= {"path": address.host}
    else:
        facts |= {"host": address.host, "port": address.port}
        facts |= {"socket_connect_timeout": CONNECT_PATIENCE_S}
    if store.tls:
        kind = SSLConnection
        facts |= store.tls_options
        hosts = store.tls_options.get("ssl_check_hostname", "true")
        facts |= {"ssl_check_hostname": hosts.lower() in {"1", "true", "yes"}}
    return BlockingConnectionPool(
        connection_class=kind,
        max_connections=CONNECTION_LIMIT,
        timeout=ANSWER_PATIENCE_S,
        username=who.username or None,
        password=who.password or None,
        socket_timeout=answer_patience_s,
        retry=Retry(NoBackoff(), 0),
        protocol=2,
        **facts,
    )


async def ask_once(
    pool: BlockingConnectionPool, commands: Sequence[tuple[str, ...]]
) -> list[Any]:
    """Send commands on a connection; return answers, errors of the server among them.

    Raises:
        RedisError: The server cannot be reached.
        OSError: Likewise.
    """
    connection = await pool.get_connection()
    try:
        await connection.send_packed_command(b"".join(map(pack, commands)))
        return [await _answer(connection) for _ in commands]
    except BaseException:
        await connection.disconnect(nowait=True)
        raise
    finally:
        await pool.release(connection)


class Node:
    """One server, with a few connections that carry all of its commands.

    Attributes:
        address: Where it listens.
        status: What it said about itself the last time.
        subscriber: A client for what takes a connection of its own.
    """

    def __init__(
        self,
        store: StoreAddress,
        address: Address,
        owner: Owner,
        *,
        patience_s: float,
    ) -> None:
        """Prepare connections; none is made before it is needed.

        Args:
            store: How to talk to servers of this store.
            address: The server.
            owner: Whom the node belongs to.
            patience_s: How long a packet may take, in seconds.
        """
        self.address = address
        self.status: Status = UNKNOWN
        self._asides = pool_of(store, address, answer_patience_s=ANSWER_PATIENCE_S)
        self.subscriber = Redis.from_pool(self._asides)
        self._owner = owner
        self._pool = pool_of(store, address)
        self._idle: list[AbstractConnection] = []
        self._patience_s = patience_s
        self._touch = b""
        self._waiting: list[Call] = []
        self._senders: set[asyncio.Task[None]] = set()
        self._is_turn_open = False
        self._status_due_s = 0.0

    def touch_at(self, key: str) -> None:
        """Name a key that the server takes, for writes that mean nothing."""
        self._touch = pack(("EVAL", TOUCH.text, 1, key))

    def put(self, call: Call) -> None:
        """Put a command into the packet of this turn."""
        self._waiting.append(call)
        if not self._is_turn_open:
            self._is_turn_open = True
            asyncio.get_running_loop().call_soon(self._end_turn)

    async def learn(self) -> Status:
        """Ask the server about its state, past all commands that wait.

        Raises:
            RedisError: It does not answer.
            OSError: Likewise.
        """
        self._status_due_s = asyncio.get_running_loop().time() + STATUS_AGE_S
        (answer,) = await ask_once(self._asides, [("INFO", *SECTIONS)])
        self.status = parse_status(answer) if isinstance(answer, bytes) else UNKNOWN
        return self.status

    async def settled(self) -> None:
        """Wait until nothing is under way."""
        self._send_waiting()
        while self._senders:
            await asyncio.wait(self._senders)

    async def aclose(self) -> None:
        """Wait for what is under way, then give back connections."""
        await self.settled()
        while self._idle:
            await self._pool.release(self._idle.pop())
        await asyncio.gather(self._pool.aclose(), self.subscriber.aclose())

    @property
    def is_busy(self) -> bool:
        """Commands wait or are under way."""
        return bool(self._waiting or self._senders)

    def _question(self, loop: asyncio.AbstractEventLoop) -> Call:
        self._status_due_s = loop.time() + STATUS_AGE_S
        call = Call(("INFO", *SECTIONS), loop.create_future())
        call.answer.add_done_callback(self._keep_status)
        return call

    def _keep_status(self, answer: asyncio.Future[Any]) -> None:
        if answer.cancelled():
            return
        error = answer.exception()
        if error is None:
            self.status = parse_status(answer.result())
        elif isinstance(error, exceptions.NoPermissionError):
            self.status = UNKNOWN

    def _end_turn(self) -> None:
        self._is_turn_open = False
        self._send_waiting()

    def _send_waiting(self) -> None:
        """Send what waits, as far as there are connections to carry it."""
        while self._waiting and len(self._senders) < CONNECTION_LIMIT:
            packet = self._waiting[:PACKET_LIMIT]
            del self._waiting[:PACKET_LIMIT]
            loop = asyncio.get_running_loop()
            if loop.time() > self._status_due_s:
                packet.insert(0, self._question(loop))
            sender = loop.create_task(self._send(packet))
            self._senders.add(sender)
            sender.add_done_callback(self._sent)

    def _sent(self, sender: asyncio.Task[None]) -> None:
        self._senders.discard(sender)
        self._send_waiting()

    async def _send(self, packet: list[Call]) -> None:
        """Send a packet, hand out the answers, and give back what has not run."""
        delivery = _Delivery()
        try:
            async with asyncio.timeout(self._patience_s):
                await self._exchange(packet, delivery)
                if delivery.forgotten:
                    await self._exchange(delivery.forgotten, delivery)
        except Exception as failure:  # noqa: BLE001 - it goes to the callers
            for call in packet:
                if call.is_sent:
                    call.fail(failure)
                else:
                    delivery.refused.setdefault(call, failure)
            self._owner.doubted(self.address)
        for call, error in delivery.refused.items():
            self._owner.returned(call, error)

    async def _exchange(self, packet: Sequence[Call], delivery: "_Delivery") -> None:
        """Send a packet on one connection and hand out the answers."""
        connection = await self._take()
        try:
            wanted = 0
            if any(call.is_replicated for call in packet):
                wanted = self._owner.replicas_wanted(self.address, self.status)
            data = b"".join([call.packed() for call in packet])
            if wanted:
                data += self._touch + pack(("WAIT", wanted, REPLICA_PATIENCE_MS))
            await connection.send_packed_command(data)
            for call in packet:
                try:
                    answer = await connection.read_response(disconnect_on_error=False)
                except _SERVER_ERRORS as error:
                    delivery.refuse(call, error)
                    continue
                if wanted and call.is_replicated:
                    delivery.held.append((call, answer))
                else:
                    call.settle(answer)
            if wanted:
                verdict = await _verdict(connection, wanted)
                delivery.release(verdict)
                if verdict is not None:
                    self._owner.doubted(self.address)
        except BaseException:
            # An answer that is still to come must not meet the next command.
            await self._give_back(connection)
            raise
        self._idle.append(connection)

    async def _take(self) -> AbstractConnection:
        """Return a connection that nothing is left to be read from.

        Those that were used last are not given back to the driver's pool, whose
        account of them costs more than a packet.
        """
        while self._idle:
            connection = self._idle.pop()
            if await _is_clean(connection):
                return connection
            await self._give_back(connection)
        taken: AbstractConnection = await self._pool.get_connection()
        return taken

    async def _give_back(self, connection: AbstractConnection) -> None:
        """Close a connection, and let the pool make another one in its place."""
        try:
            await connection.disconnect(nowait=True)
        finally:
            await self._pool.release(connection)


class _Delivery:
    """What has become of the calls of a packet.

    Attributes:
        forgotten: The server has not seen their scripts since it started, and has
            not run them.
        refused: The server has not carried them out, and why.
        held: Their answers wait for word of the replicas.
    """

    def __init__(self) -> None:
        self.forgotten: list[Call] = []
        self.refused: dict[Call, Exception] = {}
        self.held: list[tuple[Call, object]] = []

    def refuse(self, call: Call, error: Exception) -> None:
        """See to a call that the server has answered with an error."""
        if isinstance(error, NOT_RUN):
            call.is_sent = False
            self.refused[call] = error
        elif isinstance(error, exceptions.NoScriptError) and call.script is not None:
            call.is_sent = False
            call.is_in_full = True
            self.forgotten.append(call)
        else:
            call.fail(error)

    def release(self, verdict: Exception | None) -> None:
        """Hand out the answers that were held, or why they cannot be relied on."""
        for call, answer in self.held:
            if verdict is None:
                call.settle(answer)
            else:
                call.fail(verdict)


async def _is_clean(connection: AbstractConnection) -> bool:
    """Say whether a connection is open, with nothing left to be read from it."""
    try:
        return connection.is_connected and not await connection.can_read()
    except exceptions.ConnectionError:
        return False


async def _answer(connection: AbstractConnection) -> Any:  # noqa: ANN401 - any answer
    """Read one answer; an error of the server is an answer, too."""
    try:
        return await connection.read_response(disconnect_on_error=False)
    except _SERVER_ERRORS as error:
        return error


async def _verdict(connection: AbstractConnection, wanted: int) -> Exception | None:
    """Read what ends a packet; return why its answers cannot be relied on, or None."""
    touched = await _answer(connection)
    reached = await _answer(connection)
    for answer in (touched, reached):
        if isinstance(answer, Exception):
            return NotReplicatedError(f"replicas cannot be asked: {answer}")
    if reached < wanted:
        return NotReplicatedError(f"{reached} of {wanted} replicas have confirmed")
    return None
