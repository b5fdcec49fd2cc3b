from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ginref.engine.card import PACK, Card, CardSet
from ginref.engine.error import Breach, IllegalMoveError
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
from ginref.engine.phase import Draw, FirstUpcard, RoundOver, RoundResult, Throw
from ginref.engine.round import DiscardEntry, Round, apply_move, deal, legal_moves
from ginref.engine.ruleset import GIN, HOLLYWOOD, OKLAHOMA, Ruleset
from ginref.engine.seat import Seat
from ginref.engine.showdown import Outcome

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


def result(round_: Round) -> RoundResult:
    assert isinstance(round_.phase, RoundOver)
    return round_.phase.result


@given(st.integers(0, 10_000), st.integers(0, 400), RULES)
@settings(max_examples=60)
def test_no_card_is_lost_and_none_appears_twice(
    reach: Callable[..., Match], seed: int, moves: int, rules: Ruleset
) -> None:
    round_ = reach(seed, moves, rules).round

    stock = round_.deck[round_.drawn :]
    held = [card for hand in round_.hands for card in hand]
    assert sorted([*stock, *round_.pile, *held]) == list(PACK)
    sizes = [len(round_.hand(seat)) for seat in (DEALER, NON_DEALER)]
    holds_eleven = [
        isinstance(round_.phase, Throw) and round_.to_act is seat
        for seat in (DEALER, NON_DEALER)
    ]
    if round_.to_act is not None:
        assert sizes == [11 if eleven else 10 for eleven in holds_eleven]
    if isinstance(round_.phase, Draw):
        assert round_.stock_count > rules.wall


@given(st.integers(0, 10_000), st.integers(0, 300), st.sampled_from(EVERY_MOVE))
@settings(max_examples=60)
def test_a_move_leaves_the_round_it_was_made_in_as_it_was(
    reach: Callable[..., Match], seed: int, moves: int, move: Move
) -> None:
    round_, twin = reach(seed, moves).round, reach(seed, moves).round

    for seat in tuple(Seat)[:2]:
        try:
            after = apply_move(round_, HOLLYWOOD, seat, move)
        except IllegalMoveError as refused:
            assert refused.breach in Breach  # noqa: PT017
        else:
            assert after != twin
    assert round_ == twin


def test_the_pile_tells_who_left_a_card_and_who_took_it(
    deal_from: Callable[..., DECK],
) -> None:
    round_ = round_of(deal_from(NEAR_GIN, LOOSE, "2c", "3c"))

    round_ = play(
        round_, "draw_upcard", "discard Kc", "draw_upcard", "discard As", "draw_stock"
    )

    assert round_.discards == (
        DiscardEntry(Card.parse("2c"), None, 0, NON_DEALER),
        DiscardEntry(Card.parse("Kc"), NON_DEALER, 1, DEALER),
        DiscardEntry(Card.parse("As"), DEALER, 2, None),
    )
    assert round_.pile == (Card.parse("As"),)
    assert round_.upcard is Card.parse("As")
    assert round_.turns == 2
    assert round_.stock_count == 30
    assert Card.parse("3c") in round_.hand(NON_DEALER)


@pytest.mark.parametrize("passes", ["", "pass"])
def test_the_seat_after_a_taken_upcard_has_a_normal_turn(
    deal_from: Callable[..., DECK], passes: str
) -> None:
    round_ = round_of(deal_from(LOOSE, LOOSE_TOO, "2c"))

    round_ = play(round_, *passes.split(), "draw_upcard")
    taker = round_.to_act
    assert taker is not None
    thrown = next(iter(round_.hand(taker)))
    round_ = play(round_, f"discard {thrown}")

    assert round_.to_act is round_.opponent(taker)
    assert legal_moves(round_, GIN, round_.opponent(taker)) == (DRAW_UPCARD, DRAW_STOCK)


def test_refusals_of_the_first_upcard_are_counted(
    deal_from: Callable[..., DECK],
) -> None:
    round_ = round_of(deal_from(LOOSE, LOOSE_TOO, "2c"))

    once = play(round_, "pass")

    assert (round_.passes, round_.phase) == (0, FirstUpcard(0))
    assert (once.passes, once.phase) == (1, FirstUpcard(1))
    assert play(round_, "pass", "pass", "draw_stock").passes == 2


LOOSE_TOO = "Ah 2d 3c 4h 8d 9c Js Qd Ks 7h"


def test_a_knock_lays_both_hands_down(deal_from: Callable[..., DECK]) -> None:
    round_ = round_of(deal_from(NEAR_GIN, LOOSE, "2c"))

    won = result(play(round_, "draw_upcard", "knock Kc"))

    assert won.outcome is Outcome.KNOCK
    assert won.winner is NON_DEALER
    assert won.showdown is not None
    assert won.showdown.discard is Card.parse("Kc")
    assert won.showdown.knocker_hand == CardSet.parse("5h 5d 5c 4s 5s 6s 9h Th Jh 2c")
    assert won.showdown.defender_hand == CardSet.parse(LOOSE)
    assert won.showdown.hand(DEALER) == CardSet.parse(LOOSE)
    assert won.showdown.deadwood(NON_DEALER) == 2
    assert won.points == won.showdown.deadwood(DEALER) - 2


