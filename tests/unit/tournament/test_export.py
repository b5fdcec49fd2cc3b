"""The export: the same log gives the same bytes, and they give the same log."""

import json
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

import pytest
from jsonschema import Draft202012Validator
from tests.unit.tournament.asking import ask, correction
from tests.unit.tournament.driving import (
    Tournament,
    better_seed,
    one_stage,
    worse_seed,
)
from tests.unit.tournament.exporting import Season, sealed, season, trusted
from tests.unit.tournament.test_every_tournament import (
    FORMATS,
    anything,
    tournament_of,
)

from ginref.record.verify import Finding
from ginref.tournament.event import Cascade, Event
from ginref.tournament.export import (
    FORMAT,
    ExportError,
    build_export,
    parse_export,
)
from ginref.tournament.export_verify import verify_export
from ginref.tournament.log import head
from ginref.tournament.operation import Requeue
from ginref.tournament.result import Result
from ginref.tournament.service_time import ServiceTime
from ginref.tournament.shape import KIND, word_of

ROOT = Path(__file__).parents[3]
SCHEMA = json.loads((ROOT / "docs" / "tournament.schema.json").read_bytes())
GOLDEN = ROOT / "tests" / "golden" / "tournaments"
"""Signed exports of this version and of earlier ones, which stay true."""

SWISS = one_stage({"format": "swiss", "rounds": 3})


@pytest.fixture(scope="module")
def played() -> Season:
    return season(SWISS)


def violations(payload: bytes) -> list[str]:
    validator = Draft202012Validator(SCHEMA)
    return [str(one.message) for one in validator.iter_errors(json.loads(payload))]


@FORMATS
def test_what_was_exported_is_read_as_the_same_tournament(
    stages: list[dict[str, Any]],
) -> None:
    tournament = tournament_of(stages, boards="independent")
    tournament.start(4)
    turns = iter(range(10_000))
    tournament.play(anything(lambda most: next(turns) * 7 % most))

    payload = build_export(tournament.configuration, tournament.entries)
    read = parse_export(payload)

    assert read.configuration == tournament.configuration
    assert list(read.entries) == tournament.entries
    assert read.head == head(tournament.entries)
    assert build_export(read.configuration, read.entries) == payload
    assert violations(payload) == []


def test_a_tournament_that_has_hardly_begun_is_exported_too() -> None:
    tournament = Tournament(SWISS)

    verdict = verify_export(sealed(tournament), trusted())

    assert verdict.finding is Finding.VALID
    assert verdict.export is not None
    assert violations(build_export(tournament.configuration, tournament.entries)) == []


def test_what_people_did_and_what_was_played_again_stands_in_it() -> None:
    tournament = Tournament(SWISS)
    tournament.start(4)
    tournament.step(better_seed)
    first = tournament.node("R1.1")
    ask(tournament, correction(first, first.entrants[1], Cascade.RECORD_ONLY))
    other = tournament.node("R1.2").fixture_id
    ask(tournament, Requeue(fixture=other, attempt=1, reason="wrong rules"))
    tournament.step(worse_seed)

    document = parse_export(
        build_export(tournament.configuration, tournament.entries)
    ).document

    told = [(one["kind"], one["reason"]) for one in document["interventions"]]
    assert told == [
        ("corrected", "the record says otherwise"),
        ("requeued", "wrong rules"),
    ]
    assert [one["fixture"] for one in document["attempts"]] == [other]
    # A match that counts for nothing any more is there as well.
    assert [one["attempt"] for one in document["matches"]] == [1, 1, 2]
    shown = document["stages"][0]["fixtures"][0]
    assert (shown["result"]["winner"], shown["goes_on"]["winner"]) == (
        first.entrants[1],
        first.entrants[0],
    )


def test_figures_need_no_code_to_be_read() -> None:
    document = parse_export(
        build_export(*_facts(season(SWISS, choose=_boards)))
    ).document

    (stage,) = document["stages"]
    first, second, *_ = stage["standings"]
    assert [line["rank"] for line in stage["standings"]] == [1, 2, 3, 4]
    assert first["skill"]["count"] == 9
    assert first["skill"]["margin"] > 0
    assert first["adjusted"]["mean"] != first["skill"]["mean"]
    assert 0 <= first["score_interval"][0] <= first["score_interval"][1] <= 1
    parts = first["tie_breaks"][1]["contributions"]
    assert (
        sum(one["value"] for one in parts if not one["is_cut"])
        == (first["tie_breaks"][1]["value"])
    )
    assert second["parted_by"] == "match_points"
    assert sum(one["first"] for one in stage["certainty"]) == pytest.approx(1, abs=0.01)
    assert stage["ratings"][0]["low"] <= stage["ratings"][0]["rating"]
    cells = {(one["bot"], one["opponent"]): one for one in stage["cross_table"]}
    pair = first["bot"], second["bot"]
    assert cells[pair]["net"]["mean"] == -cells[pair[::-1]]["net"]["mean"]


