import functools
import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.engine.golden_vectors import vectors

from ginref.engine.card import PACK, Card, CardSet, Rank, Suit
from ginref.engine.deadwood import (
    Arrangement,
    best_arrangement,
    deadwood,
    discard_deadwoods,
    knock_discards,
)
from ginref.engine.meld import Meld, find_meld

hand = CardSet.parse


def cards_of(texts: list[str]) -> CardSet:
    return CardSet.parse(" ".join(texts))


def hands(size: int) -> st.SearchStrategy[CardSet]:
    """Hands of the whole pack, and hands crowded with melds."""
    packs: list[Sequence[Card]] = [
        PACK,
        [card for card in PACK if card.rank <= Rank.FIVE],
        [card for card in PACK if card.rank >= Rank.NINE],
        [card for card in PACK if card.suit <= Suit.HEARTS],
        [card for card in PACK if card.suit == Suit.CLUBS],
    ]
    return st.one_of(
        [
            st.sets(st.sampled_from(pack), min_size=size, max_size=size).map(CardSet.of)
            for pack in packs
        ]
    )


def arrangements(cards: CardSet) -> Iterator[tuple[tuple[Meld, ...], CardSet]]:
    """Every way to meld the cards, by trying every group of them."""
    held = list(cards)
    melds = [
        meld
        for size in range(3, len(held) + 1)
        for group in itertools.combinations(held, size)
        if (meld := find_meld(CardSet.of(group))) is not None
    ]

    def choose(chosen: tuple[Meld, ...], rest: CardSet, first: int) -> Iterator[Any]:
        yield chosen, rest
        for at in range(first, len(melds)):
            if not len(melds[at].cards - rest):
                yield from choose((*chosen, melds[at]), rest - melds[at].cards, at + 1)

    return choose((), cards, 0)


def openings(melds: tuple[Meld, ...], cards: CardSet) -> int:
    """Count the cards not held that fit the melds, by adding them one by one."""
    fitting: set[Card] = set()
    for meld in melds:
        grown = meld.cards
        while added := [
            card
            for card in PACK
            if card not in cards | grown and find_meld(grown.add(card)) is not None
        ]:
            grown |= CardSet.of(added[:1])
            fitting |= set(added[:1])
    return len(fitting)


@pytest.mark.parametrize(("given", "expect"), vectors("deadwood"))
def test_deadwood_of(given: dict[str, Any], expect: dict[str, Any]) -> None:
    cards = cards_of(given["hand"])

    assert deadwood(cards) == expect["min_deadwood"]
    assert best_arrangement(cards).points == expect["min_deadwood"]
    assert (deadwood(cards) == 0) == expect["is_gin"]


@pytest.mark.parametrize(("given", "expect"), vectors("knock"))
def test_knock_discards_of(given: dict[str, Any], expect: dict[str, Any]) -> None:
    eleven = cards_of([*given["hand10"], given["drawn"]])
    drawn = Card.parse(given["drawn"])
    bound = given["drawn_from"] != "stock" and not given["allow_discard_of_taken_card"]
    kept = drawn if bound else None
    left = discard_deadwoods(eleven)

    discards = knock_discards(eleven, given["knock_limit"], kept)

    wanted = {
        Card.parse(text): count for text, count in expect["knock_discards"].items()
    }
    assert {card: left[card] for card in discards} == wanted
    assert bool(discards) == expect["knock_legal"]
    allowed = {card: count for card, count in left.items() if card is not kept}
    fewest = min(allowed.values())
    best = {card for card, count in allowed.items() if count == fewest}
    assert fewest == expect["min_deadwood_after_discard"]
    assert best == set(cards_of(expect["best_discards"]))
    assert {card for card in discards if left[card] == 0} == set(
        cards_of(expect["gin_discards"])
    )
    assert (deadwood(eleven) == 0) == expect["big_gin"]


@pytest.mark.parametrize(
    ("eleven", "thrown"),
    [
        pytest.param("3s 5s 6s 6c 4d 5d 6d 7d 3h 5h 6h", "7d", id="end of a long run"),
        pytest.param("3s 5s 6s 7s 8s 6c 7c 6d 7d 2h 7h", "8s", id="end of a run"),
        pytest.param("5s 6s 4c 5c 6c 6d 2h 4h 5h 6h 7h", "7h", id="end of one of two"),
    ],
)
def test_a_melded_card_may_be_the_only_one_to_knock_with(
    eleven: str, thrown: str
) -> None:
    cards, card = hand(eleven), Card.parse(thrown)

    assert discard_deadwoods(cards)[card] == 10
    assert card in knock_discards(cards, 10, None)


def test_the_card_taken_from_the_pile_is_kept() -> None:
    cards = hand("7s 7h 7d 4c 5c 6c Ts Th Td As Kd")
    king = Card.parse("Kd")

    assert king in knock_discards(cards, 10, None)
    assert king not in knock_discards(cards, 10, king)


def test_the_worst_hand_of_ten_leaves_98() -> None:
    assert deadwood(hand("Ks Kh Qs Qh Jd Jc Td Tc 9s 9h")) == 98


