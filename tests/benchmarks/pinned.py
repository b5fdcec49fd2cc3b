"""Servers on a core of their own, and what they take of it."""

import contextlib
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Final

import grpc.aio

_TICKS: Final = os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def pinned(*cores: int) -> Iterator[None]:
    """Run what is begun here on these cores, and go back."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def cpu_seconds(pid: int) -> float:
    """Return the processor time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def resident_bytes(pid: int) -> int:
    """Return the memory that a process has."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@contextlib.asynccontextmanager
async def opened(address: str) -> AsyncIterator[grpc.aio.Channel]:
    """Open a connection of its own."""
    options = [("grpc.use_local_subchannel_pool", 1)]
    async with grpc.aio.insecure_channel(address, options=options) as channel:
        yield channel


@contextlib.contextmanager
def server(core: int, module: str, *arguments: object) -> Iterator[tuple[str, int]]:
    """Run a server of a module on one core; the value is its address and process."""
    with pinned(core):
        process = subprocess.Popen(
            [sys.executable, "-m", f"tests.benchmarks.{module}", *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
    assert process.stdout is not None
    try:
        yield f"127.0.0.1:{process.stdout.readline().strip()}", process.pid
    finally:
        process.communicate()
