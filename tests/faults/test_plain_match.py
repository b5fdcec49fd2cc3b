"""The plain way to play a record again agrees with the referee, and only with it."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from tests.faults.plain_match import DisagreementError, play_again
from tests.unit.conftest import PlayedMatch, build_setup, play

from ginref.engine.ruleset import PRESETS
from ginref.engine.seat import Seat
from ginref.record.document import build_record
from ginref.record.entry import Resigned


def _document(made: PlayedMatch) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(build_record(*made))
    return document


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("seeded", [True, False], ids=["seeded", "shares"])
def test_it_comes_to_the_same_results(preset: str, *, seeded: bool) -> None:
    setup = build_setup(7, rules=PRESETS[preset], seeded=seeded)
    document = _document(play(7, setup=setup))

    moves = [entry for entry in document["entries"] if entry["kind"] == "move"]
    assert play_again(document) == len(moves) > 20


def test_it_follows_a_match_that_is_cut_short() -> None:
    assert play_again(_document(play(3, ending=Resigned(Seat.NORTH)))) == 20


def _other_points(document: dict[str, Any]) -> None:
    document["rounds"][0]["points"] += 1


def _other_winner(document: dict[str, Any]) -> None:
    seat = document["ending"]["winner"]
    document["ending"]["winner"] = "south" if seat == "north" else "north"


def _other_card(document: dict[str, Any]) -> None:
    move = next(entry for entry in document["entries"] if "discard" in str(entry))
    move["move"] = "discard As" if move["move"] != "discard As" else "discard Ks"


def _other_seat(document: dict[str, Any]) -> None:
    move = next(entry for entry in document["entries"] if entry["kind"] == "move")
    move["seat"] = "south" if move["seat"] == "north" else "north"


def _other_share(document: dict[str, Any]) -> None:
    document["openings"]["referee_share"] = "00" * 32


def _fewer_rounds(document: dict[str, Any]) -> None:
    document["entries"].pop()


def _other_melds(document: dict[str, Any]) -> None:
    ended = next(row for row in document["rounds"] if "showdown" in row)
    ended["showdown"]["defender_deadwood"] = "Ks Kh Kd Kc Qs"


@pytest.mark.parametrize(
    "change",
    [
        _other_points,
        _other_winner,
        _other_card,
        _other_seat,
        _other_share,
        _fewer_rounds,
        _other_melds,
    ],
)
def test_it_contradicts_a_record_that_is_wrong(
    change: Callable[[dict[str, Any]], None],
) -> None:
    document = _document(play(5))
    change(document)

    with pytest.raises(DisagreementError):
        play_again(document)
