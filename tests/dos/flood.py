"""Floods that a referee must live through, D01 to D08, and garbage at its port, Z05.

Each is a function that does something so many times and returns how it was answered: by
reason, or by the name of a status where the core of gRPC answers on its own.
"""

import asyncio
import urllib.request
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any, Final

import grpc.aio
import httpx
from tests.dos import frame
from tests.dos.frame import RawConnection
from tests.faults.wire import Wire, refusal_of

from ginref.v1 import referee_service_pb2 as referee_pb
from ginref.v1 import ruleset_pb2

GET: Final = "/ginref.v1.RefereeService/GetMatch"

WITHIN_S: Final = 120.0

SMALL_WINDOW: Final = (
    ("grpc.http2.lookahead_bytes", 4096),
    ("grpc.http2.bdp_probe", 0),
)
"""Options of a caller that takes little beyond what it reads."""

CHANNELS: Final = 4


@dataclass(frozen=True)
class Target:
    """What is flooded.

    Attributes:
        address: Of the API.
        admin: Of the metrics.
        http: Of the API over HTTP.
        tokens: Those of an organizer, a bot and three spectators, by name.
        match_id: A match that goes on.
    """

    address: str
    admin: str
    http: str
    tokens: Mapping[str, str]
    match_id: str

    async def wires(
        self, stack: AsyncExitStack, token: str, options: Sequence[tuple[str, int]] = ()
    ) -> list[Wire]:
        """Return connections in the name of a token."""
        wires = [
            Wire(self.address, self.tokens[token], options) for _ in range(CHANNELS)
        ]
        for wire in wires:
            stack.push_async_callback(wire.close)
        return wires


Flood = Callable[[Target, int], Awaitable[Counter[str]]]


async def _told(call: Awaitable[object]) -> str:
    """Return how a call was answered."""
    try:
        await call
    except grpc.aio.AioRpcError as error:
        return refusal_of(error).reason
    return "answered"


async def large_messages(target: Target, count: int) -> Counter[str]:
    """D01: messages of 5 MiB, and of 20 KiB, which is more than one may have."""
    async with AsyncExitStack() as stack:
        wires = await target.wires(stack, "bot")
        told: Counter[str] = Counter()
        for size in (5 * 1024 * 1024, 20 * 1024):
            for number in range(count):
                call: Any = wires[number % CHANNELS].channel.unary_unary(GET)
                metadata = wires[0].metadata("")
                told[await _told(call(b"x" * size, metadata=metadata))] += 1
    return told


async def large_metadata(target: Target, count: int) -> Counter[str]:
    """D01: metadata of 20 KB."""
    async with AsyncExitStack() as stack:
        wires = await target.wires(stack, "bot")
        call: Any = wires[0].channel.unary_unary(GET)
        metadata = (*wires[0].metadata(""), ("x-large", "x" * 20_000))
        calls = [_told(call(b"", metadata=metadata)) for _ in range(count)]
        return Counter(await asyncio.gather(*calls))


async def stream_burst(target: Target, count: int) -> Counter[str]:
    """D02: open so many streams in one moment."""
    return await _watched(target, "spectator", count)


async def watches_over_the_cap(target: Target, count: int) -> Counter[str]:
    """D05: open more watches than a token may have, no more of them than at once."""
    return await _watched(target, "watcher", count)


async def _watched(target: Target, token: str, count: int) -> Counter[str]:
    """Watch a match so often; those that open stay open until all are answered."""
    async with AsyncExitStack() as stack:
        wires = await target.wires(stack, token)
        watches = [
            wires[number % CHANNELS].watch(target.match_id, "")
            for number in range(count)
        ]
        told = Counter(await asyncio.gather(*(_told(one.read()) for one in watches)))
        for one in watches:
            one.cancel()
    return told


