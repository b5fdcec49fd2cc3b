"""Certificates that change while they are served with, and those of clients."""

import asyncio
import ssl
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from tests.unit.transport.authority import Authority, Certified

from ginref.transport.address import BindError
from ginref.transport.certificate import CertificateFiles, Certificates
from ginref.transport.tls import tls_context
from ginref_client.certificate import (
    CertificateError,
    ClientCertificate,
    certified_name,
    fetch_certificate,
    fingerprint,
)
from ginref_client.error import UnavailableError
from ginref_client.referee import Referee

Served = Any
"""The running referee of `conftest`, whose class cannot be imported."""

Serve = Callable[..., AbstractAsyncContextManager[Served]]

SERVING = health_pb2.HealthCheckResponse.SERVING


class Tally:
    """Remembers which certificates were taken."""

    def __init__(self) -> None:
        self.taken: list[bool] = []
        self.until: list[float] = []

    def certificate(self, *, taken: bool, until_s: float) -> None:
        self.taken.append(taken)
        self.until.append(until_s)


def _open(
    served: Served, roots: bytes, client: Certified | None = None
) -> grpc.aio.Channel:
    own = (client.key, client.chain) if client else (None, None)
    credentials = grpc.ssl_channel_credentials(roots, *own)
    return grpc.aio.secure_channel(
        served.address, credentials, [("grpc.use_local_subchannel_pool", 1)]
    )


async def _is_let_in(
    served: Served, roots: bytes, client: Certified | None = None
) -> bool:
    async with _open(served, roots, client) as channel:
        health: Any = health_pb2_grpc.HealthStub(channel)
        try:
            answer = await health.Check(health_pb2.HealthCheckRequest(), timeout=60)
        except grpc.aio.AioRpcError as error:
            assert error.code() is grpc.StatusCode.UNAVAILABLE  # noqa: PT017 - any other is a failure
            return False
    return bool(answer.status == SERVING)


async def test_new_connections_get_the_new_certificate_and_open_streams_go_on(
    serve: Serve, tmp_path: Path
) -> None:
    old, new = Authority.new("old"), Authority.new("new")
    chain, key = old.certify().write(tmp_path)
    async with (
        serve(tls_cert=chain, tls_key=key) as served,
        _open(served, old.pem) as channel,
    ):
        health: Any = health_pb2_grpc.HealthStub(channel)
        stream = health.Watch(health_pb2.HealthCheckRequest())
        await stream.read()

        new.certify().write(tmp_path)

        assert await _is_let_in(served, new.pem)
        assert not await _is_let_in(served, old.pem)
        again = await health.Check(health_pb2.HealthCheckRequest())
        assert again.status == SERVING
        served.hub.drain()
        assert not stream.done()


