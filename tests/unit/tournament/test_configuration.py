"""Configurations: what they say when they say little, and what they may not say."""

from collections.abc import Mapping
from typing import Any

import pytest
from tests.unit.tournament.driving import one_stage

from ginref.engine.ruleset import GIN, HOLLYWOOD
from ginref.record.clock import FAST, STANDARD
from ginref.tournament.configuration import Configuration
from ginref.tournament.configuration_read import read_configuration
from ginref.tournament.configuration_write import (
    configuration_digest,
    configuration_to_json,
)
from ginref.tournament.error import FieldError
from ginref.tournament.field_check import check_field
from ginref.tournament.format import RoundRobin, SingleElimination, Swiss
from ginref.tournament.option import Option, duration_text

SINGLE = {"format": "single_elimination"}
SWISS = {"format": "swiss", "rounds": 3}
GROUPS = {"name": "groups", "format": "round_robin", "groups": 2, "promote": 2}
BOARDS = {"ruleset": {"name": "b", "boards": 8, "next_dealer": "board_parity"}}
CLOCK = {"start": "60s", "free": "1s", "bank": "2m", "cap": "30s", "grace": "250ms"}

WHOLE = {
    "name": "autumn-cup",
    "title": "Autumn cup",
    "match": {
        "ruleset": {"preset": "hollywood", "name": "club", "gin_bonus": 20},
        "clock": CLOCK,
        "best_of": 3,
        "receipts": True,
    },
    "entry": {
        "capacity": 16,
        "seeding": "given",
        "listed": [{"bot": "ann", "seed": 2}, {"bot": "bob", "seed": 1}],
    },
    "schedule": {"registration": "7d", "check_in": "15m", "appeals": "1h"},
    "conduct": {"award": 40, "forfeits": None},
    "stages": [
        {**GROUPS, "tie_breaks": ["match_points", "lots"]},
        {
            "name": "finals",
            "format": "double_elimination",
            "drops": ["natural"],
            "match": {"clock": "fast"},
            "except": {"grand_final": {"best_of": 5}},
        },
    ],
}


def test_a_short_file_says_enough() -> None:
    configuration = read_configuration(
        {"name": "cup", "stages": [{"name": "main", **SINGLE}]}
    )

    stage = configuration.stages[0]
    assert stage.format == SingleElimination()
    assert (stage.match.ruleset, stage.match.clock) == (GIN, STANDARD)


def test_a_stage_plays_as_the_file_says_and_its_exceptions_as_the_stage() -> None:
    configuration = read_configuration(WHOLE)

    groups, finals = configuration.stages
    assert groups.match.ruleset == HOLLYWOOD.but(name="club", gin_bonus=20)
    assert groups.format == RoundRobin(groups=2)
    assert finals.match.clock == FAST
    final = finals.exceptions["grand_final"]
    assert (final.clock, final.best_of) == (FAST, 5)


def test_the_canonical_form_reads_as_the_file_does() -> None:
    configuration = read_configuration(WHOLE)

    again = read_configuration(configuration_to_json(configuration))

    assert again == configuration
    assert configuration_digest(again) == configuration_digest(configuration)


def test_another_option_gives_another_digest() -> None:
    one = read_configuration(one_stage(SWISS))
    other = read_configuration(one_stage({**SWISS, "rounds": 2}))

    assert configuration_digest(one) != configuration_digest(other)