def _facts(tournament: Tournament) -> tuple[Any, Any]:
    return tournament.configuration, tournament.entries


def _boards(fixture: Any, order: Any) -> Any:  # noqa: ANN401 - as a chooser
    won = better_seed(fixture, order)
    sign = 1 if won.boards[0] > 0 else -1
    boards = tuple(sign * net for net in (30, -8, 17 + fixture.round))
    return type(won)(
        ending=won.ending, winner=won.winner, boards=boards, luck=(400, -90, 31)
    )


def test_service_times_stand_beside_and_change_nothing_else(played: Season) -> None:
    times = [ServiceTime(bot="bot-01", submissions=3, referee_ms=4, longest_ms=2)]

    without = json.loads(build_export(*_facts(played)))
    payload = build_export(*_facts(played), times)

    assert parse_export(payload).services == tuple(times)
    assert json.loads(payload) | {"services": None} == without
    assert violations(payload) == []


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        (b'"format":1', b'"format":2', "format: only format 1 can be read"),
        (b'"edition":', b'"editions":', "configuration.editions: unknown key"),
        (b'"kind":"seeded"', b'"kind":"sorted"', r"log\[.*kind of it is unknown"),
        (b'"luck":{"deal":33', b'"luck":{"deal":33.5', "33.5: a whole number"),
        (b'"lifecycle"', b'"lifecycles"', "lifecycle is missing"),
        (b',"head":', b', "head":', "not the canonical form"),
    ],
)
def test_what_is_no_export_is_named(
    old: bytes, new: bytes, what: str, played: Season
) -> None:
    payload = build_export(*_facts(played))
    assert old in payload

    with pytest.raises(ExportError, match=what):
        parse_export(payload.replace(old, new))


def test_the_schema_knows_every_event_and_every_result() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["properties"]["format"]["const"] == FORMAT
    for union, name in ((Event, "event"), (Result, "result")):
        kinds = get_args(union)
        listed = SCHEMA["$defs"][name]["anyOf"]
        assert [one["$ref"].rpartition("/")[2] for one in listed] == [
            word_of(kind) for kind in kinds
        ]
        for kind in kinds:
            known = SCHEMA["$defs"][word_of(kind)]["properties"]
            assert list(known) == [KIND, *(field.name for field in fields(kind))]


@pytest.mark.parametrize(
    "path", sorted(GOLDEN.glob("*.json")), ids=lambda path: str(path.stem)
)
def test_every_export_that_was_kept_is_true_and_written_again_the_same(
    path: Path,
) -> None:
    verdict = verify_export(path.read_bytes(), trusted())

    assert (verdict.finding, verdict.problem) == (Finding.VALID, None)
    assert verdict.export is not None
    again = build_export(
        verdict.export.configuration, verdict.export.entries, verdict.export.services
    )
    assert json.loads(again) == verdict.export.document
    assert violations(again) == []


def test_exports_were_kept() -> None:
    assert {path.stem for path in GOLDEN.glob("*.json")} >= {"brackets", "swiss"}


def test_the_page_lists_every_member(played: Season) -> None:
    page = (ROOT / "docs" / "tournament-exports.md").read_text(encoding="utf-8")
    _, _, table = page.partition("| member | holds |\n|---|---|\n")
    listed = [row.split("`")[1] for row in table.split("\n\n")[0].splitlines()]

    document = json.loads(build_export(*_facts(played)))

    assert sorted(listed) == sorted(document) == sorted(SCHEMA["required"])


def test_a_season_is_drawn_by_shares_of_all(played: Season) -> None:
    chance = parse_export(build_export(*_facts(played))).document["chance"]

    assert chance["secret"] == played.secret.hex()
    assert [one["bot"] for one in chance["shares"]] == [
        f"bot-0{at}" for at in range(1, 5)
    ]
