"""Faults that other gin rummy programs had: hands, melds, knocks and showdowns.

Each comment names the project, and its issue, commit or file.
"""

import pytest

from ginref.engine.card import Card, CardSet
from ginref.engine.deadwood import (
    best_arrangement,
    deadwood,
    discard_deadwoods,
    knock_discards,
)
from ginref.engine.error import Breach, IllegalMoveError
from ginref.engine.layoff import Spread, defend
from ginref.engine.legality import options
from ginref.engine.meld import DeclaredMeld, Meld, find_meld
from ginref.engine.move import Discard, Knock
from ginref.engine.phase import throw_after_stock
from ginref.engine.ruleset import GIN, PRESETS, Ruleset
from ginref.engine.showdown import Outcome, RoundScore, arrange, score

card = Card.parse
hand = CardSet.parse


def meld(text: str) -> Meld:
    found = find_meld(hand(text))
    assert found is not None
    return found


def melds(text: str) -> list[Meld]:
    return [meld(word) for word in text.split()]


def claims(text: str) -> tuple[DeclaredMeld, ...]:
    return tuple(map(DeclaredMeld.parse, text.split()))


def laid_off(spread: Spread) -> set[str]:
    return {str(layoff.card) for layoff in spread.layoffs}


def showdown(knocker: str, loose: str, defender: str) -> RoundScore:
    """Score the knocker's melds and loose cards against the defender's hand."""
    own = hand(loose).points
    spread = defend(melds(knocker), hand(defender), may_lay_off=own > 0)
    return score(GIN, own, spread.points)


# open_spiel games/gin_rummy/gin_rummy_utils.cc, MinDeadwood: the best arrangement of
# eleven cards, less its dearest loose card, is not the best that a discard leaves.
@pytest.mark.parametrize(
    ("eleven", "thrown", "left"),
    [
        ("3s 5s 6s 6c 4d 5d 6d 7d 3h 5h 6h", "7d", 10),
        ("3s 5s 6s 7s 8s 6c 7c 6d 7d 2h 7h", "8s", 10),
        ("5s 6s 4c 5c 6c 6d 2h 4h 5h 6h 7h", "7h", 10),
        ("3s 4s 5s 6s 5h 3d 2c 4c 5c 6c 6d", "6d", 10),
        ("As 2s 3s 4h 2d 3d 4d 2c 3c 4c Ac", "4h", 0),
        ("4h 5h 6h 3d 4d 5d 6d 3c 4c 5c 6s", "6s", 0),
        ("3s Ah 4h 5h 6h 3d 4d 5d 6d 5c 6s", "6s", 9),
    ],
)
def test_a_legal_knock_is_found_when_the_best_eleven_card_arrangement_hides_it(
    eleven: str, thrown: str, left: int
) -> None:
    cards = hand(eleven)
    loose = best_arrangement(cards).deadwood
    drawn = card(eleven.rsplit(maxsplit=1)[-1])

    assert card(thrown) not in loose
    assert discard_deadwoods(cards)[card(thrown)] == left
    assert min(discard_deadwoods(cards).values()) == left
    legal = options(GIN, throw_after_stock(drawn), cards, 10)
    assert Knock(card(thrown)) in legal


# open_spiel AllLayoffs: laying off stopped after two cards at one end of a run.
def test_three_cards_that_continue_a_run_are_a_run_of_their_own() -> None:
    knocker = melds("4s5s6s ThTdTc 2h2d2c")

    spread = defend(knocker, hand("7s 8s 9s 8h Kh 7d Kd 6c Jc Qc"))

    assert spread.points == 61
    assert spread.melds == (meld("7s8s9s"),)


def test_a_long_chain_goes_off_at_both_ends_of_a_run() -> None:
    spread = defend(melds("5s6s7s"), hand("3s 4s 8s 9s Kh"))

    assert laid_off(spread) == {"3s", "4s", "8s", "9s"}
    assert spread.points == 10


# open_spiel Returns(): the undercut bonus was for less deadwood only.
def test_equal_deadwood_is_an_undercut() -> None:
    worth = showdown("7s7h7c 4d5d6d TsThTc", "3s", "3h JsJhJd QsQhQd KsKhKc")

    assert worth == RoundScore(Outcome.UNDERCUT, knocker_wins=False, points=10)


