"""Everything that reads what others have written, told some thousand strange things.

The same ones in every run: a seed is all that they follow from. `make fuzz` lets a
fuzzer look for others, five million of them.
"""

import random
from dataclasses import replace

import pytest
from tests.fuzz.draw import changed
from tests.fuzz.sequence import WrongError
from tests.fuzz.serving import FaultError
from tests.fuzz.table import TARGETS

from ginref.app import reporting
from ginref.app.desk import Desk
from ginref.engine.match import Match
from ginref.engine.view import PublicView, public_view
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


def test_a_sequence_of_calls_finds_a_card_that_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def leaking(match: Match) -> PublicView:
        next_card = match.round.deck[match.round.drawn]
        return replace(public_view(match), first_upcard=next_card)

    monkeypatch.setattr(reporting, "public_view", leaking)
    target = TARGETS["sequence"]
    check, seed = target.make(), target.seeds()[0]

    with pytest.raises(WrongError, match="to spectator"):
        check(seed)


def test_an_exception_that_nobody_foresaw_is_a_fault(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    target = TARGETS["RefereeService/ListMatches"]
    check, seeds = target.make(), target.seeds()
    check(seeds[0])

    async def fail(*_: object) -> None:
        raise KeyError

    monkeypatch.setattr(Desk, "list_matches", fail)
    with pytest.raises(FaultError, match="INTERNAL"):
        check(seeds[0])


def test_every_method_that_is_served_is_told_strange_things() -> None:
    served = {method.removeprefix("ginref.v1.") for method in METHODS}

    assert {one for one in served if not one.startswith("grpc.")} <= set(TARGETS)
