"""One server of a store: shared round trips, bounded waits, no retries.

Commands that are given in one turn of the event loop leave in one packet. A few
connections carry all of them: while these are busy, commands gather for the next
packet, so that load makes packets larger instead of making callers queue.
"""

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any, Final, Protocol

from redis import exceptions
from redis.asyncio import (
    BlockingConnectionPool,
    Connection,
    SSLConnection,
    UnixDomainSocketConnection,
)
from redis.asyncio.connection import AbstractConnection
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from ginref.adapters.redis_address import Address, Login, StoreAddress
from ginref.adapters.redis_call import Call, pack, words_of
from ginref.adapters.redis_packet import SERVER_ERRORS, Packet
from ginref.adapters.redis_script import TOUCH
from ginref.adapters.redis_status import SECTIONS, UNKNOWN, Status, parse_status
from ginref.adapters.redis_wire import Wire, open_wire

CONNECTION_LIMIT: Final = 4
PACKET_LIMIT: Final = 256
"""Most commands in one packet."""

CONNECT_PATIENCE_S: Final = 1.0
ANSWER_PATIENCE_S: Final = 2.0
REPLICA_PATIENCE_MS: Final = 1000
"""How long a write may take to reach its replicas."""

STATUS_AGE_S: Final = 1.0
"""How old what is known of a server's state may become while it is used."""

_LEFT: Final = "the server is not the one any more"


class Owner(Protocol):
    """Whom a node belongs to."""

    def returned(self, call: Call, error: Exception) -> None:
        """Take back a call that has certainly not run."""

    def sent(self, commands: int) -> None:
        """Learn that a packet leaves, and how many commands it carries."""

    def doubted(self, address: Address) -> None:
        """Learn that a server has not answered."""

    def replicas_wanted(self, address: Address, status: Status) -> int:
        """Say how many replicas must confirm a write at a server in this state."""


