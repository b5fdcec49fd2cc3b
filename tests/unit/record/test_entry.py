import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ginref.engine.move import parse_move
from ginref.engine.seat import Seat
from ginref.record.entry import (
    Aborted,
    Accepted,
    Committed,
    Created,
    Declined,
    Entry,
    EntryError,
    Moved,
    Refused,
    Resigned,
    Revealed,
    TimedOut,
    Voided,
    decode_entry,
    encode_entry,
    entry_word,
)

SEATS = st.sampled_from(Seat)
SECRETS = st.binary(min_size=32, max_size=32)
REQUEST_IDS = st.text(min_size=1, max_size=64)
MOVES = st.sampled_from(
    [
        "pass",
        "draw_upcard",
        "draw_stock",
        "discard Td",
        "knock As",
        "knock",
        "knock Td -",
        "knock Td As2s3s 9h9d9c",
    ]
).map(parse_move)
SIGNATURES = st.none() | st.binary(min_size=64, max_size=64)
WAITED = st.none() | st.integers(0, 10**6)
PLAYED = (SEATS, REQUEST_IDS, MOVES, st.integers(0, 10**6), SIGNATURES, WAITED)

ENTRIES: st.SearchStrategy[Entry] = st.one_of(
    st.builds(Created),
    st.builds(Accepted, SEATS),
    st.builds(Declined, SEATS),
    st.builds(Committed, SEATS, st.none() | SECRETS),
    st.builds(Revealed, SEATS, SECRETS),
    st.builds(Moved, *PLAYED),
    st.builds(Refused, *PLAYED),
    st.builds(Resigned, SEATS),
    st.builds(Aborted),
    st.builds(TimedOut),
    st.builds(Voided, st.integers(0, 10**6)),
)


@given(ENTRIES)
def test_an_entry_comes_back(entry: Entry) -> None:
    assert decode_entry(encode_entry(entry)) == entry


@given(ENTRIES)
def test_an_entry_is_a_list_that_begins_with_its_word(entry: Entry) -> None:
    assert json.loads(encode_entry(entry))[0] == entry_word(entry)


def test_an_accepted_move_is_short() -> None:
    move = Moved(Seat.SOUTH, "0123456789abcdef", parse_move("discard td"), 3)

    assert encode_entry(move) == b'["move",1,"0123456789abcdef","discard Td",3]'


def test_a_signature_is_the_last_of_a_move() -> None:
    move = Moved(Seat.SOUTH, "r", parse_move("discard td"), 3, b"\xff" * 64)

    *_, signature = json.loads(encode_entry(move))
    assert signature == "/" * 85 + "w=="


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"[]", id="an empty list"),
        pytest.param(b"{}", id="an object"),
        pytest.param(b"7", id="a number"),
        pytest.param(b'["shuffle"]', id="an unknown word"),
        pytest.param(b'[["move"]]', id="a word that is none"),
        pytest.param(b'["accept"]', id="a fact is missing"),
        pytest.param(b'["accept",0,1]', id="a fact too many"),
        pytest.param(b'["accept",3]', id="a seat that is none"),
        pytest.param(b'["reveal",0,"xx"]', id="a share that is none"),
        pytest.param(b'["move",0,"r","fold",0]', id="a move that is none"),
        pytest.param(b"\xff", id="no text"),
    ],
)
def test_bytes_that_are_no_entry_are_refused(data: bytes) -> None:
    with pytest.raises(EntryError):
        decode_entry(data)
