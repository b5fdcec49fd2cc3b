"""`ginref tournament`: what is typed, and what is told, without a referee."""

from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner

from ginref.cli import app
from ginref.cli.organizing import CommandError
from ginref.cli.rehearsal import rehearsed
from ginref.cli.tournament_change import find_fixture, told
from ginref.cli.tournament_course import read_file
from ginref.cli.tournament_table import fixtures, overview
from ginref.tournament.configuration_read import read_configuration
from ginref.tournament.example import EXAMPLES
from ginref.v1 import tournament_pb2, tournament_service_pb2

CLOSED = "127.0.0.1:1"
"""Where no referee answers."""


def seen() -> tournament_pb2.Tournament:
    """A tournament with a fixture of one place in each of two stages."""

    def stage(name: str) -> tournament_pb2.TournamentStage:
        sides = [
            tournament_pb2.FixtureSide(bot="ada", source="seed:1"),
            tournament_pb2.FixtureSide(source="winner:W1.1"),
        ]
        fixture = tournament_pb2.Fixture(
            fixture_id=f"f-{name}",
            node="W2.1",
            sides=sides,
            state=tournament_pb2.FIXTURE_STATE_PLAYING,
            attempt=2,
        )
        line = tournament_pb2.StandingLine(rank=1, bot="ada", points=1.5, mean=-3.25)
        return tournament_pb2.TournamentStage(
            name=name,
            fixtures=[fixture, tournament_pb2.Fixture(node=f"{name}-bye")],
            rankings=[tournament_pb2.GroupRanking(lines=[line])],
        )

    return tournament_pb2.Tournament(
        tournament_id="cup",
        title="A \x1b[31mcup",
        state=tournament_pb2.TOURNAMENT_STATE_RUNNING,
        version=9,
        stages=[stage("main"), stage("final")],
        problems=[
            tournament_pb2.TournamentProblem(
                kind="stopped", about="W2.1", message="stopped: void", blocking=True
            )
        ],
    )


@pytest.mark.parametrize("named", ["f-final", "final/W2.1"])
def test_a_fixture_is_found_by_what_names_it_alone(named: str) -> None:
    assert find_fixture(seen(), named).fixture_id == "f-final"


@pytest.mark.parametrize(
    ("named", "what"),
    [
        pytest.param("W9.9", "there is no fixture", id="nowhere"),
        pytest.param("W2.1", "more than one stage", id="in two stages"),
        pytest.param("main-bye", "is not known yet", id="of nobody"),
    ],
)
def test_a_fixture_that_is_not_named_alone_is_refused(named: str, what: str) -> None:
    with pytest.raises(CommandError, match=what):
        find_fixture(seen(), named)


def test_a_change_is_told_with_what_was_looked_at() -> None:
    one = tournament_pb2.TournamentDifference(path="ranks.main/-/ada", after="1")
    changed = tournament_service_pb2.ChangeTournamentResponse(
        version=10, differences=[one]
    )

    lines = list(told(seen(), changed, 8, dry_run=False))
    tried = list(told(seen(), changed, 8, dry_run=True))

    assert lines == [
        "cup: version 8, running",
        "  ranks.main/-/ada: nothing -> 1",
        "now at version 10",
    ]
    assert tried[-1] == "nothing was changed: this is what would be"


def test_a_tournament_is_shown_without_what_commands_a_terminal() -> None:
    console = Console(width=100, markup=False, highlight=False)
    with console.capture() as shown:
        console.print(overview(seen()))
        console.print(fixtures(seen()))

    text = shown.get()

    assert "\x1b[31m" not in text
    assert "0 of 4 fixtures" in text
    assert "waits for you: W2.1: stopped: void" in text
    assert "ada - winner:W1.1" in text
    assert "playing, attempt 2" in text
    assert "-3.2" in text


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(("award", "cup", "W1.1", "lost:ada"), id="a result that is none"),
        pytest.param(("award", "cup", "W1.1", "won:"), id="a win of nobody"),
        pytest.param(("correct", "cup", "W1.1", "drawn:ada"), id="a draw of one"),
        pytest.param(
            ("correct", "cup", "W1.1", "drawn", "--mode", "softly"), id="another mode"
        ),
        pytest.param(("pair", "cup", "main", "2", "ada-bob"), id="a pair of one"),
    ],
)
def test_what_cannot_be_asked_is_not_sent(words: tuple[str, ...]) -> None:
    asked = [*words, "--reason", "so", "--url", CLOSED]

    done = CliRunner(env={"GINREF_TOKEN": "t"}).invoke(app, ["tournament", *asked])

    assert done.exit_code == 1
    assert "expected" in done.output or "is none of" in done.output


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_can_be_rehearsed(tmp_path: Path, name: str) -> None:
    file = tmp_path / "cup.yaml"
    file.write_text(EXAMPLES[name])

    document: dict[str, Any] = rehearsed(read_file(file))

    declared = read_configuration(document)
    assert declared.entry.check_in
    assert declared.schedule.check_in_ms is None
    for stage in declared.stages:
        clocks = [match.clock for match in (stage.match, *stage.exceptions.values())]
        assert {clock.start_ms for clock in clocks} == {5000}
        assert getattr(stage.format, "fixtures", 1) is not None
