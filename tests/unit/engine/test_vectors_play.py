"""Rounds, matches and score sheets against numbers computed elsewhere."""

from typing import Any

import pytest
from tests.unit.engine.golden_vectors import vectors

from ginref.engine.card import PACK, Card, CardSet
from ginref.engine.error import IllegalMoveError
from ginref.engine.match import Match, apply, start_match
from ginref.engine.match import legal_moves as legal_moves_of_match
from ginref.engine.move import (
    DRAW_STOCK,
    DRAW_UPCARD,
    PASS,
    Discard,
    Knock,
    Move,
    move_kind,
)
from ginref.engine.phase import RoundOver, Throw
from ginref.engine.round import (
    Round,
    apply_move,
    deal,
    knock_limit,
    legal_moves,
    multiplier,
)
from ginref.engine.ruleset import (
    GIN,
    HOLLYWOOD,
    OKLAHOMA,
    AceLimit,
    ClosedPolicy,
    Ruleset,
    Stop,
)
from ginref.engine.seat import Seat
from ginref.engine.sheet import ScoreSheet, enter, is_over, next_columns, open_sheet

NON_DEALER, DEALER = Seat.NORTH, Seat.SOUTH
SEATS = {"N": NON_DEALER, "D": DEALER}
LETTERS = {NON_DEALER: "N", DEALER: "D", None: None}
OPTIONS = {"taken_may_return": "may_discard_taken_card", "wall": "wall"}
BREACHES = {
    "not_your_turn": "not_your_turn",
    "wrong_phase": "wrong_phase",
    "must_draw_stock": "upcard_refused_twice",
    "cannot_discard_taken_card": "taken_card_returned",
    "card_not_in_hand": "card_not_in_hand",
    "deadwood_above_limit": "knock_above_limit",
    "round_over": "wrong_phase",
}


def rules_of(given: dict[str, Any]) -> Ruleset:
    return GIN.but(**{OPTIONS[key]: value for key, value in given["options"].items()})


def round_of(given: dict[str, Any], rules: Ruleset) -> Round:
    hands = zip(given["hands"]["N"], given["hands"]["D"], strict=True)
    deck = [card for pair in hands for card in pair]
    deck += [given["upcard"], *given["stock_top_first"]]
    return deal(rules, [Card.parse(text) for text in deck], DEALER, NON_DEALER)


def move_of(action: str, card: str | None) -> Move:
    plain: dict[str, Move] = {
        "pass": PASS,
        "draw_stock": DRAW_STOCK,
        "take_upcard": DRAW_UPCARD,
        "take_discard": DRAW_UPCARD,
    }
    if card is None:
        return plain[action]
    thrown = Card.parse(card)
    return Discard(thrown) if action == "discard" else Knock(thrown)


def play(round_: Round, rules: Ruleset, seat: Seat, move: Move) -> tuple[Round, str]:
    try:
        return apply_move(round_, rules, seat, move), "ok"
    except IllegalMoveError as refusal:
        return round_, refusal.breach


def legal_kinds(round_: Round, rules: Ruleset) -> set[str]:
    if round_.to_act is None:
        return set()
    return {move_kind(move) for move in legal_moves(round_, rules, round_.to_act)}


def kinds_of(actions: list[str]) -> set[str]:
    taking = {"take_upcard": "draw_upcard", "take_discard": "draw_upcard"}
    return {taking.get(action, action) for action in actions}


def result_of(round_: Round) -> list[Any] | None:
    if not isinstance(round_.phase, RoundOver):
        return None
    result = round_.phase.result
    if result.showdown is None:
        return ["draw", None, None]
    knocker = result.showdown.knocker
    return ["knock", LETTERS[knocker], result.showdown.deadwood(knocker)]


@pytest.mark.parametrize(("given", "expect"), vectors("turns"))
def test_a_scripted_round_goes_step_by_step(
    given: dict[str, Any], expect: dict[str, Any]
) -> None:
    rules = rules_of(given)
    round_ = round_of(given, rules)

    for step in expect["steps"]:
        before, after = step["before"], step["after"]
        assert round_.phase.name == before["phase"]
        assert LETTERS[round_.to_act] == before["turn"]
        assert legal_kinds(round_, rules) == kinds_of(before["legal"])

        move = move_of(step["action"], step["card"])
        round_, answer = play(round_, rules, SEATS[step["actor"]], move)

        assert answer == BREACHES.get(step["result"], "ok")
        assert round_.phase.name == after["phase"]
        assert LETTERS[round_.to_act] == after["turn"]
        assert legal_kinds(round_, rules) == kinds_of(after["legal"])
        assert round_.stock_count == after["stock"]
        top = after["discard_top"]
        assert round_.upcard is (None if top is None else Card.parse(top))
    assert result_of(round_) == expect["result"]


