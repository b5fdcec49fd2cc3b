"""Two thousand runs under faults, and the same run again from its seed."""

import os
import subprocess
import sys
from collections import Counter

import pytest
from tests.simulation.batch import ROOT, failure, run_batch
from tests.simulation.coverage import MUST_HAPPEN, missing
from tests.simulation.run import simulate

from ginref.adapters.memory_store import MemoryStore

SEEDS = 2_000
FIRST = 1


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_two_thousand_seeds_find_nothing_and_miss_nothing() -> None:
    summary = run_batch(FIRST, SEEDS, workers=os.cpu_count() or 1)

    assert not summary.failures, "\n".join(
        failure(seed, problems) for seed, problems in summary.failures.items()
    )
    assert summary.seeds == SEEDS
    assert not summary.missing


@pytest.mark.parametrize("seed", [3, 1017, 1049])
def test_a_seed_is_the_same_run_in_any_process(seed: int) -> None:
    here, again = simulate(seed), simulate(seed, keep=True)
    elsewhere = subprocess.run(
        [sys.executable, "-m", "tests.simulation", str(seed)],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": str(seed)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()

    assert again.digest == here.digest
    assert elsewhere[:-1] == list(again.lines)
    assert elsewhere[-1].endswith(f"hash {here.digest}")


def test_two_seeds_are_two_runs() -> None:
    assert simulate(1).digest != simulate(2).digest


def test_a_failure_says_how_to_see_it_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def forget(_: MemoryStore, match_id: str) -> None:
        assert match_id

    monkeypatch.setattr(MemoryStore, "acknowledge", forget)
    monkeypatch.setattr(sys, "argv", ["simulation", "1"])
    from tests.simulation.__main__ import main  # noqa: PLC0415 - it is a program

    assert main() == 1

    told = capsys.readouterr().out
    assert "seed=1 commit=" in told
    assert "python -m tests.simulation 1" in told


def test_what_never_happened_is_named() -> None:
    counts = Counter(dict.fromkeys(MUST_HAPPEN, 1))
    assert missing(counts) == ()

    del counts["race lost"]

    assert missing(counts) == ("race lost",)
