"""What a failure looks like outside: the one table of reasons, and their statuses.

A status holds a sentence and one ErrorInfo, plus a BadRequest that names the field
of a malformed message, or a RetryInfo that says when to try again. Text of exceptions
never gets into one: a fault is known outside by an id that finds it in the log.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

import grpc
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.duration_pb2 import Duration
from google.rpc import error_details_pb2, status_pb2

from ginref.app import fault
from ginref.app.error import Reason, RefusedError
from ginref.v1 import referee_service_pb2 as referee_pb

DOMAIN: Final = "ginref"
"""Domain of every ErrorInfo."""

_MESSAGE_BYTES: Final = 320
_KEY_BYTES: Final = 32
_FACT_BYTES: Final = 96
_FACT_LIMIT: Final = 8


class Code(NamedTuple):
    """How a reason is told by gRPC and by HTTP."""

    grpc: grpc.StatusCode
    http: int


_UNAUTHENTICATED: Final = Code(grpc.StatusCode.UNAUTHENTICATED, 401)
_DENIED: Final = Code(grpc.StatusCode.PERMISSION_DENIED, 403)
_INVALID: Final = Code(grpc.StatusCode.INVALID_ARGUMENT, 400)
_NOT_FOUND: Final = Code(grpc.StatusCode.NOT_FOUND, 404)
_EXISTS: Final = Code(grpc.StatusCode.ALREADY_EXISTS, 409)
_ABORTED: Final = Code(grpc.StatusCode.ABORTED, 409)
_FAILED: Final = Code(grpc.StatusCode.FAILED_PRECONDITION, 400)
_TOO_LARGE: Final = Code(grpc.StatusCode.RESOURCE_EXHAUSTED, 413)
_EXHAUSTED: Final = Code(grpc.StatusCode.RESOURCE_EXHAUSTED, 429)
_UNAVAILABLE: Final = Code(grpc.StatusCode.UNAVAILABLE, 503)
_INTERNAL: Final = Code(grpc.StatusCode.INTERNAL, 500)

CODES: Final[Mapping[Reason, Code]] = MappingProxyType(
    {
        Reason.TOKEN_MISSING: _UNAUTHENTICATED,
        Reason.TOKEN_UNKNOWN: _UNAUTHENTICATED,
        Reason.TOKEN_EXPIRED: _UNAUTHENTICATED,
        Reason.TOKEN_REVOKED: _UNAUTHENTICATED,
        Reason.ROLE_NOT_ALLOWED: _DENIED,
        Reason.SEAT_NOT_YOURS: _DENIED,
        Reason.MESSAGE_UNREADABLE: _INVALID,
        Reason.MESSAGE_TOO_LARGE: _TOO_LARGE,
        Reason.FIELD_MISSING: _INVALID,
        Reason.FIELD_INVALID: _INVALID,
        Reason.ENUM_UNKNOWN: _INVALID,
        Reason.NAME_INVALID: _INVALID,
        Reason.REQUEST_ID_INVALID: _INVALID,
        Reason.MOVE_UNREADABLE: _INVALID,
        Reason.RULESET_INVALID: _INVALID,
        Reason.MATCH_NOT_FOUND: _NOT_FOUND,
        Reason.MATCH_EXPIRED: _NOT_FOUND,
        Reason.BOT_NOT_FOUND: _NOT_FOUND,
        Reason.OWNER_NOT_FOUND: _NOT_FOUND,
        Reason.TOKEN_NOT_FOUND: _NOT_FOUND,
        Reason.NAME_TAKEN: _EXISTS,
        Reason.REQUEST_ID_REUSED: _EXISTS,
        Reason.VERSION_STALE: _ABORTED,
        Reason.NOT_YOUR_TURN: _FAILED,
        Reason.MOVE_LATE: _FAILED,
        Reason.MATCH_OVER: _FAILED,
        Reason.MATCH_NOT_PLAYING: _FAILED,
        Reason.STEP_OUT_OF_ORDER: _FAILED,
        Reason.COMMITMENT_BROKEN: _FAILED,
        Reason.WRONG_PHASE: _FAILED,
        Reason.UPCARD_REFUSED_TWICE: _FAILED,
        Reason.CARD_NOT_IN_HAND: _FAILED,
        Reason.TAKEN_CARD_RETURNED: _FAILED,
        Reason.KNOCK_ABOVE_LIMIT: _FAILED,
        Reason.MELD_TOO_SHORT: _FAILED,
        Reason.BROKEN_MELD: _FAILED,
        Reason.MELD_CARD_NOT_IN_HAND: _FAILED,
        Reason.CARD_IN_TWO_MELDS: _FAILED,
        Reason.NO_BIG_GIN: _FAILED,
        Reason.RECORD_NOT_READY: _FAILED,
        Reason.SEEDED_NOT_ALLOWED: _FAILED,
        Reason.CHALLENGE_NOT_ALLOWED: _FAILED,
        Reason.INVITATION_NOT_FOUND: _NOT_FOUND,
        Reason.INVITATION_EXPIRED: _FAILED,
        Reason.INVITATION_USED_UP: _FAILED,
        Reason.LIMIT_EXCEEDED: _EXHAUSTED,
        Reason.RATE_LIMITED: _EXHAUSTED,
        Reason.ATTACHMENT_FENCED: _ABORTED,
        Reason.REFEREE_DRAINING: _UNAVAILABLE,
        Reason.STORE_UNAVAILABLE: _UNAVAILABLE,
        Reason.INTERNAL_FAULT: _INTERNAL,
        Reason.TOURNAMENT_NOT_FOUND: _NOT_FOUND,
        Reason.TOURNAMENT_PART_NOT_FOUND: _NOT_FOUND,
        Reason.TOURNAMENT_STALE: _ABORTED,
        Reason.ATTEMPT_STALE: _ABORTED,
        Reason.TOURNAMENT_STATE_WRONG: _FAILED,
        Reason.ENTRY_REFUSED: _FAILED,
        Reason.TOURNAMENT_CONFLICT: _EXISTS,
        Reason.DEPENDENTS_STARTED: _FAILED,
        Reason.CONFIGURATION_INVALID: _INVALID,
        Reason.BOARD_CLOSED: _FAILED,
        Reason.PATH_UNKNOWN: _NOT_FOUND,
        Reason.VERB_NOT_ALLOWED: Code(grpc.StatusCode.UNIMPLEMENTED, 405),
        Reason.MEDIA_TYPE_UNKNOWN: Code(grpc.StatusCode.INVALID_ARGUMENT, 415),
    }
)


def refusal_of(exception: Exception) -> RefusedError:
    """Return what a caller hears of an exception, cut to a bounded size."""
    return _cut(fault.refusal_of(exception))


def status_of(exception: Exception) -> status_pb2.Status:
    """Return the status that answers a call which failed with an exception.

    It stays below 4 KB, so that it fits into trailers.
    """
    error = refusal_of(exception)
    code, _ = CODES[error.reason]
    details = [
        _packed(
            error_details_pb2.ErrorInfo(
                reason=error.reason, domain=DOMAIN, metadata=error.facts
            )
        )
    ]
    field = error.facts.get("field", error.facts.get("key"))
    if CODES[error.reason] is _INVALID and field is not None:
        violation = error_details_pb2.BadRequest.FieldViolation(
            field=field, description=error.message
        )
        details.append(
            _packed(error_details_pb2.BadRequest(field_violations=[violation]))
        )
    if error.reason is Reason.RATE_LIMITED:
        wait = Duration()
        wait.FromMilliseconds(int(error.facts["resets_ms"]))
        details.append(_packed(error_details_pb2.RetryInfo(retry_delay=wait)))
    if error.receipt:
        details.append(_packed(referee_pb.SubmissionReceipt(envelope=error.receipt)))
    return status_pb2.Status(code=code.value[0], message=error.message, details=details)


def _packed(
    detail: error_details_pb2.ErrorInfo
    | error_details_pb2.BadRequest
    | error_details_pb2.RetryInfo
    | referee_pb.SubmissionReceipt,
) -> AnyMessage:
    packed = AnyMessage()
    packed.Pack(detail)
    return packed


def _cut(error: RefusedError) -> RefusedError:
    """Bound the size of a refusal, which may repeat what a caller sent."""
    facts = [*error.facts.items()][:_FACT_LIMIT]
    cut = RefusedError(
        error.reason,
        _first(error.message, _MESSAGE_BYTES),
        **{_first(key, _KEY_BYTES): _first(value, _FACT_BYTES) for key, value in facts},
    )
    cut.receipt = error.receipt
    return cut


def _first(text: str, size: int) -> str:
    """Return as much of a text as fits into so many bytes."""
    return text.encode(errors="replace")[:size].decode(errors="ignore")
