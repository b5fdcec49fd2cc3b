from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ginref.engine import snapshot
from ginref.engine.deck import derive_deck, seed_secret
from ginref.engine.match import Match, abandon, forfeit, start_match
from ginref.engine.ruleset import (
    GIN,
    HOLLYWOOD,
    OKLAHOMA,
    THREE_HANDED,
    Ruleset,
)
from ginref.engine.seat import Seat
from ginref.engine.snapshot import SnapshotError, decode, encode

HOUSE = HOLLYWOOD.but(name="house", big_gin_bonus=31, turn_limit=20, round_limit=7)
BONUSES = HOLLYWOOD.but(name="bonuses", game_bonus=100, shutout="double_total")
BOARDS = GIN.but(name="boards", boards=3, next_dealer="board_parity")
BOX = THREE_HANDED.but(name="box", table="box")
RULES = st.sampled_from(
    [GIN, HOLLYWOOD, OKLAHOMA, HOUSE, THREE_HANDED, BOX, BONUSES, BOARDS]
)


@given(st.integers(0, 10_000), st.integers(0, 900), RULES)
@settings(max_examples=60)
def test_a_match_comes_back_as_it_was(
    reach: Callable[..., Match], seed: int, moves: int, rules: Ruleset
) -> None:
    match = reach(seed, moves, rules)

    data = encode(match)

    assert decode(data) == match
    assert encode(decode(data)) == data
    assert len(data) < 1024


@pytest.mark.parametrize(
    "end",
    [
        pytest.param(lambda match: forfeit(match, [Seat.NORTH]), id="forfeit"),
        pytest.param(lambda match: forfeit(match, tuple(Seat)[:2]), id="both"),
        pytest.param(abandon, id="abandoned"),
    ],
)
@pytest.mark.parametrize("moves", [0, 1, 200])
@pytest.mark.parametrize("rules", [HOLLYWOOD, THREE_HANDED], ids=lambda r: r.name)
def test_a_match_ended_early_comes_back_as_it_was(
    reach: Callable[..., Match],
    rules: Ruleset,
    moves: int,
    end: Callable[[Match], Match],
) -> None:
    match = end(reach(7, moves, rules))

    assert decode(encode(match)) == match


def test_a_game_won_with_no_point_to_spare_comes_back_settled(
    reach: Callable[..., Match],
) -> None:
    first, *_ = reach(3, 900, GIN).history
    rules = GIN.but(name="exact", game_target=first.points, game_bonus=100)
    match = reach(3, 900, rules)

    assert match.sheet.games[0].settlement is not None
    assert decode(encode(match)) == match


def test_the_first_byte_names_the_format(reach: Callable[..., Match]) -> None:
    data = encode(reach(1, 10))

    assert data[0] == snapshot.FORMAT
    with pytest.raises(SnapshotError, match="format"):
        decode(bytes([snapshot.FORMAT + 1]) + data[1:])


def test_the_bytes_of_a_format_never_change() -> None:
    secret = seed_secret("7")

    match = start_match(
        HOLLYWOOD, tuple(Seat)[:2], Seat.NORTH, lambda k: derive_deck(secret, k)
    )

    assert encode(match) == (
        b'\x01["a05bf4879171afb4","hollywood",{"games":3}]\n'
        b"[2,[],[[-1,0],[-1,0],[-1,0]],null]\n"
        b"[1,[0,1,141838216384545,294952655922176,"
        b'"oWbaFreTvNMhXmPqAKOwfzdZJGDjytcxCQiRSULBYnEgVuIkspHl",21,'
        b'"f","-","-",0,1,"upcard0",10,1],null]'
    )


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda _data: b"", id="nothing"),
        pytest.param(lambda data: data[:-1], id="cut short"),
        pytest.param(lambda data: data[:1] + b"[]", id="no fields"),
        pytest.param(lambda data: data[:1] + b"null", id="no array"),
        pytest.param(lambda data: data.replace(b"draw", b"flop"), id="no such phase"),
        pytest.param(lambda data: data[:1] + b"\xff" + data[1:], id="no text"),
    ],
)
def test_damaged_bytes_are_refused(
    reach: Callable[..., Match], damage: Callable[[bytes], bytes]
) -> None:
    match = reach(1, 4)
    while match.round.phase.name != "draw":
        match = reach(1, len(match.round.discards) + 4)
    data = encode(match)

    with pytest.raises(SnapshotError):
        decode(damage(data))


def test_rules_that_have_changed_are_refused(reach: Callable[..., Match]) -> None:
    data = encode(reach(1, 10, HOUSE))
    assert b"31" in data

    with pytest.raises(SnapshotError):
        decode(data.replace(b"31", b"32"))


def test_a_showdown_without_a_meld_in_its_place_is_refused(
    reach: Callable[..., Match],
) -> None:
    match = reach(3, 900)
    result = match.last_result
    assert result is not None
    assert result.showdown is not None
    laid = result.showdown.arrangement.melds[0].cards.mask

    with pytest.raises(SnapshotError):
        decode(encode(match).replace(str(laid).encode(), b"5"))
