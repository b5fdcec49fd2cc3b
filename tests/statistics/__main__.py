"""Counts the cards of millions of deals in several processes, and says how it went."""

import argparse
import json
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from tests.statistics.deals import LIMIT, Tally, tally

PART = 100_000
REPORT = Path("build/prove-deals.json")


def _part(seed: int, number: int) -> Tally:
    """Count one part; no match of it is in any other part."""
    return tally(PART, seed=seed, first=number * PART)


def main() -> int:
    """Count what the command line asks for; return an exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.statistics")
    parser.add_argument("--deals", type=int, default=10_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    asked = parser.parse_args()
    parts = max(1, asked.deals // PART)
    began = time.monotonic()
    whole = Tally()
    with ProcessPoolExecutor(asked.workers) as pool:
        counted = pool.map(partial(_part, asked.seed), range(parts))
        for done, one in enumerate(counted, start=1):
            whole.add(one)
            if sys.stderr.isatty():
                sys.stderr.write(f"\r{done} of {parts} parts")
    scores = whole.scores()
    report = {
        "deals": whole.deals,
        "seed": asked.seed,
        "seconds": round(time.monotonic() - began, 1),
        "z": {name: round(score, 3) for name, score in scores.items()},
        "limit": LIMIT,
    }
    REPORT.parent.mkdir(exist_ok=True)
    REPORT.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(json.dumps(report, indent=1) + "\n")
    return int(any(abs(score) > LIMIT for score in scores.values()))


if __name__ == "__main__":
    sys.exit(main())
