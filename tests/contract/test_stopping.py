"""A referee that is told to stop, as its probes tell it."""

import asyncio
from pathlib import Path
from typing import Any

import grpc.aio
import httpx
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from ginref.bootstrap import running
from ginref.config import ServeConfig

pytestmark = pytest.mark.redis

PATIENCE_S = 30


async def test_a_referee_that_is_about_to_stop_lives_and_is_not_ready(
    valkey_url: str, tmp_path: Path
) -> None:
    config = ServeConfig(
        data=tmp_path / "data",
        store=valkey_url,
        listen="127.0.0.1:0",
        admin="127.0.0.1:0",
        http="off",
        drain_ms=PATIENCE_S * 1000,
    )
    context = running(config, asyncio.Event())
    referee = await context.__aenter__()
    probes = f"http://{referee.admin}"
    async with (
        asyncio.timeout(PATIENCE_S),
        grpc.aio.insecure_channel(referee.grpc) as channel,
        httpx.AsyncClient(trust_env=False) as client,
    ):
        health: Any = health_pb2_grpc.HealthStub(channel)
        states = health.Watch(health_pb2.HealthCheckRequest())
        await states.read()
        before = await client.get(f"{probes}/readyz")

        # It waits for the stream to end.
        stopping = asyncio.create_task(context.__aexit__(None, None, None))
        told = await states.read()
        while (after := await client.get(f"{probes}/readyz")).is_success:
            pass
        alive = await client.get(f"{probes}/livez")
        states.cancel()
        await stopping

    assert before.status_code == httpx.codes.OK
    assert told.status == health_pb2.HealthCheckResponse.NOT_SERVING
    assert after.status_code == httpx.codes.SERVICE_UNAVAILABLE
    assert "about to stop" in after.text
    assert alive.status_code == httpx.codes.OK
