"""The README shows the example that is tested, and commands that exist."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer.main

from ginref.cli import app
from ginref.engine.deck import seed_secret
from ginref.engine.ruleset import GIN
from ginref_client.arena import play_match
from ginref_client.bots.simple import Simple
from ginref_client.loading import load_bot

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
EXAMPLE = "clients/python/examples/first_bot.py"

BLOCK = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
WORDS = r"ginref ((?:[a-z][a-z-]* ?)+)"
COMMAND = re.compile(rf"^(?:\.venv/bin/)?{WORDS}(.*)$", re.MULTILINE)
INLINE = re.compile(rf"`{WORDS}([^`]*)`")
TARGET = re.compile(r"\bmake ([a-z-]+)")


def shown(language: str) -> list[str]:
    return [code for name, code in BLOCK.findall(README) if name == language]


def commands_in(page: Path) -> list[tuple[str, str]]:
    """Words after `ginref`, and the options that follow them."""
    text = page.read_text(encoding="utf-8")
    blocks = "\n".join(code for name, code in BLOCK.findall(text) if not name)
    found = COMMAND.findall(blocks) + INLINE.findall(BLOCK.sub("", text))
    return [(words.strip(), rest) for words, rest in found]


def test_the_bot_in_the_readme_is_the_example() -> None:
    (example,) = shown("python")

    assert example == (ROOT / EXAMPLE).read_text(encoding="utf-8")
    assert len(example.splitlines()) <= 20


def test_the_example_plays_a_match() -> None:
    bot = load_bot(str(ROOT / EXAMPLE))

    result = play_match([bot(), Simple()], GIN, seed_secret("readme"))

    assert result.winner is not None


def test_the_example_is_a_program() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / EXAMPLE), "--help"],
        capture_output=True,
        text=True,
        check=True,
    )

    assert "--url" in done.stdout


@pytest.mark.parametrize(
    "page", [page for page in PAGES if commands_in(page)], ids=lambda page: page.stem
)
def test_every_command_that_is_named_exists(page: Path) -> None:
    unknown = []
    for words, rest in commands_in(page):
        command = typer.main.get_command(app)
        for word in words.split():
            # The first word that is no command is an argument.
            commands = getattr(command, "commands", None)
            if commands is None:
                break
            if word not in commands:
                unknown.append(words)
                break
            command = commands[word]
        known = {name for one in command.params for name in one.opts}
        unknown += [
            f"{words} {option}"
            for option in re.findall(r"--[a-z-]+", rest)
            if option not in known
        ]

    assert not unknown


def test_every_make_target_that_is_named_exists() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    text = README + (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")

    named = {
        target
        for line in re.findall(r"`(make [^`]+)`|^(make .*)$", text, re.MULTILINE)
        for target in TARGET.findall("".join(line).split("#")[0])
    }
    assert named
    assert named <= targets
