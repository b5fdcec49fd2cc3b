import functools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ginref.engine.card import PACK, Card, CardSet
from ginref.engine.deadwood import best_arrangement, deadwood
from ginref.engine.layoff import Layoff, Spread, defend
from ginref.engine.meld import Meld, find_meld

hand = CardSet.parse


def melds_of(text: str) -> tuple[Meld, ...]:
    melds = tuple(find_meld(hand(word)) for word in text.split())
    assert all(melds), text
    return tuple(meld for meld in melds if meld is not None)


def shown(spread: Spread) -> str:
    return " ".join(f"{layoff.card}@{layoff.meld}" for layoff in spread.layoffs)


@st.composite
def showdowns(draw: st.DrawFn) -> tuple[tuple[Meld, ...], CardSet]:
    """The melds of a knocker and the hand of a defender, crowded with layoffs."""
    low = draw(st.integers(0, 8))
    pack = [card for card in PACK if low <= card.rank <= low + 5]
    cards = draw(st.permutations(pack).map(lambda order: order[:20]))
    return best_arrangement(CardSet.of(cards[:10])).melds, CardSet.of(cards[10:])


def fewest_points(melds: tuple[Meld, ...], cards: CardSet) -> int:
    """The least deadwood after any sequence of layoffs, by playing them all."""

    @functools.cache
    def play(laid_down: frozenset[CardSet], rest: CardSet) -> int:
        return min(
            [deadwood(rest)]
            + [
                play(laid_down - {pile} | {pile.add(card)}, rest.remove(card))
                for pile in laid_down
                for card in rest
                if find_meld(pile.add(card)) is not None
            ]
        )

    return play(frozenset(meld.cards for meld in melds), cards)


@pytest.mark.parametrize(
    ("melds", "cards", "layoffs", "points"),
    [
        pytest.param("7s7h7d", "7c Ks", "7c@0", 10, id="the fourth card of a set"),
        pytest.param("7s7h7d7c", "6s Ks", "", 16, id="nothing fits a full set"),
        pytest.param("4c5c6c", "3c 7c Ks", "3c@0 7c@0", 10, id="both ends of a run"),
        pytest.param("4c5c6c", "2c 3c Ks", "3c@0 2c@0", 10, id="a chain downwards"),
        pytest.param("4c5c6c", "7c 8c Ks", "7c@0 8c@0", 10, id="a chain upwards"),
        pytest.param("4c5c6c", "8c Ks", "", 18, id="no layoff beyond a hole"),
        pytest.param("JcQcKc", "Ac 2c", "", 3, id="a king does not wrap to an ace"),
        pytest.param("Ac2c3c", "Kc", "", 10, id="an ace does not wrap"),
        pytest.param("JsQsKs", "Ah", "", 1, id="a run ends with its suit"),
        pytest.param(
            "7s7h7d 4c5c6c",
            "7c 8c Ks",
            "7c@1 8c@1",
            10,
            id="the run is chosen where the chain needs it",
        ),
        pytest.param(
            "7s7h7d 4c5c6c", "7c Ks", "7c@0", 10, id="else the first meld takes it"
        ),
        pytest.param(
            "3c4c5c 8c9cTc",
            "6c 7c Ks",
            "6c@0 7c@0",
            10,
            id="cards between two runs are laid off once",
        ),
        pytest.param(
            "4c5c6c",
            "7c 8c 9c Ks",
            "",
            10,
            id="a meld of one's own is kept over a chain",
        ),
        pytest.param(
            "6c7c8c 6d7d8d 6h7h8h",
            "5c 5d 5h 4c 4d Ks",
            "5c@0 4c@0 5d@1 4d@1 5h@2",
            10,
            id="a meld is broken where that pays",
        ),
        pytest.param(
            "4c5c6c 9s9h9d",
            "7c 7h 7d 8c 9c",
            "9c@1",
            8,
            id="a meld is kept where breaking it costs more",
        ),
        pytest.param("JcQcKc", "Tc As Ad", "Tc@0", 2, id="a king closes a run"),
    ],
)
def test_the_defender_lays_off(
    melds: str, cards: str, layoffs: str, points: int
) -> None:
    spread = defend(melds_of(melds), hand(cards))

    assert shown(spread) == layoffs
    assert spread.points == points


def test_nothing_is_laid_off_where_the_rules_forbid_it() -> None:
    spread = defend(melds_of("7s7h7d"), hand("7c Ks Kh Kd"), may_lay_off=False)

    assert spread == Spread(melds_of("KsKhKd"), (), hand("7c"))


def test_without_melds_nothing_is_laid_off() -> None:
    assert defend((), hand("7c")) == Spread((), (), hand("7c"))


def test_a_layoff_names_its_card_and_meld() -> None:
    spread = defend(melds_of("7s7h7d"), hand("7c"))

    assert spread.layoffs == (Layoff(Card.parse("7c"), 0),)
    assert spread.points == 0


@given(showdowns())
def test_melds_and_layoffs_together_leave_the_least(
    showdown: tuple[tuple[Meld, ...], CardSet],
) -> None:
    melds, cards = showdown

    assert defend(melds, cards).points == fewest_points(melds, cards)


@given(showdowns())
def test_layoffs_are_legal_one_by_one(
    showdown: tuple[tuple[Meld, ...], CardSet],
) -> None:
    melds, cards = showdown
    laid_down = [meld.cards for meld in melds]

    for layoff in defend(melds, cards).layoffs:
        assert layoff.card in cards
        laid_down[layoff.meld] = laid_down[layoff.meld].add(layoff.card)
        assert find_meld(laid_down[layoff.meld]) is not None


@pytest.mark.parametrize("may_lay_off", [True, False])
@given(showdown=showdowns())
def test_a_spread_holds_every_card_once(
    *, showdown: tuple[tuple[Meld, ...], CardSet], may_lay_off: bool
) -> None:
    melds, cards = showdown

    spread = defend(melds, cards, may_lay_off=may_lay_off)

    parts = [
        *(meld.cards for meld in spread.melds),
        CardSet.of(layoff.card for layoff in spread.layoffs),
        spread.deadwood,
    ]
    assert sum(map(len, parts)) == len(cards)
    assert functools.reduce(CardSet.__or__, parts) == cards
    assert spread.points <= deadwood(cards)


@pytest.mark.parametrize(
    ("melds", "cards", "layoffs", "own"),
    [
        pytest.param("7s8s9s", "Ts Js Qs", "", "TsJsQs", id="none over three"),
        pytest.param(
            "2s3s4s 4h5h6h",
            "5s 6s 7s 7h 4d 5d 6d 7d 2c 5c",
            "7h@1",
            "5s6s7s 4d5d6d7d",
            id="one over two",
        ),
    ],
)
def test_of_equal_spreads_the_one_with_fewer_layoffs_is_laid_down(
    melds: str, cards: str, layoffs: str, own: str
) -> None:
    spread = defend(melds_of(melds), hand(cards))

    assert shown(spread) == layoffs
    assert spread.melds == melds_of(own)
