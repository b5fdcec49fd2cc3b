import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ginref.engine.seat import Seat
from ginref.record.share import commit_referee, commit_seat, mix, opens

GOLDEN = Path(__file__).parents[2] / "golden" / "shares.json"
VECTORS = json.loads(GOLDEN.read_text(encoding="utf-8"))["vectors"]

SHARES = st.binary(min_size=32, max_size=32)


def octets(text: str | None) -> bytes | None:
    return None if text is None else bytes.fromhex(text)


@pytest.mark.parametrize("vector", VECTORS)
def test_shares_mix_to_the_secret_that_others_compute(vector: dict[str, Any]) -> None:
    seats = [octets(share) for share in vector["seat_shares"]]
    referee = bytes.fromhex(vector["referee_share"])

    assert mix(vector["match_id"], referee, seats).hex() == vector["match_secret"]


@pytest.mark.parametrize("vector", VECTORS)
def test_commitments_are_those_that_others_compute(vector: dict[str, Any]) -> None:
    match_id, referee = vector["match_id"], bytes.fromhex(vector["referee_share"])
    pairs = zip(vector["seat_shares"], vector["seat_commitments"], strict=True)

    assert commit_referee(match_id, referee).hex() == vector["referee_commitment"]
    for seat, (share, commitment) in zip(Seat, pairs, strict=False):
        if share is not None:
            made = commit_seat(match_id, seat, bytes.fromhex(share))
            assert made.hex() == commitment


@given(SHARES, SHARES)
def test_a_commitment_opens_with_its_own_share_only(one: bytes, two: bytes) -> None:
    commitment = commit_seat("m", Seat.NORTH, one)

    assert opens(commitment, "m", Seat.NORTH, one)
    assert opens(commitment, "m", Seat.NORTH, two) is (one == two)
    assert not opens(commitment, "m", Seat.SOUTH, one)
    assert not opens(commitment, "n", Seat.NORTH, one)
    assert not opens(b"", "m", Seat.NORTH, one)


@given(SHARES, SHARES, SHARES)
def test_a_share_left_out_is_not_a_share_of_nothing(
    referee: bytes, north: bytes, south: bytes
) -> None:
    mixed = {
        mix("m", referee, shares)
        for shares in [(north, south), (north, None), (None, south), (None, None)]
    }

    assert len(mixed) == 4
