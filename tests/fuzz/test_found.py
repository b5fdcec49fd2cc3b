"""What fuzzing has found, each of which is refused as what it is by now."""

import json
from collections.abc import Callable
from functools import partial

import pytest

from ginref.adapters.redis_reply import stored_entry
from ginref.app.match_store import EntryId
from ginref.app.packing import DamageError
from ginref.app.registry_row import read_bot, read_invitation, read_owner, read_token
from ginref.engine.deck import derive_deck
from ginref.engine.match import start_match
from ginref.engine.ruleset import GIN
from ginref.engine.seat import Seat
from ginref.engine.snapshot import SnapshotError, decode, encode
from ginref.record.entry import EntryError, decode_entry
from ginref.transport.address import Address, BindError
from ginref_client.endpoint import parse_endpoints
from ginref_client.error import EndpointError


@pytest.mark.parametrize(
    "address",
    ["http://[::1", "https://[x]:80", "http://[1::2%3]a:80", "//[", "a\u2100b:80"],
)
def test_an_address_with_half_a_bracket_is_refused_as_one(address: str) -> None:
    with pytest.raises(EndpointError):
        parse_endpoints(address)


def test_a_port_of_thousands_of_digits_is_no_port() -> None:
    with pytest.raises(BindError):
        Address.parse("127.0.0.1:" + "9" * 5000)


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param(b'["move",0,"r",null,0]', id="a move that is no text"),
        pytest.param(b'["move",0,["r"],"pass",0]', id="a request id that is no text"),
        pytest.param(b'["move",0,"r","pass","0"]', id="a time that is no number"),
        pytest.param(b'["strike",0,"\\ud800","pass",0]', id="half a letter"),
        pytest.param(b'["void","3"]', id="a loss that is no number"),
        pytest.param(b'["void",-3]', id="a loss below zero"),
        pytest.param(b"[" * 5000, id="as deep as it goes"),
    ],
)
def test_an_entry_of_a_log_with_other_values_is_none(entry: bytes) -> None:
    with pytest.raises(EntryError):
        decode_entry(entry)


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param([], id="no fields"),
        pytest.param([b"t", b"soon", b"e", b'["new"]'], id="a time in words"),
        pytest.param([b"t", b"1", b"e", b'["new"]', b"c"], id="a credit of nothing"),
    ],
)
def test_a_damaged_entry_keeps_its_place_and_can_be_passed_over(
    fields: list[bytes],
) -> None:
    stored = stored_entry(b"7-1", fields)

    assert stored.id == EntryId(7, 1)
    with pytest.raises(EntryError):
        decode_entry(stored.entry)


@pytest.mark.parametrize("read", [read_bot, read_token, read_owner, read_invitation])
@pytest.mark.parametrize("row", ["", "7", "[]", "{}", '{"key": "x"}', "[" * 5000])
def test_a_damaged_row_of_the_registry_is_said_to_be_damaged(
    read: Callable[[str], object], row: str
) -> None:
    with pytest.raises(DamageError):
        read(row)


def test_a_round_that_counted_in_a_list_of_games_is_a_damaged_snapshot() -> None:
    deck = partial(derive_deck, bytes(32))
    whole = encode(start_match(GIN, (Seat.NORTH, Seat.SOUTH), Seat.NORTH, deck))
    rules, finished, current = whole[1:].decode().split("\n")
    seats, _, games, last = json.loads(finished)
    damaged = json.dumps([seats, [[0, 0, 0, 9, []]], games, last])
    with pytest.raises(SnapshotError):
        decode(whole[:1] + f"{rules}\n{damaged}\n{current}".encode())
