from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.engine.played_match import DECK, play

from ginref.engine.card import PACK, CardSet
from ginref.engine.error import Breach, IllegalMoveError
from ginref.engine.match import (
    Ending,
    Match,
    MatchOver,
    RoundSummary,
    abandon,
    apply,
    forfeit,
    legal_moves,
    start_match,
)
from ginref.engine.move import parse_move
from ginref.engine.ruleset import GIN, HOLLYWOOD, NextDealer, Ruleset
from ginref.engine.seat import Seat
from ginref.engine.showdown import Outcome

NORTH, SOUTH = Seat.NORTH, Seat.SOUTH
SEATS = (NORTH, SOUTH)

# Gin with the upcard for the non-dealer, who throws the king of clubs.
GIN_HAND = "5h 5d 5c 4s 5s 6s 9h Th Jh Kc"
LOOSE = "As 2c 3d 4c 8s 9d Jc Qs Kh 7d"


@pytest.fixture
def gin_deck(deal_from: Callable[..., DECK]) -> DECK:
    """A deck that gives the non-dealer gin at once: 25 and 64 points."""
    return deal_from(GIN_HAND, LOOSE, "8h", "2h 3h")


def start(deck: DECK, rules: Ruleset = HOLLYWOOD, dealer: Seat = NORTH) -> Match:
    return start_match(rules, SEATS, dealer, lambda _k: deck)


def win_round(match: Match, deck: DECK) -> Match:
    return play(match, deck, "draw_upcard", "knock Kc")


def draw_round(match: Match, deck: DECK) -> Match:
    """Meet the turn limit of 2 without a knock."""
    return play(
        match, deck, "pass", "pass", *("draw_stock", "discard 2h"),
        *("draw_stock", "discard 3h"),
    )  # fmt: skip


def test_a_knock_deals_the_next_round_at_once(gin_deck: DECK) -> None:
    match = win_round(start(gin_deck), gin_deck)

    assert match.round_number == 2
    assert match.deal_number == 1
    assert match.dealer is SOUTH
    assert match.to_act is NORTH
    assert match.sheet.games[0].totals == (0, 89)
    assert match.history == (RoundSummary(1, NORTH, Outcome.GIN, SOUTH, 89, (0,)),)
    assert match.last_result is not None
    assert match.last_result.points == 89


def test_decks_are_asked_for_by_the_number_of_the_deal(gin_deck: DECK) -> None:
    asked = []

    def deck_for(k: int) -> DECK:
        asked.append(k)
        return gin_deck

    match = start_match(GIN.but(turn_limit=2, game_target=150), SEATS, NORTH, deck_for)
    for text in ("pass", "pass", "draw_stock", "discard 2h", "draw_stock"):
        assert match.to_act is not None
        match = apply(match, match.to_act, parse_move(text), deck_for)
    assert asked == [0]
    match = apply(match, NORTH, parse_move("discard 3h"), deck_for)
    assert asked == [0, 1]
    for text in ("draw_upcard", "knock Kc"):
        match = apply(match, SOUTH, parse_move(text), deck_for)

    assert asked == [0, 1, 2]
    assert match.deal_number == 2


def test_a_drawn_round_scores_nothing_and_keeps_its_dealer(gin_deck: DECK) -> None:
    match = start(gin_deck, HOLLYWOOD.but(turn_limit=2))

    match = draw_round(match, gin_deck)

    assert match.round_number == 2
    assert match.dealer is NORTH
    assert match.sheet.points == match.sheet.wins == (0, 0)
    assert match.history == (RoundSummary(1, NORTH, Outcome.TURN_CAP, None, 0, ()),)
    assert match.last_result is not None
    assert match.last_result.showdown is None


@pytest.mark.parametrize(
    ("next_dealer", "dealers"),
    [
        pytest.param(NextDealer.WINNER, [NORTH, SOUTH, NORTH, NORTH], id="winner"),
        pytest.param(NextDealer.ALTERNATE, [NORTH, SOUTH, NORTH, NORTH], id="by turns"),
    ],
)
def test_the_deal_moves_on_after_a_scored_round(
    gin_deck: DECK, next_dealer: NextDealer, dealers: list[Seat]
) -> None:
    rules = HOLLYWOOD.but(next_dealer=next_dealer, turn_limit=2)
    match = start(gin_deck, rules)
    met = [match.dealer]

    for end_round in (win_round, win_round, draw_round):
        match = end_round(match, gin_deck)
        met.append(match.dealer)

    assert met == dealers


