"""`ginref config`: what would hold, and a file to begin with."""

import json
import re
from pathlib import Path

from typer.testing import CliRunner

from ginref.cli import app
from ginref.cli.config_file import from_file
from ginref.config import SETTINGS, ServeConfig
from ginref.effective import effective

PAGE = Path(__file__).parents[3] / "docs" / "configuration.md"

PUBLIC = {name for name, one in SETTINGS.items() if not one.is_internal}

FILE = """\
# What is the same for all of them.
store: redis://ada:sesame@store:6379/0
workers: 4
keep: 12h
"""


def test_each_setting_is_shown_with_where_it_comes_from(tmp_path: Path) -> None:
    file = tmp_path / "ginref.yaml"
    file.write_text(FILE)
    environment = {"GINREF_KEEP": "7d", "GINREF_CONFIG": str(file)}

    result = CliRunner().invoke(app, ["config", "check", "--no-dev"], env=environment)

    assert result.exit_code == 0, result.output
    told = {line.split()[0]: line.split()[1:] for line in result.stdout.splitlines()}
    assert told.keys() == PUBLIC
    assert told["store"] == [f"{file}:2", "redis://***@store:6379/0"]
    assert told["workers"] == [f"{file}:3", "4"]
    assert told["keep"] == ["GINREF_KEEP", "7d"]
    assert told["dev"] == ["--dev", "false"]
    assert told["admin"] == ["default", "127.0.0.1:7979"]
    assert told["keys"] == ["default", "ginref-data/keys"]


def test_the_same_is_told_as_json(tmp_path: Path) -> None:
    file = tmp_path / "ginref.yaml"
    file.write_text(FILE)
    options = ("--config", str(file), "--roles", "signer,referee", "--json")

    # Another file that nobody looks for, since one was given.
    environment = {"GINREF_CONFIG": "/nowhere/at/all.yaml"}
    result = CliRunner().invoke(app, ["config", "check", *options], env=environment)

    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert told["problems"] == []
    assert told["settings"].keys() == PUBLIC
    assert told["settings"]["store"] == {
        "value": "redis://***@store:6379/0",
        "source": "file",
        "place": f"{file}:2",
    }
    assert told["settings"]["roles"] == {
        "value": ["referee", "signer"],
        "source": "option",
        "place": "--roles",
    }
    assert told["settings"]["tls_cert"] == {
        "value": None,
        "source": "default",
        "place": None,
    }


def test_all_that_cannot_be_used_is_named() -> None:
    environment = {"GINREF_KEP": "7d", "GINREF_DEV": "maybe"}

    result = CliRunner().invoke(
        app, ["config", "check", "--json", "--workers", "65"], env=environment
    )

    assert result.exit_code == 2
    problems = json.loads(result.stdout)["problems"]
    assert problems == [
        "GINREF_KEP: no setting of that name; did you mean GINREF_KEEP?",
        "GINREF_DEV: 'maybe': true or false expected",
        "--workers: '65': a whole number, 1 to 64, expected",
    ]
    assert result.stderr.splitlines() == [
        f"ginref config check: {problem}" for problem in problems
    ]


def test_an_option_that_comes_twice_is_refused() -> None:
    options = ("--listen", "127.0.0.1:1", "--listen", "127.0.0.1:2")

    result = CliRunner().invoke(app, ["config", "check", *options])

    assert result.exit_code == 2
    assert "--listen comes twice" in result.stderr


def test_the_example_holds_all_settings_and_gives_none(tmp_path: Path) -> None:
    file = tmp_path / "ginref.yaml"

    result = CliRunner().invoke(app, ["config", "example"])

    file.write_text(result.stdout)
    assert not list(from_file(file))
    lines = [line.removeprefix("#") for line in result.stdout.splitlines()]
    told = [line for line in lines if line.partition(":")[0] in PUBLIC]
    assert {line.partition(":")[0] for line in told} == PUBLIC
    # Where there is a default, it is what stands there.
    file.write_text(
        "".join(
            f"{line}\n"
            for line in told
            if SETTINGS[line.partition(":")[0]].default is not None
        )
    )
    assert effective(from_file(file)).config == ServeConfig()


def test_the_tables_of_the_page_are_those_of_the_command() -> None:
    result = CliRunner().invoke(app, ["config", "table"])

    _, told = PAGE.read_text().split("<!-- Printed by: ginref config table -->\n\n")
    assert told == result.stdout, "print them into the page again"
    assert set(re.findall(r"^\| `(\w+)`", told, re.MULTILINE)) == PUBLIC


def test_the_file_on_the_page_can_be_used(tmp_path: Path) -> None:
    _, after = PAGE.read_text().split('```yaml title="ginref.yaml"\n')
    text = after.partition("```")[0]
    file = tmp_path / "ginref.yaml"
    file.write_text(text)

    result = CliRunner().invoke(app, ["config", "check", "--config", str(file)])

    assert result.exit_code == 0, result.output
