"""Traces that OpenTelemetry collects.

A span holds the name of a method or of a command, times and an outcome: no message, no
key, no argument, and no text of an exception.
"""

import asyncio
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Link, SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from ginref.app.trace import TRACE_ID, Span, Tracer

_NAME: Final = "ginref"
_FLUSH_PATIENCE_S: Final = 3.0

_CANCELLED: Final = 1
_FAULTS: Final = frozenset({2, 4, 12, 13, 14, 15})
"""Status codes of gRPC that mean a fault of the server, as OpenTelemetry has it."""

_SPAN: Final[ContextVar[trace.Span | None]] = ContextVar("_SPAN", default=None)
"""The span of the call or message under way."""


class OtelTracer(Tracer):
    """Hands spans to a provider, which belongs to it."""

    def __init__(self, provider: TracerProvider) -> None:
        """Trace by a provider."""
        self._provider = provider
        self._tracer = provider.get_tracer(_NAME)
        self._propagator = TraceContextTextMapPropagator()

    @contextmanager
    def call(self, method: str, traceparent: str | None) -> Iterator[Span]:
        """Trace a call of the API for the length of the context."""
        carrier = {} if traceparent is None else {"traceparent": traceparent}
        span = self._tracer.start_span(
            method.removeprefix("/"),
            self._propagator.extract(carrier, Context()),
            SpanKind.SERVER,
            _facts(method),
        )
        with _current(span) as part:
            yield part

    @contextmanager
    def message(self, method: str) -> Iterator[Span]:
        """Trace what one message of a stream asks for, in a trace of its own.

        Streams last for hours; whoever looks for the stream finds it by the link.
        """
        stream = _SPAN.get()
        span = self._tracer.start_span(
            f"{method.removeprefix('/')} message",
            Context(),
            SpanKind.SERVER,
            _facts(method),
            links=None if stream is None else [Link(stream.get_span_context())],
        )
        with _current(span) as part:
            yield part

    def store(
        self, command: str, script: str | None, answer: asyncio.Future[Any]
    ) -> None:
        """Trace a command to the store until it is answered, within a trace only."""
        parent = _SPAN.get()
        if parent is None or not parent.is_recording():
            return
        facts = {"db.system.name": "redis", "db.operation.name": command}
        name = command
        if script is not None:
            facts["db.stored_procedure.name"] = script
            name = f"{command} {script}"
        span = self._tracer.start_span(
            name,
            trace.set_span_in_context(parent, Context()),
            SpanKind.CLIENT,
            facts,
        )

        def end(answered: asyncio.Future[Any]) -> None:
            error = None if answered.cancelled() else answered.exception()
            if error is not None:
                _fail(span, error)
            span.end()

        answer.add_done_callback(end)

    async def aclose(self) -> None:
        """Send what is left, for no longer than anybody wants to wait for it."""
        loop, done = asyncio.get_running_loop(), asyncio.Event()

        def flush() -> None:
            self._provider.shutdown()
            if not loop.is_closed():
                loop.call_soon_threadsafe(done.set)

        # Where nobody collects, the end of this thread takes too long.
        threading.Thread(target=flush, daemon=True).start()
        try:
            async with asyncio.timeout(_FLUSH_PATIENCE_S):
                await done.wait()
        except TimeoutError:
            return


class _Part(Span):
    """A span as the use cases see it."""

    def __init__(self, span: trace.Span) -> None:
        """Begin without an outcome."""
        self._span = span
        self.has_ended = False

    def end_with(self, code: int) -> None:
        """Say with which status code of gRPC it ends."""
        self.has_ended = True
        self._span.set_attribute("rpc.grpc.status_code", code)
        if code in _FAULTS:
            self._span.set_status(Status(StatusCode.ERROR))


def open_tracer(endpoint: str, version: str) -> OtelTracer:
    """Send traces to a collector that speaks OTLP over gRPC.

    Everything else can be set as OpenTelemetry has it: `OTEL_TRACES_SAMPLER`,
    `OTEL_SERVICE_NAME`, `OTEL_EXPORTER_OTLP_HEADERS` and so on.

    Args:
        endpoint: Where it listens: `http://host:port`, or `https` with TLS.
        version: Version of this program.
    """
    facts = {SERVICE_VERSION: version}
    if not {"OTEL_SERVICE_NAME", "OTEL_RESOURCE_ATTRIBUTES"} & os.environ.keys():
        facts[SERVICE_NAME] = _NAME
    provider = TracerProvider(resource=Resource.create(facts), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint)))
    return OtelTracer(provider)


@contextmanager
def _current(span: trace.Span) -> Iterator[Span]:
    """Make a span the one of the work under way, and end it with that."""
    number = span.get_span_context().trace_id
    kept = trace.format_trace_id(number) if span.is_recording() else None
    token, name = _SPAN.set(span), TRACE_ID.set(kept)
    part = _Part(span)
    try:
        yield part
    except asyncio.CancelledError:
        part.end_with(_CANCELLED)
        raise
    except BaseException as error:
        if not part.has_ended:
            _fail(span, error)
        raise
    finally:
        TRACE_ID.reset(name)
        _SPAN.reset(token)
        span.end()


def _fail(span: trace.Span, error: BaseException) -> None:
    """Say that a span ends with an error: its type, and nothing that it says."""
    span.set_attribute("error.type", type(error).__name__)
    span.set_status(Status(StatusCode.ERROR))


def _facts(method: str) -> dict[str, str]:
    service, _, name = method.removeprefix("/").rpartition("/")
    return {"rpc.system": "grpc", "rpc.service": service, "rpc.method": name}