# Kaggle/kaggle-environments#1015: "AsAcAd" is how "AsAcAdAh" begins.
def test_a_set_of_four_is_not_read_as_the_set_of_three_it_begins_with() -> None:
    laid = arrange(hand("As Ah Ad Ac 5s 6s 7s 8d 9d Td"), claims("AsAcAdAh 5s6s7s"), 27)

    assert hand("As Ah Ad Ac") in [one.cards for one in laid.melds]
    assert laid.deadwood == hand("8d 9d Td")


# rlcard#92, rlcard#93: cards to knock with were those that stay, or the worst alone.
def test_every_card_that_leaves_ten_or_less_can_be_thrown_to_knock() -> None:
    eleven = hand("As 3s 7s 2h 7h 2d 7d 4c 5c 6c 3h")

    found = knock_discards(eleven, 10, None)

    left = discard_deadwoods(eleven)
    assert {str(one): left[one] for one in found} == {
        "As": 10,
        "3s": 8,
        "2h": 9,
        "3h": 8,
        "2d": 9,
    }


# rlcard judge.py, _get_going_out_cards: the discard of eleven melded cards was the
# first one of a set in memory, also where that breaks a run.
def test_a_discard_for_gin_from_eleven_melded_cards_breaks_no_run() -> None:
    eleven = hand("4h 5h 6h 7h Qh Kh Qd Kd Qc Kc Qs")

    assert set(knock_discards(eleven, 0, None)) == set(hand("Qs Qh Qd Qc 4h 7h"))
    assert discard_deadwoods(eleven)[card("5h")] == 17


# rlcard commit 69b3ff9: runs of the last deal were found in the next one.
def test_a_hand_has_no_meld_of_the_hand_before_it() -> None:
    first = best_arrangement(hand("3s 4s 5s 9h Jd Kc 2h 7d 8c Tc"))
    second = best_arrangement(hand("3h 4s 5d 9h Jd Kc 2h 7d 8c Tc"))

    assert first.melds == (meld("3s4s5s"),)
    assert second.melds == ()


# rlcard judge.py, get_legal_actions, and haydena23/GinRummy#1: gin was forced.
def test_a_hand_that_can_go_gin_may_go_on() -> None:
    eleven = hand("7s 7h 7d 4c 5c 6c Ts Th Td 5h Kd")

    moves = options(GIN, throw_after_stock(card("Kd")), eleven, 10)

    assert {Discard(one) for one in eleven} <= set(moves)
    assert Knock(card("Kd")) in moves


# ichabod801/t_games#366: a run had not grown when the second card came.
def test_a_second_card_is_laid_off_at_the_low_end_of_a_run() -> None:
    spread = defend(
        melds("7s7h7d 5c6c7c TsThTd"), hand("9s Qs Ks Ah Qh Kh Qd Kd 3c 4c")
    )

    assert laid_off(spread) == {"4c", "3c"}
    assert [str(layoff.card) for layoff in spread.layoffs] == ["4c", "3c"]
    assert spread.points == 10


# ichabod801/t_games#369: the jack of diamonds was in the set and in the run.
def test_a_card_belongs_to_one_meld_only() -> None:
    cards = hand("Jc 9d 8s 6d Js 8h Td 8d 7d Jd")

    assert deadwood(cards) == 16
    with pytest.raises(IllegalMoveError) as refused:
        arrange(cards, claims("JcJsJd 6d7d8d9dTdJd"), 10)
    assert refused.value.breach is Breach.CARD_IN_TWO_MELDS


# ichabod801/t_games#370: gin was judged too dear to knock with.
@pytest.mark.parametrize(
    "ten",
    [
        "4h 5h 6h 7h Qh Kh Qd Kd Qc Kc",
        "3s 3h 9h Kh 3d 9d Kd 3c 9c Kc",
        "2s 3s 4s Ts 2h 3h 4h 5h Td Tc",
        "4s 5s 6s 2h 3h 4h 5h 9h Th Jh",
    ],
)
def test_ten_melded_cards_are_gin(ten: str) -> None:
    assert deadwood(hand(ten)) == 0
    assert arrange(hand(ten), None, 0).points == 0


