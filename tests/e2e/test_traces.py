"""Traces of a real referee with a real store, as its collector gets them."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import grpc
import httpx
import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status
from tests.e2e.collector import Collector, facts_of
from tests.e2e.host import OPERATOR, SEATED, Host, Stub
from tests.e2e.referee_process import RefereeProcess
from tests.e2e.table import Table, play

from ginref.v1 import referee_service_pb2 as referee_pb
from ginref.v1 import referee_service_pb2_grpc
from ginref_client.bots.simple import Simple
from ginref_client.session import Session

CALLER = "00-{}-b7ad6b7169203331-{}"
KEPT, DROPPED, FAILED = "a" * 32, "b" * 32, "c" * 32
EXEMPLAR = re.compile(r'^(\w+)\{.*\} \S+ # \{trace_id="(\w+)"\}', re.MULTILINE)
CONNECT = "ginref.v1.BotService/Connect"


@pytest.fixture
def collector() -> Iterator[Collector]:
    """Return a collector."""
    with Collector() as listening:
        yield listening


@pytest.fixture
def host(folder: Path, collector: Collector) -> Iterator[Host]:
    """Return a referee that sends traces there, and logs lines of JSON."""
    options = ("--log-format=json", "--log-level=debug")
    process = RefereeProcess(
        folder / "data", options=("--otel-endpoint", collector.endpoint, *options)
    )
    yield Host(process).start()
    process.stop()


async def _use(host: Host) -> str:
    """Play a match, make calls in traces of a client's own, and return the match."""
    address = host.process.address
    table = Table(address, host.tokens[OPERATOR])
    match_id = await table.create_match("hollywood", bots=SEATED)
    await play([Session(address, host.tokens[bot], Simple) for bot in SEATED])
    async with host.open() as room:
        stub: Stub = referee_service_pb2_grpc.RefereeServiceStub(room.channel)
        for trace, flags in ((KEPT, "01"), (DROPPED, "00")):
            metadata = ("traceparent", CALLER.format(trace, flags))
            request = referee_pb.GetMatchRequest(match_id=match_id)
            told = room.metadata(OPERATOR)
            await stub.GetMatch(request, metadata=(*told, metadata))
        metadata = ("traceparent", CALLER.format(FAILED, "01"))
        request = referee_pb.GetMatchRequest(match_id="none")
        with pytest.raises(grpc.aio.AioRpcError, match="NOT_FOUND"):
            await stub.GetMatch(request, metadata=(*room.metadata(OPERATOR), metadata))
    return match_id


def _in_trace(spans: list[Span], trace: str) -> list[Span]:
    return [span for span in spans if span.trace_id.hex() == trace]


def _exemplars(host: Host) -> Mapping[str, set[str]]:
    """Return the traces that metrics name, by metric."""
    accept = {"accept": "application/openmetrics-text;version=1.0.0"}
    address = f"http://{host.process.admin}/metrics"
    told = httpx.get(address, headers=accept, trust_env=False).text
    found = defaultdict(set)
    for name, trace in EXEMPLAR.findall(told):
        found[name].add(trace)
    return found


async def test_a_trace_leads_from_the_client_to_the_store(
    host: Host, collector: Collector
) -> None:
    match_id = await _use(host)
    exemplars = _exemplars(host)
    host.process.stop()
    spans = collector.spans

    # What a client has begun goes on, unless it is not to be kept.
    (call,) = [
        span for span in _in_trace(spans, KEPT) if span.kind == Span.SPAN_KIND_SERVER
    ]
    assert call.name == "ginref.v1.RefereeService/GetMatch"
    assert call.parent_span_id.hex() == "b7ad6b7169203331"
    stored = [span for span in _in_trace(spans, KEPT) if span != call]
    assert stored
    assert {span.parent_span_id for span in stored} == {call.span_id}
    assert {span.kind for span in stored} == {Span.SPAN_KIND_CLIENT}
    # The match is read in any case, the token only if it was not just now.
    assert "EVALSHA" in {facts_of(span)["db.operation.name"] for span in stored}
    assert _in_trace(spans, DROPPED) == []
    (failed,) = [
        span for span in _in_trace(spans, FAILED) if span.kind == Span.SPAN_KIND_SERVER
    ]
    assert facts_of(failed)["rpc.grpc.status_code"] == 5
    assert failed.status.code == Status.STATUS_CODE_UNSET

    # Streams last long: each message has a trace of its own, which names its stream.
    streams = {span.span_id for span in spans if span.name == CONNECT}
    messages = [span for span in spans if span.name == f"{CONNECT} message"]
    assert len(streams) == len(SEATED)
    assert len(messages) > 20
    assert {link.span_id for span in messages for link in span.links} == streams
    assert len({span.trace_id for span in messages}) == len(messages)
    moves = [span for span in spans if span.name == "EVALSHA apply"]
    assert len(moves) > 20
    assert {span.parent_span_id for span in moves} & {one.span_id for one in messages}
    known = {span.span_id for span in spans}
    assert all(
        span.parent_span_id in known
        for span in spans
        if span.kind == Span.SPAN_KIND_CLIENT
    )

    # The log says which trace, which match and which request a line is about.
    lines = [
        json.loads(line)
        for line in host.process.log().splitlines()
        if line.startswith("{")
    ]
    (logged,) = [line for line in lines if line.get("trace_id") == KEPT]
    assert logged["match_id"] == match_id
    assert logged["method"] == "/ginref.v1.RefereeService/GetMatch"
    assert logged["code"] == "OK"
    assert len(lines) == len(host.process.log().splitlines())

    # Metrics name traces that are kept, of calls and of moves.
    calls = exemplars["ginref_call_seconds_bucket"]
    assert {KEPT, FAILED} <= calls
    assert DROPPED not in calls
    judged = exemplars["ginref_move_referee_seconds_bucket"]
    assert judged
    assert judged <= {span.trace_id.hex() for span in messages}


def test_a_referee_whose_collector_is_away_stops_all_the_same(folder: Path) -> None:
    options = ("--otel-endpoint", "http://127.0.0.1:9")
    process = RefereeProcess(folder / "data", options=options)
    Host(process).start()

    assert process.stop() == 0
