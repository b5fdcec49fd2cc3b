"""The referee of kaggle-environments: its gin rummy, stepped in its own environment."""

import contextlib
import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

from tests.benchmarks.pinned import pinned
from tests.benchmarks.row import Row

PYTHON: Final = Path("build/kaggle/bin/python")
"""Made by `make kaggle`, where there are wheels for the platform."""

_PROGRAM: Final = Path(__file__).with_name("kaggle_steps.py")


@dataclass(frozen=True)
class Kaggle:
    """A process that steps when it is told to."""

    told: IO[str]
    answers: IO[str]

    def row(self, seconds: float) -> Row:
        """Let it step for so long."""
        self.told.write(f"{seconds}\n")
        self.told.flush()
        facts: dict[str, Any] = json.loads(self.answers.readline())
        return Row.of(
            "kaggle-environments",
            "in process",
            trips=facts["trips"],
            seconds=sum(facts["trips"]),
            cpu_seconds=facts["cpu_seconds"],
        )


@contextlib.contextmanager
def kaggle(core: int) -> Iterator[Kaggle | None]:
    """Run it on one core; the value is None where it is not installed."""
    if not PYTHON.exists():
        yield None
        return
    with pinned(core):
        process = subprocess.Popen(
            [PYTHON, _PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "ready\n"
        yield Kaggle(process.stdin, process.stdout)
    finally:
        process.communicate()
