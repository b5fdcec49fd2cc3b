"""Faults that other gin rummy programs had: rounds, matches, views and sheets.

Each comment names the project, and its issue, commit or file.
"""

import random
from collections.abc import Callable

import pytest
from tests.unit.engine.played_match import DECK, play, started

from ginref.engine.card import PACK, Card, CardSet
from ginref.engine.deck import derive_deck, seed_secret
from ginref.engine.error import Breach, IllegalMoveError, NotationError
from ginref.engine.match import Match, apply, legal_moves, start_match
from ginref.engine.move import DRAW_STOCK, DRAW_UPCARD, Discard, Knock, parse_move
from ginref.engine.round import deal
from ginref.engine.ruleset import GIN, HOLLYWOOD, OKLAHOMA, Ruleset
from ginref.engine.seat import Seat
from ginref.engine.sheet import ScoreSheet, enter, is_over, open_sheet
from ginref.engine.showdown import Outcome
from ginref.engine.view import public_view, view_for

DealFrom = Callable[..., DECK]
NORTH, SOUTH = Seat.NORTH, Seat.SOUTH
SEATS = (NORTH, SOUTH)

# The non-dealer knocks with two points at once, by throwing the king of hearts.
KNOCKER = "7s 7h 7d Ts Th Td 5c 6c 7c Kh"
LOOSE = "4s 9s Qs Ks Ah Qh Qd Kd 3d Jc"

card = Card.parse
hand = CardSet.parse


def cards_of(match: Match) -> list[Card]:
    """Every card of the round, wherever it lies."""
    round_ = match.round
    piles = [*round_.pile, *round_.deck[round_.drawn :]]
    return sorted([*piles, *round_.hands[0], *round_.hands[1]])


def refused(match: Match, text: str) -> Breach:
    assert match.to_act is not None
    before = repr(match)
    with pytest.raises(IllegalMoveError) as error:
        play(match, match.round.deck, text)
    assert repr(match) == before
    return error.value.breach


@pytest.fixture
def deck(deal_from: DealFrom) -> DECK:
    return deal_from(KNOCKER, LOOSE, "2s", "As 8d 9h")


# open_spiel commit 73fdb83f: every seed was cut to zero, and every shuffle the same.
def test_every_seed_has_a_deal_of_its_own_and_the_same_one_each_time() -> None:
    seeds = [seed_secret(str(number)) for number in range(100)]

    decks = {derive_deck(seed, 0) for seed in seeds}

    assert len(decks) == 100
    assert decks == {derive_deck(seed, 0) for seed in seeds}


# open_spiel#1604: the knocker's view held the defender's hand before it was spread.
def test_a_knocker_sees_the_defenders_cards_when_the_knock_is_done(deck: DECK) -> None:
    match = started(deck, "pass", "pass", "draw_stock")
    hidden = match.round.hand(NORTH)

    before, after = view_for(match, SOUTH), play(match, deck, "knock Kh")

    assert not before.opponents[0].known & hidden
    assert hidden - before.unseen == CardSet()
    assert before.last_result is None
    reveal = view_for(after, SOUTH).last_result
    assert reveal is not None
    assert reveal.showdown.defender_hand == hidden


# open_spiel commit 43f04416: a single card laid off was shown for one seat only.
# tneller/gin-rummy-eaai commits 5febbfd and 6ee58d4: the defender's melds and layoffs
# did not reach the seats.
@pytest.mark.parametrize("dealer", SEATS, ids=str)
def test_every_seat_sees_the_defenders_melds_and_a_single_layoff(
    deal_from: DealFrom, dealer: Seat
) -> None:
    dealt = deal_from(KNOCKER, "8s 8h 8d 4c 2d 9s Qs Ks Ah Jd", "2s", "As 9h")
    match = start_match(GIN, SEATS, dealer, lambda _k: dealt)

    match = play(match, dealt, "pass", "pass", "draw_stock", "knock Kh")

    views = [view_for(match, seat) for seat in SEATS]
    for view in [*views, public_view(match)]:
        assert view.last_result is not None
        spread = view.last_result.showdown.spread
        assert [str(layoff.card) for layoff in spread.layoffs] == ["4c"]
        assert [str(meld) for meld in spread.melds] == ["8s8h8d"]


