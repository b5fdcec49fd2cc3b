"""Streams over HTTP: what is written, where they go on, and how they end."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import httpx
import pytest
from tests.unit.transport.call import new_match

from ginref.adapters.memory_registry import MemoryRegistry
from ginref.app.gate import Gate
from ginref.transport.rest_server import RestOptions, RestServer
from ginref.v1 import referee_service_pb2 as referee_pb

Served = Any
"""The running referee of `conftest`, whose class cannot be imported."""

Serve = Callable[..., AbstractAsyncContextManager[Served]]

EVENTS = {"accept": "text/event-stream"}


class NoChance:
    """Makes the same secret every time."""

    def token(self, size: int) -> bytes:
        return bytes(size)


@asynccontextmanager
async def calling(address: str, token: str) -> AsyncIterator[httpx.AsyncClient]:
    """A client of a referee's API over HTTP."""
    headers = {"authorization": f"Bearer {token}"}
    url = f"http://{address}"
    async with httpx.AsyncClient(
        base_url=url, headers=headers, timeout=60, verify=False
    ) as client:
        yield client


async def created(served: Served) -> str:
    """A match whose seats are offered."""
    for name in ("one", "two"):
        await served.token("bot", name)
    async with served.channel(served.operator) as channel:
        made = await channel.referee().CreateMatch(
            new_match(), metadata=channel.metadata
        )
    match_id: str = made.match.match_id
    return match_id


@pytest.fixture
async def client(served: Served) -> AsyncIterator[httpx.AsyncClient]:
    """A client that calls as the operator."""
    async with calling(served.rest, served.operator) as opened:
        yield opened


def events(text: str) -> list[tuple[str, str, Any]]:
    """The kind, the id and the data of each event."""
    found = []
    for block in text.split("\n\n"):
        if lines := [line for line in block.split("\n") if not line.startswith(":")]:
            fields = dict(line.split(": ", 1) for line in lines if line)
            if fields:
                data = json.loads(fields["data"])
                found.append((fields.get("event", ""), fields.get("id", ""), data))
    return found


async def test_a_match_is_followed_by_lines_to_its_end(
    served: Served, client: httpx.AsyncClient
) -> None:
    match_id = await created(served)
    async with client.stream("GET", f"/v1/matches/{match_id}:watch") as stream:
        lines = stream.aiter_lines()
        first = json.loads(await anext(lines))
        await client.post(f"/v1/matches/{match_id}:abort", json={})
        rest = [json.loads(line) async for line in lines if line]

    assert stream.headers["content-type"] == "application/x-ndjson"
    assert first["match"]["stage"] == "MATCH_STAGE_FORMING"
    assert rest[-1]["match"]["stage"] == "MATCH_STAGE_OVER"


async def test_events_go_on_after_the_last_one(
    served: Served, client: httpx.AsyncClient
) -> None:
    match_id = await created(served)
    path = f"/v1/matches/{match_id}:watch"
    async with client.stream("GET", path, headers=EVENTS) as stream:
        first = await anext(stream.aiter_text())
        ((_, cursor, told),) = events(first)
    await client.post(f"/v1/matches/{match_id}:abort", json={})

    last = {**EVENTS, "last-event-id": cursor}
    later = events((await client.get(f"{path}?cursor=0-0", headers=last)).text)

    assert told["cursor"] == cursor
    assert [(kind, bool(place)) for kind, place, _ in later] == [
        ("", True),
        ("end", False),
    ]
    assert later[0][2]["events"][0]["version"] > told["match"]["version"]


async def test_a_stream_that_is_refused_is_no_stream(
    client: httpx.AsyncClient,
) -> None:
    nowhere = await client.get("/v1/matches/m1:watch", headers=EVENTS)
    bad = await client.get(
        "/v1/matches/m1:watch", headers={**EVENTS, "last-event-id": "x&match_id=m2"}
    )

    assert (nowhere.status_code, bad.status_code) == (404, 400)
    assert nowhere.headers["content-type"] == "application/json"
    assert bad.json()["details"][0]["metadata"]["field"] == "cursor"


