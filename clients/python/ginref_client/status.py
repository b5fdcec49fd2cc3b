"""Failed calls, as the exceptions of this package."""

from collections.abc import Iterable, Mapping
from typing import Final

import grpc
import grpc.aio
from google.protobuf.any_pb2 import Any as AnyMessage
from google.rpc import error_details_pb2, status_pb2

from ginref.v1 import error_reason_pb2
from ginref.v1.referee_service_pb2 import SubmissionReceipt
from ginref_client.error import (
    AccessError,
    ClientError,
    FencedError,
    RefusedError,
    UnavailableError,
)

_DETAILS: Final = "grpc-status-details-bin"
_PREFIX: Final = "ERROR_REASON_"
_ACCESS: Final = {grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED}
_UNKNOWN_OUTCOME: Final = {
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.DEADLINE_EXCEEDED,
    grpc.StatusCode.CANCELLED,
    # A fault of the referee: it may have come after the deed.
    grpc.StatusCode.INTERNAL,
    grpc.StatusCode.UNKNOWN,
    grpc.StatusCode.DATA_LOSS,
    # A limit: nothing was done, and later it may be.
    grpc.StatusCode.RESOURCE_EXHAUSTED,
}
FENCED: Final = "ATTACHMENT_FENCED"
TOO_LARGE: Final = "MESSAGE_TOO_LARGE"

_LONGEST_WAIT: Final = 60.0
"""Seconds: no referee keeps a caller waiting longer."""


def reason_name(value: error_reason_pb2.ErrorReason.ValueType) -> str:
    """Name a reason without its prefix; a number that is not known yet stays one."""
    name = error_reason_pb2.ErrorReason.DESCRIPTOR.values_by_number.get(value)
    return name.name.removeprefix(_PREFIX) if name else f"REASON_{value}"


def wait_seconds(facts: Mapping[str, str]) -> float:
    """Return how long a limit asks to wait before trying again; 0 if it does not."""
    text = facts.get("resets_ms", "")
    known = text.isascii() and text.isdigit()
    return min(int(text) / 1000, _LONGEST_WAIT) if known else 0.0


def is_outcome_unknown(error: grpc.aio.AioRpcError) -> bool:
    """Say whether the same request may be sent again, under the same request id."""
    return (
        error.code() in _UNKNOWN_OUTCOME and error_from_rpc(error).reason != TOO_LARGE
    )


def error_from_rpc(error: grpc.aio.AioRpcError) -> RefusedError:
    """Read why a call failed, from the details of its status.

    A call that never reached a referee has no details; then the reason is the name
    of the status code.
    """
    kind = AccessError if error.code() in _ACCESS else RefusedError
    refused = kind(error.code().name, error.details() or "")
    info, receipt = error_details_pb2.ErrorInfo(), SubmissionReceipt()
    for detail in _details(error):
        if detail.Unpack(info):
            facts = dict(info.metadata)
            refused = kind(info.reason, error.details() or "", facts)
        detail.Unpack(receipt)
    refused.receipt = receipt.envelope
    return refused


def final_error(error: grpc.aio.AioRpcError) -> ClientError:
    """Return the exception for a call that is not worth another attempt."""
    refused = error_from_rpc(error)
    if refused.reason == FENCED:
        return FencedError("another stream of this bot has taken over")
    if is_outcome_unknown(error):
        return UnavailableError(str(refused))
    return refused


def _details(error: grpc.aio.AioRpcError) -> Iterable[AnyMessage]:
    for key, value in error.trailing_metadata() or ():
        if key == _DETAILS and isinstance(value, bytes):
            yield from status_pb2.Status.FromString(value).details
