"""Referees for tests that cross process boundaries."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.e2e.referee_process import RefereeProcess


@pytest.fixture
def folder() -> Iterator[Path]:
    """Return a short-named folder: sockets have short paths."""
    path = Path(tempfile.mkdtemp(prefix="gr"))
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def referee(folder: Path) -> Iterator[RefereeProcess]:
    """Return a running referee on an embedded store, seeds allowed."""
    process = RefereeProcess(folder / "data", options=("--dev",)).start()
    yield process
    process.stop()
