"""Looks for leaks at length: many pairs of worlds, sizes of messages, and times."""

import argparse
import json
import os
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from tests.leaks.comparison import BATCH, OTHERS, Findings, compare
from tests.leaks.timing import measure

ROOT: Final = Path(__file__).parents[2]
REPORT: Final = ROOT / "build" / "leaks.json"

_SHOWN: Final = 20
_BOUND_US: Final = 20.0


def main() -> int:
    """Do what the command line asks for; return an exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.leaks")
    parser.add_argument("--pairs", type=int, default=50_000, help="pairs of worlds")
    parser.add_argument("--first", type=int, default=1, help="the first script")
    parser.add_argument("--minutes", type=float, default=55.0, help="at most so long")
    parser.add_argument("--waits", type=int, default=5_000, help="pairs of waits")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--part", type=int, nargs=2, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.part is not None:
        _tell(json.dumps(_written(compare(*asked.part))))
        return 0
    begun = time.monotonic()
    until = begun + asked.minutes * 60
    # The machine is busy while worlds are compared, so times are taken before.
    waits = measure(asked.waits, asked.minutes * 60 / 5) if asked.waits else []
    findings = _compare_all(asked.first, asked.pairs, asked.workers, until)
    report = _report(findings, waits, asked.pairs, time.monotonic() - begun)
    REPORT.parent.mkdir(exist_ok=True)
    REPORT.write_text(json.dumps(report, indent=2) + "\n")
    _summarize(report)
    return bool(findings.differences) or findings.pairs < asked.pairs


def _compare_all(first: int, pairs: int, workers: int, until: float) -> Findings:
    """Compare in processes of their own, one for each core."""
    scripts = -(-pairs // OTHERS)
    parts = [
        (start, min(2 * BATCH, first + scripts - start))
        for start in range(first, first + scripts, 2 * BATCH)
    ]

    def work(part: tuple[int, int]) -> Findings:
        if time.monotonic() > until:
            return Findings()
        command = [sys.executable, "-m", "tests.leaks", "--part", *map(str, part)]
        ran = subprocess.run(
            command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
        )
        return _read(json.loads(ran.stdout))

    findings = Findings()
    with ThreadPoolExecutor(workers) as pool:
        for found in pool.map(work, parts):
            findings.add(found)
    return findings


def _written(findings: Findings) -> dict[str, Any]:
    written = asdict(findings)
    written["sizes"] = {
        kind: list(sizes.items()) for kind, sizes in findings.sizes.items()
    }
    written["unequal"] = [[*what, count] for what, count in findings.unequal.items()]
    return written


def _read(written: dict[str, Any]) -> Findings:
    sizes = {
        kind: Counter(dict(map(tuple, pairs)))
        for kind, pairs in written.pop("sizes").items()
    }
    unequal = Counter(
        {(kind, same): count for kind, same, count in written.pop("unequal")}
    )
    return Findings(**written, sizes=sizes, unequal=unequal)


def _report(
    findings: Findings, waits: list[dict[str, Any]], asked: int, seconds: float
) -> dict[str, Any]:
    return {
        "pairs": findings.pairs,
        "pairs_asked": asked,
        "seconds": round(seconds),
        "messages_compared": findings.compared,
        "bytes_compared": findings.octets,
        "cards_moved": findings.moved,
        "pairs_told_apart_by_who_may": findings.apart,
        "differences": findings.differences[:_SHOWN],
        "difference_count": len(findings.differences),
        "sizes": {
            kind: _spread(sizes) for kind, sizes in sorted(findings.sizes.items())
        },
        # Who reads the traffic of another seat sees how large its messages are.
        "sizes_that_follow_from_the_readers_own_hand": {
            kind: {
                "same": findings.unequal[kind, "same"],
                "other": findings.unequal[kind, "other"],
            }
            for kind in sorted({kind for kind, _ in findings.unequal})
        },
        "waits": waits,
    }


def _spread(sizes: Counter[int]) -> dict[str, int]:
    ordered = sorted(sizes.elements())
    return {
        "messages": len(ordered),
        "least": ordered[0],
        "median": ordered[len(ordered) // 2],
        "most": ordered[-1],
    }


def _summarize(report: dict[str, Any]) -> None:
    _tell(
        f"{report['pairs']:,} of {report['pairs_asked']:,} pairs of worlds,"
        f" {report['messages_compared']:,} messages and"
        f" {report['bytes_compared']:,} bytes compared,"
        f" {report['difference_count']} differences, {report['seconds']} s"
    )
    for difference in report["differences"]:
        _tell(f"  {difference}")
    _tell("sizes of messages in bytes: least, median, most")
    for kind, spread in report["sizes"].items():
        figures = [f"{spread[key]:>6}" for key in ("least", "median", "most")]
        _tell(f"  {kind:<36}{''.join(figures)}   of {spread['messages']:,}")
    for wait in report["waits"]:
        low, high = wait["interval_99_us"]
        within = "within" if -_BOUND_US <= low <= high <= _BOUND_US else "not within"
        _tell(
            f"wait for {wait['waited for']}: {wait['pairs']:,} pairs,"
            f" usually {wait['usual_us']} us; a poor hand takes"
            f" {wait['median_difference_us']} us more than three melds"
            f" ({low} to {high}, {within} {_BOUND_US:.0f} us)"
        )
    _tell(f"all of it is in {REPORT.relative_to(ROOT)}")


def _tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
