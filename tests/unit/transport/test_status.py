import json
import logging
import re
from pathlib import Path

import grpc
import pytest
from google.rpc import error_details_pb2, status_pb2
from hypothesis import given
from hypothesis import strategies as st

from ginref.app.error import Reason, RefusedError
from ginref.app.port import StoreUnavailableError
from ginref.transport.codec_message import refusal_to_wire
from ginref.transport.status import CODES, status_of
from ginref.v1 import error_reason_pb2

PROTO = Path(__file__).parents[3] / "proto/ginref/v1/error_reason.proto"
EXAMPLE = re.compile(
    r"// Example \((?P<grpc>[A-Z_]+), HTTP (?P<http>\d+)\):\s+//\s+"
    r"//     (?P<info>{.*})\s+ERROR_REASON_(?P<name>[A-Z_]+) ="
)


def _examples() -> list[re.Match[str]]:
    return list(EXAMPLE.finditer(PROTO.read_text()))


def _info(status: status_pb2.Status) -> error_details_pb2.ErrorInfo:
    info = error_details_pb2.ErrorInfo()
    assert status.details[0].Unpack(info)
    return info


def test_api_and_table_know_the_same_reasons() -> None:
    api = {
        name.removeprefix("ERROR_REASON_")
        for name, number in error_reason_pb2.ErrorReason.items()
        if number
    }

    assert api == {reason.name for reason in Reason}
    assert api == {reason.name for reason in CODES}
    assert [reason.value for reason in Reason] == [reason.name for reason in Reason]


def test_every_reason_has_an_example() -> None:
    assert [found["name"] for found in _examples()] == [
        reason.name for reason in Reason
    ]


@pytest.mark.parametrize("found", _examples(), ids=lambda found: found["name"].lower())
def test_the_example_of_a_reason_is_what_is_sent(found: re.Match[str]) -> None:
    example = json.loads(found["info"])
    reason = Reason[found["name"]]
    error = RefusedError(reason, "why", **example["metadata"])

    status = status_of(error)

    assert CODES[reason] == (grpc.StatusCode[found["grpc"]], int(found["http"]))
    assert status.code == CODES[reason].grpc.value[0]
    info = _info(status)
    assert {
        "reason": info.reason,
        "domain": info.domain,
        "metadata": dict(info.metadata),
    } == example


def test_a_malformed_message_names_its_field() -> None:
    status = status_of(RefusedError(Reason.FIELD_MISSING, "gone", field="move.kind"))

    bad = error_details_pb2.BadRequest()
    assert status.details[1].Unpack(bad)
    assert bad.field_violations[0].field == "move.kind"


def test_what_comes_too_often_is_told_when_to_come_again() -> None:
    error = RefusedError(Reason.RATE_LIMITED, "wait", limit="reads", resets_ms=1_250)

    status = status_of(error)

    retry = error_details_pb2.RetryInfo()
    assert status.details[1].Unpack(retry)
    assert retry.retry_delay.ToMilliseconds() == 1_250


def test_a_broken_rule_is_no_bad_request() -> None:
    status = status_of(RefusedError(Reason.WRONG_PHASE, "no", phase="draw"))

    assert len(status.details) == 1


@given(
    st.text(max_size=2000),
    st.dictionaries(
        st.text(max_size=300).filter(
            lambda key: key not in {"self", "reason", "message"}
        ),
        st.text(max_size=2000),
        max_size=40,
    ),
)
def test_a_status_fits_into_trailers(message: str, facts: dict[str, str]) -> None:
    error = RefusedError(Reason.FIELD_INVALID, message, **facts)

    assert len(status_of(error).SerializeToString()) < 4096
    assert len(refusal_to_wire(error).SerializeToString()) < 4096


def test_the_store_being_away_is_no_fault() -> None:
    status = status_of(StoreUnavailableError("redis://secret@10.0.0.1"))

    assert status.code == grpc.StatusCode.UNAVAILABLE.value[0]
    assert _info(status).reason == "STORE_UNAVAILABLE"
    assert "secret" not in str(status)


def test_a_fault_is_known_outside_by_its_id_alone(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.ERROR):
        status = status_of(KeyError("Kh Qd in the stock"))

    info = _info(status)
    assert status.code == grpc.StatusCode.INTERNAL.value[0]
    assert info.reason == "INTERNAL_FAULT"
    assert re.fullmatch("[0-9a-f]{16}", info.metadata["fault_id"])
    assert "Kh" not in str(status)
    assert info.metadata["fault_id"] in caplog.text
    assert "KeyError" in caplog.text


def test_two_faults_have_two_ids() -> None:
    ids = {_info(status_of(ValueError())).metadata["fault_id"] for _ in range(2)}

    assert len(ids) == 2


def test_a_refusal_on_the_stream_tells_the_same() -> None:
    error = RefusedError(
        Reason.CARD_NOT_IN_HAND, "not yours", card="Td", strikes_left=2
    )

    refusal = refusal_to_wire(error, 41)

    assert refusal.reason == error_reason_pb2.ERROR_REASON_CARD_NOT_IN_HAND
    assert dict(refusal.facts) == dict(_info(status_of(error)).metadata)
    assert (refusal.strikes_left, refusal.version) == (2, 41)