@pytest.mark.parametrize(
    ("document", "path"),
    [
        pytest.param(7, "", id="no mapping"),
        pytest.param({"name": "cup"}, "stages", id="no stages"),
        pytest.param({"name": "cup", "stages": []}, "stages", id="an empty list"),
        pytest.param({**one_stage(SINGLE), "colour": 1}, "colour", id="an unknown key"),
        pytest.param(one_stage(SINGLE, name="A cup"), "name", id="a bad name"),
        pytest.param(
            one_stage({**SINGLE, "round": 3}),
            "stages[0].round",
            id="unknown in a stage",
        ),
        pytest.param(
            one_stage({"format": "knockout"}), "stages[0].format", id="unknown format"
        ),
        pytest.param(one_stage({}), "stages[0].format", id="no format"),
        pytest.param(
            one_stage({"format": "swiss"}), "stages[0].rounds", id="Swiss, no rounds"
        ),
        pytest.param(
            one_stage({**SWISS, "rounds": True}), "stages[0].rounds", id="true rounds"
        ),
        pytest.param(
            one_stage({"format": "round_robin", "cycles": 3}),
            "stages[0].cycles",
            id="three cycles",
        ),
        pytest.param(
            one_stage({**SWISS, "rounds": 8}, entry={"capacity": 8}),
            "stages[0].rounds",
            id="rounds impossible for the field",
        ),
        pytest.param(
            one_stage({"format": "round_robin", "groups": 5}, entry={"capacity": 8}),
            "stages[0].groups",
            id="groups too many for the field",
        ),
        pytest.param(
            one_stage(SINGLE, entry={"listed": [{"bot": "ann"}, {"bot": "ann"}]}),
            "entry.listed[1].bot",
            id="an entrant twice",
        ),
        pytest.param(
            one_stage(
                SINGLE,
                entry={
                    "listed": [
                        {"bot": "ann", "owner": "club"},
                        {"bot": "bob", "owner": "club"},
                    ]
                },
            ),
            "entry.listed[1].owner",
            id="an owner twice",
        ),
        pytest.param(
            one_stage(
                SINGLE,
                entry={
                    "seeding": "given",
                    "listed": [{"bot": "ann", "seed": 1}, {"bot": "bob", "seed": 1}],
                },
            ),
            "entry.listed[1].seed",
            id="a seed twice",
        ),
        pytest.param(
            one_stage(
                SINGLE,
                entry={
                    "seeding": "given",
                    "listed": [{"bot": "ann", "seed": 1}, {"bot": "bob", "seed": 3}],
                },
            ),
            "entry.listed[1].seed",
            id="a seed left out",
        ),
        pytest.param(
            one_stage(SINGLE, entry={"listed": [{"bot": "ann", "seed": 1}]}),
            "entry.listed[0].seed",
            id="a seed of no use",
        ),
        pytest.param(
            one_stage(SINGLE, entry={"invited": ["ann"]}),
            "entry.invited",
            id="invited to an open field",
        ),
        pytest.param(
            one_stage(SINGLE, entry={"late": "half"}), "entry.late", id="late, no Swiss"
        ),
        pytest.param(
            one_stage(SINGLE, match={"best_of": 2}),
            "match.best_of",
            id="an even number",
        ),
        pytest.param(
            one_stage(SINGLE, match={"ruleset": "whist"}),
            "match.ruleset",
            id="unknown rules",
        ),
        pytest.param(
            one_stage(SINGLE, match={"ruleset": {"name": "x", "gin_bonus": -1}}),
            "match.ruleset.gin_bonus",
            id="an impossible rule",
        ),
        pytest.param(
            one_stage(SINGLE, match={"ruleset": "three_handed"}),
            "match.ruleset",
            id="rules for three",
        ),
        pytest.param(
            one_stage(SINGLE, match={"clock": {"start": "60s"}}),
            "match.clock.free",
            id="half a clock",
        ),
        pytest.param(
            one_stage(SINGLE, match={"clock": {**CLOCK, "cap": "25h"}}),
            "match.clock.cap",
            id="more than a day",
        ),
        pytest.param(
            one_stage(SINGLE, match={"clock": {**CLOCK, "bank": "0s"}}),
            "match.clock.bank",
            id="no time",
        ),
        pytest.param(
            one_stage(SINGLE, schedule={"check_in": "soon"}),
            "schedule.check_in",
            id="no duration",
        ),
        pytest.param(
            one_stage({**SINGLE, "promote": 2}), "stages[0].promote", id="to nowhere"
        ),
        pytest.param(
            {"name": "cup", "stages": [GROUPS, GROUPS]},
            "stages[1].name",
            id="a stage's name twice",
        ),
        pytest.param(
            {
                "name": "cup",
                "stages": [
                    {**GROUPS, "promote": None},
                    {"name": "finals", **SINGLE},
                ],
            },
            "stages[0].promote",
            id="nobody goes on",
        ),
        pytest.param(
            {
                "name": "cup",
                "stages": [
                    {"name": "first", **SINGLE, "promote": 2},
                    {"name": "finals", **SINGLE},
                ],
            },
            "stages[0].format",
            id="a bracket that is not the last stage",
        ),
        pytest.param(
            one_stage({**SINGLE, "except": {"grand_final": {"best_of": 3}}}),
            "stages[0].except.grand_final",
            id="an exception for nothing",
        ),
        pytest.param(
            one_stage(SINGLE, boards="common", match=BOARDS), "boards", id="no trust"
        ),
        pytest.param(
            one_stage(SINGLE, boards="common", trust="closed"),
            "stages[0].match.ruleset",
            id="common boards without a number",
        ),
        pytest.param(
            one_stage(
                SINGLE,
                boards="common",
                trust="closed",
                match=BOARDS,
                entry={"bots_per_owner": 2},
            ),
            "entry.bots_per_owner",
            id="two seats of one owner on a board",
        ),
        pytest.param(
            one_stage(SINGLE, boards="mirrored", match=BOARDS),
            "boards",
            id="mirrored boards for bots that remember",
        ),
        pytest.param(
            one_stage({**SWISS, "tie_breaks": ["lots", "lots"]}),
            "stages[0].tie_breaks[1]",
            id="a tie-break twice",
        ),
    ],
)
def test_what_cannot_be_is_refused_by_its_path(document: Any, path: str) -> None:  # noqa: ANN401
    with pytest.raises(FieldError) as caught:
        read_configuration(document)

    assert caught.value.path == path