def test_alternate_dealing_ignores_who_won(deal_from: Callable[..., DECK]) -> None:
    # The dealer wins: by turns the other seat deals next.
    deck = deal_from(LOOSE, GIN_HAND, "8h")
    rules = HOLLYWOOD.but(next_dealer=NextDealer.ALTERNATE)

    match = play(start(deck, rules), deck, "pass", "draw_upcard", "knock Kc")

    assert match.history[-1].winner is NORTH
    assert match.dealer is SOUTH


def test_a_game_of_gin_ends_at_the_target(gin_deck: DECK) -> None:
    match = start(gin_deck, GIN.but(game_target=89))

    match = win_round(match, gin_deck)

    assert match.over == MatchOver(SOUTH, Ending.COMPLETED)
    assert match.to_act is None
    assert match.round_number == 1
    assert match.sheet.games[0].winner is SOUTH


def test_a_match_out_of_rounds_is_decided(gin_deck: DECK) -> None:
    rules = HOLLYWOOD.but(round_limit=2, turn_limit=2)

    match = draw_round(win_round(start(gin_deck, rules), gin_deck), gin_deck)

    assert match.over == MatchOver(SOUTH, Ending.ROUND_CAP)
    assert match.round_number == 2
    assert len(match.history) == 2


def test_a_match_out_of_rounds_may_be_drawn(gin_deck: DECK) -> None:
    rules = HOLLYWOOD.but(round_limit=1, turn_limit=2)

    match = draw_round(start(gin_deck, rules), gin_deck)

    assert match.over == MatchOver(None, Ending.ROUND_CAP)


def test_the_last_round_may_still_complete_the_match(gin_deck: DECK) -> None:
    rules = GIN.but(round_limit=1, game_target=89)

    match = win_round(start(gin_deck, rules), gin_deck)

    assert match.over == MatchOver(SOUTH, Ending.COMPLETED)


def test_a_finished_match_takes_no_move(gin_deck: DECK) -> None:
    match = win_round(start(gin_deck, GIN.but(game_target=89)), gin_deck)

    for seat in SEATS:
        assert legal_moves(match, seat) == ()
        with pytest.raises(IllegalMoveError) as refused:
            apply(match, seat, parse_move("draw_stock"), lambda _k: gin_deck)
        assert refused.value.breach is Breach.MATCH_OVER
    with pytest.raises(IllegalMoveError) as refused:
        forfeit(match, [NORTH])
    assert refused.value.breach is Breach.MATCH_OVER
    with pytest.raises(IllegalMoveError) as refused:
        abandon(match)
    assert refused.value.breach is Breach.MATCH_OVER


def test_a_forfeit_loses_every_open_game_and_the_match(gin_deck: DECK) -> None:
    match = win_round(start(gin_deck), gin_deck)

    ended = forfeit(match, [SOUTH])

    assert ended.over == MatchOver(NORTH, Ending.FORFEIT, (SOUTH,))
    assert [game.winner for game in ended.sheet.games] == [NORTH] * 3
    assert ended.sheet.games[0].totals == (0, 89)
    assert ended.to_act is None


@pytest.fixture
def two_games_to_none(deal_from: Callable[..., DECK]) -> Match:
    """South has won two games; South deals, and North holds gin."""
    to_non_dealer = deal_from(GIN_HAND, LOOSE, "8h")
    to_dealer = deal_from(LOOSE, GIN_HAND, "8h")
    match = win_round(start(to_non_dealer), to_dealer)
    for next_deck in (to_dealer, to_non_dealer):
        match = play(match, next_deck, "pass", "draw_upcard", "knock Kc")
    assert match.sheet.games_won == (0, 2)
    return match


