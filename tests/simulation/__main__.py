"""Runs seeds: one, told line by line, or many, told by what they came to."""

import argparse
import json
import os
import sys

from tests.simulation.batch import failure, run_batch, run_here
from tests.simulation.run import simulate


def _tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> int:
    """Run what the command line asks for; return an exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation")
    parser.add_argument("seed", type=int, nargs="?", help="run this seed alone")
    parser.add_argument("--seeds", type=int, default=2_000, help="run so many seeds")
    parser.add_argument("--first", type=int, default=1, help="the first one of them")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--part", type=int, nargs=3, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.part is not None:
        for told in run_here(range(*asked.part)):
            _tell(json.dumps(told))
        return 0
    if asked.seed is not None:
        return _replay(asked.seed)
    return _run_many(asked.first, asked.seeds, asked.workers)


def _replay(seed: int) -> int:
    outcome = simulate(seed, keep=True)
    _tell("\n".join(outcome.lines))
    _tell(f"{outcome.steps} steps, {outcome.seconds:.3f} s, hash {outcome.digest}")
    if outcome.problems:
        _tell(failure(seed, outcome.problems))
    return bool(outcome.problems)


def _run_many(first: int, seeds: int, workers: int) -> int:
    summary = run_batch(first, seeds, workers)
    for what, count in sorted(summary.counts.items()):
        _tell(f"{count:12,} {what}")
    _tell(
        f"{summary.seeds:,} seeds, {summary.steps:,} steps,"
        f" {summary.seconds:,.0f} s of play, {len(summary.failures)} failed,"
        f" hash {summary.digest:032x}"
    )
    for what in summary.missing:
        _tell(f"never happened: {what}")
    return not summary.is_good


if __name__ == "__main__":
    sys.exit(main())
