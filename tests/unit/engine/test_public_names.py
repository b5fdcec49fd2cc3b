"""What `ginref.engine` offers to programs that play without a referee."""

import json
import re
import subprocess
import sys
from pathlib import Path

import ginref.engine

PAGE = Path(__file__).parents[3] / "docs" / "engine.md"

# What a fresh Python has loaded once the statement has run.
LOADED = "import json, sys; before = set(sys.modules); import ginref.engine; {}".format(
    "print(json.dumps(sorted(set(sys.modules) - before)))"
)


def test_every_public_name_is_there_and_on_its_page() -> None:
    section = PAGE.read_text(encoding="utf-8").split("## Names")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (`.+?) \|", section, re.MULTILINE)
    told = [name for row in rows for name in re.findall(r"`(\w+)`", row)]

    assert sorted(told) == sorted(ginref.engine.__all__)
    assert [name for name in told if not hasattr(ginref.engine, name)] == []


def test_the_engine_loads_nothing_but_itself_and_the_standard_library() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADED], capture_output=True, check=True, text=True
    )
    loaded = {name.split(".")[0] for name in json.loads(done.stdout)}

    assert loaded - set(sys.stdlib_module_names) == {"ginref"}
    assert not loaded & {"asyncio", "logging", "random", "socket", "ssl", "threading"}