@pytest.mark.parametrize(("given", "expect"), vectors("wall"))
def test_the_wall_ends_a_round(given: dict[str, Any], expect: dict[str, Any]) -> None:
    rules = rules_of(given)
    round_ = round_of(given, rules)
    answers = []

    for actor, action, *card in given["script"]:
        move = move_of(action, *card or [None])
        round_, answer = play(round_, rules, SEATS[actor], move)
        answers.append(answer)

    assert answers == [BREACHES.get(each, each) for each in expect["action_results"]]
    assert round_.stock_count == expect["stock_left"]
    assert round_.phase.name == expect["phase"]
    assert result_of(round_) == expect["result"]


@pytest.mark.parametrize(("given", "expect"), vectors("wall"))
def test_the_next_round_has_the_right_dealer(
    given: dict[str, Any], expect: dict[str, Any]
) -> None:
    rules = rules_of(given)
    deck = round_of(given, rules).deck
    match = start_match(rules, (NON_DEALER, DEALER), DEALER, lambda _k: deck)

    for actor, action, *card in given["script"]:
        if match.round_number > 1:
            break
        move = move_of(action, *card or [None])
        match = apply(match, SEATS[actor], move, lambda _k: deck)

    assert match.dealer is SEATS[expect["next_dealer"]]
    assert match.to_act is not None
    assert legal_moves_of_match(match, match.to_act)


@pytest.mark.parametrize(("given", "expect"), vectors("deal"))
def test_cards_are_dealt_by_turns(
    given: dict[str, Any], expect: dict[str, Any]
) -> None:
    deck = [Card.parse(text) for text in given["deck_top_first"]]

    round_ = deal(GIN, deck, DEALER, NON_DEALER)

    assert round_.hand(NON_DEALER) == CardSet.of(map(Card.parse, expect["non_dealer"]))
    assert round_.hand(DEALER) == CardSet.of(map(Card.parse, expect["dealer"]))
    assert round_.upcard is round_.first_upcard is Card.parse(expect["upcard"])
    stock = [Card.parse(text) for text in expect["stock_top_first"]]
    assert list(round_.deck[round_.drawn :]) == stock
    assert round_.stock_count == expect["stock_size"]


# The first hand is gin and the other one melds nothing.
STRONG = "As 2s 3s 4s 5h 6h 7h 8d 9d Td"
WEAK = "Kh Qd Jc 9h 8s 6c 4d 2h Th 7s"


def deck_for_winner(dealer: Seat, winner: Seat | None) -> tuple[Card, ...]:
    strong, weak = CardSet.parse(STRONG), CardSet.parse(WEAK)
    to_non_dealer = winner is not dealer
    hands = (strong, weak) if to_non_dealer else (weak, strong)
    dealt = [card for pair in zip(*hands, strict=True) for card in pair]
    return (*dealt, *(card for card in PACK if card not in dealt))


def wait_to_knock(match: Match, winner: Seat | None) -> tuple[Seat, Move]:
    """Draw from the stock and throw it again, but for the winner, who knocks."""
    seat = match.to_act
    assert seat is not None
    moves = legal_moves_of_match(match, seat)
    if isinstance(match.round.phase, Throw):
        back = match.round.phase.drawn
        return seat, Knock(back) if seat is winner else Discard(back)
    return seat, PASS if PASS in moves else DRAW_STOCK


