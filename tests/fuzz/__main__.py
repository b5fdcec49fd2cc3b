"""Lets a fuzzer look for what readers do not bear: `make fuzz` runs this.

Each target has a process of its own, and its share of all runs. What it finds is kept
in `build/fuzz`, beside the inputs that led somewhere new. It ends with 1 if something
was found.
"""

import argparse
import os
import sys
import time
from pathlib import Path
from typing import Final

import atheris

# The fuzzer sees where an input leads only in what is loaded under its eyes.
with atheris.instrument_imports(
    include=["ginref", "ginref_client"], exclude=["ginref.v1"]
):
    from tests.fuzz.table import TARGETS
    from tests.fuzz.target import Target, be_quiet

_FOLDER: Final = Path("build/fuzz")
_LONGEST: Final = 4096
_PATIENCE_S: Final = 600
_MEGABYTES: Final = 4096


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--runs", type=int, default=5_000_000, help="of all targets")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="targets whose name has this in it")
    return parser.parse_args()


def main(runs: int, seed: int, only: str) -> int:
    """Fuzz target by target, and tell of each how it went."""
    be_quiet()
    _FOLDER.mkdir(parents=True, exist_ok=True)
    chosen = {name: one for name, one in TARGETS.items() if only in name}
    whole = sum(target.share for target in chosen.values())
    done, failed, start = 0, list[str](), time.monotonic()
    for name, target in chosen.items():
        share = max(1, runs * target.share // whole)
        folder = _FOLDER / name.replace(" ", "-").replace("/", "-")
        begun = time.monotonic()
        # Whoever fuzzes ends its process; what was loaded for it is loaded once.
        child = os.fork()
        if not child:
            _fuzz(target, folder, share, seed)
        _, status = os.waitpid(child, 0)
        done += share
        verdict = "ok"
        if status:
            failed.append(name)
            verdict = f"FAILED, see {folder}.log"
        _say(f"{name:36}{share:10,} runs {time.monotonic() - begun:7.0f} s  {verdict}")
    minutes = (time.monotonic() - start) / 60
    _say(f"{done:,} runs of {len(chosen)} targets in {minutes:.1f} min")
    _say(f"found: {', '.join(failed) or 'nothing'}")
    return 1 if failed else 0


def _fuzz(target: Target, folder: Path, runs: int, seed: int) -> None:
    """Fuzz one target in this process, and end it."""
    with folder.with_suffix(".log").open("wb") as log:
        os.dup2(log.fileno(), sys.stdout.fileno())
        os.dup2(log.fileno(), sys.stderr.fileno())
    folder.mkdir(exist_ok=True)
    for number, data in enumerate(target.seeds()):
        (folder / f"seed-{number}").write_bytes(data)
    options = {
        "runs": runs,
        "seed": seed,
        "max_len": _LONGEST,
        "timeout": _PATIENCE_S,
        "rss_limit_mb": _MEGABYTES,
        "artifact_prefix": f"{folder}-found-",
    }
    flags = [f"-{name}={value}" for name, value in options.items()]
    atheris.Setup([sys.argv[0], str(folder), *flags], target.make())
    atheris.Fuzz()
    os._exit(0)


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201 - a program that tells how it goes


if __name__ == "__main__":
    given = _arguments()
    sys.exit(main(given.runs, given.seed, given.only))
