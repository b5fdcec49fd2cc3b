import asyncio
import signal
import socket
from collections.abc import Sequence

import httpx
import pytest

from ginref.transport import admin
from ginref.transport.address import BindError
from ginref.transport.admin import AdminServer

METRICS = (b"ginref_moves_total 7\n", "text/plain; version=1.0.0; charset=utf-8")


class Published:
    """Public keys of nobody."""

    def jwks(self) -> bytes:
        return b'{"keys":[]}'

    def pem(self) -> bytes:
        return b"-----BEGIN PUBLIC KEY-----"


def _metrics(accept: str) -> tuple[bytes, str]:
    body, content_type = METRICS
    return body, accept if "openmetrics" in accept else content_type


def _server(*problems: str, listen: str = "127.0.0.1:0") -> AdminServer:
    async def ready() -> Sequence[str]:
        return problems

    return AdminServer(listen, ready=ready, metrics=_metrics, keys=Published())


async def _get(address: str, path: str, **headers: str) -> httpx.Response:
    async with httpx.AsyncClient(trust_env=False) as client:
        return await client.get(f"http://{address}{path}", headers=headers)


async def test_a_process_that_answers_is_alive() -> None:
    async with _server("the store does not answer") as address:
        answer = await _get(address, "/livez")

    assert (answer.status_code, answer.text) == (200, "ok\n")


async def test_a_process_without_problems_is_ready() -> None:
    async with _server() as address:
        answer = await _get(address, "/readyz")

    assert (answer.status_code, answer.text) == (200, "ok\n")


async def test_a_process_with_problems_tells_them() -> None:
    async with _server("the store does not answer", "draining") as address:
        answer = await _get(address, "/readyz")

    assert answer.status_code == 503
    assert answer.text == "the store does not answer\ndraining\n"


async def test_a_process_that_cannot_tell_is_not_ready(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def ready() -> Sequence[str]:
        await asyncio.Event().wait()
        return ()

    monkeypatch.setattr(admin, "_READY_TIMEOUT", 0.01)
    hanging = AdminServer(
        "127.0.0.1:0", ready=ready, metrics=_metrics, keys=Published()
    )
    async with hanging as address:
        answer = await _get(address, "/readyz")

    assert answer.status_code == 503


async def test_metrics_are_served_as_rendered() -> None:
    async with _server() as address:
        answer = await _get(address, "/metrics")

    assert answer.content == METRICS[0]
    assert answer.headers["content-type"] == METRICS[1]


async def test_metrics_are_rendered_for_what_their_reader_accepts() -> None:
    wanted = "application/openmetrics-text"
    async with _server() as address:
        answer = await _get(address, "/metrics", accept=wanted)

    assert answer.headers["content-type"] == wanted


@pytest.mark.parametrize(
    ("name", "kind", "published"),
    [
        ("jwks.json", "application/jwk-set+json", Published().jwks()),
        ("jwks.pem", "application/x-pem-file", Published().pem()),
    ],
)
async def test_public_keys_are_where_verifiers_look_for_them(
    name: str, kind: str, published: bytes
) -> None:
    async with _server() as address:
        answer = await _get(address, f"/.well-known/{name}")

    assert (answer.status_code, answer.content) == (200, published)
    assert answer.headers["content-type"] == kind


async def test_there_is_nothing_else() -> None:
    async with _server() as address:
        assert (await _get(address, "/docs")).status_code == 404


async def test_signals_stay_with_whoever_runs_the_process() -> None:
    before = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)]

    async with _server():
        during = [
            signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)
        ]

    assert during == before


async def test_a_taken_port_is_told() -> None:
    async with _server() as address:
        with pytest.raises(BindError, match=address):
            async with _server(listen=address):
                pass


@pytest.mark.skipif(not socket.has_ipv6, reason="this machine has no IPv6")
async def test_an_ipv6_address_is_served() -> None:
    async with _server(listen="[::1]:0") as address:
        assert (await _get(address, "/livez")).status_code == 200