async def idle_connections(target: Target, count: int) -> Counter[str]:
    """D03: connections that say hello or nothing, and then nothing more."""
    opened = []
    try:
        for number in range(count):
            one = await RawConnection.open(target.address)
            opened.append(one)
            if number % 2:
                await one.say(frame.PREFACE + frame.frame(frame.SETTINGS, 0, 0))
        async with AsyncExitStack() as stack:
            # A newcomer is served beside all of them.
            (wire, *_) = await target.wires(stack, "idler")
            look = wire.referee("GetMatch", within=WITHIN_S, match_id=target.match_id)
            told = await _told(look)
        open_still = sum(not one.is_closed for one in opened)
        return Counter({"open": open_still, f"newcomer {told}": 1})
    finally:
        await asyncio.gather(*(one.close() for one in opened))


async def created_matches(target: Target, count: int) -> Counter[str]:
    """D04: create so many matches in one moment."""
    async with AsyncExitStack() as stack:
        wires = await target.wires(stack, "organizer")
        calls = [
            wires[number % CHANNELS].send(
                "CreateMatch",
                referee_pb.CreateMatchRequest(
                    request_id=f"flood {number}",
                    ruleset=ruleset_pb2.RulesetChoice(preset="gin"),
                    bots=("eve", "fay"),
                    clock_preset="research",
                ),
                within=WITHIN_S,
            )
            for number in range(count)
        ]
        return Counter(await asyncio.gather(*map(_told, calls)))


async def repeated_moves(target: Target, count: int) -> Counter[str]:
    """T13: submit moves for a seat that is another bot's."""
    async with AsyncExitStack() as stack:
        wires = await target.wires(stack, "bot")
        calls = [
            wires[number % CHANNELS].referee(
                "SubmitMove",
                within=WITHIN_S,
                match_id=target.match_id,
                seat=1,
                expected_version=1 + number,
                request_id=f"flood {number}",
                move={"text": "pass"},
            )
            for number in range(count)
        ]
        return Counter(await asyncio.gather(*map(_told, calls)))


async def unread_watches(target: Target, count: int) -> Counter[str]:
    """D06: watch a match and read nothing after its first word."""
    async with AsyncExitStack() as stack:
        wires = await target.wires(stack, "idler", SMALL_WINDOW)
        watches = [
            wires[number % CHANNELS].watch(target.match_id, "")
            for number in range(count)
        ]
        for one in watches:
            await one.read()
        async with asyncio.timeout(WITHIN_S):
            while await asyncio.to_thread(_watchers, target.admin):  # noqa: ASYNC110 - it is another process
                await asyncio.sleep(0.1)
        return Counter([await _end(one) for one in watches])


def _watchers(admin: str) -> int:
    with urllib.request.urlopen(f"http://{admin}/metrics", timeout=60) as told:
        lines = told.read().decode().splitlines()
    (found,) = [line for line in lines if line.startswith("ginref_watchers ")]
    return int(float(found.split()[1]))


async def _end(watch: Any) -> str:  # noqa: ANN401 - a stream
    """Read what has come, and return why there is no more."""
    try:
        while await watch.read() is not grpc.aio.EOF:
            pass
    except grpc.aio.AioRpcError as error:
        return refusal_of(error).reason
    return "whole"


async def rapid_resets(target: Target, count: int) -> Counter[str]:
    """D07: begin calls and take each one back at once, with a token and without."""
    told: Counter[str] = Counter()
    for token in ("", target.tokens["spectator"]):
        headers = frame.call_headers(GET, target.address, token)
        reset = frame.CANCEL.to_bytes(4, "big")
        one = await RawConnection.open(target.address)
        await one.say(frame.PREFACE + frame.frame(frame.SETTINGS, 0, 0))
        for number in range(count):
            stream = 2 * number + 1
            said = await one.say(
                frame.frame(frame.HEADERS, frame.END_HEADERS, stream, headers)
                + frame.frame(frame.RST_STREAM, 0, stream, reset)
            )
            if not said:
                told["connections closed"] += 1
                break
            told["taken back"] += 1
        await one.close()
    return told


