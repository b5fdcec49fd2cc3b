"""Referees for tests that cross process boundaries."""

import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from tests.e2e.host import Host, Room, hosting
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


@pytest.fixture(scope="session")
def host() -> Iterator[Host]:
    """Return a referee that takes seeds, with callers of every kind."""
    with hosting("--dev") as started:
        yield started


@pytest.fixture
async def room(host: Host) -> AsyncIterator[Room]:
    """Return a connection to it, over which no match is left behind."""
    async with host.open() as opened:
        yield opened
        await opened.clear()
