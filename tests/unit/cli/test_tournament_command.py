"""`ginref tournament`: what needs no referee."""

import csv
import json
from pathlib import Path

import pytest
from tests.unit.conftest import Referee
from tests.unit.tournament.driving import better_seed, one_stage
from tests.unit.tournament.exporting import PlayedSeason, sealed
from typer.testing import CliRunner, Result

from ginref.cli import app
from ginref.record.public_key import write_jwks
from ginref.tournament.example import EXAMPLES


def run(*arguments: object) -> Result:
    words = [str(argument) for argument in arguments]
    return CliRunner().invoke(app, words)


@pytest.fixture(scope="module")
def season() -> PlayedSeason:
    short = {"name": "short", "preset": "gin", "game_target": 20}
    document = one_stage(
        {"format": "single_elimination"}, match={"ruleset": short, "clock": "fast"}
    )
    cup = PlayedSeason({**document, "title": "A cup"})
    cup.draw(3)
    cup.play(better_seed)
    cup.open()
    return cup


@pytest.fixture(scope="module")
def folder(season: PlayedSeason, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an export, the records of its matches, and the keys."""
    path = tmp_path_factory.mktemp("cup")
    (path / "cup.json").write_bytes(sealed(season, season.services()))
    (path / "keys.jwks").write_bytes(write_jwks([Referee().public_key]))
    (path / "records").mkdir()
    for match, envelope in season.records().items():
        (path / "records" / f"{match}.json").write_bytes(envelope)
    return path


def test_verify_proves_an_export_and_lists_what_it_is_about(
    folder: Path, season: PlayedSeason
) -> None:
    result = run(
        "verify",
        folder / "cup.json",
        *("--keys", folder / "keys.jwks"),
        *("--records", folder / "records"),
    )

    assert result.exit_code == 0
    first, *lines = result.stdout.splitlines()
    assert first == f"{folder / 'cup.json'}: VALID"
    told = [tuple(line.strip().split(maxsplit=1)) for line in lines]
    assert told[:3] == [
        ("name", "A cup, t-1"),
        ("log", f"{len(season.entries)} entries, head {season.entries[-1].digest}"),
        ("state", "finished"),
    ]
    assert ("played", "2 matches, 2 as their records say") in told
    assert ("people", "0 interventions, 0 extra attempts") in told


def test_verify_names_the_first_wrong_thing_of_an_export(
    folder: Path, tmp_path: Path
) -> None:
    result = run(
        "tournament",
        "verify",
        folder / "cup.json",
        *("--keys", folder / "keys.jwks"),
        *("--records", tmp_path),
        "--json",
    )

    facts = json.loads(result.stdout)
    assert result.exit_code == facts["exit_code"] == 1
    assert facts["finding"] == "broken"
    assert facts["problem"].endswith("is missing")
    assert facts["wrong"] == "chain"


def test_verify_without_keys_says_that_the_key_is_unknown(folder: Path) -> None:
    result = run("verify", folder / "cup.json", "--keys", folder / "keys.jwks")
    assert result.exit_code == 0

    result = run("verify", folder / "cup.json", "--json")

    facts = json.loads(result.stdout)
    assert result.exit_code == facts["exit_code"] == 3
    assert facts["ranking"][0]["rank"] == 1
    assert facts["interventions"] == facts["attempts"] == facts["missing"] == []


def test_verify_compares_an_export_with_the_heads_that_a_bot_has_kept(
    folder: Path, season: PlayedSeason, tmp_path: Path
) -> None:
    head = {"kind": "head", "server": "", "tournament_id": "t-1", "length": 2}
    kept = tmp_path / "tournaments.jsonl"
    words = ["verify", folder / "cup.json", "--keys", folder / "keys.jwks"]

    kept.write_text(json.dumps({**head, "digest": season.entries[1].digest}) + "\n")
    agreed = run(*words, "--evidence", tmp_path)
    kept.write_text(json.dumps({**head, "digest": season.entries[0].digest}) + "\n")
    split = run(*words, "--evidence", kept)

    assert agreed.exit_code == 0
    assert "1 heads that bots have kept are of this log" in agreed.output
    assert split.exit_code == 1
    assert "entry 2 is another one than the one that was told" in split.output


def test_an_export_becomes_tables_a_bracket_and_a_page(
    folder: Path, tmp_path: Path
) -> None:
    result = run(
        "tournament",
        "export",
        folder / "cup.json",
        *("--csv", tmp_path / "tables"),
        *("--brackets", tmp_path / "bracket.json"),
        *("--report", tmp_path / "page.html"),
        *("--keys", folder / "keys.jwks"),
        *("--records", folder / "records"),
    )

    assert (result.exit_code, result.output) == (0, "")
    with (tmp_path / "tables" / "fixtures.csv").open(newline="") as file:
        kinds = [row["result_kind"] for row in csv.DictReader(file)]
    assert kinds == ["won", "won"]
    data = json.loads((tmp_path / "bracket.json").read_bytes())
    assert [row["name"] for row in data["participants"]] == [
        "bot-01",
        "bot-02",
        "bot-03",
    ]
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<h1>A cup</h1>" in page
    assert "<strong>Verified</strong>" in page
    assert "How everybody was served" in page


def test_a_page_says_that_its_key_is_unknown(folder: Path, tmp_path: Path) -> None:
    result = run("tournament", "report", folder / "cup.json", tmp_path / "page.html")

    assert result.exit_code == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "True, but signed by an unknown key," in page


def test_nothing_is_made_of_an_export_that_is_broken(
    folder: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.json"
    whole = json.loads((folder / "cup.json").read_bytes())
    broken.write_text(json.dumps({**whole, "signatures": []}))

    result = run("tournament", "report", broken, tmp_path / "page.html")

    assert result.exit_code == 1
    assert "broken: nobody has signed it" in result.output
    assert not (tmp_path / "page.html").exists()


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_can_be_previewed(tmp_path: Path, name: str) -> None:
    path = tmp_path / "cup.yaml"
    path.write_text(run("tournament", "example", name).stdout)

    result = run("tournament", "preview", path, "--entrants", 8)

    assert result.exit_code == 0
    assert result.stdout.splitlines()[0].endswith(": 8 entrants")
    assert "fixtures in" in result.stdout


def test_a_preview_for_programs_has_every_fixture(tmp_path: Path) -> None:
    path = tmp_path / "cup.yaml"
    path.write_text(EXAMPLES["round_robin"])

    result = run("tournament", "preview", path, "--entrants", 4, "--json")

    (stage,) = json.loads(result.stdout)["stages"]
    assert stage["fixtures"] == len(stage["meetings"]) == 12
    assert stage["separation"]["points"] > 0


@pytest.mark.parametrize(
    ("entrants", "change", "what"),
    [
        (3, "", "line 15: stages[0].rounds: 3 entrants can meet in 3 rounds"),
        (8, "    rounds: 6\n", "line 16: 'rounds' comes twice"),
        (8, "    groups: 6\n", "line 16: stages[0].groups: unknown key"),
    ],
)
def test_a_file_that_does_not_fit_is_named_by_line_and_field(
    tmp_path: Path, entrants: int, change: str, what: str
) -> None:
    path = tmp_path / "cup.yaml"
    rounds = "    rounds: 5\n"
    path.write_text(EXAMPLES["swiss"].replace(rounds, rounds + change))

    result = run("tournament", "preview", path, "--entrants", entrants)

    assert result.exit_code == 1
    assert f"{path}: {what}" in result.output


def test_an_example_of_nothing_is_refused() -> None:
    result = run("tournament", "example", "chess")

    assert result.exit_code == 2
    assert "'chess' is none of" in result.output
