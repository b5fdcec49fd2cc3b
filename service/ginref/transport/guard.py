"""What every answer over HTTP carries, and which pages of others may ask."""

from collections.abc import Collection
from typing import Final, Protocol

from starlette.types import ASGIApp, Message, Receive, Scope, Send

SAFE: Final = (
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
)
"""Headers that an answer has unless it says otherwise itself."""

_PREFLIGHT: Final = (
    (b"access-control-allow-methods", b"DELETE, GET, PATCH, POST, PUT"),
    (b"access-control-allow-headers", b"authorization, content-type, last-event-id"),
    (b"access-control-max-age", b"600"),
)


class AnswerObserver(Protocol):
    """Counts answers over HTTP."""

    def http_answer(self, status: int) -> None:
        """Count an answer by its status."""


class Guard:
    """Passes requests on to an application, and looks after its answers."""

    def __init__(
        self,
        app: ASGIApp,
        origins: Collection[str] = (),
        observer: AnswerObserver | None = None,
    ) -> None:
        """Look after the answers of an application.

        Args:
            app: The application.
            origins: Whose pages may ask, such as `https://example.org`; `*` for all.
            observer: Counts answers.
        """
        self._app: Final = app
        self._origins: Final = frozenset(origins)
        self._observer: Final = observer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        asked = dict(scope["headers"])
        headers = self._shared(asked.get(b"origin"))

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = [*message.get("headers", ())]
                names = {name for name, _ in given}
                given += [one for one in headers if one[0] not in names]
                message["headers"] = given
                if self._observer is not None:
                    self._observer.http_answer(message["status"])
            await send(message)

        is_preflight = b"access-control-request-method" in asked
        if scope["method"] == "OPTIONS" and is_preflight and len(headers) > len(SAFE):
            start = {"type": "http.response.start", "status": 204}
            await guarded({**start, "headers": _PREFLIGHT})
            await guarded({"type": "http.response.body", "body": b""})
            return
        await self._app(scope, receive, guarded)

    def _shared(self, origin: bytes | None) -> tuple[tuple[bytes, bytes], ...]:
        """Return the headers of an answer to a page of some origin."""
        if origin is None or self._origins.isdisjoint({"*", origin.decode("latin-1")}):
            return SAFE
        return (
            *SAFE,
            (b"access-control-allow-origin", origin),
            (b"access-control-expose-headers", b"retry-after"),
            (b"vary", b"origin"),
        )