async def test_a_broken_pair_is_kept_out_until_it_is_whole(
    serve: Serve, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    old, new = Authority.new("old"), Authority.new("new")
    chain, key = old.certify().write(tmp_path)
    pair = new.certify()
    async with serve(tls_cert=chain, tls_key=key) as served:
        chain.write_bytes(pair.chain)
        assert await _is_let_in(served, old.pem)
        assert await _is_let_in(served, old.pem)
        assert caplog.text.count("is not the key of") == 1
        key.write_bytes(pair.key)
        assert await _is_let_in(served, new.pem)


async def test_clients_need_a_certificate_where_one_is_asked_for(
    serve: Serve, tmp_path: Path
) -> None:
    ours, clients, others = (Authority.new(name) for name in ("a", "b", "c"))
    chain, key = ours.certify().write(tmp_path)
    roots = tmp_path / "clients.pem"
    roots.write_bytes(clients.pem)
    ada, eve = clients.certify("ada"), others.certify("eve")
    async with serve(tls_cert=chain, tls_key=key, tls_client_ca=roots) as served:
        assert await _is_let_in(served, ours.pem, ada)
        assert not await _is_let_in(served, ours.pem)
        assert not await _is_let_in(served, ours.pem, eve)

        roots.write_bytes(others.pem)

        assert await _is_let_in(served, ours.pem, eve)
        assert not await _is_let_in(served, ours.pem, ada)


async def test_a_bot_shows_its_certificate_and_knows_the_referees_by_its_fingerprint(
    serve: Serve, tmp_path: Path
) -> None:
    ours, clients = Authority.new("a"), Authority.new("b")
    chain, key = ours.certify().write(tmp_path)
    roots, own = tmp_path / "clients.pem", tmp_path / "ada"
    roots.write_bytes(clients.pem)
    own.mkdir()
    files = clients.certify("ada").write(own)
    certificate = ClientCertificate.read(*files)
    known = fingerprint(chain.read_bytes())
    async with serve(tls_cert=chain, tls_key=key, tls_client_ca=roots) as served:
        look = partial(fetch_certificate, served.address, files=files)
        pinned = await asyncio.to_thread(look, known)
        async with Referee(
            f"https://{served.address}",
            served.operator,
            roots=pinned,
            server_name=certified_name(pinned),
            certificate=certificate,
        ) as referee:
            await referee.list_bots()
        async with Referee(
            f"https://{served.address}", served.operator, roots=pinned, attempts=1
        ) as referee:
            with pytest.raises(UnavailableError):
                await referee.list_bots()
        with pytest.raises(CertificateError, match="another certificate"):
            await asyncio.to_thread(look, "0" * 64)

    assert fingerprint(pinned) == known


async def test_certificates_of_clients_need_one_of_the_server(
    serve: Serve, tmp_path: Path
) -> None:
    with pytest.raises(BindError, match="one is missing"):
        async with serve(tls_client_ca=tmp_path / "clients.pem"):
            pass


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        pytest.param(lambda files: files.chain.unlink(), "cannot be read", id="gone"),
        pytest.param(
            lambda files: files.chain.write_text("none"), "no certificate", id="chain"
        ),
        pytest.param(
            lambda files: files.key.write_text("none"), "no unencrypted", id="key"
        ),
        pytest.param(
            lambda files: files.client_ca.write_text("none"),
            "no certificates",
            id="client_ca",
        ),
    ],
)
def test_what_is_of_no_use_is_told_once_and_counted(
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    spoil: Callable[[CertificateFiles], object],
    said: str,
) -> None:
    authority, tally = Authority.new(), Tally()
    chain, key = authority.certify().write(tmp_path)
    roots = tmp_path / "clients.pem"
    roots.write_bytes(authority.pem)
    files = CertificateFiles(chain=chain, key=key, client_ca=roots)
    certificates = Certificates(files, tally)
    assert certificates.look() is None

    spoil(files)

    assert certificates.look() is certificates.look() is None
    assert caplog.text.count(said) == 1
    authority.certify().write(tmp_path)
    roots.write_bytes(authority.pem)
    assert certificates.look() is not None
    assert certificates.look() is None
    assert tally.taken == [True, False, True]
    assert len(set(tally.until[:2])) == 1


def test_what_a_link_leads_to_is_looked_at(tmp_path: Path) -> None:
    authority = Authority.new()
    folders = [tmp_path / name for name in ("1", "2")]
    for folder in folders:
        folder.mkdir()
        authority.certify().write(folder)
    link = tmp_path / "now"
    link.symlink_to(folders[0])
    files = CertificateFiles(chain=link / "tls.crt", key=link / "tls.key")
    certificates = Certificates(files)

    swapped = tmp_path / "then"
    swapped.symlink_to(folders[1])
    swapped.replace(link)

    assert certificates.look() is not None


async def test_over_http_certificates_of_clients_are_asked_for_and_renewed_too(
    tmp_path: Path,
) -> None:
    old, new, clients = (Authority.new(name) for name in ("a", "b", "c"))
    chain, key = old.certify().write(tmp_path)
    roots, own = tmp_path / "clients.pem", tmp_path / "ada"
    roots.write_bytes(clients.pem)
    own.mkdir()
    files = clients.certify("ada").write(own)

    async def answer(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        writer.write(await reader.readline())
        writer.close()
        await writer.wait_closed()

    pair, tally = CertificateFiles(chain=chain, key=key, client_ca=roots), Tally()
    certificates = Certificates(pair, tally)
    context = tls_context(certificates)
    server = await asyncio.start_server(answer, "127.0.0.1", 0, ssl=context)
    port = server.sockets[0].getsockname()[1]

    async def is_answered(trusted: Authority, shown: tuple[Path, Path] | None) -> bool:
        client = ssl.create_default_context(cadata=trusted.pem.decode())
        if shown:
            client.load_cert_chain(*shown)
        try:
            reader, writer = await asyncio.open_connection(
                "127.0.0.1", port, ssl=client
            )
            writer.write(b"hello\n")
            line = await reader.readline()
            writer.close()
            await writer.wait_closed()
        except OSError:
            return False
        return line == b"hello\n"

    async with server:
        assert await is_answered(old, files)
        assert not await is_answered(old, None)
        new.certify().write(tmp_path)
        assert await is_answered(new, files)
        assert not await is_answered(old, files)
        assert not await is_answered(new, None)
        # Whoever serves gRPC has yet to hear of it.
        assert certificates.look() is not None
        assert certificates.look() is None
        roots.write_bytes(old.pem)
        assert not await is_answered(new, files)
        roots.write_text("none")
        assert not await is_answered(new, files)

    assert tally.taken == [True, True, True, False]