def test_more_than_a_hand_has_a_deadwood_too() -> None:
    assert deadwood(hand("As 2s 3s 4s 5s 6s 7s 8s 9s Ts Js Qs Ks")) == 0
    assert deadwood(hand("7s 8s 9s 7h 8h 9h 7d 8d 9d 7c 8c 9c Kc")) == 10


@given(st.integers(0, 8).flatmap(hands) | hands(10) | hands(11))
def test_deadwood_is_the_least_of_all_arrangements(cards: CardSet) -> None:
    assert deadwood(cards) == min(rest.points for _, rest in arrangements(cards))


@given(hands(7) | hands(10))
def test_the_best_arrangement_gives_an_opponent_the_fewest_openings(
    cards: CardSet,
) -> None:
    @functools.cache
    def preference(melds: tuple[Meld, ...]) -> tuple[int, tuple[int, ...]]:
        masks = sorted(meld.cards.mask for meld in melds)
        return openings(melds, cards), tuple(masks)

    least = deadwood(cards)
    wanted = min(
        preference(melds) for melds, rest in arrangements(cards) if rest.points == least
    )

    best = best_arrangement(cards)

    assert preference(best.melds) == wanted
    assert tuple(meld.cards.mask for meld in best.melds) == wanted[1]


@given(hands(10) | hands(11))
def test_an_arrangement_holds_every_card_once(cards: CardSet) -> None:
    best = best_arrangement(cards)

    parts = [meld.cards for meld in best.melds] + [best.deadwood]
    assert sum(map(len, parts)) == len(cards)
    assert functools.reduce(CardSet.__or__, parts) == cards
    assert best.points == best.deadwood.points == deadwood(cards)


@pytest.mark.parametrize(
    ("cards", "melds"),
    [
        pytest.param(
            "4s 5s 6s 4h 5h 6h 4d 5d 6d", "4s4h4d 5s5h5d 6s6h6d", id="sets over runs"
        ),
        pytest.param("7s 8s 9s 8h 8d", "8s8h8d", id="the set over the run"),
        pytest.param(
            "6s 8s 6h 7h 8h 9h 6d 8d 9c",
            "6s6h6d 8s8h8d",
            id="the set over a run with one end",
        ),
        pytest.param("4c 5c 6c 7c 8c 9c", "4c5c6c 7c8c9c", id="two runs over one"),
        pytest.param(
            "2s 3s 4s 6s 2h 3h 6h 3d 5d", "3s3h3d", id="the set over a run to the ace"
        ),
        pytest.param(
            "Js Qs Ks Th Jh Kh Kd", "KsKhKd", id="the set over a run with a way down"
        ),
        pytest.param(
            "Qs Th Jh Qh Qc", "QsQhQc", id="the set over a run with both ends"
        ),
        pytest.param(
            "9s Js Qs Ks Th Qh Qd Kd", "JsQsKs", id="the run that one card joins"
        ),
        pytest.param("As 2s 3s 5s 2h 4h 6h 2d", "As2s3s", id="the run with one way on"),
        pytest.param("5s 6s 7s 8s 9s", "5s6s7s8s9s", id="all of a long run"),
        pytest.param("As", "", id="no meld at all"),
        pytest.param("As 2s 3s 2h 3h", "As2s3s", id="no pair with a heart"),
        pytest.param("As 2s 3s 2d Ac 3c", "As2s3s", id="no pair with a club"),
        pytest.param("4s Ah 2h 3h Ad 3d", "Ah2h3h", id="no pair without a spade"),
        pytest.param(
            "As 2s Ah 3h 4h Ad 2d 3d 4d", "AsAhAd 2d3d4d", id="no pair of a set"
        ),
    ],
)
def test_equal_arrangements_are_told_apart(cards: str, melds: str) -> None:
    assert " ".join(map(str, best_arrangement(hand(cards)).melds)) == melds


@given(hands(11))
def test_a_discard_saves_its_points_at_most(cards: CardSet) -> None:
    for card, left in discard_deadwoods(cards).items():
        assert left == deadwood(cards.remove(card))
        assert left >= deadwood(cards) - card.points


@given(hands(11), st.integers(0, 10), st.none() | st.integers(0, 10))
def test_a_knock_is_a_discard_within_the_limit(
    cards: CardSet, limit: int, kept_at: int | None
) -> None:
    kept = None if kept_at is None else list(cards)[kept_at]

    assert list(knock_discards(cards, limit, kept)) == [
        card
        for card in cards
        if card is not kept and deadwood(cards.remove(card)) <= limit
    ]


@given(hands(10), st.permutations(list(Suit)))
def test_suits_are_alike(cards: CardSet, suits: list[Suit]) -> None:
    relabelled = CardSet.of(Card(card.rank, suits[card.suit]) for card in cards)

    assert deadwood(relabelled) == deadwood(cards)


def test_an_arrangement_counts_its_own_deadwood() -> None:
    assert Arrangement((), hand("As Kd 5c")).points == 16