# Kaggle/kaggle-environments#1191 (1): the knocker's melds and deadwood were missing.
def test_a_defender_is_shown_all_that_a_layoff_depends_on(deck: DECK) -> None:
    match = started(deck, "pass", "pass", "draw_stock", "knock Kh")

    reveal = view_for(match, NORTH).last_result

    assert reveal is not None
    laid = reveal.showdown.arrangement
    assert {str(meld) for meld in laid.melds} == {"7s7h7d", "TsThTd", "5c6c7c"}
    assert laid.deadwood == hand("As")
    assert laid.points == 1
    assert reveal.showdown.discard is card("Kh")


# Kaggle/kaggle-environments#1191 (3): the end of the stock looked like a knock.
# rlcard#81, Farama-Foundation/PettingZoo#26: its scores could not be told.
def test_two_cards_left_end_the_round_without_a_knock_or_a_score(deck: DECK) -> None:
    match = started(deck, "pass", "pass")
    while match.round_number == 1:
        seat = match.to_act
        assert seat is not None
        throw = next(
            (move for move in legal_moves(match, seat) if isinstance(move, Discard)),
            DRAW_STOCK,
        )
        match = apply(match, seat, throw, lambda _k: deck)

    (summary,) = match.history
    assert (summary.outcome, summary.winner, summary.points) == (Outcome.WALL, None, 0)
    assert view_for(match, NORTH).last_result is None
    assert match.sheet.points == (0, 0)
    assert match.dealer is NORTH


# Kaggle/kaggle-environments#1191 (2), #1083: the limit was that of another deal.
def test_every_view_has_the_knock_limit_of_its_own_deal(deal_from: DealFrom) -> None:
    four = deal_from(KNOCKER, LOOSE, "4d", "As 8d")
    king = deal_from(KNOCKER, LOOSE, "Kc", "As 8d")

    def deck_for(k: int) -> DECK:
        return (four, king)[k]

    match = start_match(OKLAHOMA, SEATS, NORTH, deck_for)
    limits = []
    for text in ("draw_upcard", "discard Kh", "draw_stock", "discard Ks"):
        seat = match.to_act
        assert seat is not None
        limits.append(view_for(match, seat).knock_limit)
        match = apply(match, seat, parse_move(text), deck_for)
    match = apply(match, SOUTH, DRAW_STOCK, deck_for)
    match = apply(match, SOUTH, Knock(card("8d")), deck_for)

    assert limits == [4, 4, 4, 4]
    assert [view_for(match, seat).knock_limit for seat in SEATS] == [10, 10]
    assert public_view(started(four)).knock_limit == 10


# rlcard commit 007580d (#93): eleven cards stayed in a gin hand.
def test_gin_leaves_ten_cards_and_throws_the_eleventh(deal_from: DealFrom) -> None:
    loose = "4s 9s Qs Ks Ah 2h 8d 9d 3d Jc"
    dealt = deal_from("4h 5h 6h 7h Qc Qd Qh Kc Kd Kh", loose, "2s", "3c")
    match = started(dealt, "pass", "pass", "draw_stock")

    after = play(match, dealt, "knock 3c")

    assert after.last_result is not None
    assert after.last_result.outcome is Outcome.GIN
    shown = after.last_result.showdown
    assert shown is not None
    assert len(shown.knocker_hand) == len(shown.defender_hand) == 10
    assert shown.discard is card("3c")
    assert not shown.knocker_hand & shown.defender_hand


# rlcard#247: both seats went on taking the discard for ever.
def test_taking_the_discard_for_ever_ends_the_round_undecided(deck: DECK) -> None:
    chance, match = random.Random(1), started(deck, "draw_upcard")
    turns = 0
    while match.round_number == 1:
        seat = match.to_act
        assert seat is not None
        throws = [
            move for move in legal_moves(match, seat) if isinstance(move, Discard)
        ]
        turns += bool(throws)
        move = chance.choice(throws) if throws else DRAW_UPCARD
        match = apply(match, seat, move, lambda _k: deck)

    assert turns == GIN.turn_limit == 200
    assert match.history[0].outcome is Outcome.TURN_CAP
    assert match.dealer is NORTH


