from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ginref.engine.card import PACK, Card
from ginref.engine.error import Breach, IllegalMoveError
from ginref.engine.legality import options
from ginref.engine.match import Match
from ginref.engine.move import (
    DRAW_STOCK,
    DRAW_UPCARD,
    PASS,
    Discard,
    Knock,
    Move,
    parse_move,
)
from ginref.engine.round import Round, apply_move, deal, legal_moves
from ginref.engine.ruleset import GIN, HOLLYWOOD, OKLAHOMA, Ruleset
from ginref.engine.seat import Seat

DECK = tuple[Card, ...]
DEALER, NON_DEALER = Seat.NORTH, Seat.SOUTH

BIG_GIN = GIN.but(name="big gin", big_gin_bonus=31)
RETURNS = GIN.but(name="returns", may_discard_taken_card=True)
RULES = st.sampled_from([HOLLYWOOD, OKLAHOMA, BIG_GIN, RETURNS])

EVERY_MOVE: tuple[Move, ...] = (
    PASS,
    DRAW_UPCARD,
    DRAW_STOCK,
    Knock(),
    *map(Discard, PACK),
    *map(Knock, PACK),
)

# Gin but for a king, and ten cards that meld nothing.
NEAR_GIN = "5h 5d 5c 4s 5s 6s 9h Th Jh Kc"
LOOSE = "As 2h 3d 4c 8s 9d Jc Qs Kh 7d"


def round_of(deck: DECK, rules: Ruleset = GIN) -> Round:
    return deal(rules, deck, DEALER, NON_DEALER)


def play(round_: Round, *moves: str, rules: Ruleset = GIN) -> Round:
    for text in moves:
        assert round_.to_act is not None
        round_ = apply_move(round_, rules, round_.to_act, parse_move(text))
    return round_


def refusal(round_: Round, seat: Seat, move: str, rules: Ruleset = GIN) -> Breach:
    with pytest.raises(IllegalMoveError) as refused:
        apply_move(round_, rules, seat, parse_move(move))
    return refused.value.breach


@given(st.integers(0, 10_000), st.integers(0, 400), RULES)
@settings(max_examples=60)
def test_legal_moves_are_exactly_what_is_accepted(
    reach: Callable[..., Match], seed: int, moves: int, rules: Ruleset
) -> None:
    round_ = reach(seed, moves, rules).round

    for seat in tuple(Seat)[:2]:
        legal = legal_moves(round_, rules, seat)
        accepted = []
        for move in EVERY_MOVE:
            try:
                apply_move(round_, rules, seat, move)
            except IllegalMoveError:
                continue
            accepted.append(move)

        assert len(set(legal)) == len(legal)
        assert set(legal) == set(accepted)


