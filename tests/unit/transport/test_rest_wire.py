"""The API over HTTP as bytes on a connection: odd ones, and none of HTTP at all."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from ginref.transport import exchange

Served = Any
"""The running referee of `conftest`, whose class cannot be imported."""

Serve = Callable[..., AbstractAsyncContextManager[Served]]


async def raw(served: Served, request: bytes) -> bytes:
    """The first line and more of what is answered to bytes."""
    host, _, port = served.rest.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(request)
    answer = await reader.readuntil(b"\r\n\r\n")
    writer.close()
    await writer.wait_closed()
    return answer


async def test_dots_in_a_path_lead_nowhere(served: Served) -> None:
    answer = await raw(served, b"GET /v1/matches/../keys HTTP/1.1\r\nhost: a\r\n\r\n")

    assert answer.startswith(b"HTTP/1.1 404 ")


@pytest.mark.parametrize(
    ("target", "code"),
    [
        pytest.param(b"http://a/v1/keys", 200, id="a call"),
        pytest.param(b"HTTPS://b.example:7880/v1/keys?", 200, id="of any host"),
        pytest.param(b"http://a/v1/matches?bot=%3Cb%3E", 400, id="with a query"),
        pytest.param(b"http://a/v1/tournaments/%3Cb%3E", 400, id="with escapes"),
        pytest.param(b"http://a?v1", 404, id="no path"),
        pytest.param(b"http:///v1/keys", 404, id="no host"),
        pytest.param(b"ftp://a/v1/keys", 404, id="no HTTP"),
        pytest.param(b"a:7880", 404, id="a host alone"),
        pytest.param(b"*", 404, id="the server"),
    ],
)
async def test_a_target_may_name_the_host(
    served: Served, target: bytes, code: int
) -> None:
    bearer = f"authorization: Bearer {served.operator}".encode()
    lines = b"GET " + target + b" HTTP/1.1", b"host: a", bearer, b"", b""

    answer = await raw(served, b"\r\n".join(lines))

    assert answer.startswith(b"HTTP/1.1 %d " % code)


@pytest.mark.parametrize(
    "request_",
    [
        pytest.param(b"\x16\x03\x01 hello\r\n\r\n", id="no HTTP"),
        pytest.param(b"GET /v1/keys HTTP/1.1\r\n\r\n", id="no host"),
        pytest.param(
            b"POST /v1/matches HTTP/1.1\r\nhost: a\r\ncontent-length: -1\r\n\r\n",
            id="no length",
        ),
    ],
)
async def test_what_is_no_http_is_refused_like_all_else(
    served: Served, request_: bytes
) -> None:
    head = (await raw(served, request_)).lower()

    assert head.startswith(b"http/1.1 400 ")
    for line in (b"content-type: application/json", b"connection: close"):
        assert line in head
    assert b"content-security-policy: default-src 'none'" in head
    assert b"x-content-type-options: nosniff" in head


@pytest.fixture
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait longer for the rest of a body than any test takes."""
    monkeypatch.setattr(exchange, "_PASSED_S", 3600.0)


@pytest.mark.usefixtures("patience")
async def test_a_body_that_was_asked_for_by_nobody_is_not_waited_for(
    served: Served,
) -> None:
    host, _, port = served.rest.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(b"POST /v1/nothing HTTP/1.1\r\nhost: a\r\nconnection: close\r\n")
    writer.write(b"expect: 100-continue\r\ncontent-length: 1000000\r\n\r\n")
    answer = await reader.read()
    writer.close()

    assert answer.startswith(b"HTTP/1.1 404 ")


@pytest.mark.usefixtures("patience")
@pytest.mark.parametrize("path", [b"/v1/matches", b"/v1/nothing"])
async def test_a_refusal_is_read_although_the_body_was_not(
    served: Served, path: bytes
) -> None:
    host, _, port = served.rest.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    head = b" HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: "
    writer.write(b"POST " + path + head + b"1000000\r\n\r\n")
    answer = await reader.readuntil(b"}]}")
    for _ in range(10):
        writer.write(bytes(100_000))
        await writer.drain()
    rest = await reader.read()
    writer.close()

    assert answer.startswith(b"HTTP/1.1 4")
    assert rest == b""


@pytest.mark.usefixtures("patience")
async def test_a_body_that_becomes_no_http_after_its_answer_is_no_fault(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    host, _, port = served.rest.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(b"POST /v1/nothing HTTP/1.1\r\nhost: a\r\n")
    writer.write(b"transfer-encoding: chunked\r\n\r\n")
    answer = await reader.readuntil(b"}]}")
    writer.write(b"nonsense\r\n")
    rest = await reader.read()
    writer.close()

    assert answer.startswith(b"HTTP/1.1 404 ")
    assert rest == b""
    assert [one for one in caplog.records if one.levelname == "ERROR"] == []


@pytest.mark.parametrize("verb", [b"GET", b"HEAD", b"POST"])
async def test_a_body_that_is_no_http_is_refused_once(
    served: Served, caplog: pytest.LogCaptureFixture, verb: bytes
) -> None:
    head = verb + b" /v1/matches HTTP/1.1\r\nhost: a\r\n"

    answer = await raw(served, head + b"transfer-encoding: chunked\r\n\r\nnonsense\r\n")
    # Whatever that request has begun is over before another one is answered.
    await raw(served, b"GET /v1/matches HTTP/1.1\r\nhost: a\r\n\r\n")

    assert answer.startswith(b"HTTP/1.1 400 ")
    assert [one for one in caplog.records if one.levelname == "ERROR"] == []


async def test_another_protocol_that_is_offered_is_passed_over(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    head = b"GET /v1/nothing HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\n"

    answer = await raw(served, head + b"upgrade: websocket\r\n\r\n")

    assert answer.startswith(b"HTTP/1.1 404 ")
    assert [one for one in caplog.records if one.name.startswith("uvicorn")] == []


async def test_whoever_is_refused_takes_no_place_among_the_calls(serve: Serve) -> None:
    unread = b"POST /v1/matches HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\n"
    async with serve({"call_limit": 1}) as served:
        host, _, port = served.rest.rpartition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(unread)
        refused = await reader.readuntil(b"\r\n\r\n")

        bearer = f"authorization: Bearer {served.operator}".encode()
        lines = b"GET /v1/keys HTTP/1.1", b"host: a", bearer, b"", b""
        # Nor does whoever has been answered.
        answers = [await raw(served, b"\r\n".join(lines)) for _ in range(2)]
        writer.close()

    assert refused.startswith(b"HTTP/1.1 401 ")
    assert all(answer.startswith(b"HTTP/1.1 200 ") for answer in answers)
