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


def test_three_bots_play_rules_of_three_seats(run: Run) -> None:
    told = run("simple", "simple", "simple", "--ruleset", "three_handed")

    assert told.exit_code == 0
    assert "sits out" in told.stdout


def test_three_bots_take_turns_at_the_seats(run: Run) -> None:
    told = run(
        *("simple", "simple", "simple", "--ruleset", "three_handed"),
        *("--matches", 3, "--seed", "s"),
    )

    *lines, totals = told.stdout.splitlines()
    scores = [
        [int(word) for word in line.split("wins")[1].split() if word.isdigit()][:3]
        for line in lines
    ]
    # The same bots on the same cards: scores go round with the seats.
    assert scores[1] == [scores[0][2], *scores[0][:2]]
    assert scores[2] == [*scores[0][1:], scores[0][0]]
    assert totals == "simple-1 1, simple-2 1, simple-3 1"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        pytest.param("club.toml", 'name = "club"\ngames = 3', id="TOML"),
        pytest.param("club.json", '{"name": "club", "games": 3}', id="JSON"),
    ],
)
def test_rules_are_played_from_a_file(
    run: Run, tmp_path: Path, name: str, text: str
) -> None:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")

    told = run("simple", "simple", "--ruleset", file)

    assert told.exit_code == 0
    assert "game 3" in told.stdout


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param(b'name = "a"\nwal = 2', "wal: unknown option", id="unknown"),
        pytest.param(b'name = "a"\nwall = "2"', "wall: '2': int expected", id="type"),
        pytest.param(
            b'name = "a"\nspades_double = true',
            "spades_double: needs knock_limit_from_upcard",
            id="contradiction",
        ),
        pytest.param(b"name is a", "ruleset: not TOML", id="no TOML"),
        pytest.param(b"\xff", "it is no text in UTF-8", id="no text"),
        pytest.param(
            b'name = "a"\ntable = "box"', "table: 3 bots expected, 2 given", id="seats"
        ),
    ],
)
def test_a_file_of_rules_is_refused_by_the_key_at_fault(
    run: Run, tmp_path: Path, text: bytes, said: str
) -> None:
    file = tmp_path / "club.toml"
    file.write_bytes(text)

    told = run("simple", "simple", "--ruleset", file)

    assert told.exit_code == 1
    assert said in told.stderr


def test_a_file_of_rules_that_is_not_there_is_told(run: Run) -> None:
    told = run("simple", "simple", "--ruleset", "nowhere.toml")

    assert told.exit_code == 1
    assert "nowhere.toml: it cannot be read: No such file" in told.stderr


def test_several_matches_are_told_in_a_line_each(run: Run) -> None:
    told = run("careful", "simple", "--matches", 3, "--seed", "s")

    lines = told.stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["1", "2", "3", "careful"]
    assert sum(map(int, (word.strip(",") for word in lines[-1].split()[1::2]))) == 3


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (
            ["simple", "simple", "--ruleset", "three_handed"],
            "ginref play: table: 3 bots expected, 2 given",
        ),
        (
            ["simple", "simple", "simple"],
            "ginref play: table: 2 bots expected, 3 given",
        ),
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
