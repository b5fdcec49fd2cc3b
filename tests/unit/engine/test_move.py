import pytest
from hypothesis import given
from hypothesis import strategies as st

from ginref.engine.card import PACK, Card
from ginref.engine.error import NotationError
from ginref.engine.meld import DeclaredMeld
from ginref.engine.move import (
    DRAW_STOCK,
    DRAW_UPCARD,
    PASS,
    Discard,
    Knock,
    Move,
    move_kind,
    parse_move,
)

cards = st.sampled_from(PACK)
claims = st.lists(cards, min_size=2, max_size=5).map(tuple).map(DeclaredMeld)
knocks = st.builds(
    Knock,
    st.none() | cards,
    st.none() | st.lists(claims, max_size=4).map(tuple),
)
moves = st.sampled_from([PASS, DRAW_UPCARD, DRAW_STOCK]) | cards.map(Discard) | knocks

TEN = Card.parse("Td")
MELDS = (DeclaredMeld.parse("As2s3s"), DeclaredMeld.parse("9h9d9c"))


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("pass", PASS),
        ("draw_upcard", DRAW_UPCARD),
        ("draw_stock", DRAW_STOCK),
        ("discard Td", Discard(TEN)),
        ("knock Td", Knock(TEN)),
        ("knock Td As2s3s 9h9d9c", Knock(TEN, MELDS)),
        ("knock Td -", Knock(TEN, ())),
        ("knock", Knock()),
        ("knock -", Knock(None, ())),
        ("knock As2s3s 9h9d9c", Knock(None, MELDS)),
    ],
)
def test_a_move_has_one_text(text: str, move: Move) -> None:
    assert parse_move(text) == move
    assert str(move) == text
    assert move_kind(move) == text.split(maxsplit=1)[0]


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("PASS", "pass"),
        (" Draw_Stock ", "draw_stock"),
        ("DISCARD tD", "discard Td"),
        ("Knock  TD  aS2S3s", "knock Td As2s3s"),
    ],
)
def test_a_move_is_read_in_either_case(text: str, printed: str) -> None:
    assert str(parse_move(text)) == printed


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param("draw", id="no such move"),
        pytest.param("pass Td", id="a pass names no card"),
        pytest.param("discard", id="a discard names a card"),
        pytest.param("discard Td 9s", id="a discard names one card"),
        pytest.param("discard 10d", id="no such card"),
        pytest.param("knock Tx", id="no such card to knock with"),
        pytest.param("knock Td 9h", id="a meld of one card"),
        pytest.param("knock Td 9h9d9", id="half a card"),
        pytest.param("knock Td - 9h9d9c", id="no melds and a meld"),
        pytest.param("\u212anock Td", id="a sign that looks like a K"),
    ],
)
def test_text_that_is_no_move_is_refused(text: str) -> None:
    with pytest.raises(NotationError, match=r"expected|is not a"):
        parse_move(text)


@given(moves)
def test_a_move_is_read_from_its_own_text(move: Move) -> None:
    assert parse_move(str(move)) == move


def test_a_knock_without_melds_is_not_a_knock_with_none_declared() -> None:
    assert Knock(TEN) != Knock(TEN, ())
