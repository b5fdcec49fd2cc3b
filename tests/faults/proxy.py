"""A TCP proxy on the loopback interface that makes trouble on demand.

What it does to bytes is a mode, which may change while connections are open. A stream
that has lost bytes never goes on: its connections are cut when the trouble ends.
"""

import asyncio
import enum
import random
import socket
import struct
from collections import Counter, deque
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

HOST = "127.0.0.1"

_CUT_AT_ONCE = struct.pack("ii", 1, 0)
"""SO_LINGER that makes closing a socket send RST."""


class Mode(enum.Enum):
    """What becomes of bytes."""

    PASS = enum.auto()
    DELAY = enum.auto()
    """Each packet waits for `delay_s`, both ways."""
    DROP_REPLY = enum.auto()
    """With `chance`, a reply is lost and its connection cut; the request is served."""
    BLACKHOLE = enum.auto()
    """Bytes vanish, connections stay open, and new ones are accepted."""
    RESET = enum.auto()
    """With `chance`, a packet cuts its connection."""
    HALF_CLOSE = enum.auto()
    """A reply ends the stream towards the client, which may go on talking."""
    TRICKLE = enum.auto()
    """Bytes towards the server leave one at a time, each after `delay_s`."""
    HOLD = enum.auto()
    """Packets towards the server wait until the mode changes."""


_LOSSY = {Mode.BLACKHOLE, Mode.HALF_CLOSE}


@dataclass
class Trouble:
    """A mode and how bad it is."""

    mode: Mode = Mode.PASS
    chance: float = 1.0
    delay_s: float = 0.0


@dataclass(eq=False)
class FaultProxy:
    """A proxy in front of one server. Use it as an asynchronous context manager.

    Attributes:
        upstream: Port of the server.
        seed: Decides which packets are hit.
        port: Where it listens.
        hits: How often each mode has hit.
    """

    upstream: int
    seed: int = 0
    port: int = 0
    trouble: Trouble = field(default_factory=Trouble)
    hits: Counter[Mode] = field(default_factory=Counter)
    links: "set[_Link]" = field(default_factory=set)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)
        self._server: asyncio.Server | None = None

    @property
    def address(self) -> str:
        return f"{HOST}:{self.port}"

    async def __aenter__(self) -> Self:
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(
            lambda: _Link(self).client, HOST, self.port
        )
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._server is not None
        self._server.close()
        self.cut()
        await self._server.wait_closed()
        await asyncio.sleep(0)

    def set(self, mode: Mode, *, chance: float = 1.0, delay_s: float = 0.0) -> None:
        """Begin a trouble, or end it with `PASS`."""
        self.trouble = Trouble(mode, chance, delay_s)
        for link in list(self.links):
            link.mode_changed()

    def cut(self) -> None:
        """Cut every connection with RST."""
        for link in list(self.links):
            link.cut()

    def strikes(self) -> bool:
        """Say whether this packet is hit."""
        struck = self._random.random() < self.trouble.chance
        if struck:
            self.hits[self.trouble.mode] += 1
        return struck


class _Link:
    """A client's connection and the one that goes with it to the server."""

    def __init__(self, proxy: FaultProxy) -> None:
        self.proxy = proxy
        self.client = _End(self, is_client=True)
        self.server = _End(self, is_client=False)
        self.client.peer, self.server.peer = self.server, self.client
        self.is_spoiled = False
        self.connecting: asyncio.Task[None] | None = None

    def opened(self) -> None:
        self.proxy.links.add(self)
        self.connecting = asyncio.create_task(self._connect())

    async def _connect(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            await loop.create_connection(lambda: self.server, HOST, self.proxy.upstream)
        except OSError:
            self.cut()

    def mode_changed(self) -> None:
        if self.is_spoiled:
            self.cut()
            return
        for end in (self.client, self.server):
            end.flush()

    def cut(self) -> None:
        self.proxy.links.discard(self)
        for end in (self.client, self.server):
            end.cut()

    def received(self, end: "_End", data: bytes) -> None:
        trouble, proxy = self.proxy.trouble, self.proxy
        is_reply = not end.is_client
        match trouble.mode:
            case Mode.BLACKHOLE:
                self.is_spoiled = True
                proxy.hits[trouble.mode] += 1
                return
            case Mode.DROP_REPLY if is_reply and proxy.strikes():
                self.cut()
                return
            case Mode.RESET if proxy.strikes():
                self.cut()
                return
            case Mode.HALF_CLOSE if is_reply:
                self.is_spoiled = True
                proxy.hits[trouble.mode] += 1
                end.peer.finish()
                return
            case Mode.DELAY:
                proxy.hits[trouble.mode] += 1
                end.peer.send_later(data, trouble.delay_s)
            case Mode.TRICKLE if not is_reply:
                proxy.hits[trouble.mode] += 1
                for at in range(len(data)):
                    end.peer.send_later(data[at : at + 1], trouble.delay_s * (at + 1))
            case Mode.HOLD if not is_reply:
                proxy.hits[trouble.mode] += 1
                end.peer.hold(data)
            case _:
                end.peer.send(data)


class _End(asyncio.Protocol):
    """One of the two connections of a link."""

    peer: "_End"

    def __init__(self, link: _Link, *, is_client: bool) -> None:
        self.link = link
        self.is_client = is_client
        self.transport: asyncio.Transport | None = None
        self.waiting: deque[bytes] = deque()
        self.is_finished = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        sock = transport.get_extra_info("socket")
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self.is_client:
            self.link.opened()
        elif self.link not in self.link.proxy.links:
            self.cut()
        else:
            self.flush()

    def data_received(self, data: bytes) -> None:
        self.link.received(self, data)

    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        self.transport = None
        self.link.proxy.links.discard(self.link)
        if self.peer.transport is not None:
            self.peer.transport.close()

    def pause_writing(self) -> None:
        if self.peer.transport is not None:
            self.peer.transport.pause_reading()

    def resume_writing(self) -> None:
        if self.peer.transport is not None:
            self.peer.transport.resume_reading()

    def send(self, data: bytes) -> None:
        """Send now, but never before what waits already."""
        if self.waiting or self.transport is None:
            self.waiting.append(data)
        elif not self.is_finished:
            self.transport.write(data)

    def hold(self, data: bytes) -> None:
        self.waiting.append(data)

    def send_later(self, data: bytes, delay_s: float) -> None:
        self.waiting.append(data)
        asyncio.get_running_loop().call_later(delay_s, self._send_next)

    def _send_next(self) -> None:
        if self.waiting and self.transport is not None and not self.is_finished:
            self.transport.write(self.waiting.popleft())

    def flush(self) -> None:
        if self.transport is not None and not self.is_finished:
            while self.waiting:
                self.transport.write(self.waiting.popleft())

    def finish(self) -> None:
        """Send what ends a stream, once."""
        if self.transport is not None and not self.is_finished:
            self.is_finished = True
            self.transport.write_eof()

    def cut(self) -> None:
        if self.transport is not None:
            sock = self.transport.get_extra_info("socket")
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _CUT_AT_ONCE)
            self.transport.abort()
