"""Calls over HTTP, read into the messages that they stand for."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Final

from google.protobuf.json_format import MessageToJson, SerializeToJsonError
from tests.fuzz.call import call_words
from tests.fuzz.draw import Draw
from tests.fuzz.shaped import shaped
from tests.fuzz.target import Target, reader

from ginref.app.error import RefusedError
from ginref.transport.rest_json import read_json
from ginref.transport.rest_read import read_request
from ginref.transport.rest_route import Routes
from ginref.transport.server import DESCRIBED

_ROUTES: Final = Routes(DESCRIBED)


def _make() -> Callable[[bytes], object]:
    def check(data: bytes) -> None:
        draw = Draw(data)
        route = draw.pick(_ROUTES.all)
        whole, _, body = draw.rest().partition(b"\n")
        path, _, query = whole.decode("latin-1").partition("?")
        values = (path.split("/") * len(route.fields))[: len(route.fields)]
        with suppress(RefusedError):
            read_request(route, values, query, body).SerializeToString()

    return check


def _requests() -> list[bytes]:
    """Return a request of each route: its place, its path and query, and its body."""
    found = []
    for place, route in enumerate(_ROUTES.all):
        draw = Draw(bytes((place * 31 + n * 17) % 256 for n in range(300)))
        message = shaped(route.method.input_type, draw, call_words())
        sent = b"{}" if route.body else b""
        with suppress(SerializeToJsonError):
            sent = MessageToJson(message).encode() if route.body else b""
        found.append(bytes([place]) + b"m1?page_size=2&bot=ada\n" + sent)
    return found


GATEWAY: Final[Mapping[str, Target]] = {
    "request over http": Target(make=_make, seeds=_requests, share=40),
    "json body": Target(
        make=reader(read_json, RefusedError),
        seeds=lambda: [one.partition(b"\n")[2] for one in _requests()],
        share=40,
    ),
}
"""Readers of calls over HTTP."""