@pytest.mark.parametrize(("given", "expect"), vectors("dealer"))
def test_the_winner_deals_and_a_drawn_round_keeps_its_dealer(
    given: dict[str, Any], expect: dict[str, Any]
) -> None:
    seats = {"A": Seat.NORTH, "B": Seat.SOUTH, None: None}
    winners = [seats[name] for name in given["round_winners"]]
    dealers = [seats[name] for name in expect["dealers"]]
    # Winners of decks to come; the last round is dealt and not played.
    decks = [
        deck_for_winner(dealer or Seat.NORTH, winner)
        for dealer, winner in zip(dealers, [*winners, None], strict=True)
    ]
    rules = GIN.but(game_target=10_000)
    first_dealer = seats[given["first_dealer"]]
    assert first_dealer is not None
    match = start_match(rules, tuple(Seat)[:2], first_dealer, decks.__getitem__)
    met = [match.dealer]

    for winner in winners:
        number = match.round_number
        while match.round_number == number:
            match = apply(match, *wait_to_knock(match, winner), decks.__getitem__)
        assert match.history[-1].winner is winner
        met.append(match.dealer)

    assert met == dealers


@pytest.mark.parametrize(("given", "expect"), vectors("game"))
def test_a_game_goes_to_its_target(
    given: dict[str, Any], expect: dict[str, Any]
) -> None:
    rules = GIN.but(game_target=given["target"])
    seats = {"A": Seat.NORTH, "B": Seat.SOUTH}

    sheet, used = enter_rounds(rules, given["rounds"], seats)

    won = sheet.games[0].winner
    assert {name: sheet.games[0].total(seats[name]) for name in expect["scores"]} == (
        expect["scores"]
    )
    assert {name: sheet.wins[seats[name]] for name in expect["boxes"]} == (
        expect["boxes"]
    )
    assert won == (seats[expect["winner"]] if expect["winner"] else None)
    assert used == expect["rounds_used"]


def enter_rounds(
    rules: Ruleset, rounds: list[dict[str, Any]], seats: dict[str, Seat]
) -> tuple[ScoreSheet, int]:
    sheet, used = open_sheet(rules), 0
    for entry in rounds:
        if is_over(sheet, rules):
            break
        used += 1
        if entry["winner"]:
            winner = seats[entry["winner"]]
            sheet = enter(sheet, rules, winner, entry["points"], used)
    return sheet, used


@pytest.mark.parametrize(("given", "expect"), vectors("hollywood"))
def test_a_hollywood_sheet_is_kept(
    given: dict[str, Any], expect: dict[str, Any]
) -> None:
    rules = HOLLYWOOD.but(
        game_target=given["target"],
        closed_policy=ClosedPolicy(given["closed_policy"]),
        stop=Stop(given["stop"]),
    )
    seats = dict(zip(given["players"], Seat, strict=False))
    names = {seat: name for name, seat in seats.items()}

    def scores(sheet: ScoreSheet) -> dict[str, list[int]]:
        return {
            name: [game.total(seat) for game in sheet.games]
            for name, seat in seats.items()
        }

    def won(sheet: ScoreSheet) -> dict[str, int]:
        return {name: sheet.games_won[seat] for name, seat in seats.items()}

    sheet = open_sheet(rules)
    over_after = None
    for logged in expect["log"]:
        winner = seats.get(logged["winner"])
        if winner is not None:
            columns = next_columns(sheet, rules, winner)
            assert [at + 1 for at in columns] == logged["credited_games"]
            sheet = enter(sheet, rules, winner, logged["points"], logged["round"])
        assert scores(sheet) == logged["scores"]
        assert won(sheet) == logged["games_won"]
        if is_over(sheet, rules):
            over_after = logged["round"]
            break

    winners = [game.winner for game in sheet.games]
    assert scores(sheet) == expect["scores"]
    assert [winner if winner is None else names[winner] for winner in winners] == (
        expect["game_winners"]
    )
    assert [game.closed_in_round for game in sheet.games] == expect["closed_by_round"]
    assert won(sheet) == expect["games_won"]
    winner = seats.get(expect["match_winner"])
    assert sheet.winner is winner
    assert over_after == expect["series_over_after_round"]


@pytest.mark.parametrize(("given", "expect"), vectors("oklahoma"))
def test_the_first_upcard_sets_the_knock_limit(
    given: dict[str, Any], expect: dict[str, Any]
) -> None:
    upcard = Card.parse(given["upcard"])
    rules = OKLAHOMA.but(spades_double=given["spades_double"])
    with_ace_one = rules.but(ace_limit=AceLimit.ONE)

    assert knock_limit(rules, upcard) == expect["knock_limit_ace_is_gin"]
    assert knock_limit(with_ace_one, upcard) == expect["knock_limit_ace_is_one"]
    assert multiplier(rules, upcard) == expect["score_multiplier"]
