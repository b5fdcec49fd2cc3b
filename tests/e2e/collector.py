"""Takes traces as a collector of OpenTelemetry does."""

from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Any, Final, Self

import grpc
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.trace.v1.trace_pb2 import Span

METHOD: Final = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"


class Collector:
    """Listens for the length of its context.

    Attributes:
        requests: All that was sent.
        endpoint: Where to.
    """

    def __init__(self) -> None:
        """Listen at any free port."""
        self.requests: list[ExportTraceServiceRequest] = []
        self._server = grpc.server(ThreadPoolExecutor(1))
        handler = grpc.unary_unary_rpc_method_handler(
            self._take,
            ExportTraceServiceRequest.FromString,
            ExportTraceServiceResponse.SerializeToString,
        )
        service, name = METHOD.removeprefix("/").split("/")
        self._server.add_generic_rpc_handlers(
            [grpc.method_handlers_generic_handler(service, {name: handler})]
        )
        self.endpoint = f"http://127.0.0.1:{self._server.add_insecure_port('[::]:0')}"

    def _take(
        self, request: ExportTraceServiceRequest, context: object
    ) -> ExportTraceServiceResponse:
        del context
        self.requests.append(request)
        return ExportTraceServiceResponse()

    def __enter__(self) -> Self:
        """Listen."""
        self._server.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Listen no more."""
        self._server.stop(None).wait()

    @property
    def spans(self) -> list[Span]:
        """All spans that were sent."""
        return [
            span
            for request in self.requests
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    def text(self) -> str:
        """All that was sent, as one text, but without what is random in it."""
        parts: list[str] = []
        for span in self.spans:
            plain = Span.FromString(span.SerializeToString())
            for numbered in (plain, *plain.links):
                numbered.ClearField("trace_id")
                numbered.ClearField("span_id")
            plain.ClearField("parent_span_id")
            parts.append(str(plain))
        resources = [
            str(fact)
            for request in self.requests
            for resource in request.resource_spans
            for fact in resource.resource.attributes
            # One in a hundred of these names cards.
            if fact.key != "service.instance.id"
        ]
        return "\n".join((*resources, *parts))


def facts_of(span: Span) -> dict[str, Any]:
    """Return the attributes of a span."""
    return {
        one.key: one.value.string_value or one.value.int_value
        for one in span.attributes
    }
