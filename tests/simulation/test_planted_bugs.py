"""The simulation finds bugs: each of those that were made on purpose."""

import pytest
from tests.simulation.planted_bugs import PLANTS
from tests.simulation.run import simulate


@pytest.mark.timeout(900)
@pytest.mark.parametrize("bug", PLANTS)
def test_a_planted_bug_is_found(bug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seeds, plant = PLANTS[bug]
    plant(monkeypatch)

    assert any(simulate(seed).problems for seed in range(1, seeds + 1))
