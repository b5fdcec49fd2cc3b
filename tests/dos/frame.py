"""Frames of HTTP/2, well-formed and otherwise, on plain connections."""

import asyncio
import random
import struct
from collections.abc import Iterator
from contextlib import suppress

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS = range(5)
PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(5, 10)

END_STREAM, END_HEADERS = 0x1, 0x4

CANCEL = 8


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    """Return a frame."""
    head = struct.pack(">IBBI", len(payload) << 8, kind, flags, stream)
    # The length has three bytes.
    return head[:3] + head[4:] + payload


def literal(name: bytes, value: bytes) -> bytes:
    """Return a header that no table keeps."""
    return bytes([0x10, len(name)]) + name + bytes([len(value)]) + value


def call_headers(path: str, authority: str, token: str = "") -> bytes:
    """Return the headers of a call."""
    pairs = {
        ":method": "POST",
        ":scheme": "http",
        ":path": path,
        ":authority": authority,
        "content-type": "application/grpc",
    }
    if token:
        pairs["authorization"] = f"Bearer {token}"
    return b"".join(
        literal(name.encode(), text.encode()) for name, text in pairs.items()
    )


class RawConnection:
    """A connection on which any bytes can be said."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._hearing = asyncio.create_task(self._hear())

    @classmethod
    async def open(cls, address: str) -> "RawConnection":
        host, _, port = address.rpartition(":")
        return cls(*await asyncio.open_connection(host, int(port)))

    async def say(self, data: bytes) -> bool:
        """Send bytes; say whether the connection still took them."""
        if self.is_closed:
            return False
        with suppress(OSError):
            self._writer.write(data)
            await self._writer.drain()
            return True
        return False

    @property
    def is_closed(self) -> bool:
        """The other side has closed it."""
        return self._hearing.done()

    async def closed(self, patience_s: float) -> bool:
        """Wait for the other side to close it; say whether it did."""
        await asyncio.wait({self._hearing}, timeout=patience_s)
        return self.is_closed

    async def close(self) -> None:
        self._writer.close()
        with suppress(OSError):
            await self._writer.wait_closed()
        self._hearing.cancel()
        await asyncio.wait({self._hearing})

    async def _hear(self) -> None:
        """Throw away what comes, until nothing can come any more."""
        with suppress(OSError):
            while await self._reader.read(65_536):
                pass


def garbage(seed: int, path: str, authority: str) -> Iterator[tuple[str, bytes]]:
    """Yield what no client would say, with a name for each kind.

    Args:
        seed: Of what is random.
        path: Of a method.
        authority: Address of the server.
    """
    chance = random.Random(seed)
    hello = PREFACE + frame(SETTINGS, 0, 0)
    headers = call_headers(path, authority)
    begun = hello + frame(HEADERS, END_HEADERS, 1, headers)
    yield "noise", chance.randbytes(chance.randrange(1, 4_000))
    yield "TLS", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + chance.randbytes(500)
    yield "HTTP/1.1", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
    yield "half a preface", PREFACE[: chance.randrange(1, len(PREFACE))]
    yield "noise after the preface", PREFACE + chance.randbytes(2_000)
    yield "a frame of 16 MB", hello + b"\xff\xff\xff" + bytes([DATA, 0, 0, 0, 0, 1])
    yield "a frame that breaks off", begun[: -chance.randrange(1, len(headers))]
    yield (
        "headers that are none",
        hello + frame(HEADERS, END_HEADERS, 1, chance.randbytes(200)),
    )
    yield (
        "headers without an end",
        hello
        + frame(HEADERS, 0, 1, headers)
        + b"".join(
            frame(CONTINUATION, 0, 1, literal(b"x", b"y" * 100)) for _ in range(500)
        ),
    )
    yield "an even stream", hello + frame(HEADERS, END_HEADERS, 2, headers)
    yield "data of no stream", hello + frame(DATA, END_STREAM, 9, b"x" * 100)
    yield (
        "half a message",
        begun + frame(DATA, END_STREAM, 1, b"\x00\x00\x00\x10\x00" + b"x" * 10),
    )
    yield "a message with no length", begun + frame(DATA, END_STREAM, 1, b"\xff" * 5)
    yield "windows of nothing", hello + frame(WINDOW_UPDATE, 0, 0, bytes(4))
    yield (
        "windows too wide",
        hello + 3 * frame(WINDOW_UPDATE, 0, 0, b"\x7f\xff\xff\xff"),
    )
    yield (
        "settings without end",
        hello + 2_000 * frame(SETTINGS, 0, 0, struct.pack(">HI", 3, 1)),
    )
    yield "pings without end", hello + 2_000 * frame(PING, 0, 0, bytes(8))
    yield "empty data without end", begun + 2_000 * frame(DATA, 0, 1)
    yield "a push", hello + frame(PUSH_PROMISE, END_HEADERS, 1, bytes(4) + headers)
    yield (
        "priorities in a ring",
        hello + frame(PRIORITY, 0, 1, struct.pack(">IB", 1, 7)),
    )
    yield (
        "frames of no kind",
        hello
        + b"".join(
            frame(chance.randrange(10, 256), 0xFF, chance.getrandbits(31), b"x" * 20)
            for _ in range(50)
        ),
    )
    yield "a farewell", hello + frame(GOAWAY, 0, 0, bytes(8))