@pytest.mark.parametrize(
    ("before", "seat", "move", "breach"),
    [
        pytest.param("", DEALER, "pass", Breach.NOT_YOUR_TURN, id="out of turn"),
        pytest.param(
            "", DEALER, "knock Kc", Breach.NOT_YOUR_TURN, id="turn before phase"
        ),
        pytest.param("", NON_DEALER, "draw_stock", Breach.WRONG_PHASE, id="stock"),
        pytest.param("", NON_DEALER, "knock Kc", Breach.WRONG_PHASE, id="early knock"),
        pytest.param("", NON_DEALER, "knock", Breach.WRONG_PHASE, id="early big gin"),
        pytest.param(
            "pass pass", NON_DEALER, "pass", Breach.WRONG_PHASE, id="third pass"
        ),
        pytest.param(
            "pass pass",
            NON_DEALER,
            "draw_upcard",
            Breach.UPCARD_REFUSED_TWICE,
            id="refused upcard",
        ),
        pytest.param(
            "draw_upcard",
            NON_DEALER,
            "discard Qs",
            Breach.CARD_NOT_IN_HAND,
            id="opponent's card",
        ),
        pytest.param(
            "draw_upcard",
            NON_DEALER,
            "discard 2c",
            Breach.TAKEN_CARD_RETURNED,
            id="taken card back",
        ),
        pytest.param(
            "draw_upcard",
            NON_DEALER,
            "knock 2c",
            Breach.TAKEN_CARD_RETURNED,
            id="knock with the taken card",
        ),
        pytest.param(
            "draw_upcard",
            NON_DEALER,
            "knock Qs 5h5d",
            Breach.CARD_NOT_IN_HAND,
            id="card before declaration",
        ),
        pytest.param(
            "draw_upcard",
            NON_DEALER,
            "knock Kc 5h5d",
            Breach.MELD_TOO_SHORT,
            id="short meld",
        ),
        pytest.param(
            "draw_upcard",
            NON_DEALER,
            "knock Kc 5h5d5c",
            Breach.KNOCK_ABOVE_LIMIT,
            id="declaration above the limit",
        ),
        pytest.param(
            "draw_upcard", NON_DEALER, "knock 4s", Breach.KNOCK_ABOVE_LIMIT, id="limit"
        ),
        pytest.param(
            "draw_upcard", NON_DEALER, "knock", Breach.NO_BIG_GIN, id="no big gin"
        ),
    ],
)
def test_an_illegal_move_names_the_rule_it_breaks(
    deal_from: Callable[..., DECK], before: str, seat: Seat, move: str, breach: Breach
) -> None:
    round_ = play(round_of(deal_from(NEAR_GIN, LOOSE, "2c")), *before.split())

    assert refusal(round_, seat, move) is breach


def test_a_round_that_is_over_takes_no_move(deal_from: Callable[..., DECK]) -> None:
    round_ = round_of(deal_from(NEAR_GIN, LOOSE, "2c"))

    round_ = play(round_, "draw_upcard", "knock Kc")

    assert options(GIN, round_.phase, round_.hand(DEALER), round_.knock_limit) == ()
    for seat in (DEALER, NON_DEALER):
        assert legal_moves(round_, GIN, seat) == ()
        assert refusal(round_, seat, "draw_stock") is Breach.WRONG_PHASE


def test_big_gin_needs_all_eleven_cards_in_melds(
    deal_from: Callable[..., DECK],
) -> None:
    round_ = round_of(deal_from(NEAR_GIN, LOOSE, "8h"), BIG_GIN)
    round_ = play(round_, "draw_upcard", rules=BIG_GIN)

    assert Knock() not in legal_moves(round_, BIG_GIN, NON_DEALER)
    assert refusal(round_, NON_DEALER, "knock", BIG_GIN) is Breach.NO_BIG_GIN


def test_big_gin_declares_all_eleven_cards(deal_from: Callable[..., DECK]) -> None:
    hand, other = "As 2s 3s 4s 5h 5d 5c 9h Th Jh", "Ah 2h 3d 4c 8s 9d Jc Qs Kh 7d"
    round_ = round_of(deal_from(hand, other, "Qh"), BIG_GIN)
    round_ = play(round_, "draw_upcard", rules=BIG_GIN)

    but_the_ace = refusal(round_, NON_DEALER, "knock 2s3s4s 5h5d5c 9hThJhQh", BIG_GIN)

    assert but_the_ace is Breach.KNOCK_ABOVE_LIMIT
    assert Knock() in legal_moves(round_, BIG_GIN, NON_DEALER)


def test_the_limit_of_the_first_upcard_holds_when_it_is_buried(
    deal_from: Callable[..., DECK],
) -> None:
    hand = "5h 5d 5c 4s 5s 6s 9h Th Jh 7c"
    round_ = round_of(deal_from(hand, LOOSE, "2c", "Kc"), OKLAHOMA)
    round_ = play(round_, "pass", "pass", "draw_stock", rules=OKLAHOMA)

    with pytest.raises(IllegalMoveError) as refused:
        apply_move(round_, OKLAHOMA, NON_DEALER, parse_move("knock Kc"))

    assert refused.value.breach is Breach.KNOCK_ABOVE_LIMIT
    assert refused.value.facts == {"deadwood": "7", "limit": "2"}
