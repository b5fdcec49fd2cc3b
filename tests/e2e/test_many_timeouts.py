"""Very many deadlines that pass at the same moment, and two processes that sweep.

`make bench-scale PARTS=timeouts` makes them as many as a referee is built for.
"""

from pathlib import Path

import pytest
from tests.e2e.due_at_once import sweep_at_once

COUNT = 2_000


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_all_that_is_due_at_once_is_timed_out_once_each(
    folder: Path, valkey_url: str
) -> None:
    swept = await sweep_at_once(folder, valkey_url, COUNT)

    assert swept.ends == {("TimedOut",): COUNT}
    assert sum(swept.counts) == COUNT
    assert swept.left == 0
    assert swept.lags_ms[0] > 0
