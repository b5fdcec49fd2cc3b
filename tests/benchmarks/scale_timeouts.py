"""Ten thousand deadlines in one moment, and two processes that sweep."""

import shutil
import tempfile
from pathlib import Path

from tests.benchmarks.finding import Finding
from tests.benchmarks.measured_referee import embedded
from tests.benchmarks.pinned import pinned
from tests.benchmarks.row import Goal, share
from tests.e2e.due_at_once import sweep_at_once


async def timeouts(mine: int, core: int, count: int) -> Finding:
    """Let so many matches pass their deadline at once.

    Args:
        mine: The core of the store.
        core: The other one; the two processes that sweep use both.
        count: Matches that nobody comes to.
    """
    folder = Path(tempfile.mkdtemp(prefix="gb"))
    try:
        async with embedded() as store:
            with pinned(mine, core):
                swept = await sweep_at_once(folder, store, count)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    late = swept.lags_ms
    once = swept.ends[("TimedOut",)]
    return Finding(
        title=f"{count:,} deadlines at once, and two processes that sweep",
        facts={
            "ends": ", ".join(f"{' '.join(e)} {n:,}" for e, n in swept.ends.items()),
            "timed out by each": " + ".join(f"{n:,}" for n in swept.counts),
            "deadlines apart, ms": swept.apart_ms,
            "timed out after the deadline, p50 ms": share(late, 0.50),
            "timed out after the deadline, p99 ms": share(late, 0.99),
            "timed out after the deadline, last ms": late[-1],
            "timeouts a second": round(1000 * count / (late[-1] + swept.apart_ms)),
            "processor time, ms a timeout": round(1000 * swept.cpu_s / count, 2),
        },
        goals=(
            Goal("matches with one timeout, and nothing else", once, count),
            Goal("timeouts that were counted", sum(swept.counts), count),
            Goal(
                "timeouts before their time",
                sum(lag <= 0 for lag in late),
                0,
                at_most=True,
            ),
        ),
    )
