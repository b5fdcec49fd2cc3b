"""The port of metrics, probes and public keys, told any bytes at all."""

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import uvicorn
from tests.fuzz.target import Target
from uvicorn.server import ServerState

from ginref.transport.admin import admin_app

_STATUS: Final = re.compile(rb"HTTP/1\.[01] (\d\d\d) ")
_PATIENCE: Final = 20
"""Turns of the loop in which an answer is written, or none will come."""


class _Keys:
    def jwks(self) -> bytes:
        return b'{"keys":[]}'

    def pem(self) -> bytes:
        return b""


class _Peer(asyncio.Transport):
    """The other end of a connection: keeps what is written to it."""

    def __init__(self) -> None:
        super().__init__({"peername": ("127.0.0.1", 1), "sockname": ("127.0.0.1", 2)})
        self.written = bytearray()
        self._is_closing = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.written += data

    def is_closing(self) -> bool:
        return self._is_closing

    def close(self) -> None:
        self._is_closing = True

    def pause_reading(self) -> None:
        """Read on: all has been read."""

    def resume_reading(self) -> None:
        """Read on, likewise."""

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        raise AssertionError(protocol)


def _metrics(*_: str) -> tuple[bytes, str]:
    return b"", "text/plain"


async def _ready() -> Sequence[str]:
    return ()


def _make() -> Callable[[bytes], object]:
    config = uvicorn.Config(
        admin_app(_ready, _metrics, _Keys()),
        lifespan="off",
        ws="none",
        log_config=None,
        log_level="critical",
        access_log=False,
    )
    config.load()

    async def feed(data: bytes) -> bytes:
        speak: Any = config.http_protocol_class
        protocol, peer = speak(config, ServerState(), {}), _Peer()
        protocol.connection_made(peer)
        half = len(data) // 2
        for part in (data[:half], data[half:]):
            if part and not peer.is_closing():
                protocol.data_received(part)
            for _ in range(_PATIENCE):
                await asyncio.sleep(0)
        protocol.connection_lost(None)
        if left := asyncio.all_tasks() - {asyncio.current_task()}:
            await asyncio.wait(left)
        return bytes(peer.written)

    def check(data: bytes) -> None:
        written = asyncio.run(feed(data))
        told = _STATUS.findall(written)
        assert not any(status.startswith(b"5") for status in told), written

    return check


def _requests() -> list[bytes]:
    end = b"Host: x\r\n\r\n"
    paths = (b"/livez", b"/readyz", b"/metrics", b"/.well-known/jwks.json", b"/%2e%2e")
    return [
        *(b"GET " + path + b" HTTP/1.1\r\n" + end for path in paths),
        b"HEAD /livez HTTP/1.0\r\n\r\n",
        b"POST /livez HTTP/1.1\r\nContent-Length: 3\r\n" + end + b"abc",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n"
        + end
        + b"3\r\nabc\r\n0\r\n\r\n",
        b"GET /livez HTTP/1.1\r\nUpgrade: websocket\r\nConnection: upgrade\r\n" + end,
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ]


PROBES: Final[Mapping[str, Target]] = {
    "http": Target(make=_make, seeds=_requests, share=10)
}
"""What answers over HTTP."""