def test_a_forfeit_loses_the_match_even_with_two_games_won(
    two_games_to_none: Match,
) -> None:
    ended = forfeit(two_games_to_none, [SOUTH])

    assert ended.over == MatchOver(NORTH, Ending.FORFEIT, (SOUTH,))
    assert [game.winner for game in ended.sheet.games] == [SOUTH, SOUTH, NORTH]


def test_the_last_game_does_not_decide_the_match(
    two_games_to_none: Match, deal_from: Callable[..., DECK]
) -> None:
    to_dealer = deal_from(LOOSE, GIN_HAND, "8h")
    match = win_round(two_games_to_none, to_dealer)
    match = play(match, to_dealer, "pass", "draw_upcard", "knock Kc")

    assert match.history[-1].winner is NORTH
    assert match.sheet.games[2].winner is NORTH
    assert match.over == MatchOver(SOUTH, Ending.COMPLETED)


def test_nobody_wins_when_both_forfeit(gin_deck: DECK) -> None:
    match = start(gin_deck)

    ended = forfeit(match, [SOUTH, NORTH])

    assert ended.over == MatchOver(None, Ending.FORFEIT, (NORTH, SOUTH))
    assert ended.sheet == match.sheet


@pytest.mark.parametrize("at_fault", [[], [Seat.EAST]])
def test_a_forfeit_is_somebodys_at_the_table(
    gin_deck: DECK, at_fault: list[Seat]
) -> None:
    with pytest.raises(ValueError, match="at fault"):
        forfeit(start(gin_deck), at_fault)


def test_an_abandoned_match_has_no_winner(gin_deck: DECK) -> None:
    match = win_round(start(gin_deck), gin_deck)

    ended = abandon(match)

    assert ended.over == MatchOver(None, Ending.ABANDONED)
    assert ended.sheet == match.sheet


@pytest.mark.parametrize(
    ("seats", "dealer"),
    [
        pytest.param((NORTH,), NORTH, id="one seat"),
        pytest.param((SOUTH, NORTH), NORTH, id="out of order"),
        pytest.param((NORTH, SOUTH, Seat.EAST), NORTH, id="three seats"),
        pytest.param(SEATS, Seat.EAST, id="a dealer from elsewhere"),
    ],
)
def test_a_match_needs_the_seats_of_its_table(
    seats: tuple[Seat, ...], dealer: Seat
) -> None:
    with pytest.raises(ValueError, match="no table"):
        start_match(GIN, seats, dealer, lambda _k: PACK)


@given(st.integers(0, 10_000), st.integers(0, 900))
@settings(max_examples=40)
def test_the_history_adds_up_to_the_sheet(
    reach: Callable[..., Match], seed: int, moves: int
) -> None:
    match = reach(seed, moves)

    for seat in SEATS:
        won = [summary for summary in match.history if summary.winner is seat]
        assert match.sheet.wins[seat] == len(won)
        assert match.sheet.points[seat] == sum(
            summary.points * len(summary.columns) for summary in won
        )
    numbers = [summary.number for summary in match.history]
    assert numbers == list(range(1, len(numbers) + 1))
    assert match.round_number == len(numbers) + (match.over is None)
    dealers = [summary.dealer for summary in match.history]
    for summary, dealer in zip(
        match.history, [*dealers[1:], match.dealer], strict=False
    ):
        drawn = summary.winner is None
        assert match.over or dealer is (summary.dealer if drawn else summary.winner)


@given(st.integers(0, 10_000))
@settings(max_examples=15)
def test_a_match_played_out_has_a_winner_by_the_sheet(
    reach: Callable[..., Match], seed: int
) -> None:
    match = reach(seed, 5000)

    assert match.over is not None
    assert match.over.how is Ending.COMPLETED
    assert match.over.winner is match.sheet.winner
    assert not any(game.is_open for game in match.sheet.games)
    result = match.last_result
    assert result is not None
    assert result.showdown is not None
    hands = [result.showdown.hand(seat) for seat in SEATS]
    assert hands[0] & hands[1] == CardSet()


def test_an_ending_is_written_in_one_way() -> None:
    # Written matches hold these words.
    assert " ".join(Ending) == "completed round_cap forfeit abandoned"
