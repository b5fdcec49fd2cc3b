"""Nothing is lost and nothing doubled, whatever fails while matches are played."""

import os
import secrets
from pathlib import Path

import pytest
from tests.faults.campaign import Outcome, Plan, run
from tests.faults.failing_referee import POINTS, RECORD_POINTS
from tests.faults.fault import FAULTS
from tests.faults.fault_store import clocked, replicated
from tests.faults.happening import MUST_HAPPEN

pytestmark = [pytest.mark.redis, pytest.mark.slow]

SEED = int(os.environ.get("SEED") or secrets.randbelow(10**6))

TWICE = (
    "F02_stop_referee",
    "F03_duel",
    "F04_kill_store",
    "F06_flush_scripts",
    "F08_lose_replies",
    "F08_cut",
    "F08_blackhole",
    "F16_overtaken",
)
"""Faults that come more than once: they depend most on the moment."""


def _judge(outcome: Outcome, tell: list[str]) -> None:
    tell.append(outcome.summary())
    assert outcome.is_clean, outcome.complaint()
    assert not outcome.missing, outcome.complaint()


def test_every_fault_of_the_catalogue_is_known_by_what_must_come_of_it() -> None:
    numbers = {name.partition("_")[0] for name in MUST_HAPPEN}

    assert numbers == {f"F{number:02}" for number in range(1, 21)}
    assert FAULTS.keys() <= MUST_HAPPEN.keys()


@pytest.mark.timeout(1800)
async def test_no_move_is_lost_or_doubled(folder: Path, tell: list[str]) -> None:
    often = dict.fromkeys(TWICE, 2)
    often |= {"F01_kill_referee": len(POINTS), "F20_kill_signer": len(RECORD_POINTS)}
    faults = {name: often.get(name, 1) for name in FAULTS}
    plan = Plan(seed=SEED, faults=faults, moves=20_500)

    outcome = await run(plan, folder)

    _judge(outcome, tell)
    assert outcome.faults.total() >= 40
    assert outcome.counts["acknowledged"] >= 20_000
    assert outcome.counts["signed"] > 100
    assert outcome.counts["unknown"] > 0
    assert outcome.counts["refused"] > 0


@pytest.mark.timeout(1800)
async def test_no_move_is_lost_by_a_failover(folder: Path, tell: list[str]) -> None:
    with replicated() as (fleet, faults):
        plan = Plan(
            seed=SEED, faults={"F07_kill_primary": 1}, moves=500, tables=4, streams=1
        )
        outcome = await run(plan, folder, store_url=fleet.url, faults=faults)

    _judge(outcome, tell)
    assert outcome.counts["acknowledged"] >= 500


@pytest.mark.timeout(1800)
async def test_nobody_loses_by_a_clock_that_jumps(
    folder: Path, tell: list[str]
) -> None:
    store, clock = clocked(folder)
    faults = clock.faults()
    plan = Plan(
        seed=SEED,
        faults=dict.fromkeys(faults, 1),
        moves=500,
        tables=4,
        streams=1,
    )

    outcome = await run(plan, folder, store=store, faults=faults)

    _judge(outcome, tell)
    assert outcome.counts["acknowledged"] >= 500
