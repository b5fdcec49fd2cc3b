"""Two thousand runs under faults, and the same run again from its seed."""

import json
import os
import subprocess
import sys
from collections import Counter

import pytest
from tests.simulation.batch import ROOT, failure, run_batch
from tests.simulation.coverage import MUST_HAPPEN, missing
from tests.simulation.planted_bugs import PLANTS
from tests.simulation.run import simulate

SEEDS = 2_000
FIRST = 1


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_two_thousand_seeds_find_nothing_and_miss_nothing() -> None:
    summary = run_batch(FIRST, SEEDS, workers=os.cpu_count() or 1)

    assert not summary.failures, "\n".join(
        failure(seed, problems) for seed, problems in summary.failures.items()
    )
    assert summary.seeds == SEEDS
    assert not summary.missing


def elsewhere(hash_seed: int, *arguments: object) -> list[str]:
    """Return what a process with another order of sets tells, line by line."""
    return subprocess.run(
        [sys.executable, "-m", "tests.simulation", *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": str(hash_seed)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()


def test_seeds_are_the_same_runs_in_any_process() -> None:
    digest = 0
    for seed in range(1, 13):
        digest ^= int(simulate(seed).digest, 16)

    for hash_seed in (1, 4242):
        told = json.loads(elsewhere(hash_seed, "--part", 1, 13, 1)[-1])
        assert told["digest"] == digest


def test_a_seed_is_told_again_line_by_line() -> None:
    lines, again = elsewhere(7, 3), simulate(3, keep=True)

    assert lines[:-1] == list(again.lines)
    assert lines[-1].endswith(f"hash {again.digest}")


def test_two_seeds_are_two_runs() -> None:
    assert simulate(1).digest != simulate(2).digest


def test_a_failure_says_how_to_see_it_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _, plant = PLANTS["the_next_card_of_the_stock_in_a_view"]
    plant(monkeypatch)
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
