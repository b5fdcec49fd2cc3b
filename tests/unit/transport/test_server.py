import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from tests.unit.transport.authority import Authority
from tests.unit.transport.call import new_match, refusal

from ginref.transport.address import BindError
from ginref.v1 import match_pb2
from ginref.v1 import referee_service_pb2 as referee_pb

Served = Any
"""The running referee of `conftest`, whose class cannot be imported."""

Serve = Callable[..., AbstractAsyncContextManager[Served]]


async def test_probes_need_no_token(served: Served) -> None:
    async with served.channel() as channel:
        health: Any = health_pb2_grpc.HealthStub(channel.raw)
        whole = await health.Check(health_pb2.HealthCheckRequest())
        part = await health.Check(
            health_pb2.HealthCheckRequest(service="ginref.v1.BotService")
        )
        code, _, _ = await refusal(
            health.Check(health_pb2.HealthCheckRequest(service="unknown"))
        )

    assert whole.status == part.status == health_pb2.HealthCheckResponse.SERVING
    assert code is grpc.StatusCode.NOT_FOUND


async def test_a_stopping_server_says_so_and_ends_watches(serve: Serve) -> None:
    async with serve() as served:
        await served.token("bot", "one")
        await served.token("bot", "two")
        async with (
            served.channel() as prober,
            served.channel(served.operator) as organizer,
        ):
            made = await organizer.referee().CreateMatch(
                new_match(), metadata=organizer.metadata
            )
            health: Any = health_pb2_grpc.HealthStub(prober.raw)
            states = health.Watch(health_pb2.HealthCheckRequest())
            watch = organizer.referee().WatchMatch(
                referee_pb.WatchMatchRequest(match_id=made.match.match_id),
                metadata=organizer.metadata,
            )
            await watch.read()
            before = await states.read()
            served.hub.drain()
            with pytest.raises(grpc.aio.AioRpcError) as ended:
                await watch.read()

            assert before.status == health_pb2.HealthCheckResponse.SERVING
            assert ended.value.code() is grpc.StatusCode.UNAVAILABLE


async def test_an_old_connection_is_made_anew_and_its_streams_go_on(
    serve: Serve,
) -> None:
    async with serve(connection_age_ms=200) as served:
        await served.token("bot", "one")
        await served.token("bot", "two")
        async with served.channel(served.operator) as organizer:
            referee, facts = organizer.referee(), {"metadata": organizer.metadata}
            made = await referee.CreateMatch(new_match(), **facts)
            named = {"match_id": made.match.match_id}
            watch = referee.WatchMatch(referee_pb.WatchMatchRequest(**named), **facts)
            await watch.read()
            async with asyncio.timeout(30):
                ready = grpc.ChannelConnectivity.READY
                await organizer.raw.wait_for_state_change(ready)

            await referee.AbortMatch(referee_pb.AbortMatchRequest(**named), **facts)
            last = await watch.read()

    assert last.match.stage == match_pb2.MATCH_STAGE_OVER


async def _ask_services(address: str) -> list[str]:
    async with grpc.aio.insecure_channel(address) as channel:
        make: Any = reflection_pb2_grpc.ServerReflectionStub
        stub = make(channel)

        async def ask() -> AsyncIterator[reflection_pb2.ServerReflectionRequest]:
            yield reflection_pb2.ServerReflectionRequest(list_services="")

        async for answer in stub.ServerReflectionInfo(ask()):
            return [service.name for service in answer.list_services_response.service]
    return []


async def test_reflection_is_served_in_development(serve: Serve) -> None:
    async with serve(dev=True) as served:
        assert "ginref.v1.BotService" in await _ask_services(served.address)


async def test_reflection_is_not_served_otherwise(served: Served) -> None:
    code, _, _ = await refusal(_ask_services(served.address))

    assert code is grpc.StatusCode.UNIMPLEMENTED


@pytest.mark.parametrize(
    "method",
    [
        "/grpc.channelz.v1.Channelz/GetServers",
        "/grpc.admin.v1.Admin/Get",
        "/envoy.service.status.v3.ClientStatusDiscoveryService/FetchClientStatus",
        "/metrics",
    ],
)
async def test_what_is_for_the_inside_is_not_served_here(
    served: Served, method: str
) -> None:
    async with served.channel(served.operator) as channel:
        code, _, _ = await refusal(channel.send(method, b""))

    assert code is grpc.StatusCode.UNIMPLEMENTED


@pytest.mark.parametrize("listen", ["0.0.0.0:0", "[::]:0", "example.com:0"])
async def test_plaintext_stays_on_this_machine(serve: Serve, listen: str) -> None:
    with pytest.raises(BindError, match="certificate"):
        async with serve(listen=listen):
            pass


async def test_plaintext_may_be_allowed(serve: Serve) -> None:
    async with serve(listen="0.0.0.0:0", allow_plaintext=True) as served:
        host, _, port = served.address.rpartition(":")

    assert host == "0.0.0.0"
    assert int(port) > 0


async def test_a_taken_port_is_not_shared(serve: Serve, served: Served) -> None:
    with pytest.raises(BindError, match=served.address):
        async with serve(listen=served.address):
            pass


async def test_a_certificate_protects_the_way(serve: Serve, tmp_path: Path) -> None:
    authority = Authority.new()
    chain, secret = authority.certify().write(tmp_path)

    async with serve(listen="0.0.0.0:0", tls_cert=chain, tls_key=secret) as served:
        port = served.address.rpartition(":")[2]
        credentials = grpc.ssl_channel_credentials(authority.pem)
        async with grpc.aio.secure_channel(f"127.0.0.1:{port}", credentials) as channel:
            health: Any = health_pb2_grpc.HealthStub(channel)
            answer = await health.Check(health_pb2.HealthCheckRequest())

    assert answer.status == health_pb2.HealthCheckResponse.SERVING


async def test_a_missing_certificate_is_told(serve: Serve, tmp_path: Path) -> None:
    gone = tmp_path / "gone.pem"
    with pytest.raises(BindError, match=r"gone\.pem"):
        async with serve(tls_cert=gone, tls_key=gone):
            pass