async def test_a_silent_stream_says_that_it_is_alive(serve: Serve) -> None:
    async with (
        serve({"beat_ms": 20}) as served,
        calling(served.rest, served.operator) as client,
    ):
        match_id = await created(served)
        path = f"/v1/matches/{match_id}:watch"
        async with client.stream("GET", path, headers=EVENTS) as stream:
            texts = stream.aiter_text()
            assert "data" in await anext(texts)
            assert await anext(texts) == ":\n\n"


async def test_a_stream_of_a_referee_that_stops_says_so(
    served: Served, client: httpx.AsyncClient
) -> None:
    match_id = await created(served)
    path = f"/v1/matches/{match_id}:watch"
    for headers in (EVENTS, {}):
        async with client.stream("GET", path, headers=headers) as stream:
            texts = stream.aiter_text()
            await anext(texts)
            served.hub.drain()
            last = "".join([text async for text in texts])

        if headers:
            ((kind, _, status),) = events(last)
            assert kind == "error"
        else:
            status = json.loads(last)["error"]
        assert status["details"][0]["reason"] == "REFEREE_DRAINING"


async def test_a_stream_ends_when_its_token_is_revoked(serve: Serve) -> None:
    async with serve({"admit_ms": 20}) as served:
        match_id = await created(served)
        token = await served.token("organizer")
        async with calling(served.rest, token) as client:
            path = f"/v1/matches/{match_id}:watch"
            async with client.stream("GET", path, headers=EVENTS) as stream:
                texts = stream.aiter_text()
                await anext(texts)
                caller = await served.gate.authenticate(served.operator)
                revoked = await served.gate.authenticate(token)
                await served.gate.revoke_token(caller, revoked.token_id)
                ((_, _, status),) = events("".join([text async for text in texts]))

    assert status["details"][0]["reason"] == "TOKEN_REVOKED"


class Endless:
    """Answers without an end: many times, or never after the first one."""

    def __init__(self, *, is_flood: bool) -> None:
        self.is_flood = is_flood
        self.closed = asyncio.Event()

    async def WatchMatch(  # noqa: N802 - as the service is called
        self, request: object, context: object
    ) -> AsyncIterator[referee_pb.WatchMatchResponse]:
        del request, context
        answer = referee_pb.WatchMatchResponse(cursor="x" * 60_000)
        try:
            yield answer
            while self.is_flood:
                yield answer
            await asyncio.Event().wait()
        finally:
            self.closed.set()


@asynccontextmanager
async def unread(service: Endless) -> AsyncIterator[asyncio.StreamReader]:
    """A connection to a referee that answers without an end; nothing of it is read."""
    gate = Gate(MemoryRegistry(), NoChance(), lambda: 0)
    _, secret = await gate.issue_operator()
    options = RestOptions(listen="127.0.0.1:0", write_ms=100, drain_ms=0)
    services = {"ginref.v1.RefereeService": service}
    async with RestServer(services, gate, lambda: None, options) as address:
        host, _, port = address.rpartition(":")
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.settimeout(0)
        loop = asyncio.get_running_loop()
        await loop.sock_connect(connection, (host, int(port)))
        reader, writer = await asyncio.open_connection(sock=connection, limit=1)
        writer.write(
            b"GET /v1/matches/m1:watch HTTP/1.1\r\nhost: a\r\n"
            b"authorization: Bearer " + secret.encode() + b"\r\n\r\n"
        )
        await reader.read(1)
        yield reader
        writer.close()
        await service.closed.wait()


async def test_a_stream_that_is_not_read_is_dropped() -> None:
    flood = Endless(is_flood=True)
    async with unread(flood) as reader:
        await flood.closed.wait()

        with pytest.raises((ConnectionResetError, asyncio.IncompleteReadError)):
            await reader.readexactly(1 << 30)


async def test_a_stream_whose_reader_leaves_is_closed() -> None:
    silent = Endless(is_flood=False)

    async with unread(silent):
        assert not silent.closed.is_set()

    assert silent.closed.is_set()
