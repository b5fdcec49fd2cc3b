import hashlib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ginref.engine.move import DRAW_STOCK, parse_move
from ginref.engine.seat import Seat
from ginref.record.setup import canonical
from ginref.record.submission import Submission

SUBMISSION = Submission(
    match_id="m-1",
    seat=Seat.SOUTH,
    expected_version=12,
    request_id='r"é',
    move=parse_move("knock Td As2s3s 9h9d9c"),
)
CANONICAL = (
    b"ginref/submission/v1\n"
    b'{"expected_version":12,"match_id":"m-1","move":"knock Td As2s3s 9h9d9c",'
    b'"request_id":"r\\"\xc3\xa9","seat":"south"}'
)


def test_a_submission_is_these_bytes_whoever_writes_them() -> None:
    assert SUBMISSION.encode() == CANONICAL


@given(
    st.integers(0, 2**31 - 1),
    st.text(st.characters(codec="utf-8")),
    st.text(st.characters(codec="utf-8")),
    st.sampled_from(["pass", "draw_stock", "discard Td", "knock -", "knock Td"]),
    st.sampled_from(Seat),
)
def test_a_submission_is_a_tag_and_canonical_json(
    version: int, match_id: str, request_id: str, move: str, seat: Seat
) -> None:
    submission = Submission(
        match_id=match_id,
        seat=seat,
        expected_version=version,
        request_id=request_id,
        move=parse_move(move),
    )

    assert submission.encode() == b"ginref/submission/v1\n" + canonical(
        {
            "expected_version": version,
            "match_id": match_id,
            "move": move,
            "request_id": request_id,
            "seat": seat.name.lower(),
        }
    )


def test_a_submission_is_recognised_by_short_hashes() -> None:
    # Computed with sha256sum over the bytes above, and over 01 72 22 c3 a9.
    assert SUBMISSION.request_hash.hex() == "8001e3c43ea4dc92"
    assert SUBMISSION.digest.hex() == "96b9c44d03df81e06611"


@pytest.mark.parametrize(
    ("changes", "same_digest"),
    [
        pytest.param({"match_id": "m-2"}, True, id="match"),
        pytest.param({"expected_version": 13}, True, id="version"),
        pytest.param({"move": DRAW_STOCK}, True, id="move"),
        pytest.param({"seat": Seat.NORTH}, False, id="seat"),
        pytest.param({"request_id": "r"}, False, id="request id"),
    ],
)
def test_everything_counts_for_the_hash_and_only_the_name_for_the_digest(
    changes: dict[str, object], *, same_digest: bool
) -> None:
    changed = replace(SUBMISSION, **changes)  # type: ignore[arg-type]

    assert changed.request_hash != SUBMISSION.request_hash
    assert (changed.digest == SUBMISSION.digest) is same_digest


def test_a_signature_makes_no_other_submission_of_it() -> None:
    signed = replace(SUBMISSION, signature=bytes(64))

    assert signed.encode() == CANONICAL
    assert signed.request_hash == SUBMISSION.request_hash


def test_the_request_hash_is_the_start_of_a_plain_sha256() -> None:
    whole = hashlib.sha256(SUBMISSION.encode()).digest()

    assert whole.startswith(SUBMISSION.request_hash)
    assert len(SUBMISSION.request_hash) == 8
