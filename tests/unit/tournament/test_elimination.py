"""Brackets played to their end, against published ones."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.unit.tournament.driving import (
    Tournament,
    better_seed,
    names,
    one_stage,
    won,
    worse_seed,
)

from ginref.tournament.event import Withdrawn
from ginref.tournament.fixture import Fixture, FixtureState
from ginref.tournament.plan import MatchOrder
from ginref.tournament.result import Cause, Forfeited, Outcome

DOUBLE = json.loads(
    (Path(__file__).parents[2] / "golden" / "tournament_vectors.json").read_text()
)["double_elimination"]

EXAMPLES = [
    pytest.param(field, example, id=f"{field} {example}")
    for field, facts in DOUBLE["fields"].items()
    for example in facts["examples"]
]


def double(field: str) -> Tournament:
    drops = ["natural", "reverse_half_shift", "reverse"] if "_" in field else None
    tournament = Tournament(one_stage({"format": "double_elimination", "drops": drops}))
    tournament.start(int(field.partition("_")[0]))
    return tournament


@pytest.mark.parametrize(("field", "example"), EXAMPLES)
def test_a_double_elimination_is_played_as_published(field: str, example: str) -> None:
    listed = DOUBLE["fields"][field]["examples"][example]
    winners = {node: winner for node, _, _, winner in listed["played"]}
    tournament = double(field)
    bots = names(16)
    played: dict[str, Any] = {}

    def as_listed(fixture: Fixture, _: MatchOrder) -> Outcome:
        a, b = (bots.index(bot or "") + 1 for bot in fixture.entrants)
        played[fixture.node] = {a, b}
        return won(bots[winners[fixture.node] - 1], fixture)

    tournament.play(as_listed)

    assert played == {node: {a, b} for node, a, b, _ in listed["played"]}
    assert tournament.places() == [
        (rank, {bots[seed - 1] for seed in seeds})
        for rank, seeds in listed["placement"]
    ]


@pytest.mark.parametrize("entrants", range(2, 33))
def test_the_first_two_seeds_meet_in_the_final_if_the_better_one_always_wins(
    entrants: int,
) -> None:
    tournament = Tournament(one_stage({"format": "single_elimination"}))
    bots = tournament.start(entrants)

    tournament.play(better_seed)

    assert tournament.places()[:2] == [(1, {bots[0]}), (2, {bots[1]})]


def test_the_losers_of_the_semi_finals_play_for_the_third_place() -> None:
    document = one_stage({"format": "single_elimination", "third_place": True})
    tournament = Tournament(document)
    bots = tournament.start(6)

    tournament.play(worse_seed)

    assert tournament.places() == [
        (1, {bots[5]}),
        (2, {bots[4]}),
        (3, {bots[1]}),
        (4, {bots[0]}),
        (5, {bots[2], bots[3]}),
    ]


def test_a_second_grand_final_is_not_needed_when_the_first_was_enough() -> None:
    tournament = double("8")

    tournament.play(better_seed)

    second = tournament.node("GF2.1")
    assert second.state is FixtureState.NOT_NEEDED
    assert second.entrants == (None, None)


def test_no_grand_final_leaves_the_winner_of_the_lower_bracket_second() -> None:
    document = one_stage({"format": "double_elimination", "grand_final": "none"})
    tournament = Tournament(document)
    bots = tournament.start(4)

    tournament.play(better_seed)

    assert tournament.places() == [(at, {bot}) for at, bot in enumerate(bots, 1)]
    assert not [one for one in tournament.plan().fixtures() if "GF" in one.node]


def test_a_loser_that_falls_opposite_a_bye_is_in_the_second_round_at_once() -> None:
    tournament = double("7")
    bots = names(7)

    tournament.step(better_seed)

    # Seed 5 lost to seed 4, and seed 1 had a bye: nobody was there to meet.
    assert bots[4] in tournament.node("L2.1").entrants


def test_a_loser_sits_where_its_fixture_stands_whichever_ends_first() -> None:
    tournament = double("4")
    planned = tournament.settle()
    second = next(
        order
        for order in planned.orders
        if tournament.node("W1.2").fixture_id == order.fixture
    )
    tournament.begin(second)
    tournament.finish(second, won("bot-02", tournament.node("W1.2")))

    assert tournament.node("L1.1").entrants == (None, "bot-03")


def test_a_result_changes_only_the_fixture_that_follows() -> None:
    tournament = Tournament(one_stage({"format": "single_elimination"}))
    tournament.start(8)
    tournament.step(better_seed)
    planned = tournament.settle()
    before = {one.node: one.entrants for one in planned.fixtures()}
    order = planned.orders[0]
    fixture = planned.fixture(order.fixture)
    assert fixture is not None

    tournament.begin(order)
    tournament.finish(order, better_seed(fixture, order))

    after = {one.node: one.entrants for one in tournament.plan().fixtures()}
    assert {node for node in after if after[node] != before[node]} == {"R3.1"}


def test_a_whole_round_comes_before_the_next_one() -> None:
    tournament = Tournament(one_stage({"format": "single_elimination"}))
    tournament.start(8)

    orders = tournament.settle().orders

    rounds = [tournament.plan().fixture(order.fixture) for order in orders]
    assert [one.round for one in rounds if one is not None] == [1, 1, 1, 1]


def test_a_lone_loser_of_three_goes_on_whatever_its_next_fixture_is_played_to() -> None:
    document = one_stage(
        {"format": "double_elimination", "except": {"L2": {"best_of": 5}}}
    )
    tournament = Tournament(document)
    bots = tournament.start(3)

    tournament.play(better_seed)

    lower = tournament.node("L2.1")
    assert (lower.entrants, len(lower.games)) == ((bots[1], bots[2]), 3)
    assert len(tournament.node("W1.2").games) == 1


def test_exceptions_may_name_a_fixture_a_round_or_the_final() -> None:
    document = one_stage(
        {
            "format": "single_elimination",
            "except": {
                "R1": {"best_of": 3},
                "R1.2": {"best_of": 5},
                "final": {"best_of": 7},
            },
        }
    )
    tournament = Tournament(document)
    tournament.start(8)

    lengths = {one.node: one.match.best_of for one in tournament.plan().fixtures()}

    assert lengths["R1.1"] == lengths["R1.4"] == 3
    assert (lengths["R1.2"], lengths["R2.1"], lengths["R3.1"]) == (5, 1, 7)


def test_fifteen_seeds_have_one_bye_and_a_seed_that_leaves_is_none() -> None:
    tournament = Tournament(one_stage({"format": "single_elimination"}))
    bots = tournament.start(15)
    tournament.add(Withdrawn(bot=bots[14]))

    planned = tournament.settle()

    first = [one for one in planned.fixtures() if one.round == 1]
    assert len(first) == 7
    left = next(one for one in first if bots[14] in one.entrants)
    assert left.result == Forfeited(bots[14], Cause.WITHDRAWN)
