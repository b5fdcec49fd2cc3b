"""Calls to a running referee, and what their refusals say."""

from collections.abc import Awaitable

import grpc
import grpc.aio
import pytest
from google.rpc import error_details_pb2, status_pb2

from ginref.v1 import match_pb2, ruleset_pb2
from ginref.v1 import referee_service_pb2 as referee_pb

GET = "/ginref.v1.RefereeService/GetMatch"
CREATE = "/ginref.v1.RefereeService/CreateMatch"


def reason_of(error: grpc.aio.AioRpcError) -> tuple[str, dict[str, str]]:
    for key, value in error.trailing_metadata() or ():
        if key == "grpc-status-details-bin":
            assert isinstance(value, bytes)
            status = status_pb2.Status.FromString(value)
            info = error_details_pb2.ErrorInfo()
            assert status.details[0].Unpack(info)
            assert info.domain == "ginref"
            return info.reason, dict(info.metadata)
    return "", {}


async def refusal(
    call: Awaitable[object],
) -> tuple[grpc.StatusCode, str, dict[str, str]]:
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await call
    reason, facts = reason_of(failed.value)
    return failed.value.code(), reason, facts


def new_match(**changes: object) -> referee_pb.CreateMatchRequest:
    fields: dict[str, object] = {
        "request_id": "r1",
        "ruleset": ruleset_pb2.RulesetChoice(preset="gin"),
        "bots": ["one", "two"],
        "deal_source": match_pb2.DEAL_SOURCE_SEEDED,
        "seed": "7",
        **changes,
    }
    return referee_pb.CreateMatchRequest(**fields)  # type: ignore[arg-type]
