"""What brackets-viewer is given to draw: rows that fit, and whole brackets."""

from collections import Counter
from typing import Any

import pytest
from tests.unit.tournament.driving import (
    Tournament,
    better_seed,
    forfeited,
    one_stage,
    worse_seed,
)
from tests.unit.tournament.test_every_tournament import FORMATS, tournament_of

from ginref.record.lifecycle import EndingKind
from ginref.tournament.export_bracket import viewer_data

Row = dict[str, Any]
LOCKED, WAITING, READY, RUNNING, COMPLETED = range(5)


def bracket(
    entrants: int,
    *,
    is_played: bool = True,
    **options: Any,  # noqa: ANN401
) -> tuple[Tournament, dict[str, list[Row]]]:
    tournament = Tournament(one_stage(options))
    tournament.start(entrants)
    if is_played:
        tournament.play(better_seed)
    return tournament, viewer_data(tournament.plan())


def sides(match: Row) -> tuple[Any, Any]:
    """Return who meets: a name's number, None to be decided, or a bye."""
    return tuple(  # type: ignore[return-value]
        "bye" if match[side] is None else match[side]["id"]
        for side in ("opponent1", "opponent2")
    )


@FORMATS
def test_rows_name_only_rows_that_there_are(stages: list[dict[str, Any]]) -> None:
    tournament = tournament_of(stages)
    tournament.start(6)
    tournament.step(better_seed)
    data = viewer_data(tournament.plan())

    for name, rows in data.items():
        assert [row["id"] for row in rows] == list(range(len(rows))), name
    known = {name: len(rows) for name, rows in data.items()}
    assert all(row["stage_id"] < known["stages"] for row in data["matches"])
    assert all(row["group_id"] < known["groups"] for row in data["matches"])
    assert all(row["round_id"] < known["rounds"] for row in data["matches"])
    assert all(row["parent_id"] < known["matches"] for row in data["matchGames"])
    places = Counter((row["round_id"], row["number"]) for row in data["matches"])
    assert set(places.values()) <= {1}
    for match in data["matches"]:
        assert match["status"] in range(5)
        for side in sides(match):
            assert side in {None, "bye", *range(known["participants"])}


@pytest.mark.parametrize("entrants", range(2, 10))
def test_a_bracket_is_whole_for_any_number_of_entrants(entrants: int) -> None:
    size = 1 << (entrants - 1).bit_length()

    _, single = bracket(entrants, format="single_elimination")
    _, double = bracket(entrants, format="double_elimination")

    assert len(single["matches"]) == size - 1
    upper = [row for row in double["matches"] if row["group_id"] == 0]
    assert len(upper) == size - 1
    assert len(double["matches"]) == 2 * (size - 1) + 1
    first = [row for row in single["matches"] if row["round_id"] == 0]
    assert sum("bye" in sides(row) for row in first) == size - entrants
    named = [side for row in first for side in sides(row) if side != "bye"]
    assert sorted(named) == list(range(entrants))


def test_a_bye_of_five_goes_on_in_the_lower_bracket_too() -> None:
    _, data = bracket(5, format="double_elimination")

    lower = [row for row in data["matches"] if row["group_id"] == 1]

    assert [sides(row) for row in lower] == [
        ("bye", 4),
        ("bye", "bye"),
        (2, 4),
        (3, "bye"),
        (2, 3),
        (1, 2),
    ]
    statuses = {sides(row): row["status"] for row in lower}
    assert statuses["bye", 4] == LOCKED
    assert statuses[1, 2] == COMPLETED


def test_a_second_final_that_is_not_needed_is_nobodys_and_never_ready() -> None:
    _, data = bracket(4, format="double_elimination")

    last = data["matches"][-1]

    assert sides(last) == (None, None)
    assert last["status"] == LOCKED


def test_who_is_to_be_decided_is_no_bye() -> None:
    tournament, data = bracket(3, is_played=False, format="single_elimination")

    assert [(sides(row), row["status"]) for row in data["matches"]] == [
        ((0, "bye"), LOCKED),
        ((1, 2), READY),
        ((0, None), WAITING),
    ]
    tournament.begin(tournament.settle().orders[0])
    assert viewer_data(tournament.plan())["matches"][1]["status"] == RUNNING


def test_third_place_is_a_group_of_its_own_where_it_is_played() -> None:
    _, four = bracket(4, format="single_elimination", third_place=True)
    _, three = bracket(3, format="single_elimination", third_place=True)

    assert [row["number"] for row in four["groups"]] == [1, 2]
    assert [row["number"] for row in three["groups"]] == [1]


def test_a_series_counts_games_and_lists_them() -> None:
    tournament = Tournament(
        one_stage({"format": "single_elimination"}, match={"best_of": 3})
    )
    tournament.start(2)
    tournament.play(worse_seed)

    data = viewer_data(tournament.plan())

    (match,) = data["matches"]
    assert match["child_count"] == 3
    assert match["opponent1"] == {"id": 0, "score": 0, "result": "loss"}
    assert match["opponent2"] == {"id": 1, "score": 2, "result": "win"}
    first, second, unplayed = data["matchGames"]
    assert [game["opponent2"]["score"] for game in (first, second)] == [30, 30]
    assert (unplayed["status"], sides(unplayed)) == (LOCKED, (0, 1))
    assert "score" not in unplayed["opponent1"]


def test_a_forfeit_is_marked() -> None:
    tournament = Tournament(one_stage({"format": "single_elimination"}))
    tournament.start(2)
    tournament.play(
        lambda fixture, _: forfeited(
            "bot-01", fixture=fixture, ending=EndingKind.NO_SHOW
        )
    )

    (match,) = viewer_data(tournament.plan())["matches"]

    assert match["opponent1"]["forfeit"] is True
    assert match["opponent1"]["result"] == "loss"
    assert match["opponent2"]["result"] == "win"
