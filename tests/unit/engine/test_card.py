import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ginref.engine.card import PACK, Card, CardSet, Rank, Suit
from ginref.engine.error import NotationError

card_sets = st.sets(st.sampled_from(PACK))


def test_the_pack_runs_from_ace_to_king_in_spades_hearts_diamonds_and_clubs() -> None:
    texts = [str(card) for card in PACK]

    assert texts == [rank + suit for suit in "shdc" for rank in "A23456789TJQK"]


def test_the_pack_is_worth_340_points() -> None:
    assert sum(card.points for card in PACK) == 340


@pytest.mark.parametrize(
    ("text", "points"),
    [
        pytest.param("As", 1, id="an ace counts one"),
        pytest.param("2h", 2, id="a two counts its pips"),
        pytest.param("9d", 9, id="a nine counts its pips"),
        pytest.param("Tc", 10, id="a ten counts ten"),
        pytest.param("Js", 10, id="a jack counts ten"),
        pytest.param("Kc", 10, id="a king counts ten"),
    ],
)
def test_a_card_counts(text: str, points: int) -> None:
    assert Card.parse(text).points == points


@pytest.mark.parametrize("card", PACK, ids=str)
def test_a_card_is_read_from_its_own_text_in_either_case(card: Card) -> None:
    for text in (str(card), str(card).upper(), str(card).lower()):
        assert Card.parse(text) is card
    assert repr(card) == f"Card.parse({str(card)!r})"


@pytest.mark.parametrize(
    "text",
    ["", "A", "s", "10s", "1s", "Ax", "sA", "A s", " As", "As2s", "A\u017f", "\u2660A"],
)
def test_text_that_is_no_card_is_refused_by_name(text: str) -> None:
    with pytest.raises(NotationError) as refusal:
        Card.parse(text)

    assert repr(text) in str(refusal.value)


def test_equal_cards_are_one_object() -> None:
    card = Card(Rank.TEN, Suit.DIAMONDS)

    assert card is Card.parse("Td")
    assert copy.deepcopy(card) is card
    assert pickle.loads(pickle.dumps(card)) is card


@pytest.mark.parametrize("card", PACK, ids=str)
def test_a_card_knows_its_place(card: Card) -> None:
    assert PACK[card.index] is card
    assert card.bit == 1 << card.index
    assert card.index == 13 * card.suit + card.rank


def test_a_card_never_changes() -> None:
    card = Card.parse("As")

    with pytest.raises(AttributeError, match="immutable"):
        card.points = 11
    assert card.points == 1


def test_cards_sort_by_index() -> None:
    shuffled = [Card.parse(text) for text in ("Kc", "2s", "As", "Ah")]

    assert [str(card) for card in sorted(shuffled)] == ["As", "2s", "Ah", "Kc"]


@pytest.mark.parametrize("text", ["As 2s Td", "As2sTd", "td 2S as", "  As  2sTd "])
def test_a_card_set_is_read_with_blanks_or_without(text: str) -> None:
    assert str(CardSet.parse(text)) == "As 2s Td"


@pytest.mark.parametrize(
    "text", ["As As", "As2sAS", "As 2", "1s 2s 3s", "Ax 2s 3s", "10s Js Qs"]
)
def test_text_that_is_no_card_set_is_refused(text: str) -> None:
    with pytest.raises(NotationError):
        CardSet.parse(text)


@given(card_sets)
def test_a_card_set_is_read_from_its_own_text(cards: set[Card]) -> None:
    held = CardSet.of(cards)

    assert CardSet.parse(str(held)) == held
    assert repr(held) == f"CardSet.parse({str(held)!r})"


@given(card_sets)
def test_a_card_set_holds_its_cards_in_order(cards: set[Card]) -> None:
    held = CardSet.of(cards)

    assert list(held) == sorted(cards)
    assert len(held) == len(cards)
    assert held.points == sum(card.points for card in cards)
    assert {card for card in PACK if card in held} == cards


@given(card_sets, card_sets)
def test_card_sets_combine_as_sets_do(one: set[Card], other: set[Card]) -> None:
    left, right = CardSet.of(one), CardSet.of(other)

    assert set(left | right) == one | other
    assert set(left & right) == one & other
    assert set(left - right) == one - other
    assert (left == right) == (one == other)


@given(card_sets, st.sampled_from(PACK))
def test_adding_and_removing_leave_the_set_itself_alone(
    cards: set[Card], card: Card
) -> None:
    held = CardSet.of(cards)

    assert set(held.add(card)) == cards | {card}
    assert set(held.remove(card)) == cards - {card}
    assert set(held) == cards


def test_repeated_cards_count_once() -> None:
    ace = Card.parse("As")

    assert len(CardSet.of([ace, ace])) == 1


def test_an_empty_card_set_is_false() -> None:
    assert not CardSet()
    assert CardSet.parse("As")


def test_equal_card_sets_are_one_key() -> None:
    one, other = CardSet.parse("As Kc"), CardSet.parse("Kc As")

    assert {one: "found"}[other] == "found"
    assert one != one.mask


def test_a_card_set_holds_nothing_but_cards() -> None:
    assert "As" not in CardSet.parse("As")


def test_a_card_set_never_changes() -> None:
    held = CardSet.parse("As")

    with pytest.raises(AttributeError, match="immutable"):
        held.mask = 0
    assert str(held) == "As"


def test_a_card_set_copies_and_pickles_by_its_cards() -> None:
    held = CardSet.parse("As Kc")

    assert copy.copy(held) == held
    assert pickle.loads(pickle.dumps(held)) == held
