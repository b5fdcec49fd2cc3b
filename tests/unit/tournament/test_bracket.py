"""Brackets against published ones: slots, byes, and who goes where."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ginref.tournament.bracket import Bracket, Node, first_slots, slot_order
from ginref.tournament.double_elimination import double_elimination, usual_drops
from ginref.tournament.format import Drop, GrandFinal
from ginref.tournament.single_elimination import single_elimination
from ginref.tournament.source import Bye, LoserOf, Seed, Source, WinnerOf

VECTORS = json.loads(
    (Path(__file__).parents[2] / "golden" / "tournament_vectors.json").read_text()
)
SINGLE = VECTORS["single_elimination"]
DOUBLE = VECTORS["double_elimination"]
OTHER_DROPS = (Drop.NATURAL, Drop.REVERSE_HALF_SHIFT, Drop.REVERSE)


def as_listed(source: Source) -> str:
    return str(source).replace("winner:", "W:").replace("loser:", "L:")


def in_rounds(key: str) -> str:
    """Write a key of the listed brackets, `R1M2`, as ours: `R1.2`."""
    return key.replace("M", ".")


def bracket_of(field: str) -> Bracket:
    size, _, other = field.partition("_")
    return double_elimination(int(size), drops=OTHER_DROPS if other else None)


@pytest.mark.parametrize("size", [2, 4, 8, 16, 32])
def test_the_slots_of_a_first_round_are_those_that_everybody_uses(size: int) -> None:
    assert list(slot_order(size)) == SINGLE["slot_orders"][str(size)]


@pytest.mark.parametrize("entrants", range(2, 33))
def test_a_single_elimination_is_the_published_one(entrants: int) -> None:
    listed = SINGLE["fields"][str(entrants)]
    bracket = single_elimination(entrants)
    slots = first_slots(entrants)

    assert [s.number if isinstance(s, Seed) else None for s in slots] == listed["slots"]
    assert [(n.key, as_listed(n.a), as_listed(n.b)) for n in bracket.nodes] == [
        (in_rounds(m["id"]), in_rounds(m["a"]), in_rounds(m["b"]))
        for m in listed["matches"]
    ]
    assert len(bracket.nodes) == listed["match_count"] == entrants - 1


@pytest.mark.parametrize("entrants", range(2, 33))
def test_third_place_is_played_where_two_semi_finals_are(entrants: int) -> None:
    listed = SINGLE["fields"][str(entrants)]["third_place"]
    bracket = single_elimination(entrants, third_place=True)

    third = [node for node in bracket.nodes if node.key == "3P"]
    assert [(as_listed(n.a), as_listed(n.b)) for n in third] == (
        [(in_rounds(listed["a"]), in_rounds(listed["b"]))] if listed else []
    )
    assert (
        len(bracket.nodes) == (VECTORS["counts"][str(entrants)]["single_elim_with_3rd"])
    )


def test_byes_go_to_whom_the_organizer_chooses() -> None:
    slots = first_slots(6, byes=[1, 2])
    chosen = first_slots(6, byes=[5, 2])

    assert slots == first_slots(6)
    pairs = [(chosen[at], chosen[at + 1]) for at in range(0, 8, 2)]
    lucky = {pair[0] for pair in pairs if isinstance(pair[1], Bye)}
    assert lucky == {Seed(5), Seed(2)}
    assert {slot.number for slot in chosen if isinstance(slot, Seed)} == set(
        range(1, 7)
    )


@pytest.mark.parametrize("field", DOUBLE["fields"])
def test_a_double_elimination_is_the_published_one(field: str) -> None:
    listed = DOUBLE["fields"][field]["matches"]

    nodes = bracket_of(field).nodes

    assert [
        (n.key, as_listed(n.a), as_listed(n.b), bool(n.unless_won_by_a)) for n in nodes
    ] == [(m["id"], m["a"], m["b"], m["conditional"]) for m in listed]


@pytest.mark.parametrize("field", DOUBLE["fields"])
def test_winners_and_losers_go_where_they_are_published_to_go(field: str) -> None:
    went: dict[str, dict[str, str | None]] = {}
    nodes = bracket_of(field).nodes
    for node in nodes:
        went[node.key] = {"winner": None, "loser": None}
    for node in nodes:
        for side, source in (("a", node.a), ("b", node.b)):
            if isinstance(source, WinnerOf | LoserOf) and node.unless_won_by_a is None:
                kind = "winner" if isinstance(source, WinnerOf) else "loser"
                went[source.node][kind] = f"{node.key}/{side}"

    for match in DOUBLE["fields"][field]["matches"]:
        assert went[match["id"]] == {
            "winner": match["winner_to"],
            "loser": match["loser_to"],
        }


@pytest.mark.parametrize("entrants", range(2, 33))
def test_double_elimination_has_two_fixtures_for_all_but_one(entrants: int) -> None:
    counts: dict[str, Any] = VECTORS["counts"][str(entrants)]

    single = double_elimination(entrants, grand_final=GrandFinal.SINGLE)
    reset = double_elimination(entrants, grand_final=GrandFinal.RESET)

    assert len(single.nodes) == counts["double_elim"]
    assert len(reset.nodes) == counts["double_elim_with_reset"]


@pytest.mark.parametrize("size", [4, 8, 16, 32])
def test_losers_fall_in_the_order_that_puts_rematches_off(size: int) -> None:
    assert [str(drop) for drop in usual_drops(size)] == DOUBLE["drop_orders"][str(size)]


@pytest.mark.parametrize("entrants", [*range(2, 20), 31, 64, 100])
@pytest.mark.parametrize("mode", GrandFinal)
def test_places_leave_room_for_everybody(entrants: int, mode: GrandFinal) -> None:
    bracket = double_elimination(entrants, grand_final=mode)

    places = sorted(
        place
        for node in bracket.nodes
        if node.key != "GF2.1"
        for place in (
            node.winner_place,
            None if node.key in bracket.falling else node.loser_place,
        )
        if place is not None
    )
    assert len(places) == entrants
    assert all(place <= at for at, place in enumerate(places, 1))
    assert places[:2] == [1, 2]


@pytest.mark.parametrize("order", Drop)
def test_every_drop_order_lets_each_loser_fall_once(order: Drop) -> None:
    bracket = double_elimination(16, drops=[order] * 3)

    fallen = [
        source
        for node in bracket.nodes
        for source in (node.a, node.b)
        if isinstance(source, LoserOf) and node.unless_won_by_a is None
    ]
    assert len(fallen) == len(set(fallen)) == 15


@pytest.mark.parametrize(("entrants", "earliest"), [(8, 3), (16, 4), (32, 5), (64, 7)])
def test_nobody_meets_again_in_the_lower_bracket_before_a_late_round(
    entrants: int, earliest: int
) -> None:
    bracket = double_elimination(entrants, grand_final=GrandFinal.NONE)
    chance = random.Random(entrants)

    again = [
        int(node.round.removeprefix("L"))
        for _ in range(100)
        for node in rematches(bracket, chance)
    ]

    assert min(again) == earliest


def rematches(bracket: Bracket, chance: random.Random) -> Iterator[Node]:
    """Play a bracket by tossing coins, and yield where two meet again."""
    sent: dict[Source, int] = {}
    met: set[frozenset[int]] = set()
    for node in bracket.nodes:
        a, b = (
            side.number if isinstance(side, Seed) else sent[side]
            for side in (node.a, node.b)
        )
        if frozenset((a, b)) in met:
            yield node
        met.add(frozenset((a, b)))
        winner = chance.choice((a, b))
        sent[WinnerOf(node.key)] = winner
        sent[LoserOf(node.key)] = a if winner == b else b
