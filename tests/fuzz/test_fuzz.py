"""Everything that reads what others have written, told some thousand strange things.

The same ones in every run: a seed is all that they follow from. `make fuzz` lets a
fuzzer look for others, five million of them.
"""

import random

import pytest
from tests.fuzz.draw import changed
from tests.fuzz.table import TARGETS

from ginref.transport.server import METHODS

USUAL = 100

RUNS = {
    "export facts": 4,
    "evidence rows": 40,
    "http": 40,
    "log rows": 20,
    "match notation": 20,
    "record": 24,
    "record facts": 20,
    "sequence": 3,
    "tournament log rows": 20,
}
"""How many runs a target gets that takes its time."""


@pytest.fixture(autouse=True)
def _quiet(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("CRITICAL")


@pytest.mark.parametrize("name", TARGETS)
def test_whatever_is_told_is_read_or_refused(name: str) -> None:
    target, chance = TARGETS[name], random.Random(name)
    seeds = target.seeds()
    assert seeds
    check = target.make()
    for number in range(RUNS.get(name, USUAL)):
        if number < len(seeds):
            check(seeds[number])
        else:
            check(changed(chance.choice(seeds), chance, seeds))


def test_every_method_that_is_served_is_told_strange_things() -> None:
    served = {method.removeprefix("ginref.v1.") for method in METHODS}

    assert {one for one in served if not one.startswith("grpc.")} <= set(TARGETS)
