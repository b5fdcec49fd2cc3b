import pytest
from hypothesis import given
from hypothesis import strategies as st

from ginref.app.error import Reason, RefusedError
from ginref.engine.card import PACK
from ginref.engine.meld import DeclaredMeld
from ginref.engine.move import (
    DRAW_STOCK,
    DRAW_UPCARD,
    PASS,
    Discard,
    Knock,
    Move,
    parse_move,
)
from ginref.transport.codec_move import legal_to_wire, move_from_wire, move_to_wire
from ginref.v1 import move_pb2
from ginref_client import codec as client

cards = st.sampled_from(PACK)
melds = st.lists(cards, min_size=2, max_size=13).map(
    lambda named: DeclaredMeld(tuple(named))
)
moves: st.SearchStrategy[Move] = st.one_of(
    st.sampled_from([PASS, DRAW_UPCARD, DRAW_STOCK]),
    st.builds(Discard, cards),
    st.builds(
        Knock,
        st.none() | cards,
        st.none() | st.lists(melds, max_size=4).map(tuple),
    ),
)


@given(moves)
def test_a_move_survives_the_wire(move: Move) -> None:
    written = move_to_wire(move).SerializeToString()

    assert move_from_wire(move_pb2.Move.FromString(written), "move") == move


@given(moves)
def test_a_move_of_the_python_client_is_read_as_it_was_meant(move: Move) -> None:
    assert move_from_wire(client.move_to_wire(move), "move") == move


@given(moves.filter(lambda move: len(str(move)) <= 128))
def test_the_text_of_a_move_makes_the_same_move(move: Move) -> None:
    message = move_pb2.Move(text=str(move))

    assert move_from_wire(message, "move") == move


def test_a_legal_option_is_told_as_text_and_as_message() -> None:
    option = legal_to_wire(parse_move("discard Td"))

    assert option.text == "discard Td"
    assert option.move.discard.card == "Td"


def _knock(*melds: str, card: str = "Td") -> move_pb2.Move:
    return move_pb2.Move(
        knock=move_pb2.Knock(
            card=card,
            declaration=move_pb2.Declaration(
                melds=[move_pb2.Meld(cards=meld.split()) for meld in melds]
            ),
        )
    )


UNREADABLE = [
    pytest.param(move_pb2.Move(text=""), "move.text", id="empty text"),
    pytest.param(move_pb2.Move(text="take it"), "move.text", id="unknown words"),
    pytest.param(move_pb2.Move(text="discard 1s"), "move.text", id="no card in text"),
    pytest.param(move_pb2.Move(text="pass" + " " * 200), "move.text", id="long text"),
    pytest.param(
        move_pb2.Move(text="knock Td 7s7h 8s8h 9s9h 2s2h 3s3h"),
        "move.text",
        id="five melds in text",
    ),
    pytest.param(
        move_pb2.Move(text="knock Td " + "7s" * 14), "move.text", id="long meld in text"
    ),
    pytest.param(
        move_pb2.Move(discard=move_pb2.Discard()),
        "move.discard.card",
        id="discard without a card",
    ),
    pytest.param(
        move_pb2.Move(discard=move_pb2.Discard(card="10d")),
        "move.discard.card",
        id="ten is T",
    ),
    pytest.param(
        move_pb2.Move(discard=move_pb2.Discard(card="T" * 10_000)),
        "move.discard.card",
        id="a page instead of a card",
    ),
    pytest.param(_knock(card=""), "move.knock.card", id="knock with an empty card"),
    pytest.param(
        _knock("7s"), "move.knock.declaration.melds[0]", id="a meld of one card"
    ),
    pytest.param(
        _knock("7s 7h 7d", ""), "move.knock.declaration.melds[1]", id="an empty meld"
    ),
    pytest.param(
        _knock("7s 7h Xd"),
        "move.knock.declaration.melds[0].cards",
        id="no card in a meld",
    ),
    pytest.param(
        _knock(*["7s 7h"] * 5), "move.knock.declaration", id="five declared melds"
    ),
    pytest.param(
        _knock(" ".join(["7s"] * 14)), "move.knock.declaration", id="a meld of fourteen"
    ),
]


@pytest.mark.parametrize(("message", "field"), UNREADABLE)
def test_what_is_no_move_is_unreadable(message: move_pb2.Move, field: str) -> None:
    with pytest.raises(RefusedError) as refused:
        move_from_wire(message, "move")

    assert refused.value.reason is Reason.MOVE_UNREADABLE
    assert refused.value.facts["field"] == field


def test_a_move_of_no_kind_lacks_a_field() -> None:
    with pytest.raises(RefusedError) as refused:
        move_from_wire(move_pb2.Move(), "move")

    assert refused.value.reason is Reason.FIELD_MISSING
    assert refused.value.facts == {"field": "move.kind"}


def test_a_kind_of_a_later_version_counts_as_none() -> None:
    message = move_pb2.Move.FromString(b"\xaa\x06\x01x")

    with pytest.raises(RefusedError) as refused:
        move_from_wire(message, "move")

    assert refused.value.facts == {"field": "move.kind"}