# ichabod801/t_games#379: cards were lost when a knock was called off.
def test_a_knock_above_the_limit_costs_nothing(deck: DECK) -> None:
    match = started(deck, "draw_upcard")
    before = cards_of(match)

    assert refused(match, "knock Kh 7s7h7d 5c6c7c") is Breach.KNOCK_ABOVE_LIMIT
    assert len(match.round.hand(SOUTH)) == 11
    assert refused(match, "discard 2s") is Breach.TAKEN_CARD_RETURNED
    after = play(match, deck, "discard Kh")
    assert after.round.upcard is card("Kh")
    assert cards_of(after) == before == list(PACK)


# ichabod801/t_games commit c6cb01e (#483): the options were lost with the next deal.
def test_the_options_hold_in_every_deal_of_a_match(deal_from: DealFrom) -> None:
    dealt = deal_from("7s 7h 7d Ts Th Td 5c 6c 7c 8c", LOOSE, "2s", "2c")
    rules = GIN.but(name="twenty", gin_bonus=20, game_target=1000)
    match = started(dealt, rules=rules)

    for _ in range(2):
        match = play(match, dealt, "pass", "pass", "draw_stock", "knock 2c")

    assert [summary.outcome for summary in match.history] == [Outcome.GIN] * 2
    assert [summary.points for summary in match.history] == [20 + 47] * 2


# ichabod801/t_games#488: an empty line ended the program.
@pytest.mark.parametrize("text", ["", " ", "\n"])
def test_an_empty_line_is_no_move(text: str) -> None:
    with pytest.raises(NotationError):
        parse_move(text)


# tneller/gin-rummy-eaai#2, commit 5febbfd: the upcard was on offer a third time.
def test_an_upcard_that_both_seats_refused_is_not_offered_again(deck: DECK) -> None:
    match = started(deck, "pass", "pass")

    assert legal_moves(match, SOUTH) == (DRAW_STOCK,)
    assert refused(match, "draw_upcard") is Breach.UPCARD_REFUSED_TWICE
    assert refused(match, "pass") is Breach.WRONG_PHASE


# AnthonyHein/GinRummyEAAI-Python GinRummyGame.py: bots were handed the referee's list.
def test_what_a_bot_does_with_its_cards_changes_nothing(deck: DECK) -> None:
    cards = list(deck)
    round_ = deal(GIN, cards, NORTH, SOUTH)
    before = repr(round_)

    cards.clear()
    mine = list(round_.hand(SOUTH))
    mine.clear()

    assert repr(round_) == before
    view = view_for(started(deck), SOUTH)
    assert isinstance(view.hand, CardSet)
    assert isinstance(view.legal, tuple)
    with pytest.raises(AttributeError):
        view.hand.mask = 0


# saint2706/Games: who took the upcard drew another card.
def test_the_upcard_is_the_draw_of_its_turn(deck: DECK) -> None:
    match = started(deck, "draw_upcard")

    assert refused(match, "draw_stock") is Breach.WRONG_PHASE
    assert refused(match, "draw_upcard") is Breach.WRONG_PHASE
    assert len(match.round.hand(SOUTH)) == 11


# saint2706/Games: seats dealt by turns, whoever had won.
@pytest.mark.parametrize("first", SEATS, ids=str)
def test_the_winner_of_a_round_deals_the_next_one(deck: DECK, first: Seat) -> None:
    match = start_match(HOLLYWOOD, SEATS, first, lambda _k: deck)
    winner = match.to_act

    match = play(match, deck, "pass", "pass", "draw_stock", "knock Kh")

    assert match.dealer is winner
    assert match.to_act is first


# damr-/rummy#8: a draw took a card from another hand, too.
def test_a_draw_takes_one_card_from_one_place(deck: DECK) -> None:
    match = started(deck, "pass", "pass")

    after = play(match, deck, "draw_stock")

    assert after.round.hand(SOUTH) - match.round.hand(SOUTH) == hand("As")
    assert after.round.hand(NORTH) == match.round.hand(NORTH)
    assert after.round.stock_count == match.round.stock_count - 1
    assert cards_of(after) == cards_of(match) == list(PACK)


