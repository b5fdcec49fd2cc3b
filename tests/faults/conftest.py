"""A folder for each run, and a line about each one at the end."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

SUMMARIES = pytest.StashKey[list[str]]()


@pytest.fixture
def folder(request: pytest.FixtureRequest) -> Iterator[Path]:
    """A folder that is short enough for sockets, and kept when the test fails."""
    path = Path(tempfile.mkdtemp(prefix="gr"))
    failed = request.session.testsfailed
    yield path
    if request.session.testsfailed == failed:
        shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def tell(request: pytest.FixtureRequest) -> list[str]:
    """Lines that are shown at the end of all tests."""
    return request.config.stash.setdefault(SUMMARIES, [])


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Show what runs with faults have come to."""
    lines = config.stash.get(SUMMARIES, [])
    if lines:
        terminalreporter.section("faults")
    for line in lines:
        terminalreporter.write_line(line)