@pytest.mark.parametrize(
    ("rules", "deadwood"),
    [
        pytest.param(GIN, 67, id="no layoff on gin"),
        pytest.param(GIN.but(layoff_on_gin=True), 47, id="layoffs where allowed"),
    ],
)
def test_gin_is_laid_off_on_only_under_that_rule(
    deal_from: Callable[..., DECK], rules: Ruleset, deadwood: int
) -> None:
    # Qh and Kh would go on the run of hearts.
    defender = "As 2h 3d 4c 8s 9d Jc Qh Kh Td"
    round_ = round_of(deal_from(NEAR_GIN, defender, "8h"), rules)

    won = result(play(round_, "draw_upcard", "knock Kc", rules=rules))

    assert won.outcome is Outcome.GIN
    assert won.showdown is not None
    assert won.showdown.deadwood(DEALER) == deadwood
    assert won.points == deadwood + 25


def test_an_undercut_is_the_defenders_win(deal_from: Callable[..., DECK]) -> None:
    defender = "As 2s 3s Ad 2d 3d Ac 2c 3c 4h"
    round_ = round_of(deal_from(NEAR_GIN, defender, "4c"))

    won = result(play(round_, "draw_upcard", "knock Kc"))

    assert won.outcome is Outcome.UNDERCUT
    assert won.winner is DEALER
    assert won.points == 10


def test_a_tie_scores_nothing_where_it_is_no_undercut(
    deal_from: Callable[..., DECK],
) -> None:
    rules = GIN.but(undercut_on_tie=False)
    defender = "As 2s 3s Ad 2d 3d Ac 2c 3c 4h"
    round_ = round_of(deal_from(NEAR_GIN, defender, "4c"), rules)

    drawn = result(play(round_, "draw_upcard", "knock Kc", rules=rules))

    assert drawn.outcome is Outcome.TIE
    assert drawn.winner is None
    assert drawn.points == 0
    assert drawn.showdown is not None


def test_big_gin_melds_eleven_cards(deal_from: Callable[..., DECK]) -> None:
    hand = "5h 5d 5c 4s 5s 6s 9h Th Jh Qh"
    round_ = round_of(deal_from(hand, LOOSE, "8h"), BIG_GIN)
    round_ = play(round_, "draw_upcard", rules=BIG_GIN)

    won = result(play(round_, "knock", rules=BIG_GIN))

    assert Knock() in legal_moves(round_, BIG_GIN, NON_DEALER)
    assert won.outcome is Outcome.BIG_GIN
    assert won.showdown is not None
    assert won.showdown.discard is None
    assert len(won.showdown.knocker_hand) == 11
    assert won.points == 31 + won.showdown.deadwood(DEALER)


def test_a_spade_upcard_doubles_the_score_and_sets_the_limit(
    deal_from: Callable[..., DECK],
) -> None:
    hand = "5h 5d 5c 4h 5s 6s 9h Th Jh 2c"
    round_ = round_of(deal_from(hand, LOOSE_FOR_SPADES, "4s"), OKLAHOMA)
    round_ = play(round_, "draw_upcard", rules=OKLAHOMA)

    won = result(play(round_, "knock 4h", rules=OKLAHOMA))

    assert round_.knock_limit == 4
    assert refusal(round_, NON_DEALER, "knock 9h", OKLAHOMA) is Breach.KNOCK_ABOVE_LIMIT
    assert won.showdown is not None
    assert won.points == 2 * (won.showdown.deadwood(DEALER) - 2)


LOOSE_FOR_SPADES = "Ah 2d 3c 4d 8d 9c Js Qd Ks 7h"


def test_the_house_limit_only_gets_tighter(deal_from: Callable[..., DECK]) -> None:
    deck = deal_from(NEAR_GIN, LOOSE, "8h")

    assert round_of(deck, OKLAHOMA.but(knock_limit=3)).knock_limit == 3
    assert round_of(deck, OKLAHOMA.but(knock_limit=9)).knock_limit == 8


def test_the_turn_limit_draws_the_round(deal_from: Callable[..., DECK]) -> None:
    rules = GIN.but(turn_limit=2)
    round_ = round_of(deal_from(NEAR_GIN, LOOSE, "2c", "3c"), rules)

    round_ = play(round_, "draw_upcard", "discard Kc", "draw_stock", rules=rules)
    drawn = result(play(round_, "discard 3c", rules=rules))

    assert drawn == RoundResult(Outcome.TURN_CAP, None, 0, None)


def test_the_wall_comes_before_the_turn_limit(deal_from: Callable[..., DECK]) -> None:
    rules = GIN.but(turn_limit=2, wall=29)
    round_ = round_of(deal_from(NEAR_GIN, LOOSE, "2c", "3c 4d"), rules)

    round_ = play(round_, "pass", "pass", "draw_stock", "discard 3c", rules=rules)
    drawn = result(play(round_, "draw_stock", "discard 4d", rules=rules))

    assert drawn == RoundResult(Outcome.WALL, None, 0, None)


def test_a_knock_on_the_last_allowed_turn_counts(
    deal_from: Callable[..., DECK],
) -> None:
    rules = GIN.but(turn_limit=2)
    round_ = round_of(deal_from(LOOSE, NEAR_GIN, "2c", "3c"), rules)

    won = result(
        play(
            round_,
            *("draw_upcard", "discard Kh", "draw_stock", "knock Kc"),
            rules=rules,
        )
    )

    assert won.outcome is Outcome.KNOCK
    assert won.winner is DEALER
