"""What a tournament would come to, as its preview says it, on the wire."""

from typing import Any

import pytest
from tests.unit.tournament.driving import one_stage

from ginref.tournament.configuration_read import read_configuration
from ginref.tournament.preview import BETTER, preview
from ginref.transport.codec_tournament_preview import preview_to_wire

YEAR_MS = 366 * 86_400_000
BOARDS = {"name": "b", "boards": 12, "next_dealer": "board_parity"}


@pytest.mark.parametrize(
    ("stage", "others"),
    [
        pytest.param({"format": "single_elimination"}, {}, id="a bracket"),
        pytest.param({"format": "ladder"}, {}, id="a ladder without an end"),
        pytest.param(
            {"format": "round_robin"}, {"match": {"ruleset": BOARDS}}, id="boards"
        ),
        pytest.param(
            {"format": "swiss", "rounds": 7},
            {"entry": {"qualifying": {"house": "simple"}, "capacity": 8}},
            id="cautions and a match to qualify",
        ),
    ],
)
def test_the_wire_says_what_the_preview_says(
    stage: dict[str, Any], others: dict[str, Any]
) -> None:
    shown = preview(read_configuration(one_stage(stage, **others)), 9, 70)

    told = preview_to_wire(shown, 70)

    (one,), (size,) = shown.stages, told.stages
    for name in one.forecast.__slots__:
        assert getattr(size, name) == getattr(one.forecast, name), name
    assert (told.typical_ms, told.longest_ms) == (shown.typical_ms, shown.longest_ms)
    assert (told.think_ms, told.better_chance) == (70, BETTER)
    apart: Any = size.separation
    for name, value in (
        ("boards", one.separation.boards),
        ("points_per_board", one.separation.points),
        ("match_chance", one.separation.chance),
        ("fixture_chance", one.separation.fixture),
    ):
        assert apart.HasField(name) is (value is not None), name
        assert value is None or getattr(apart, name) == value
    assert apart.matches == one.separation.matches
    assert [(at.field, at.message) for at in told.cautions] == [
        (caution.path, caution.what) for caution in shown.cautions
    ]
    assert told.HasField("qualifying") is (shown.qualifying is not None)
    if shown.qualifying is not None:
        assert told.qualifying.typical_ms == shown.qualifying.typical_ms
        assert told.qualifying.longest_ms == shown.qualifying.longest_ms


def test_the_longest_tournament_there_can_be_fits_the_wire() -> None:
    clock = dict.fromkeys(("start", "free", "bank", "cap", "grace"), "1d")
    match = {
        "ruleset": {"name": "long", "turn_limit": 1000, "round_limit": 1000},
        "clock": clock,
        "best_of": 101,
    }
    stage = {"format": "round_robin", "cycles": 2}
    shown = preview(read_configuration(one_stage(stage, match=match)), 4096, 2**31 - 1)

    told = preview_to_wire(shown, 2**31 - 1)

    assert told.longest_ms == pytest.approx(shown.longest_ms)
    assert told.longest_ms > 2**63
    assert told.stages[0].most_matches == 4095 * 4096 * 101
