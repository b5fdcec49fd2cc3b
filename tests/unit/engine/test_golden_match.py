"""Whole matches in notation: played again, and counted again without the engine."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.unit.engine.plain_round import (
    RUNS,
    SETS,
    Hand,
    least_after_layoffs,
    least_deadwood,
    points,
    total,
)

from ginref.engine.card import Card
from ginref.engine.deck import derive_deck, draw_first_dealer, seed_secret
from ginref.engine.match import Match, apply, start_match
from ginref.engine.move import parse_move
from ginref.engine.phase import Showdown
from ginref.engine.ruleset import preset
from ginref.engine.seat import Seat

FOLDER = Path(__file__).parents[2] / "golden" / "matches"
FILES = sorted(FOLDER.glob("*.json"))
SEATS = tuple(Seat)[:2]

Golden = dict[str, Any]


@pytest.fixture(scope="module", params=FILES, ids=lambda file: file.stem)
def golden(request: pytest.FixtureRequest) -> Golden:
    found: Golden = json.loads(request.param.read_text(encoding="utf-8"))
    return found


def rounds_of(golden: Golden) -> Iterator[tuple[Golden, Match, Match]]:
    """Every round as written, the match when it was dealt, and when it was over."""
    secret = seed_secret(golden["seed"])

    def deck_for(k: int) -> tuple[Card, ...]:
        return derive_deck(secret, k)

    dealer = draw_first_dealer(secret, SEATS)
    match = start_match(preset(golden["ruleset"]), SEATS, dealer, deck_for)
    for written in golden["rounds"]:
        before = match
        for move in map(parse_move, written["moves"].split(", ")):
            assert match.to_act is not None
            assert match.round_number == before.round_number
            match = apply(match, match.to_act, move, deck_for)
        yield written, before, match


def told(showdown: Showdown | None) -> dict[str, object] | None:
    if showdown is None:
        return None
    spread = showdown.spread
    return {
        "knocker": str(showdown.knocker),
        "melds": [spelled(meld.cards) for meld in showdown.arrangement.melds],
        "deadwood": spelled(showdown.arrangement.deadwood),
        "defender_melds": [spelled(meld.cards) for meld in spread.melds],
        "layoffs": spelled(layoff.card for layoff in spread.layoffs),
        "defender_deadwood": spelled(spread.deadwood),
    }


def spelled(cards: Any) -> str:  # noqa: ANN401 - anything made of cards
    return " ".join(map(str, cards))


def test_a_match_played_again_has_the_same_rounds(golden: Golden) -> None:
    for written, dealt, over in rounds_of(golden):
        summary, result = over.history[-1], over.last_result

        assert over.history[:-1] == dealt.history
        assert str(dealt.round.first_upcard) == written["upcard"]
        assert str(summary.dealer) == written["dealer"]
        assert str(summary.outcome) == written["outcome"]
        assert summary.winner == seat_of(written["winner"])
        assert summary.points == written["points"]
        assert [at + 1 for at in summary.columns] == written["columns"]
        assert result is not None
        assert told(result.showdown) == written["showdown"]


def seat_of(name: str | None) -> Seat | None:
    return name and Seat.parse(name)  # type: ignore[return-value]


def test_a_match_played_again_has_the_same_sheet(golden: Golden) -> None:
    *_, (_, _, match) = rounds_of(golden)

    assert [
        {
            **{
                str(seat): [entry.points for entry in game.entries[seat]]
                for seat in SEATS
            },
            "totals": list(game.totals),
            "winner": str(game.winner),
            "closed_in_round": game.closed_in_round,
        }
        for game in match.sheet.games
    ] == golden["sheet"]
    assert match.over is not None
    assert str(match.over.how) == golden["ending"]
    assert str(match.over.winner) == golden["winner"]
    assert len(match.history) == len(golden["rounds"])


def hand(*texts: str) -> Hand:
    return frozenset(" ".join(texts).split())


def worth(round_: Golden, ruleset: str) -> tuple[str, str | None, int]:
    """Outcome, winner and points of a round, from the hands that were laid down."""
    laid = round_["showdown"]
    if laid is None:
        return "wall", None, 0
    knocker = laid["knocker"]
    defender = "south" if knocker == "north" else "north"
    melds = [hand(text) for text in laid["melds"]]
    own = total(hand(laid["deadwood"]))
    theirs = total(hand(laid["defender_deadwood"]))
    double = ruleset == "oklahoma" and round_["upcard"].endswith("s")
    times = 2 if double else 1
    defended = hand(*laid["defender_melds"], laid["layoffs"], laid["defender_deadwood"])

    assert all(meld in SETS or meld in RUNS for meld in melds)
    assert len(hand(*laid["melds"], laid["deadwood"])) == len(defended) == 10
    assert own == least_deadwood(hand(*laid["melds"], laid["deadwood"]))
    assert theirs == least_after_layoffs(defended, melds if own else [])
    assert own <= limit(ruleset, round_["upcard"])
    if own == 0:
        return "gin", knocker, (theirs + 25) * times
    if own < theirs:
        return "knock", knocker, (theirs - own) * times
    return "undercut", defender, (own - theirs + 10) * times


def limit(ruleset: str, upcard: str) -> int:
    if ruleset != "oklahoma":
        return 10
    return 0 if upcard.startswith("A") else points(upcard)


def test_every_round_is_worth_what_its_hands_say(golden: Golden) -> None:
    for round_ in golden["rounds"]:
        expected = (round_["outcome"], round_["winner"], round_["points"])

        assert worth(round_, golden["ruleset"]) == expected


def test_the_sheet_follows_from_the_rounds(golden: Golden) -> None:
    target = 150 if golden["ruleset"] == "oklahoma" else 100
    columns: list[dict[str, list[int]]] = [
        {str(seat): [] for seat in SEATS} for _ in golden["sheet"]
    ]
    closed: dict[int, tuple[str, int]] = {}

    for number, round_ in enumerate(golden["rounds"], 1):
        assert len(closed) < len(columns)
        entered = []
        for at, column in enumerate(columns):
            if at in closed or round_["winner"] is None:
                continue
            entered.append(at + 1)
            mine = column[round_["winner"]]
            mine.append(round_["points"])
            if sum(mine) >= target:
                closed[at] = (round_["winner"], number)
            if len(mine) == 1:
                break
        assert entered == round_["columns"]

    for at, game in enumerate(golden["sheet"]):
        assert {str(seat): game[str(seat)] for seat in SEATS} == columns[at]
        assert game["totals"] == [sum(game[str(seat)]) for seat in SEATS]
        assert (game["winner"], game["closed_in_round"]) == closed[at]
    winners = [game["winner"] for game in golden["sheet"]]
    assert golden["winner"] == max(winners, key=winners.count)


def test_the_winner_of_a_round_deals_the_next_one(golden: Golden) -> None:
    dealers = [round_["dealer"] for round_ in golden["rounds"]]
    expected = [round_["winner"] or round_["dealer"] for round_ in golden["rounds"]]

    assert dealers[1:] == expected[:-1]


MUST_HOLD: list[tuple[str, Callable[[Golden], object]]] = [
    ("gin", lambda round_: round_["outcome"] == "gin"),
    ("an undercut", lambda round_: round_["outcome"] == "undercut"),
    ("a wall", lambda round_: round_["outcome"] == "wall"),
    ("a layoff", lambda round_: round_["showdown"] and round_["showdown"]["layoffs"]),
    ("declared melds", lambda round_: len(round_["moves"].split()[-1]) > 2),
]


@pytest.mark.parametrize(
    "holds", [pytest.param(holds, id=name) for name, holds in MUST_HOLD]
)
def test_the_matches_show(holds: Callable[[Golden], object]) -> None:
    matches = [json.loads(file.read_text(encoding="utf-8")) for file in FILES]

    assert {match["ruleset"] for match in matches} == {"hollywood", "oklahoma"}
    for ruleset in ("hollywood", "oklahoma"):
        assert any(
            holds(round_)
            for match in matches
            if match["ruleset"] == ruleset
            for round_ in match["rounds"]
        )
