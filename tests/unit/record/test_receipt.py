"""Receipts by themselves: what is written is read again, and nothing else is."""

import json
from collections.abc import Callable
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.conftest import Referee

from ginref.engine.seat import Seat
from ginref.record.envelope import parse_envelope
from ginref.record.evidence_read import read_evidence
from ginref.record.receipt import Receipt, read_receipt, seal_receipt
from ginref.record.shape import RecordError

hashes = st.none() | st.binary(min_size=32, max_size=32)
counts = st.integers(0, 2**53 - 1)
accepted = st.tuples(st.none(), st.none())
refused = st.tuples(st.sampled_from(["MOVE_LATE", "NO_BIG_GIN"]), st.none() | counts)


@st.composite
def receipts(draw: Callable[..., Any]) -> Receipt:
    reason, refusal = draw(accepted | refused)
    return Receipt(
        match_id=draw(st.text(max_size=20)),
        seat=draw(st.sampled_from(Seat)),
        request=draw(st.binary(min_size=10, max_size=10)),
        submission=draw(hashes),
        version=draw(counts),
        refusal=refusal,
        reason=reason,
        at_ms=draw(counts),
        commitment=draw(hashes),
    )


@given(receipts())
def test_a_receipt_is_read_as_it_was_written_in_canonical_form(
    receipt: Receipt,
) -> None:
    payload = receipt.encode()

    assert read_receipt(payload) == receipt
    assert rfc8785.dumps(json.loads(payload)) == payload


@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_whatever_comes_is_read_or_refused(data: bytes) -> None:
    for read in (read_receipt, read_evidence):
        with pytest.raises(RecordError):
            read(data)


RECEIPT = Receipt(
    match_id="m",
    seat=Seat.NORTH,
    request=bytes(10),
    submission=bytes(32),
    version=4,
    refusal=1,
    reason="MOVE_LATE",
    at_ms=5,
    commitment=None,
)


def test_all_signers_of_one_log_sign_the_same_payload() -> None:
    before, after = (seal_receipt(RECEIPT, Referee(number)) for number in (0, 1))

    assert before == seal_receipt(RECEIPT, Referee())
    assert before != after
    assert parse_envelope(before).payload == parse_envelope(after).payload


@pytest.mark.parametrize(
    ("member", "value", "problem"),
    [
        ("more", 1, "unknown member 'more'"),
        ("seat", "west", "seat: north, south or east"),
        ("request", "00", "request: 10 bytes"),
        ("submission", "00", "submission: 32 bytes"),
        ("verdict", "accepted", "verdict: refused expected"),
        ("version", -1, "version: a whole number"),
        ("refusal", "1", "refusal: a whole number"),
        ("reason", None, "verdict: accepted expected"),
        ("at_ms", 1.5, "at_ms: a whole number"),
        ("commitment", 7, "commitment: text expected"),
    ],
)
def test_what_is_wrong_in_a_receipt_is_named(
    member: str, value: object, problem: str
) -> None:
    changed = {**json.loads(RECEIPT.encode()), member: value}

    with pytest.raises(RecordError, match=problem):
        read_receipt(rfc8785.dumps(changed))


def test_an_accepted_move_has_no_number_of_a_refusal() -> None:
    changed = {
        **json.loads(RECEIPT.encode()),
        "reason": None,
        "verdict": "accepted",
    }

    with pytest.raises(RecordError, match="refusal: null expected"):
        read_receipt(rfc8785.dumps(changed))