@pytest.mark.parametrize(
    ("stage", "entrants", "path"),
    [
        ({**SWISS, "rounds": 5}, 5, None),
        ({**SWISS, "rounds": 6}, 5, "stages[0].rounds"),
        ({**SINGLE, "byes": [1, 2]}, 6, None),
        ({**SINGLE, "byes": [1, 2]}, 7, "stages[0].byes"),
        ({**SINGLE, "byes": [1, 7]}, 6, "stages[0].byes[1]"),
        ({**SINGLE, "byes": [2, 2]}, 6, "stages[0].byes[1]"),
        ({"format": "double_elimination", "drops": ["natural"]}, 4, None),
        (
            {"format": "double_elimination", "drops": ["natural"]},
            8,
            "stages[0].drops",
        ),
        ({"format": "round_robin", "groups": 3}, 5, "stages[0].groups"),
        (SINGLE, 1, "stages[0]"),
    ],
)
def test_a_field_that_does_not_fit_is_refused_by_the_option_s_path(
    stage: Mapping[str, Any], entrants: int, path: str | None
) -> None:
    configuration = read_configuration(one_stage(stage))

    if path is None:
        check_field(configuration, entrants)
        return
    with pytest.raises(FieldError) as caught:
        check_field(configuration, entrants)

    assert caught.value.path == path


@pytest.mark.parametrize(
    ("promote", "path"),
    [
        (3, None),
        (4, "stages[0].promote"),
        ({"each": 2, "best": 1}, None),
        ({"each": 2, "best": 3}, "stages[0].promote.best"),
        ({"each": 3, "best": 1}, "stages[0].promote.best"),
    ],
)
def test_no_more_go_on_than_there_are(promote: Any, path: str | None) -> None:  # noqa: ANN401
    stages = [{**GROUPS, "promote": promote}, {"name": "finals", **SINGLE}]
    configuration = read_configuration({"name": "cup", "stages": stages})

    if path is None:
        check_field(configuration, 7)
        return
    with pytest.raises(FieldError) as caught:
        check_field(configuration, 7)

    assert caught.value.path == path


def test_more_rounds_than_half_the_field_are_possible_but_not_promised() -> None:
    def cautions(rounds: int, entrants: int) -> int:
        configuration: Configuration = read_configuration(
            one_stage({"format": "swiss", "rounds": rounds})
        )
        assert configuration.stages[0].format == Swiss(rounds=rounds)
        return len(check_field(configuration, entrants))

    assert cautions(3, 6) == 0
    assert cautions(4, 6) == 1
    assert cautions(4, 7) == 0


@pytest.mark.parametrize(
    ("stage", "entrants", "unknown"),
    [
        (SINGLE, 8, {"R4", "R1.5"}),
        (SINGLE, 2, {"semifinals", "third_place"}),
        ({"format": "double_elimination"}, 8, {"W4", "L4.2"}),
        ({"format": "round_robin", "groups": 2}, 8, {"R4"}),
        ({"format": "round_robin", "cycles": 2}, 3, {"R7"}),
        (SWISS, 8, {"R4"}),
        ({"format": "ladder"}, 8, set()),
    ],
)
def test_an_exception_for_a_fixture_that_there_is_not_is_pointed_out(
    stage: Mapping[str, Any], entrants: int, unknown: set[str]
) -> None:
    known = {"double_elimination": "grand_final", "single_elimination": "final"}
    usual = known.get(str(stage["format"]), "R3")
    exceptions = {name: {"best_of": 3} for name in {usual, *unknown}}
    configuration = read_configuration(one_stage({**stage, "except": exceptions}))

    cautions = check_field(configuration, entrants)

    paths = {caution.path for caution in cautions}
    assert paths == {f"stages[0].except.{name}" for name in unknown}


@pytest.mark.parametrize("text", ["250ms", "90s", "15m", "36h", "7d"])
def test_a_duration_is_written_as_it_was_read(text: str) -> None:
    assert duration_text(Option(text).duration_ms()) == text
