"""Every kind of failover, many times: `make soak-failover` runs this and prints counts.

A line for each kind on each server says what became of the moves, and how long a
match had to wait for its next acknowledgement. It ends with 1 if a move was lost.
"""

import asyncio
import statistics
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial

from tests.contract import redis_fleet
from tests.contract.failover import (
    Fault,
    Outcome,
    depose_primary,
    fail_over,
    hand_over,
    kill_primary,
    part_primary,
    restart_primary,
    stop_primary,
    under_load,
)
from tests.contract.redis_fleet import Fleet

KINDS: Sequence[
    tuple[str, Callable[[str], AbstractContextManager[Fleet]], Sequence[Fault]]
] = (
    (
        "sentinel",
        redis_fleet.guarded,
        (kill_primary, restart_primary, stop_primary, fail_over, depose_primary),
    ),
    ("sentinel", partial(redis_fleet.guarded, is_linked=True), (part_primary,)),
    (
        "cluster",
        redis_fleet.cluster,
        (kill_primary, restart_primary, stop_primary, hand_over),
    ),
)


def _told(outcomes: Sequence[Outcome]) -> str:
    gaps = sorted(outcome.gap_s for outcome in outcomes)
    return (
        f"{len(outcomes):3} faults"
        f" {sum(one.acknowledged for one in outcomes):7} acknowledged"
        f" {sum(one.lost for one in outcomes):3} lost"
        f" {sum(one.duplicates for one in outcomes):4} at a retry"
        f" {sum(one.unavailable for one in outcomes):5} not answered"
        f"  gap {statistics.median(gaps):5.2f} s, at most {gaps[-1]:5.2f} s"
    )


def main(repeats: int) -> int:
    lost = 0
    for server in ("redis", "valkey"):
        for name, run, faults in KINDS:
            with run(server) as fleet:
                for fault in faults:
                    outcomes: list[Outcome] = []
                    for _ in range(repeats):
                        fleet.heal()
                        fleet.empty()
                        load = under_load(fleet, fleet.url, fault)
                        outcomes.append(asyncio.run(load))
                    lost += sum(outcome.lost for outcome in outcomes)
                    title = f"{server:7}{name:10}{fault.__name__:17}"
                    print(title, _told(outcomes), flush=True)  # noqa: T201
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
