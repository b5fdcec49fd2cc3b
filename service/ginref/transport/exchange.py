"""One request over HTTP and the answer to it, as ASGI has them."""

import asyncio
import contextlib
import json
from collections.abc import MutableMapping
from http import HTTPStatus
from typing import Any, Final

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from starlette.types import Receive, Scope, Send

from ginref.app.error import Reason, RefusedError
from ginref.transport.admission import bearer
from ginref.transport.status import CODES, status_of

JSON_TYPE: Final = "application/json"

_CODING: Final = "content-encoding"
_BODY_TIMEOUT_S: Final = 30.0
_RETRY_S: Final = 1

_PASSED_S: Final = 5.0
"""Seconds in which the rest of a body may come that is not read."""

_OF_A_BODY: Final = (b"content-length", b"transfer-encoding")


class Exchange:
    """A request that is answered once.

    Attributes:
        verb: Method of HTTP.
        path: Path as it was sent, with its escapes.
        query: Query, likewise.
        started: The answer has begun.
        left: Whoever sent the request is no more there.
    """

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Take a request."""
        self._scope: Final = scope
        self._receive: Final = receive
        self._send: Final = send
        self.verb: Final[str] = scope["method"]
        raw: bytes = scope.get("raw_path") or scope["path"].encode()
        self.path: Final = raw.decode("latin-1")
        self.query: Final[str] = scope["query_string"].decode("latin-1")
        self.started = False
        self.left = False
        self._has_more = True

    def header(self, name: bytes) -> str | None:
        """Return the first header of a name in small letters; None if there is none."""
        for known, value in self._scope["headers"]:
            if known == name:
                text: str = value.decode("latin-1")
                return text
        return None

    @property
    def secret(self) -> str | None:
        """The token that the request carries."""
        return bearer(self.header(b"authorization") or "")

    @property
    def peer(self) -> object:
        """Who sent it, as the server names them."""
        return self._scope.get("client")

    async def body(self, most: int) -> bytes:
        """Read the body.

        Raises:
            RefusedError: MESSAGE_TOO_LARGE for one of more than `most` bytes,
                MEDIA_TYPE_UNKNOWN for one that is no JSON or is encoded,
                LIMIT_EXCEEDED for one that does not come.
        """
        if not self._has_body():
            return b""
        length = self.header(b"content-length")
        if length and length.isdigit() and int(length[:20]) > most:
            raise _too_large(most)
        read = bytearray()
        try:
            async with asyncio.timeout(_BODY_TIMEOUT_S):
                while (part := await self._part()) is not None:
                    read += part
                    if len(read) > most:
                        raise _too_large(most)
        except TimeoutError:
            text = "the body of the request does not come"
            raise RefusedError(Reason.LIMIT_EXCEEDED, text, limit="body") from None
        if read and not self._is_plain():
            text = "content-encoding: the body of a request is sent as it is"
            raise RefusedError(Reason.MEDIA_TYPE_UNKNOWN, text, header=_CODING)
        if read and not self._has_json():
            text = f"content-type: the body of a request is {JSON_TYPE}"
            raise RefusedError(Reason.MEDIA_TYPE_UNKNOWN, text, header="content-type")
        return bytes(read)

    def _has_body(self) -> bool:
        """Say whether a body comes with the request.

        Source: RFC 9112, section 6.3.
        """
        return any(name in _OF_A_BODY for name, _ in self._scope["headers"])

    def _is_plain(self) -> bool:
        coding = self.header(_CODING.encode())
        return coding is None or coding.strip().lower() in {"", "identity"}

    def _has_json(self) -> bool:
        kind, _, parameters = (self.header(b"content-type") or "").partition(";")
        charset = parameters.strip().lower().replace('"', "")
        return kind.strip().lower() == JSON_TYPE and charset in {"", "charset=utf-8"}

    async def _part(self) -> bytes | None:
        """Return the next part of the body; None after the last one.

        Raises:
            CancelledError: Whoever sent the request has gone.
        """
        if not self._has_more:
            return None
        message = await self._receive()
        if message["type"] == "http.disconnect":
            self.left = True
            raise asyncio.CancelledError
        self._has_more = message.get("more_body", False)
        part: bytes = message.get("body", b"")
        return part

    async def gone(self) -> None:
        """Wait until whoever sent the request is no more there."""
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self.left = True

    async def start(self, status: int, *headers: tuple[str, str]) -> None:
        """Begin the answer."""
        self.started = True
        encoded = [(name.encode(), value.encode("latin-1")) for name, value in headers]
        await self._send(
            {"type": "http.response.start", "status": status, "headers": encoded}
        )

    async def write(self, data: bytes, *, more: bool = True) -> None:
        """Write a part of the answer; waits for a reader that is slow."""
        part: MutableMapping[str, Any] = {
            "type": "http.response.body",
            "body": data,
            "more_body": more,
        }
        await self._send(part)

    async def answer(self, data: bytes) -> None:
        """Answer with JSON."""
        await self._start_json(HTTPStatus.OK, data)
        await self.write(data, more=False)

    async def refuse(self, refusal: RefusedError) -> None:
        """Answer with the status of a refusal."""
        status, headers = refusal_headers(refusal)
        data = to_json(status_of(refusal))
        await self._start_json(status, data, *headers)
        await self.write(data)
        await self._pass_over()
        await self.write(b"", more=False)

    async def _start_json(
        self, status: int, data: bytes, *headers: tuple[str, str]
    ) -> None:
        length = ("content-length", str(len(data)))
        await self.start(status, ("content-type", JSON_TYPE), length, *headers)

    async def _pass_over(self) -> None:
        """Take what is still to come of the body.

        A connection that is closed before loses the answer that is on its way. Whoever
        asks whether to send a body has been told not to.
        """
        if not self._has_body() or self.header(b"expect") is not None:
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_PASSED_S):
                while self._has_more:
                    message = await self._receive()
                    self._has_more = message.get("more_body", False)


def refusal_headers(refusal: RefusedError) -> tuple[int, list[tuple[str, str]]]:
    """Return the status of HTTP that tells of a refusal, and its headers."""
    status = CODES[refusal.reason].http
    headers = []
    if status == HTTPStatus.UNAUTHORIZED:
        headers.append(("www-authenticate", "Bearer"))
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        headers.append(("retry-after", str(_RETRY_S)))
    if allow := refusal.facts.get("allow"):
        headers.append(("allow", str(allow)))
    if refusal.facts.get("header") == _CODING:
        headers.append(("accept-encoding", "identity"))
    if resets_ms := refusal.facts.get("resets_ms"):
        headers.append(("retry-after", str(-(-int(resets_ms) // 1000))))
    return status, headers


def to_json(message: Message) -> bytes:
    """Return a message as JSON of one line; what has no presence is always there."""
    made = MessageToDict(message, always_print_fields_with_no_presence=True)
    return json.dumps(made, ensure_ascii=False, separators=(",", ":")).encode()


def _too_large(most: int) -> RefusedError:
    return RefusedError(
        Reason.MESSAGE_TOO_LARGE,
        f"a message has at most {most} bytes",
        limit_bytes=most,
    )
