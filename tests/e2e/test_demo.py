"""`ginref demo`, as a newcomer runs it."""

import os
import re
import signal
import subprocess
import sys
import time
from itertools import groupby
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ginref.cli import app, demo
from ginref.cli.child_referee import ChildReferee, ChildRefereeError

DEMO = (sys.executable, "-m", "ginref", "demo", "--pace-ms", "0")


def run(folder: Path, *options: str) -> str:
    """Run the demo and return what it printed."""
    done = subprocess.run(
        [*DEMO, "--folder", str(folder), *options],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def running_in(folder: Path) -> list[str]:
    """Return the commands of processes that name a folder."""
    commands = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
        if str(folder) in command:
            commands.append(command)
    return commands


def test_the_demo_ends_with_a_record_that_verifies(folder: Path) -> None:
    """Three columns, a path, and a verdict; nothing is left running."""
    shown = run(folder / "demo")

    assert re.search(r"game 1 +game 2 +game 3", shown)
    assert re.search(r"(careful|simple) wins the match \(completed\)", shown)
    assert "VALID" in shown
    assert "nobody chose the cards" in shown
    (record,) = (folder / "demo").glob("m*.json")
    assert str(record) in shown
    assert running_in(folder) == []


def test_a_seed_deals_the_same_cards_again_and_says_that_this_is_not_fair(
    folder: Path,
) -> None:
    """Bots that decide by what they see play the same match again."""
    options = ("--ruleset", "gin", "--seed", "a seed")

    first = run(folder / "one", *options)
    second = run(folder / "two", *options)

    rounds = re.findall(r"^round .*$", first, re.MULTILINE)
    assert rounds
    assert rounds == re.findall(r"^round .*$", second, re.MULTILINE)
    assert "not fair deals" in first
    assert "host chose the cards" in first


def test_a_demo_can_be_run_again_where_one_was_cut_short(folder: Path) -> None:
    """The first one is killed in the middle of its match and leaves nothing."""
    place = folder / "demo"
    with subprocess.Popen(
        [*DEMO, "--pace-ms", "50", "--folder", str(place)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as cut_short:
        assert cut_short.stdout is not None
        for line in cut_short.stdout:
            if line.startswith(b"round"):
                break
        os.kill(cut_short.pid, signal.SIGKILL)
    until = time.monotonic() + 20
    while running_in(folder) and time.monotonic() < until:
        time.sleep(0.05)
    assert running_in(folder) == []

    shown = run(place)

    assert "VALID" in shown


def test_an_unknown_ruleset_is_one_clear_line(folder: Path) -> None:
    """A mistake on the command line is no traceback."""
    done = subprocess.run(
        [*DEMO, "--folder", str(folder / "demo"), "--ruleset", "whist"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 1
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert "whist" in done.stderr


@pytest.mark.parametrize(
    ("patience", "told"),
    [
        pytest.param("_MATCH_PATIENCE", "the match hangs", id="match"),
        pytest.param("_RECORD_PATIENCE", "the record is not signed", id="record"),
    ],
)
def test_what_takes_too_long_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch, patience: str, told: str
) -> None:
    """Somebody who waits in vain learns for what, and nothing is left running."""
    monkeypatch.setattr(demo, patience, 0.0)
    options = ["--pace-ms", "0", "--ruleset", "gin", "--folder", str(folder / "demo")]

    result = CliRunner().invoke(app, ["demo", *options])

    assert result.exit_code == 1
    assert result.stderr == f"ginref demo: {told}\n"
    assert running_in(folder) == []


def shape(text: str) -> list[str]:
    """Return what lines look like, whatever was dealt, and each look once in a row."""
    looks = []
    for line in text.splitlines():
        look = re.sub(r"\bm[a-z2-7]{16}\b", "<id>", line)
        look = re.sub(r"^  key  .*", "<key>", look)
        look = re.sub(r"\b(careful|simple)(?= wins|$)", "<bot>", look.rstrip())
        look = re.sub(r"\b(north|south)\b", "<seat>", look)
        look = re.sub(r"(?<=\s)\+?\d+\b", "<n>", re.sub("─+", "─", look))
        # Which games have an entry or a winner differs from row to row.
        look = re.sub(r"^ (won|<n>|\s)*<n>$", "<row>", look)
        looks.append(" ".join(look.split()))
    return [look for look, _ in groupby(looks)]


def test_the_readme_shows_what_a_demo_prints(folder: Path) -> None:
    """Line by line, but for the cards, the ids and the folder."""
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    sample = readme.split("It ends like this:\n\n```text\n")[1].split("```")[0]
    printed = run(folder / "demo").replace(str(folder / "demo"), "build/demo")

    found = "\n".join(shape(printed))

    for part in sample.split(" …\n"):
        assert "\n".join(shape(part)) in found
    assert "record build/demo/<id>.json\nkeys build/demo/keys" in found


async def test_a_second_demo_in_a_folder_hears_of_the_first(folder: Path) -> None:
    """What the first one's referee wrote is neither repeated nor lost."""
    async with ChildReferee(folder / "demo", dev=False):
        with pytest.raises(ChildRefereeError, match=r"^another referee keeps"):
            await ChildReferee(folder / "demo", dev=False).__aenter__()

    assert "is ready" in (folder / "demo" / "referee.log").read_text()
