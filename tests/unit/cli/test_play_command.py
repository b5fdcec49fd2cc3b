import signal
import subprocess
import sys
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


@pytest.fixture
def wrong(tmp_path: Path) -> Callable[[str, str], Path]:
    """Write a bot that plays well, but for one method."""

    def write(hook: str, code: str) -> Path:
        file = tmp_path / "wrong.py"
        file.write_text(
            "from ginref_client.bots.simple import Simple\n"
            "class Wrong(Simple):\n"
            f"    def {hook}(self, *heard):\n"
            f"        {code}\n"
        )
        return file

    return write


HOOKS = ["__init__", "match_started", "choose", "round_over", "match_over"]


@pytest.mark.parametrize("hook", HOOKS)
@pytest.mark.parametrize("matches", [1, 2])
def test_a_bot_that_raises_is_told_in_a_line(
    run: Run, wrong: Callable[[str, str], Path], hook: str, matches: int
) -> None:
    options = ("--seed", "s", "--matches", matches)

    failed = run("simple", wrong(hook, "raise LookupError('a\\nb')"), *options)

    assert failed.exit_code == 1
    assert isinstance(failed.exception, SystemExit)
    assert failed.stderr == (
        f"ginref play: wrong (south): {hook} raised LookupError: a b"
        " (wrong.py, line 4)\n"
    )


@pytest.mark.parametrize("hook", ["__init__", "match_started"])
def test_a_match_that_never_begins_leaves_no_file_behind(
    run: Run, wrong: Callable[[str, str], Path], tmp_path: Path, hook: str
) -> None:
    bot, new, old = wrong(hook, "raise LookupError"), tmp_path / "new", tmp_path / "old"
    old.write_text("an earlier match", encoding="utf-8")

    for file in (new, old):
        assert run("simple", bot, "--save", file).exit_code == 1

    assert not new.exists()
    assert old.read_text(encoding="utf-8") == "an earlier match"


@pytest.mark.parametrize("hook", HOOKS)
def test_a_bot_that_would_end_the_program_is_told_in_a_line(
    run: Run, wrong: Callable[[str, str], Path], hook: str
) -> None:
    failed = run(wrong(hook, "raise SystemExit"), "simple", "--seed", "s")

    assert failed.exit_code == 1
    assert failed.stderr == (
        f"ginref play: wrong (north): {hook} raised SystemExit (wrong.py, line 4)\n"
    )


def test_whoever_asks_is_shown_the_way_to_the_failure(
    run: Run, wrong: Callable[[str, str], Path]
) -> None:
    failed = run(wrong("choose", "return heard[1]"), "simple", "--debug")

    *way, last = failed.stderr.splitlines()
    assert failed.exit_code == 1
    assert '/wrong.py", line 4, in choose' in "\n".join(way)
    assert last.startswith("ginref play: wrong (north): choose raised IndexError: ")


def test_a_file_that_would_end_the_program_is_told_in_a_line(
    run: Run, tmp_path: Path
) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text("import sys\nsys.exit(3)\n")

    failed = run(bot, "simple")

    assert failed.exit_code == 1
    assert failed.stderr == (
        f"ginref play: {bot}: SystemExit: 3 (bot.py, line 2);"
        ' what ends the program belongs under if __name__ == "__main__"\n'
    )


SPIN = "while True: print('spinning', flush=True)"
SWALLOW = """while True:
            try:
                print('spinning', flush=True)
            except BaseException:
                pass"""


@pytest.mark.parametrize(
    ("hook", "code"),
    [
        pytest.param("choose", SPIN, id="it thinks for ever"),
        pytest.param("match_started", SPIN, id="it never gets ready"),
        pytest.param("choose", SWALLOW, id="it catches everything"),
    ],
)
def test_an_interrupt_ends_a_bot_that_hangs(
    wrong: Callable[[str, str], Path], hook: str, code: str
) -> None:
    bot = str(wrong(hook, code))
    command = [sys.executable, "-m", "ginref", "play", bot, "simple"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as playing:
        assert playing.stdout is not None
        while playing.stdout.readline() != "spinning\n":
            assert playing.poll() is None
        playing.send_signal(signal.SIGINT)
        _, complaints = playing.communicate(timeout=30)

    assert playing.returncode == 130
    assert not complaints


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


def test_a_seed_that_is_no_text_is_refused(run: Run) -> None:
    # What the shell hands on of the byte FF.
    refused = run("simple", "simple", "--seed", "\udcff")

    assert refused.exit_code == 2
    assert "it is no text in UTF-8" in refused.stderr
