"""Calls that want one answer, tried again while it is unknown whether they arrived."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from types import TracebackType
from typing import Final, Self, TypeVar

import grpc.aio
from google.protobuf.message import Message

from ginref_client.backoff import backoff
from ginref_client.certificate import ClientCertificate
from ginref_client.endpoint import bearer, parse_endpoints
from ginref_client.status import (
    error_from_rpc,
    final_error,
    is_outcome_unknown,
    wait_seconds,
)

_Request = TypeVar("_Request", bound=Message)
_Response = TypeVar("_Response", bound=Message)

DEADLINE_SECONDS: Final = 10.0


class Caller:
    """A connection to the replicas of a referee.

    Use it as an asynchronous context manager, or close it.
    """

    def __init__(  # noqa: PLR0913
        self,
        urls: str | Sequence[str],
        token: str,
        *,
        roots: bytes | None = None,
        server_name: str | None = None,
        certificate: ClientCertificate | None = None,
        allow_plaintext: bool = False,
        attempts: int = 5,
        deadline: float = DEADLINE_SECONDS,
    ) -> None:
        """Prepare to call, in a running event loop.

        Args:
            urls: Addresses of the referee's replicas, as a sequence or with commas in
                between; a call that fails is repeated at the next one.
            token: The caller's token.
            roots: Certificates to trust, in PEM; None for the system's.
            server_name: What the certificate must name; None for the address's host.
            certificate: A certificate of one's own, where the referee asks for one.
            allow_plaintext: Whether the token may travel unencrypted off this machine.
            attempts: How often to try a call that may be repeated.
            deadline: Seconds to wait for an answer.

        Raises:
            EndpointError: An address cannot be used.
        """
        endpoints = parse_endpoints(urls, allow_plaintext=allow_plaintext)
        self._channels = [
            endpoint.open(roots, server_name, certificate) for endpoint in endpoints
        ]
        # A watch holds a stream open for a whole match, and streams of one channel
        # are limited: beyond the limit calls would wait in silence.
        self._watch_channels = [
            endpoint.open(roots, server_name, certificate) for endpoint in endpoints
        ]
        self._metadata = bearer(token)
        self._attempts = attempts
        self._deadline = deadline
        self._at = 0

    async def __aenter__(self) -> Self:
        """Return the caller itself."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close."""
        await self.close()

    async def close(self) -> None:
        """Close the connections; calls in flight fail."""
        channels = [*self._channels, *self._watch_channels]
        await asyncio.gather(*(channel.close() for channel in channels))

    async def _ask(
        self,
        method: Callable[
            [grpc.aio.Channel], "grpc.aio.UnaryUnaryMultiCallable[_Request, _Response]"
        ],
        request: _Request,
        *,
        attempts: int = 0,
        deadline: float = 0.0,
    ) -> _Response:
        """Call until there is an answer.

        Args:
            method: What to call on a channel.
            request: What to ask.
            attempts: How often; 0 for as often as all calls are tried.
            deadline: Seconds to wait each time; 0 for as long as for all calls.

        Raises:
            RefusedError: The referee refuses.
            UnavailableError: No referee answered in so many attempts.
        """
        failed = 0
        while True:
            channel = self._channels[self._at % len(self._channels)]
            call = method(channel)(
                request,
                metadata=self._metadata,
                timeout=deadline or self._deadline,
            )
            try:
                return await call
            except grpc.aio.AioRpcError as error:
                failed += 1
                await self._fail(error, failed, attempts or self._attempts)

    async def _follow(
        self,
        method: Callable[
            [grpc.aio.Channel],
            "grpc.aio.UnaryStreamMultiCallable[_Request, _Response]",
        ],
        request: _Request,
        seen: Callable[[_Response], None],
    ) -> AsyncIterator[_Response]:
        """Follow a stream to its end; a lost one goes on where it was.

        Args:
            method: What to call on a channel.
            request: How to begin; `seen` moves it on.
            seen: Called with each message before it is yielded.

        Raises:
            RefusedError: The referee refuses.
            UnavailableError: No referee answered, so often as calls are tried.
        """
        failed = 0
        while True:
            channel = self._watch_channels[self._at % len(self._watch_channels)]
            try:
                async for message in method(channel)(request, metadata=self._metadata):
                    failed = 0
                    seen(message)
                    yield message
            except grpc.aio.AioRpcError as error:
                failed += 1
                await self._fail(error, failed, self._attempts)
            else:
                return

    async def _fail(
        self, error: grpc.aio.AioRpcError, failed: int, attempts: int
    ) -> None:
        """Wait before the next attempt, unless it is hopeless or one too many."""
        if not is_outcome_unknown(error) or failed >= attempts:
            raise final_error(error) from None
        self._at += 1
        limited = wait_seconds(error_from_rpc(error).facts)
        await asyncio.sleep(max(backoff(failed - 1), limited))
