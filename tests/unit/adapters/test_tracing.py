"""Spans as OpenTelemetry gets them: names, times and outcomes, and nothing else."""

import asyncio
import re
from collections.abc import Sequence
from contextvars import copy_context

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode, format_trace_id

from ginref.adapters.tracing import OtelTracer
from ginref.app.error import Reason, RefusedError
from ginref.app.trace import current_trace_id
from ginref.transport.traced import traced

TRACE = "0af7651916cd43dd8448eb211c80319c"
CALLER = f"00-{TRACE}-b7ad6b7169203331-01"
METHOD = "/ginref.v1.RefereeService/SubmitMove"
CANARY = "Kd Qs gr_" + "k7" * 26


class Kept:
    """A tracer, and the spans that have ended."""

    def __init__(self) -> None:
        self._exporter = InMemorySpanExporter()
        provider = TracerProvider(shutdown_on_exit=False)
        provider.add_span_processor(SimpleSpanProcessor(self._exporter))
        self.tracer = OtelTracer(provider)

    @property
    def spans(self) -> Sequence[ReadableSpan]:
        """What has ended, in that order."""
        return self._exporter.get_finished_spans()

    @property
    def text(self) -> str:
        """All that there is to read."""
        return "".join(span.to_json() for span in self.spans)


@pytest.fixture
def kept() -> Kept:
    return Kept()


async def _answered(error: BaseException | None = None) -> asyncio.Future[int]:
    answer: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    if error is None:
        answer.set_result(1)
    else:
        answer.set_exception(error)
    return answer


def test_a_call_continues_the_trace_of_its_caller(kept: Kept) -> None:
    with kept.tracer.call(METHOD, CALLER):
        within = current_trace_id()

    (span,) = kept.spans
    assert within == TRACE
    assert current_trace_id() is None
    assert span.name == METHOD.removeprefix("/")
    assert span.kind is SpanKind.SERVER
    assert span.parent is not None
    assert f"{span.parent.span_id:016x}" == "b7ad6b7169203331"


@pytest.mark.parametrize(
    "traceparent",
    [
        pytest.param(None, id="none"),
        pytest.param("", id="nothing"),
        pytest.param(CALLER[:-3], id="a part of one"),
        pytest.param(CALLER.replace(TRACE, "0" * 32), id="a trace that is none"),
        pytest.param(CANARY, id="something else"),
    ],
)
def test_a_call_without_a_trace_begins_one(kept: Kept, traceparent: str | None) -> None:
    with kept.tracer.call(METHOD, traceparent):
        within = current_trace_id()

    (span,) = kept.spans
    assert within is not None
    assert re.fullmatch("[0-9a-f]{32}", within)
    assert within != TRACE
    assert span.parent is None
    assert CANARY not in kept.text


def test_a_trace_that_is_not_kept_has_no_name(kept: Kept) -> None:
    with kept.tracer.call(METHOD, CALLER[:-1] + "0"):
        within = current_trace_id()

    assert within is None
    assert not kept.spans


async def test_a_command_belongs_to_the_call_that_needs_it(kept: Kept) -> None:
    kept.tracer.store("HGET", None, await _answered())
    with kept.tracer.call(METHOD, CALLER):
        kept.tracer.store("EVALSHA", "apply", await _answered())
        await asyncio.sleep(0)
        task = copy_context()
    # A task of that call that is still at work belongs to no trace any more.
    task.run(kept.tracer.store, "HGET", None, await _answered())

    stored, call = kept.spans
    assert stored.name == "EVALSHA apply"
    assert stored.kind is SpanKind.CLIENT
    assert stored.parent == call.context
    assert stored.attributes == {
        "db.system.name": "redis",
        "db.operation.name": "EVALSHA",
        "db.stored_procedure.name": "apply",
    }


async def test_a_message_has_a_trace_of_its_own_and_names_its_stream(
    kept: Kept,
) -> None:
    with kept.tracer.call(METHOD, CALLER):
        with kept.tracer.message(METHOD):
            within = current_trace_id()
        assert current_trace_id() == TRACE

    message, stream = kept.spans
    assert message.context is not None
    assert stream.context is not None
    assert within == format_trace_id(message.context.trace_id) != TRACE
    assert [link.context.span_id for link in message.links] == [stream.context.span_id]


@pytest.mark.parametrize(
    ("reason", "code", "status"),
    [
        (Reason.MATCH_NOT_FOUND, 5, StatusCode.UNSET),
        (Reason.NOT_YOUR_TURN, 9, StatusCode.UNSET),
        (Reason.STORE_UNAVAILABLE, 14, StatusCode.ERROR),
        (Reason.INTERNAL_FAULT, 13, StatusCode.ERROR),
    ],
)
async def test_a_refusal_is_a_fault_only_where_it_is_the_referee_s(
    kept: Kept, reason: Reason, code: int, status: StatusCode
) -> None:
    async def refuse() -> None:
        raise RefusedError(reason, CANARY, card=CANARY)

    with pytest.raises(RefusedError):
        await traced(kept.tracer, METHOD, CALLER, refuse())

    (span,) = kept.spans
    assert span.attributes is not None
    assert span.attributes["rpc.grpc.status_code"] == code
    assert span.status.status_code is status
    assert "Kd" not in kept.text


async def test_nothing_that_an_exception_says_is_in_a_span(kept: Kept) -> None:
    async def fail() -> None:
        kept.tracer.store("HGET", None, await _answered(ValueError(CANARY)))
        await asyncio.sleep(0)
        raise KeyError(CANARY)

    with pytest.raises(KeyError):
        await traced(kept.tracer, METHOD, CALLER, fail())

    stored, call = kept.spans
    assert stored.status.status_code is call.status.status_code is StatusCode.ERROR
    assert '"error.type": "ValueError"' in stored.to_json()
    assert '"error.type": "KeyError"' in call.to_json()
    assert not any(word in kept.text for word in CANARY.split())


async def test_a_call_that_is_given_up_is_cancelled(kept: Kept) -> None:
    with pytest.raises(asyncio.CancelledError), kept.tracer.call(METHOD, CALLER):
        raise asyncio.CancelledError

    (span,) = kept.spans
    assert span.attributes is not None
    assert span.attributes["rpc.grpc.status_code"] == 1
    assert span.status.status_code is StatusCode.UNSET
