"""How many small faults in the engine its unit tests notice. `make mutate-engine`.

Each fault is made in a process of its own, forked from one that has collected the
tests already: the faulty code takes the place of the true one in the function that
everybody holds. What runs while the engine is imported takes a second collection. The
tests of the faulty module come first, then all the others, the fastest first, up to the
first failure. The sources on disk stay as they are.
"""

import argparse
import contextlib
import gc
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import json
import math
import os
import random
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType, ModuleType
from typing import Final

# Everything that every child needs is loaded once, except what may be faulty.
import hypothesis
import pytest
from rich.console import Console
from rich.table import Table
from tests.mutation.mutant import Mutant, Place, graft, make, places

ENGINE: Final = Path("service/ginref/engine")
TESTS: Final = Path("tests/unit/engine")
RESULT: Final = Path("build/mutate-engine.json")
MODULES: Final = tuple(
    # The first has names of others alone, the second is prose about the options.
    sorted(
        path.stem
        for path in ENGINE.glob("*.py")
        if path.stem not in {"__init__", "rule_source"}
    )
)
EXAMPLES: Final = 15
"""Of each property: enough to notice most faults, few enough to try them all."""
_IMPORT_SECONDS: Final = 10
ARGUMENTS: Final = (
    str(TESTS),
    "--assert=plain",
    "--capture=no",
    "-pno:cacheprovider",
    "--quiet",
)

# A few hands are enough to notice a fault, and skipped tests are none.
os.environ |= {"HANDS": "200", "CI": "true"}


