"""Many seeds at once: one worker for each core, each in a process of its own."""

import gc
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tests.simulation.coverage import ENOUGH, missing
from tests.simulation.run import simulate

ROOT: Final = Path(__file__).parents[2]

_TIDY: Final = 25
"""Seeds after which memory is given back; not in the middle of one."""

_SHOWN: Final = 3
"""Problems of a seed that are told; the others follow from the first."""


@dataclass(slots=True)
class Summary:
    """What a batch has come to.

    Attributes:
        seeds: Seeds that were run.
        counts: How often what happened.
        failures: Problems by seed.
        steps: Callbacks that ran.
        seconds: Seconds of all runs, by their own clocks.
        digest: Hash over everything that happened in all of them.
    """

    seeds: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    failures: dict[int, list[str]] = field(default_factory=dict)
    steps: int = 0
    seconds: float = 0.0
    digest: int = 0

    @property
    def missing(self) -> tuple[str, ...]:
        """What should have happened in so many seeds, and did not."""
        return missing(self.counts) if self.seeds >= ENOUGH else ()

    def add(self, other: "Summary") -> None:
        """Add what other seeds have come to."""
        self.seeds += other.seeds
        self.counts += other.counts
        self.failures |= other.failures
        self.steps += other.steps
        self.seconds += other.seconds
        self.digest ^= other.digest

    @property
    def is_good(self) -> bool:
        """Nothing went wrong, and enough happened."""
        return not self.failures and not self.missing


def run_here(seeds: Iterable[int]) -> Iterator[dict[str, object]]:
    """Run seeds in this process; yield what failed, and what it all came to."""
    summary = Summary()
    gc.collect()
    gc.freeze()
    gc.disable()
    for seed in seeds:
        outcome = simulate(seed)
        summary.add(
            Summary(
                seeds=1,
                counts=outcome.counts,
                steps=outcome.steps,
                seconds=outcome.seconds,
                digest=int(outcome.digest, 16),
            )
        )
        if outcome.problems:
            yield {"seed": seed, "problems": outcome.problems[:_SHOWN]}
        if summary.seeds % _TIDY == 0:
            gc.collect()
    yield {
        "seeds": summary.seeds,
        "counts": summary.counts,
        "steps": summary.steps,
        "seconds": summary.seconds,
        "digest": summary.digest,
    }


def run_batch(first: int, count: int, workers: int) -> Summary:
    """Run seeds in processes of their own, and tell of failures as they come.

    Args:
        first: The first seed.
        count: How many seeds follow each other.
        workers: Processes.
    """
    summary = Summary()
    with ThreadPoolExecutor(workers) as pool:
        parts = [
            (first + number, first + count, workers)
            for number in range(min(workers, count))
        ]
        for part in pool.map(lambda part: _run_part(*part), parts):
            summary.add(part)
    return summary


def _run_part(first: int, end: int, stride: int) -> Summary:
    summary = Summary()
    command = [sys.executable, "-m", "tests.simulation", "--part"]
    command += [str(first), str(end), str(stride)]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as worker:
        assert worker.stdout is not None
        for line in worker.stdout:
            told = json.loads(line)
            if "problems" in told:
                summary.failures[told["seed"]] = told["problems"]
                sys.stderr.write(failure(told["seed"], told["problems"]) + "\n")
                continue
            summary.seeds = told["seeds"]
            summary.counts = Counter(told["counts"])
            summary.steps = told["steps"]
            summary.seconds = told["seconds"]
            summary.digest = told["digest"]
    if worker.returncode:
        summary.failures[first] = [f"a worker ended with {worker.returncode}"]
    return summary


def failure(seed: int, problems: Iterable[str]) -> str:
    """Tell what failed, and how to see it again."""
    told = "".join(f"\n    {problem[:600]}" for problem in problems)
    return (
        f"seed={seed} commit={commit()}{told}"
        f"\n    again: python -m tests.simulation {seed}"
    )


def commit() -> str:
    """Return the commit that is checked out, and whether it was changed."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    try:
        found = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return found.stdout.strip()
