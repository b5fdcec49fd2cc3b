"""How many small faults in the engine its unit tests notice. `make mutate-engine`.

Each fault is made in a process of its own, which loads the faulty module in place of
the true one and runs the tests of that module, then all the others, up to the first
failure. The sources on disk stay as they are.
"""

import argparse
import contextlib
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import random
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Final

# Everything that every child needs is loaded once, except what may be faulty.
import hypothesis
import pytest
from rich.console import Console
from rich.table import Table
from tests.mutation.mutant import Mutant, make, places, untouched

ENGINE: Final = Path("service/ginref/engine")
TESTS: Final = Path("tests/unit/engine")
RESULT: Final = Path("build/mutate-engine.json")
MODULES: Final = (
    "card",
    "meld",
    "deadwood",
    "layoff",
    "showdown",
    "deck",
    "round",
    "legality",
    "sheet",
    "match",
    "view",
    "snapshot",
)
TIMEOUT_SECONDS: Final = 120

# A few hands are enough to notice a fault, and skipped tests are none.
os.environ |= {"HANDS": "200", "CI": "true"}


@dataclass(frozen=True)
class Faulty(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Loads one module with its fault."""

    mutant: Mutant

    @property
    def module(self) -> str:
        return f"ginref.engine.{self.mutant.path.stem}"

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self.module:
            return None
        return importlib.util.spec_from_loader(fullname, self)

    def exec_module(self, module: ModuleType) -> None:
        code = compile(self.mutant.tree, str(self.mutant.path), "exec")
        exec(code, module.__dict__)


def main() -> int:
    assert "ginref" not in sys.modules
    options = _options()
    chosen = [
        place for name in options.modules for place in places(ENGINE / f"{name}.py")
    ]
    if options.sample and options.sample < len(chosen):
        chosen = random.Random(options.seed).sample(chosen, options.sample)
    console = Console(width=120)
    if _is_noticed(untouched(ENGINE / "card.py")):
        console.print("The tests fail without any fault.")
        return 1
    survived: list[Mutant] = []
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    started = time.monotonic()
    for number, place in enumerate(chosen, 1):
        mutant = make(place)
        noticed = _is_noticed(mutant)
        counts[mutant.path.stem][0] += noticed
        counts[mutant.path.stem][1] += 1
        if not noticed:
            survived.append(mutant)
            console.print(f"survived  {mutant}", markup=False, highlight=False)
        if number % 20 == 0:
            passed = time.monotonic() - started
            console.print(f"{number} of {len(chosen)} after {passed:.0f} s")
    _tell(console, counts)
    RESULT.parent.mkdir(exist_ok=True)
    RESULT.write_text(
        json.dumps(
            {
                "modules": {
                    name: {"noticed": noticed, "faults": faults}
                    for name, (noticed, faults) in counts.items()
                },
                "survived": [str(mutant) for mutant in survived],
            },
            indent=2,
        )
        + "\n"
    )
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="*", default=MODULES)
    parser.add_argument("--sample", type=int, default=0, help="how many; 0 for all")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def _is_noticed(mutant: Mutant) -> bool:
    child = os.fork()
    if child == 0:
        _judge(mutant)
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while time.monotonic() < deadline:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(status) != 0
        time.sleep(0.02)
    # Going on for ever is noticed, too.
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return True


def _judge(mutant: Mutant) -> None:
    """Exit with 0 if all tests pass."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    hypothesis.settings.register_profile(
        "mutation", max_examples=30, database=None, deadline=None, derandomize=True
    )
    code = 1
    with contextlib.suppress(BaseException):
        sys.meta_path.insert(0, Faulty(mutant))
        own = TESTS / f"test_{mutant.path.stem}.py"
        code = pytest.main([*ARGUMENTS, str(own)]) if own.exists() else 0
        if code == 0:
            others = sorted(set(TESTS.glob("test_*.py")) - {own}, key=_weight)
            code = pytest.main([*ARGUMENTS, *map(str, others)])
    os._exit(int(code))


ARGUMENTS: Final = (
    "--exitfirst",
    "--quiet",
    "--assert=plain",
    "-p",
    "no:cacheprovider",
    "--hypothesis-profile=mutation",
)


def _weight(tests: Path) -> tuple[bool, str]:
    """Tests of notation and whole matches take longest and notice least."""
    slow = ("notation", "golden", "perft", "transcript", "ruleset_text")
    return any(word in tests.stem for word in slow), tests.stem


def _tell(console: Console, counts: dict[str, list[int]]) -> None:
    table = Table()
    for head in ("module", "noticed", "faults", "share"):
        table.add_column(head, justify="left" if head == "module" else "right")
    total = [sum(count[at] for count in counts.values()) for at in (0, 1)]
    for name, (noticed, faults) in [*counts.items(), ("all", total)]:
        table.add_row(name, str(noticed), str(faults), f"{noticed / faults:.1%}")
    console.print(table)


if __name__ == "__main__":
    sys.exit(main())