async def deep_and_large_json(target: Target, count: int) -> Counter[str]:
    """D08: bodies of JSON that are too deep, too large or broken, over HTTP."""
    kilobyte = 1024
    bodies = (
        b"[" * 8 * kilobyte,
        b'{"a":' * 2 * kilobyte + b"1" + b"}" * 2 * kilobyte,
        b'{"move":{"text":"' + b"x" * 20 * kilobyte + b'"}}',
        b"[1]" + b" " * kilobyte * kilobyte,
        b'{"requestId":"\\ud800","expectedVersion":1e999}',
        b"9" * 8 * kilobyte,
        b"\xff\xfe{}",
    )
    path = f"/v1/matches/{target.match_id}:submitMove"
    headers = {
        "authorization": f"Bearer {target.tokens['bot']}",
        "content-type": "application/json",
    }
    base = f"http://{target.http}"
    async with httpx.AsyncClient(base_url=base, timeout=WITHIN_S) as client:
        answers = [
            await client.post(path, content=body, headers=headers)
            for _ in range(count)
            for body in bodies
        ]
    return Counter(map(_reason, answers))


def _reason(answer: httpx.Response) -> str:
    """Return why a call over HTTP was refused."""
    reasons = [one.get("reason") for one in answer.json().get("details", ())]
    return next(filter(None, reasons), str(answer.status_code))


async def garbage(target: Target, count: int) -> Counter[str]:
    """Z05: bytes that are no HTTP/2, frames that break off or contradict each other."""
    told: Counter[str] = Counter()
    for seed in range(count):
        said = [*frame.garbage(seed, GET, target.address)]
        opened = [await RawConnection.open(target.address) for _ in said]
        for one, (_, data) in zip(opened, said, strict=True):
            await one.say(data)
        for one in opened:
            told["closed" if await one.closed(0.05) else "left alone"] += 1
        await asyncio.gather(*(one.close() for one in opened))
    return told


FLOODS: Final[Mapping[str, Flood]] = {
    "D01 messages of 5 MiB and 20 KiB": large_messages,
    "D01 metadata of 20 KB": large_metadata,
    "D02 a burst of streams": stream_burst,
    "D03 idle connections": idle_connections,
    "D04 matches that are created": created_matches,
    "D05 watches over the cap": watches_over_the_cap,
    "D06 watches that are not read": unread_watches,
    "D07 calls that are taken back": rapid_resets,
    "D08 deep and large JSON": deep_and_large_json,
    "T13 moves for another's seat": repeated_moves,
    "Z05 garbage at the port": garbage,
}
"""Every flood by name."""

_TOO_MANY: Final = ("LIMIT_EXCEEDED", "RATE_LIMITED", "CANCELLED")
"""What is said of what is too much; the last one by gRPC, of calls that nobody has
looked at for half a minute: a busy machine has no time to refuse them all."""

ANSWERS: Final[Mapping[str, tuple[Sequence[str], Sequence[str], Sequence[str]]]] = {
    "D01 messages of 5 MiB and 20 KiB": (
        ("RESOURCE_EXHAUSTED", "MESSAGE_TOO_LARGE"),
        (),
        ("CANCELLED",),
    ),
    # Whoever sends very many loses its connection.
    "D01 metadata of 20 KB": (("RESOURCE_EXHAUSTED",), (), ("UNAVAILABLE",)),
    "D02 a burst of streams": (("answered",), _TOO_MANY, ()),
    "D03 idle connections": (("newcomer answered",), (), ("open",)),
    "D04 matches that are created": (("answered",), _TOO_MANY, ()),
    "D05 watches over the cap": (("answered",), _TOO_MANY, ()),
    "D06 watches that are not read": (("LIMIT_EXCEEDED",), (), ()),
    "D07 calls that are taken back": (("taken back",), (), ("connections closed",)),
    "D08 deep and large JSON": (
        ("MESSAGE_UNREADABLE", "MESSAGE_TOO_LARGE"),
        (),
        ("FIELD_INVALID", "FIELD_MISSING", "RATE_LIMITED"),
    ),
    "T13 moves for another's seat": (("SEAT_NOT_YOURS",), _TOO_MANY, ()),
    "Z05 garbage at the port": (("closed",), (), ("left alone",)),
}
"""How each of them is answered: with all of the first words, one of the second at least
if there are any, and perhaps with some of the third."""


def is_documented(name: str, told: Mapping[str, int]) -> bool:
    """Say whether a flood was answered as it must be."""
    words = {*told}
    must, some, may = map(set, ANSWERS[name])
    return must <= words <= must | some | may and (not some or bool(words & some))
