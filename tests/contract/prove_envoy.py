"""Compares the API over HTTP with what Envoy makes of it: `make prove-envoy`.

Envoy stands before a referee's gRPC API and reads the annotations from descriptors. It
ends with 1 if its answer to a call is another one than the referee's own.
"""

import asyncio
import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import httpx
from tests.e2e.host import Host, hosting

_PROGRAM: Final = "build/envoy/bin/envoy"
_DESCRIPTORS: Final = "build/envoy/api.binpb"
_LOG: Final = "build/envoy/envoy.log"
_SERVICES: Final = ("RefereeService", "RegistryService", "TournamentService")
_TYPE: Final = "type.googleapis.com/envoy.extensions"
_HTTP: Final = f"{_TYPE}.upstreams.http.v3.HttpProtocolOptions"
_PATIENCE_S: Final = 60.0


def _at(address: str) -> dict[str, Any]:
    host, _, port = address.rpartition(":")
    where = {"address": host, "port_value": int(port)}
    return {"address": {"socket_address": where}}


def _configuration(address: str, referee: str) -> dict[str, Any]:
    transcoder = {
        "@type": f"{_TYPE}.filters.http.grpc_json_transcoder.v3.GrpcJsonTranscoder",
        "proto_descriptor": _DESCRIPTORS,
        "services": [f"ginref.v1.{name}" for name in _SERVICES],
        "print_options": {
            "always_print_primitive_fields": True,
            "stream_newline_delimited": True,
        },
        "convert_grpc_status": True,
    }
    router = {"@type": f"{_TYPE}.filters.http.router.v3.Router"}
    route = {"match": {"prefix": "/"}, "route": {"cluster": "referee"}}
    manager = {
        "@type": f"{_TYPE}.filters.network.http_connection_manager.v3"
        ".HttpConnectionManager",
        "stat_prefix": "api",
        "route_config": {
            "virtual_hosts": [{"name": "all", "domains": ["*"], "routes": [route]}]
        },
        "http_filters": [
            {"name": "transcoder", "typed_config": transcoder},
            {"name": "router", "typed_config": router},
        ],
    }
    chain = {"filters": [{"name": "http", "typed_config": manager}]}
    spoken = {"@type": _HTTP, "explicit_http_config": {"http2_protocol_options": {}}}
    cluster = {
        "name": "referee",
        "type": "STATIC",
        "typed_extension_protocol_options": {_HTTP.partition("/")[2]: spoken},
        "load_assignment": {
            "cluster_name": "referee",
            "endpoints": [{"lb_endpoints": [{"endpoint": _at(referee)}]}],
        },
    }
    listener = {**_at(address), "filter_chains": [chain]}
    return {"static_resources": {"listeners": [listener], "clusters": [cluster]}}


@contextmanager
def _envoy(referee: str) -> Iterator[str]:
    """Run Envoy before a referee; the value is its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    command = [_PROGRAM, "--concurrency", "1", "--use-dynamic-base-id"]
    command += ["--config-yaml", json.dumps(_configuration(address, referee))]
    with open(_LOG, "w") as log:  # noqa: PTH123 - a path of the checkout
        process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        until = time.monotonic() + _PATIENCE_S
        while process.poll() is None and time.monotonic() < until:
            try:
                httpx.get(f"http://{address}/v1/keys")
                break
            except httpx.TransportError:
                time.sleep(0.1)
        yield address
    finally:
        process.terminate()
        process.wait()


async def _calls(host: Host) -> list[tuple[str, str, object]]:
    async with host.open() as room:
        match, cup = await room.finished(), await room.tournament()
    return [
        ("GET", "/v1/keys", None),
        ("GET", "/v1/bots", None),
        ("GET", "/v1/matches?bot=ada&pageSize=1", None),
        ("GET", f"/v1/matches/{match}", None),
        ("GET", f"/v1/matches/{match}/record", None),
        ("GET", f"/v1/matches/{match}:watch", None),
        ("GET", f"/v1/tournaments/{cup}", None),
        ("POST", "/v1/owners", {"name": "lab"}),
        ("POST", "/v1/bots/ada:setConsent", {"acceptsChallenges": True}),
        ("GET", "/v1/matches/nobody", None),
    ]


def _answer(client: httpx.Client, url: str, verb: str, body: object) -> object:
    answer = client.request(verb, url, json=body)
    lines = [json.loads(line) for line in answer.text.split("\n") if line.strip()]
    return answer.status_code, lines


def main() -> int:
    """Compare call by call; 0 if all are answered alike."""
    different = 0
    with hosting("--http", "127.0.0.1:0", "--dev") as host:
        calls = asyncio.run(_calls(host))
        own = json.loads((host.process.data / "referee.json").read_text())["http"]
        token = {"authorization": f"Bearer {host.process.token()}"}
        with (
            _envoy(host.process.address) as envoy,
            httpx.Client(headers=token, timeout=60) as client,
        ):
            for verb, path, body in calls:
                ours, theirs = (
                    _answer(client, f"http://{address}{path}", verb, body)
                    for address in (own, envoy)
                )
                different += ours != theirs
                verdict = "alike" if ours == theirs else f"{ours}\n  but {theirs}"
                sys.stdout.write(f"{verb:5}{path:40} {verdict}\n")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