@dataclass(frozen=True)
class Faulty(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Loads one module with its fault."""

    mutant: Mutant

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != _module(self.mutant.place):
            return None
        return importlib.util.spec_from_loader(fullname, self)

    def exec_module(self, module: ModuleType) -> None:
        code = compile(self.mutant.tree, str(self.mutant.place.path), "exec")
        exec(code, module.__dict__)


class Tests:
    """Runs the collected tests until one fails: a plugin of pytest.

    Attributes:
        own: How the names of the files begin whose tests come first.
        seconds: Processor time of each test when nothing is wrong, by its id.
        patience: Seconds of processor time after which no further test begins.
    """

    def __init__(
        self, own: str, seconds: dict[str, float], patience: float = math.inf
    ) -> None:
        self.own = own
        self.seconds = seconds
        self.patience = patience

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.run(session)
        return True

    def run(self, session: pytest.Session) -> bool:
        """Say whether all tests pass."""
        items = sorted(session.items, key=self._order)
        started = time.process_time()
        for item, following in zip(items, [*items[1:], None], strict=True):
            if time.process_time() - started > self.patience:
                break
            _shorten(item)
            limit = 3 + 3 * self.seconds.get(item.nodeid, 10)
            signal.setitimer(signal.ITIMER_VIRTUAL, limit)
            before = time.process_time()
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            self.seconds.setdefault(item.nodeid, time.process_time() - before)
            if session.testsfailed:
                return False
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        return True

    def _order(self, item: pytest.Item) -> tuple[bool, float]:
        is_own = item.path.name.startswith(self.own)
        return not is_own, self.seconds.get(item.nodeid, 0)


class Mutation:
    """Makes one fault after another under the collected tests: a plugin of pytest.

    Attributes:
        chosen: The faults.
        at_import: The functions that have run while the engine was imported.
        patience: Seconds of processor time after which a fault has survived.
        tally: What has come of them.
    """

    def __init__(
        self, chosen: Sequence[Place], at_import: set[str], patience: float
    ) -> None:
        self.chosen = chosen
        self.at_import = at_import
        self.patience = patience
        self.tally = Tally(len(chosen))
        self._seconds: dict[str, float] = {}

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if Tests("", self._seconds).run(session):
            # What is there already stays shared with every child.
            gc.freeze()
            for place in self.chosen:
                mutant = make(place)
                noticed = self._is_noticed(session, mutant)
                self.tally.count(mutant, noticed=noticed)
        return True

    def _is_noticed(self, session: pytest.Session, mutant: Mutant) -> bool:
        child = os.fork()
        if child == 0:
            _be_silent()
            # Going on for ever is noticed, too.
            signal.setitimer(signal.ITIMER_VIRTUAL, _IMPORT_SECONDS)
            with contextlib.suppress(BaseException):
                os._exit(0 if self._passes(session, mutant) else 1)
            os._exit(1)
        _, status = os.waitpid(child, 0)
        return status != 0

    def _passes(self, session: pytest.Session, mutant: Mutant) -> bool:
        place = mutant.place
        subject, *_ = place.path.stem.split("_")
        tests = Tests(f"test_{subject}", self._seconds, self.patience)
        name = _module(place)
        if place.function and f"{name}.{place.function}" not in self.at_import:
            graft(mutant, sys.modules[name])
            return tests.run(session)
        for loaded in [*sys.modules]:
            if loaded.partition(".")[0] in {"ginref", "ginref_client", "tests"}:
                del sys.modules[loaded]
        sys.meta_path.insert(0, Faulty(mutant))
        return pytest.main([*ARGUMENTS], [tests]) == 0


class Tally:
    """How many faults were noticed, told as it grows."""

    def __init__(self, faults: int) -> None:
        self.faults = faults
        self.survived: list[Mutant] = []
        self.counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
        self.console = Console(width=120, file=os.fdopen(os.dup(1), "w"))
        self.started = time.monotonic()

    def count(self, mutant: Mutant, *, noticed: bool) -> None:
        counts = self.counts[mutant.place.path.stem]
        counts[0] += noticed
        counts[1] += 1
        if not noticed:
            self.survived.append(mutant)
            self.console.print(f"survived  {mutant}", markup=False, highlight=False)
        made = sum(faults for _, faults in self.counts.values())
        if made % 20 == 0:
            passed = time.monotonic() - self.started
            self.console.print(f"{made} of {self.faults} after {passed:.0f} s")

    def tell(self) -> None:
        table = Table()
        for head in ("module", "noticed", "faults", "share"):
            table.add_column(head, justify="left" if head == "module" else "right")
        total = [sum(count[at] for count in self.counts.values()) for at in (0, 1)]
        for name, (noticed, faults) in [*self.counts.items(), ("all", total)]:
            table.add_row(name, str(noticed), str(faults), f"{noticed / faults:.1%}")
        self.console.print(table)
        modules = {
            name: {"noticed": noticed, "faults": faults}
            for name, (noticed, faults) in self.counts.items()
        }
        survived = [str(mutant) for mutant in self.survived]
        RESULT.parent.mkdir(exist_ok=True)
        text = json.dumps({"modules": modules, "survived": survived}, indent=2)
        RESULT.write_text(text + "\n")


def main() -> int:
    options = _options()
    chosen = [
        place for name in options.modules for place in places(ENGINE / f"{name}.py")
    ]
    if options.sample and options.sample < len(chosen):
        chosen = random.Random(options.seed).sample(chosen, options.sample)
    mutation = Mutation(chosen, _import_engine(), options.patience)
    pytest.main([*ARGUMENTS], [mutation])
    if not mutation.tally.counts:
        mutation.tally.console.print("The tests fail without any fault.")
        return 1
    mutation.tally.tell()
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="*", default=MODULES)
    parser.add_argument("--sample", type=int, default=0, help="how many; 0 for all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--patience",
        type=float,
        default=10,
        help="seconds of processor time after which a fault has survived",
    )
    return parser.parse_args()


def _import_engine() -> set[str]:
    """Import the engine, and name the functions that ran meanwhile."""
    assert "ginref" not in sys.modules
    ran = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            # What is made within a function is part of it.
            name, *_ = frame.f_code.co_qualname.split(".<locals>")
            ran.add(f"{frame.f_globals.get('__name__')}.{name}")

    sys.setprofile(note)
    for name in MODULES:
        importlib.import_module(f"ginref.engine.{name}")
    sys.setprofile(None)
    return ran


def _module(place: Place) -> str:
    return f"ginref.engine.{place.path.stem}"


def _be_silent() -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)


_SETTINGS: Final = "_hypothesis_internal_use_settings"


def _shorten(item: pytest.Item) -> None:
    """Let a property try few examples, the same ones each time."""
    test = getattr(item, "obj", None)
    settings = getattr(test, _SETTINGS, None)
    if settings is not None:
        few = hypothesis.settings(
            settings,
            max_examples=min(settings.max_examples, EXAMPLES),
            database=None,
            derandomize=True,
        )
        setattr(test, _SETTINGS, few)


if __name__ == "__main__":
    sys.exit(main())
