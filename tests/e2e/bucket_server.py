"""A server that speaks like Amazon S3, as an object store that records can go to."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest
from moto.server import ThreadedMotoServer


@contextmanager
def bucket_server(patch: pytest.MonkeyPatch) -> Iterator[ThreadedMotoServer]:
    """Run it with an empty bucket `records`, and let the environment lead to it."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    url = f"http://{host}:{port}"
    httpx.post(f"{url}/moto-api/reset")
    httpx.put(f"{url}/records")
    for name, value in {
        "AWS_ENDPOINT_URL": url,
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_REGION": "us-east-1",
    }.items():
        patch.setenv(name, value)
    yield server
    server.stop()
