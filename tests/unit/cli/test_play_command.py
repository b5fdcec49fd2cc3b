from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from ginref.cli.play import play

Run = Callable[..., Result]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("COLUMNS", "80")
    app = typer.Typer()
    app.command()(play)

    def invoke(*arguments: object) -> Result:
        return CliRunner().invoke(app, [str(argument) for argument in arguments])

    return invoke


def test_a_match_is_told_and_can_be_told_again(run: Run) -> None:
    first = run("careful", "simple", "--seed", "s")

    assert first.exit_code == 0
    assert "Round 1" in first.stdout
    assert "careful wins" in first.stdout or "simple wins" in first.stdout
    assert run("careful", "simple", "--seed", "s").stdout == first.stdout


def test_a_match_without_a_seed_says_how_to_see_it_again(run: Run) -> None:
    first = run("simple", "simple")

    *story, again = first.stdout.splitlines()
    seed = again.removeprefix("Again: --seed ")
    assert run("simple", "simple", "--seed", seed).stdout.splitlines() == story


def test_other_rules_are_played(run: Run) -> None:
    told = run("simple", "simple", "--ruleset", "hollywood", "--seed", "s")

    assert "game 3" in told.stdout


def test_several_matches_are_told_in_a_line_each(run: Run) -> None:
    told = run("careful", "simple", "--matches", 3, "--seed", "s")

    lines = told.stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["1", "2", "3", "careful"]
    assert sum(map(int, (word.strip(",") for word in lines[-1].split()[1::2]))) == 3


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["clever", "simple"], "ginref play: clever: no such bot"),
        (["simple", "simple", "--ruleset", "bridge"], "one of gin, hollywood"),
    ],
)
def test_mistakes_are_told_in_a_line(run: Run, arguments: list[str], text: str) -> None:
    failed = run(*arguments)

    assert failed.exit_code == 1
    assert text in failed.stderr
    assert "Traceback" not in failed.stderr


def test_a_bot_that_raises_is_shown_where(run: Run, tmp_path: Path) -> None:
    bot = tmp_path / "wrong.py"
    bot.write_text(
        "from ginref_client import Bot\n"
        "class Wrong(Bot):\n"
        "    def choose(self, view):\n"
        "        return view.nothing\n"
    )

    failed = run(bot, "simple", "--seed", "s")

    assert failed.exit_code == 1
    assert "line 4, in choose" in failed.stderr
    assert "wrong (north) raised AttributeError" in failed.stderr


def test_a_bot_that_breaks_a_rule_is_told_which(run: Run, tmp_path: Path) -> None:
    bot = tmp_path / "cheat.py"
    bot.write_text(
        "from ginref_client import Bot, Knock\n"
        "class Cheat(Bot):\n"
        "    def choose(self, view):\n"
        "        return Knock()\n"
    )

    failed = run(bot, "simple", "--seed", "s")

    assert failed.exit_code == 1
    assert "cheat (north) chose knock, which is illegal: wrong_phase" in failed.stderr
    assert "Traceback" not in failed.stderr
