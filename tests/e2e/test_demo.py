"""`ginref demo`, as a newcomer runs it."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

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


async def test_a_second_demo_in_a_folder_hears_of_the_first(folder: Path) -> None:
    """What the first one's referee wrote is neither repeated nor lost."""
    async with ChildReferee(folder / "demo", dev=False):
        with pytest.raises(ChildRefereeError, match=r"^another referee keeps"):
            await ChildReferee(folder / "demo", dev=False).__aenter__()

    assert "is ready" in (folder / "demo" / "referee.log").read_text()
