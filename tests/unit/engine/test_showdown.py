from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.engine.golden_vectors import vectors

from ginref.engine.card import PACK, CardSet
from ginref.engine.deadwood import best_arrangement, deadwood
from ginref.engine.error import Breach, IllegalMoveError, NotationError
from ginref.engine.layoff import defend
from ginref.engine.meld import DeclaredMeld
from ginref.engine.ruleset import GIN, Ruleset
from ginref.engine.showdown import Outcome, RoundScore, arrange, score

REFUSALS = {
    "meld_too_short": Breach.MELD_TOO_SHORT,
    "not_a_meld": Breach.BROKEN_MELD,
    "card_not_in_hand": Breach.MELD_CARD_NOT_IN_HAND,
    "card_used_twice": Breach.CARD_IN_TWO_MELDS,
    "deadwood_above_limit": Breach.KNOCK_ABOVE_LIMIT,
}

hand = CardSet.parse


def cards_of(texts: list[str]) -> CardSet:
    return CardSet.parse(" ".join(texts))


def claims_of(melds: list[list[str]]) -> tuple[DeclaredMeld, ...]:
    return tuple(DeclaredMeld.parse("".join(meld)) for meld in melds)


def claims(text: str) -> tuple[DeclaredMeld, ...]:
    return tuple(map(DeclaredMeld.parse, text.split()))


def house(options: dict[str, Any]) -> Ruleset:
    known = GIN.to_dict()
    return GIN.but(**{key: value for key, value in options.items() if key in known})


WINNERS = {"knocker": True, "defender": False, None: None}
OUTCOMES = {outcome.value: outcome for outcome in Outcome}


@pytest.mark.parametrize(("given", "expect"), vectors("showdown"))
def test_showdown_with(given: dict[str, Any], expect: dict[str, Any]) -> None:
    rules = house(given["options"])
    own, theirs = cards_of(given["knocker_hand"]), cards_of(given["defender_hand"])

    laid = arrange(own, claims_of(given["knocker_melds"]), 10)
    may_lay_off = laid.points > 0 or rules.layoff_on_gin
    spread = defend(laid.melds, theirs, may_lay_off=may_lay_off)
    result = score(
        rules,
        laid.points,
        spread.points,
        multiplier=given["options"].get("multiplier", 1),
    )

    assert laid.points == expect["knocker_deadwood"]
    assert spread.points == expect["defender_deadwood"]
    assert deadwood(own) == expect["knocker_min_deadwood"]
    assert deadwood(theirs) == expect["defender_deadwood_without_layoffs"]
    assert result == RoundScore(
        OUTCOMES[expect["kind"]], WINNERS[expect["winner"]], expect["points"]
    )


@pytest.mark.parametrize(("given", "expect"), vectors("score"))
def test_score_of(given: dict[str, Any], expect: dict[str, Any]) -> None:
    options = given["options"]

    result = score(
        house(options),
        given["knocker_deadwood"],
        given["defender_deadwood_after_layoffs"],
        big_gin=options.get("big", False),
    )

    assert result == RoundScore(
        OUTCOMES[expect["kind"]], WINNERS[expect["winner"]], expect["points"]
    )


@pytest.mark.parametrize(("given", "expect"), vectors("reject_declaration"))
def test_a_declaration_is_refused_for(
    given: dict[str, Any], expect: dict[str, Any]
) -> None:
    with pytest.raises(IllegalMoveError) as refusal:
        arrange(
            cards_of(given["hand10"]),
            claims_of(given["declared_melds"]),
            given["knock_limit"],
        )

    assert refusal.value.breach is REFUSALS[expect["error"]]


@pytest.mark.parametrize(
    ("given", "expect"),
    [
        vector
        for vector in vectors("reject_parse")
        # A small letter is read, and printed as a capital.
        if vector.id != "lower case rank t"
    ],
)
def test_a_hand_is_refused_for(given: dict[str, Any], expect: dict[str, Any]) -> None:
    assert expect["error"] == "bad_card_or_duplicate"
    with pytest.raises(NotationError):
        CardSet.parse(given["text"])


def test_a_small_letter_is_read_and_printed_as_the_notation_has_it() -> None:
    assert str(CardSet.parse("tS JS QS")) == "Ts Js Qs"


# Kd, As and 2d are loose at best: 13 points.
TEN = "7s 7h 7d 4c 5c 6c 7c Kd As 2d"


