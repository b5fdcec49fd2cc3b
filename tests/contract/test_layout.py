"""Where things are, and how large they may grow."""

import re
import subprocess
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[2]

LINE_LIMIT = 400
VAGUE_NAMES = {"base", "common", "helpers", "manager", "models", "utils"}
TOP_LEVEL = re.compile(
    r"\.ci|\.dockerignore|\.editorconfig|\.gitattributes|\.github|\.gitignore"
    r"|\.pre-commit-config\.yaml|CHANGELOG\.md|CONTRIBUTING\.md|LICENSE|Makefile"
    r"|README\.md|SECURITY\.md|buf.*\.yaml|clients|deploy|docs|helm|proto"
    r"|pyproject\.toml|requirements.*\.(lock|txt)|service|tests"
)


def committed_files() -> list[PurePosixPath]:
    """All files under version control, relative to the root."""
    listing = subprocess.run(
        ["git", "ls-files", "-z"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    return [PurePosixPath(name) for name in listing.stdout.split("\0") if name]


def modules() -> list[PurePosixPath]:
    """All Python modules written by hand."""
    return [
        path
        for path in committed_files()
        if path.suffix == ".py" and "service/ginref/v1" not in str(path)
    ]


def test_the_top_level_holds_only_what_was_agreed() -> None:
    entries = {path.parts[0] for path in committed_files()}

    assert not [entry for entry in entries if not TOP_LEVEL.fullmatch(entry)]
    assert {"pyproject.toml", "service", "tests"} <= entries


def test_no_module_is_longer_than_the_limit() -> None:
    lengths = {
        str(path): len((ROOT / path).read_text(encoding="utf-8").splitlines())
        for path in modules()
        if (ROOT / path).exists()
    }

    assert lengths
    assert {path: n for path, n in lengths.items() if n > LINE_LIMIT} == {}


def test_no_module_has_a_name_that_says_nothing() -> None:
    named = [path for path in modules() if VAGUE_NAMES & {path.stem, *path.parts}]

    assert named == []


def test_source_roots_are_no_packages() -> None:
    for root in ("service", "clients", "clients/python"):
        assert not (ROOT / root / "__init__.py").exists()