# jdh8/gin-rummy docs/DESIGN.md: a knock may leave two cards in the stock.
def test_a_knock_with_the_last_card_to_be_drawn_is_scored(deck: DECK) -> None:
    match = started(deck, "pass", "pass")
    while match.round.stock_count > 2:
        match = play(match, deck, "draw_stock")
        if match.round.stock_count == 2:
            break
        assert match.to_act is not None
        drawn = view_for(match, match.to_act).drawn
        match = play(match, deck, f"discard {drawn}")

    after = play(match, deck, "knock Kh 7s7h7d TsThTd 5c6c7c")

    assert after.history[0].outcome is Outcome.KNOCK
    assert after.history[0].winner is SOUTH


# --- the sheet -------------------------------------------------------------------


def entered(rules: Ruleset, *wins: tuple[Seat, int]) -> ScoreSheet:
    sheet = open_sheet(rules)
    for number, (seat, points) in enumerate(wins, 1):
        sheet = enter(sheet, rules, seat, points, number)
    return sheet


# ichabod801/t_games game_score(): the box bonus was announced and not added.
def test_each_box_of_a_game_is_worth_its_bonus() -> None:
    rules = GIN.but(name="boxes", line_bonus=25, game_bonus=100)

    sheet = entered(
        rules,
        (NORTH, 40),
        (SOUTH, 30),
        (NORTH, 40),
        (SOUTH, 10),
        (NORTH, 25),
    )

    (game,) = sheet.games
    assert game.totals == (105, 40)
    assert game.settlement is not None
    assert game.settlement.totals == (280, 90)


# ichabod801/t_games game_score(): what was taken off depended on who came first.
def test_a_settlement_is_the_same_for_both_orders_of_seats() -> None:
    rules = GIN.but(name="boxes", game_bonus=100, shutout="double_total")
    wins = [(NORTH, 40), (SOUTH, 40), (NORTH, 65)]
    one = entered(rules, *wins).games[0].settlement
    other = entered(rules, *((SEATS[1 - seat], n) for seat, n in wins)).games[0]

    assert one is not None
    assert other.settlement is not None
    assert one.totals == other.settlement.totals[::-1] == (205, 40)
    assert one.balances == other.settlement.balances[::-1] == (165, -165)


# ichabod801/t_games update_score(): a win of nothing was no win.
def test_a_win_of_no_points_counts_for_the_next_column() -> None:
    rules = HOLLYWOOD.but(name="no bonus", undercut_bonus=0)

    sheet = entered(rules, (NORTH, 0), (NORTH, 12))

    assert [game.total(NORTH) for game in sheet.games] == [12, 12, 0]


# matthewvolk/hollywood-gin-scorecard game-dashboard.tsx: closed games went on.
def test_a_closed_game_keeps_its_winner_whatever_follows() -> None:
    sheet = entered(
        HOLLYWOOD, (NORTH, 60), (SOUTH, 59), (NORTH, 45), (SOUTH, 70), (SOUTH, 80)
    )

    assert [game.totals for game in sheet.games] == [(105, 59), (45, 150), (0, 80)]
    assert [game.winner for game in sheet.games] == [NORTH, SOUTH, None]
    assert [game.closed_in_round for game in sheet.games] == [3, 5, None]


# SaiMahitVaddadi/GinRummySimulator: Hollywood was the sum of three rounds.
def test_a_seats_first_win_is_in_one_game_and_its_third_in_three() -> None:
    sheet = entered(HOLLYWOOD, (NORTH, 10), (SOUTH, 18), (NORTH, 30), (NORTH, 4))

    assert [game.totals for game in sheet.games] == [(44, 18), (34, 0), (4, 0)]


# SibylLab/Program-Wars#486: bonuses counted towards the target.
def test_a_bonus_ends_no_game() -> None:
    rules = GIN.but(name="boxes", line_bonus=25)

    sheet = entered(rules, (NORTH, 50), (NORTH, 40))

    assert sheet.games[0].is_open
    assert not is_over(sheet, rules)
    assert sheet.games[0].total(NORTH) == 90
