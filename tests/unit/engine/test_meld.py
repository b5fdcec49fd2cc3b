import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ginref.engine.card import PACK, Card, CardSet, Rank, Suit
from ginref.engine.error import NotationError
from ginref.engine.meld import DeclaredMeld, RunMeld, SetMeld, find_meld, trios_with


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("7s 7h 7d", id="three of a rank"),
        pytest.param("Ks Kh Kd Kc", id="four of a rank"),
    ],
)
def test_cards_of_one_rank_are_a_set(text: str) -> None:
    cards = CardSet.parse(text)

    assert find_meld(cards) == SetMeld(next(iter(cards)).rank, cards)


@pytest.mark.parametrize(
    ("text", "run"),
    [
        pytest.param(
            "As 2s 3s", RunMeld(Suit.SPADES, Rank.ACE, Rank.THREE), id="the ace is low"
        ),
        pytest.param(
            "Jc Qc Kc", RunMeld(Suit.CLUBS, Rank.JACK, Rank.KING), id="up to the king"
        ),
        pytest.param(
            "5h 6h 7h 8h 9h",
            RunMeld(Suit.HEARTS, Rank.FIVE, Rank.NINE),
            id="longer than three",
        ),
    ],
)
def test_cards_of_one_suit_in_sequence_are_a_run(text: str, run: RunMeld) -> None:
    cards = CardSet.parse(text)

    assert find_meld(cards) == run
    assert run.cards == cards


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="no card"),
        pytest.param("7s 7h", id="two of a rank"),
        pytest.param("7s 8s", id="two in sequence"),
        pytest.param("Qs Ks As", id="the ace is never high"),
        pytest.param("Ks As 2s", id="a run does not wrap"),
        pytest.param("Qs Ks Ah", id="a run does not go on in the next suit"),
        pytest.param("4h 5d 6h", id="a run has one suit, not one colour"),
        pytest.param("4h 5h 7h", id="a run has no hole"),
        pytest.param("7s 7h 8d", id="a set has one rank"),
        pytest.param("7s 7h 7d 8d", id="a set and a card"),
    ],
)
def test_other_cards_are_no_meld(text: str) -> None:
    assert find_meld(CardSet.parse(text)) is None


def test_the_pack_holds_65_sets_and_264_runs() -> None:
    ranks = [[card for card in PACK if card.rank is rank] for rank in Rank]
    suits = [[card for card in PACK if card.suit is suit] for suit in Suit]
    sets = [
        find_meld(CardSet.of(cards))
        for rank in ranks
        for size in (3, 4)
        for cards in itertools.combinations(rank, size)
    ]
    runs = [
        find_meld(CardSet.of(suit[low:high]))
        for suit in suits
        for low in range(13)
        for high in range(low + 3, 14)
    ]

    assert sum(isinstance(meld, SetMeld) for meld in sets) == len(sets) == 65
    assert sum(isinstance(meld, RunMeld) for meld in runs) == len(runs) == 264


def test_a_meld_prints_its_cards_together() -> None:
    assert str(find_meld(CardSet.parse("7d 7s 7h"))) == "7s7h7d"
    assert str(find_meld(CardSet.parse("6c 4c 5c"))) == "4c5c6c"


def test_a_claim_keeps_the_order_of_its_cards() -> None:
    claim = DeclaredMeld.parse("6C4c5c")

    assert str(claim) == "6c4c5c"
    assert claim != DeclaredMeld.parse("4c5c6c")


def test_a_claim_may_be_wrong() -> None:
    assert str(DeclaredMeld.parse("7s7s")) == "7s7s"


@pytest.mark.parametrize("text", ["", "7s", "7s7", "7s7h7", "7s 7h", "7s1h"])
def test_text_that_names_no_two_cards_is_no_claim(text: str) -> None:
    with pytest.raises(NotationError):
        DeclaredMeld.parse(text)


@pytest.mark.parametrize("count", [0, 1])
def test_a_claim_names_two_cards_or_more(count: int) -> None:
    with pytest.raises(NotationError, match="two cards or more"):
        DeclaredMeld(PACK[:count])


def test_a_meld_can_be_claimed() -> None:
    run = RunMeld(Suit.CLUBS, Rank.FOUR, Rank.SIX)

    assert str(DeclaredMeld.of(run)) == "4c5c6c"


@given(st.lists(st.sampled_from(PACK), min_size=2, max_size=12).map(tuple))
def test_a_claim_is_read_from_its_own_text(cards: tuple[Card, ...]) -> None:
    claim = DeclaredMeld(cards)

    assert DeclaredMeld.parse(str(claim)) == claim


@pytest.mark.parametrize(
    ("cards", "shown"),
    [("7s 7h 7d", "SetMeld('7s7h7d')"), ("4c 5c 6c", "RunMeld('4c5c6c')")],
)
def test_a_meld_is_shown_by_its_cards(cards: str, shown: str) -> None:
    assert repr(find_meld(CardSet.parse(cards))) == shown


@pytest.mark.parametrize(
    ("card", "trios"),
    [
        ("Kc", "JcQcKc KsKhKc KsKdKc KhKdKc"),
        ("As", "As2s3s AsAhAd AsAhAc AsAdAc"),
    ],
)
def test_a_card_belongs_to_these_melds_of_three(card: str, trios: str) -> None:
    found = map(str, trios_with(Card.parse(card)))

    assert sorted(found) == sorted(trios.split())