# ichabod801/t_games#365: a declared card that was not in the hand ended the program.
def test_a_declared_card_that_is_not_in_the_hand_is_refused_by_name() -> None:
    with pytest.raises(IllegalMoveError) as refused:
        arrange(hand("9c Tc 2s 2h 2d 5s 5h 5d Ah 3h"), claims("9cTcJc"), 10)

    assert refused.value.breach is Breach.MELD_CARD_NOT_IN_HAND
    assert refused.value.facts == {"card": "Jc"}


# ichabod801/t_games#487: two kings and an ace were a meld.
@pytest.mark.parametrize("text", ["Kc Kd Ad", "Kc Ad Ac", "Qs Ks As", "Ks As 2s"])
def test_an_ace_joins_no_king(text: str) -> None:
    assert find_meld(hand(text)) is None


# saint2706/Games: aces were high in runs. uoftcprg/pokerkit#44, pokerth/pokerth#369:
# one variant had another ace than the others.
@pytest.mark.parametrize("rules", PRESETS.values(), ids=list(PRESETS))
def test_the_ace_is_low_in_every_variant(rules: Ruleset) -> None:
    low = hand("As 2s 3s Js 5h Kh 4d 7d 6c 9c")
    high = hand("As 8s Qs Ks 2h Th 3d 4d 5c 6c")

    assert deadwood(low) == 51
    assert deadwood(high) == 59
    with pytest.raises(IllegalMoveError) as refused:
        arrange(high, claims("AsQsKs"), rules.knock_limit)
    assert refused.value.breach is Breach.BROKEN_MELD


# saint2706/Games: cards were laid off against gin.
def test_nothing_is_laid_off_against_gin() -> None:
    worth = showdown("7s7h7c 4d5d6d TsThTdTc", "", "Qs Ks Qh Kh 2d 3d 7d 9d Qd 9c")

    assert worth == RoundScore(Outcome.GIN, knocker_wins=True, points=75)


# saint2706/Games: one pass over the defender's cards, in the order they were listed.
def test_a_layoff_that_makes_room_for_another_is_found_in_every_order() -> None:
    knocker = melds("8s8h8d 5c6c7c TsThTd")

    for listed in ("3c 4c Ah Qd Ks", "4c 3c Ah Qd Ks"):
        spread = defend(knocker, hand(listed))
        assert laid_off(spread) == {"3c", "4c"}
        assert spread.points == 21


# damr-/rummy#3, timpalpant/rummy#1: a card fits two melds, and one of them lets
# another card follow.
def test_a_card_that_fits_a_set_and_a_run_goes_where_the_next_one_can_follow() -> None:
    spread = defend(melds("7s7h7d 4c5c6c"), hand("7c 8c Kh Qd"))

    assert laid_off(spread) == {"7c", "8c"}
    assert [layoff.meld for layoff in spread.layoffs] == [1, 1]
    assert spread.points == 20


# saint2706/Games and SaiMahitVaddadi/GinRummySimulator: all eleven cards had to be
# within the limit.
def test_a_knock_counts_the_ten_cards_that_stay() -> None:
    eleven = hand("7s 7h 7d 4c 5c 6c As 2h 3d 4s Kh")

    assert deadwood(eleven) == 20
    assert knock_discards(eleven, 10, None) == (card("Kh"),)


# SaiMahitVaddadi/GinRummySimulator: a plain knock took a bonus.
def test_a_plain_knock_scores_the_difference_alone() -> None:
    worth = showdown("7s7h7d 4c5c6c TsThTd", "As", "9s Ks 2h 8h Jh Kh 3d Qd 2c Qc")

    assert worth == RoundScore(Outcome.KNOCK, knocker_wins=True, points=73)


# tneller/gin-rummy-eaai GinRummyGame.java: no declaration ended the program.
def test_a_hand_without_a_declaration_is_arranged() -> None:
    laid = arrange(hand("7s 7h 7d 4c 5c 6c Ts Th Td Ah"), None, 10)

    assert [str(one) for one in laid.melds] == ["7s7h7d", "TsThTd", "4c5c6c"]
    assert laid.points == 1