def pool_of(
    store: StoreAddress, address: Address, *, login: Login | None = None
) -> BlockingConnectionPool:
    """Make connections to one server, which connect when first used.

    Args:
        store: How to talk to servers of this store.
        address: The server.
        login: Name and password where they are not the store's.
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
        socket_timeout=ANSWER_PATIENCE_S,
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
        self._owner = owner
        self._pool = pool_of(store, address)
        self._wires: set[Wire] = set()
        self._idle: list[Wire] = []
        self._patience_s = patience_s
        self._touch = b""
        self._waiting: list[Call] = []
        self._packets: dict[Packet, asyncio.Task[None] | None] = {}
        self._errands: set[asyncio.Task[None]] = set()
        self._alarm: asyncio.TimerHandle | None = None
        self._rested: asyncio.Future[None] | None = None
        self._is_turn_open = False
        self._is_closed = False
        self._status_due_s = 0.0

    def touch_at(self, key: str) -> None:
        """Name a key that the server takes, for writes that mean nothing."""
        self._touch = pack(("EVAL", TOUCH.text, 1, key))

    def put(self, call: Call) -> None:
        """Put a command into the packet of this turn."""
        self._waiting.append(call)
        if not self._is_turn_open:
            self._is_turn_open = True
            call.answer.get_loop().call_soon(self._end_turn)

    async def learn(self) -> Status:
        """Ask the server about its state, past all commands that wait.

        Raises:
            RedisError: It does not answer.
            OSError: Likewise.
        """
        self._status_due_s = asyncio.get_running_loop().time() + STATUS_AGE_S
        (answer,) = await ask_once(self._pool, [("INFO", *SECTIONS)])
        self.status = parse_status(answer) if isinstance(answer, bytes) else UNKNOWN
        return self.status

    async def open(self) -> Wire:
        """Connect once more; that wire ends at the latest when the node does.

        Raises:
            RedisError: The server cannot be reached, or does not let us in.
            OSError: Likewise.
        """
        wire = await open_wire(self._pool.make_connection(), self._ended)
        if self._is_closed:
            wire.end()
            raise exceptions.ConnectionError(_LEFT)
        self._wires.add(wire)
        return wire

    async def settled(self) -> None:
        """Wait until nothing is under way."""
        self._send_waiting()
        while self._packets:
            if self._rested is None:
                self._rested = asyncio.get_running_loop().create_future()
            await asyncio.wait([self._rested])

    async def aclose(self) -> None:
        """Wait for what is under way, then close connections."""
        await self.settled()
        self._is_closed = True
        if self._alarm is not None:
            self._alarm.cancel()
        for wire in tuple(self._wires):
            wire.fail(exceptions.ConnectionError(_LEFT))
        while self._errands:
            await asyncio.wait(self._errands)
        await self._pool.aclose()

    @property
    def is_busy(self) -> bool:
        """Commands wait or are under way."""
        return bool(self._waiting or self._packets)

    def answered(self, packet: Packet, wire: Wire) -> None:
        """Use a wire again, and see to what has not run."""
        if wire.is_open:
            self._idle.append(wire)
        if not packet.release():
            self._owner.doubted(self.address)
        if packet.repeat():
            self._carry(packet)
        else:
            self._leave(packet)

    def failed(self, packet: Packet, error: Exception) -> None:
        """Tell the callers of a packet, and give back what has not run."""
        packet.give_up(error)
        self._owner.doubted(self.address)
        self._leave(packet)

    def _question(self, loop: asyncio.AbstractEventLoop) -> Call:
        self._status_due_s = loop.time() + STATUS_AGE_S
        call = Call(words_of(("INFO", *SECTIONS)), loop.create_future())
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
        while self._waiting and len(self._packets) < CONNECTION_LIMIT:
            calls = self._waiting[:PACKET_LIMIT]
            del self._waiting[:PACKET_LIMIT]
            loop = calls[0].answer.get_loop()
            now_s = loop.time()
            if now_s > self._status_due_s:
                calls.insert(0, self._question(loop))
            packet = Packet(calls, self, now_s + self._patience_s)
            self._packets[packet] = None
            if self._alarm is None:
                self._alarm = loop.call_at(packet.deadline_s, self._expire)
            self._carry(packet)

    def _carry(self, packet: Packet) -> None:
        """Send a packet on a wire that is free, or on a new one."""
        if self._idle:
            self._send(packet, self._idle.pop())
        else:
            self._packets[packet] = self._run(self._open_for(packet))

    async def _open_for(self, packet: Packet) -> None:
        """Open a wire and send a packet on it, unless that was given up meanwhile."""
        try:
            wire = await self.open()
        except Exception as error:  # noqa: BLE001 - it goes to the callers
            if packet in self._packets:
                self.failed(packet, error)
        else:
            if packet in self._packets:
                self._packets[packet] = None
                self._send(packet, wire)
            else:
                wire.end()

    def _send(self, packet: Packet, wire: Wire) -> None:
        wanted, ending = 0, b""
        if any(call.is_replicated for call in packet.calls):
            wanted = self._owner.replicas_wanted(self.address, self.status)
        if wanted:
            ending = self._touch + pack(("WAIT", wanted, REPLICA_PATIENCE_MS))
        packet.wire = wire
        self._owner.sent(len(packet.calls))
        wire.send(packet.packed(wanted, ending), packet)

    def _leave(self, packet: Packet) -> None:
        """Let go of a packet, and send what has waited for it."""
        del self._packets[packet]
        for call, error in packet.refused.items():
            self._owner.returned(call, error)
        self._send_waiting()
        if self._rested is not None and not self._packets:
            self._rested.set_result(None)
            self._rested = None

    def _expire(self) -> None:
        """Give up packets that have taken too long."""
        loop = asyncio.get_running_loop()
        now_s = loop.time()
        try:
            for packet in [one for one in self._packets if one.deadline_s <= now_s]:
                self._give_up(packet)
        finally:
            first_s = min((one.deadline_s for one in self._packets), default=None)
            self._alarm = (
                None if first_s is None else loop.call_at(first_s, self._expire)
            )

    def _give_up(self, packet: Packet) -> None:
        opening = self._packets[packet]
        if opening is not None:
            opening.cancel()
        if packet.wire is not None:
            # An answer that is still to come must not meet the next command.
            packet.wire.end()
        self.failed(packet, TimeoutError("the server does not answer"))

    def _ended(self, wire: Wire) -> None:
        """Let go of a wire."""
        self._wires.discard(wire)
        if wire in self._idle:
            self._idle.remove(wire)
        self._run(wire.aclose())

    def _run(self, errand: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(errand)
        self._errands.add(task)
        task.add_done_callback(self._errands.discard)
        return task


async def _answer(connection: AbstractConnection) -> Any:  # noqa: ANN401 - any answer
    """Read one answer; an error of the server is an answer, too."""
    try:
        return await connection.read_response(disconnect_on_error=False)
    except SERVER_ERRORS as error:
        return error