@pytest.mark.parametrize(
    ("melds", "breach", "facts"),
    [
        pytest.param(
            "7s7h 4c5c7c", Breach.MELD_TOO_SHORT, {"meld": "7s7h"}, id="too short"
        ),
        pytest.param(
            "4c5c7c 7s7h",
            Breach.BROKEN_MELD,
            {"meld": "4c5c7c"},
            id="the first bad meld is named",
        ),
        pytest.param(
            "7s7s7h",
            Breach.CARD_IN_TWO_MELDS,
            {"meld": "7s7s7h"},
            id="a card twice in a meld",
        ),
        pytest.param(
            "8s8h8d 4c5c9c",
            Breach.BROKEN_MELD,
            {"meld": "4c5c9c"},
            id="melds are judged before their cards",
        ),
        pytest.param(
            "7s7h7c 5c6c7c 8s8h8d",
            Breach.MELD_CARD_NOT_IN_HAND,
            {"card": "8s"},
            id="cards in hand are judged before shared ones",
        ),
        pytest.param(
            "7s7h7c 5c6c7c",
            Breach.CARD_IN_TWO_MELDS,
            {"card": "7c"},
            id="shared cards are judged before the limit",
        ),
        pytest.param(
            "7s7h7d 4c5c6c7c",
            Breach.KNOCK_ABOVE_LIMIT,
            {"deadwood": "13", "limit": "10"},
            id="above the limit",
        ),
        pytest.param(
            "",
            Breach.KNOCK_ABOVE_LIMIT,
            {"deadwood": "56", "limit": "10"},
            id="no meld is declared",
        ),
    ],
)
def test_the_first_thing_wrong_with_a_declaration_counts(
    melds: str, breach: Breach, facts: dict[str, str]
) -> None:
    with pytest.raises(IllegalMoveError) as refusal:
        arrange(hand(TEN), claims(melds), 10)

    assert refusal.value.breach is breach
    assert refusal.value.facts == facts


def test_a_hand_above_the_limit_is_refused_without_a_declaration_too() -> None:
    with pytest.raises(IllegalMoveError) as refusal:
        arrange(hand(TEN), None, 10)

    assert refusal.value.breach is Breach.KNOCK_ABOVE_LIMIT
    assert refusal.value.facts == {"deadwood": "13", "limit": "10"}


def test_declared_cards_come_in_any_order_and_melds_are_laid_in_theirs() -> None:
    cards = hand("7s 7h 7d 4c 5c 6c 7c 2d 2h 2s")

    laid = arrange(cards, claims("6c4c7c5c 7d7s7h 2h2s2d"), 10)

    assert " ".join(map(str, laid.melds)) == "2s2h2d 7s7h7d 4c5c6c7c"
    assert laid.points == 0


def test_what_is_declared_is_binding() -> None:
    cards = hand("As 2s 3s 4s 7s 7h 7c 4d 5d 6d")

    laid = arrange(cards, claims("7s7h7c 4d5d6d 2s3s4s"), 10)

    assert str(laid.deadwood) == "As"
    assert arrange(cards, None, 10).points == 0


def test_eleven_cards_are_arranged_for_big_gin() -> None:
    cards = hand("As 2s 3s 4s 7s 7h 7c 4d 5d 6d 7d")

    assert arrange(cards, None, 0).points == 0
    assert arrange(cards, claims("As2s3s4s 7s7h7c 4d5d6d7d"), 0).points == 0


@given(
    st.sets(st.sampled_from(PACK), min_size=10, max_size=10).map(CardSet.of),
)
def test_the_best_arrangement_can_be_declared(cards: CardSet) -> None:
    best = best_arrangement(cards)
    melds = tuple(map(DeclaredMeld.of, best.melds))

    assert arrange(cards, melds, 98) == best == arrange(cards, None, 98)


@given(st.integers(0, 10), st.integers(0, 98))
def test_exactly_one_side_scores_from_1_to_123_points(own: int, theirs: int) -> None:
    result = score(GIN, own, theirs)

    assert result.knocker_wins is not None
    assert 1 <= result.points <= 123


@given(st.integers(0, 10), st.integers(0, 98))
def test_a_doubled_round_counts_twice(own: int, theirs: int) -> None:
    once, twice = score(GIN, own, theirs), score(GIN, own, theirs, multiplier=2)

    assert twice == RoundScore(once.outcome, once.knocker_wins, 2 * once.points)


@pytest.mark.parametrize(
    ("rules", "own", "theirs", "expected"),
    [
        pytest.param(
            GIN,
            0,
            0,
            RoundScore(Outcome.GIN, knocker_wins=True, points=25),
            id="gin beats no deadwood",
        ),
        pytest.param(
            GIN.but(big_gin_bonus=31),
            0,
            20,
            RoundScore(Outcome.GIN, knocker_wins=True, points=45),
            id="gin is not big by itself",
        ),
        pytest.param(
            GIN,
            4,
            4,
            RoundScore(Outcome.UNDERCUT, knocker_wins=False, points=10),
            id="equal is undercut",
        ),
        pytest.param(
            GIN.but(undercut_on_tie=False),
            4,
            4,
            RoundScore(Outcome.TIE, knocker_wins=None, points=0),
            id="equal is nobody's where the house says so",
        ),
        pytest.param(
            GIN.but(undercut_on_tie=False),
            4,
            3,
            RoundScore(Outcome.UNDERCUT, knocker_wins=False, points=11),
            id="less is undercut all the same",
        ),
        pytest.param(
            GIN.but(undercut_bonus=0),
            4,
            4,
            RoundScore(Outcome.UNDERCUT, knocker_wins=False, points=0),
            id="a win of no points is a win",
        ),
    ],
)
def test_the_house_decides(
    rules: Ruleset, own: int, theirs: int, expected: RoundScore
) -> None:
    assert score(rules, own, theirs) == expected


def test_an_outcome_is_written_in_one_way() -> None:
    # Records and written matches hold these words.
    assert " ".join(Outcome) == "knock gin big_gin undercut tie wall turn_cap"
