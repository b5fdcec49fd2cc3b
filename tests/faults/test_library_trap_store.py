"""L01 and L02: what the driver of the store must not do with answers."""

from pathlib import Path

import pytest
from tests.faults.trap_store import cancel_storm, lost_replies

pytestmark = [pytest.mark.redis, pytest.mark.slow]


async def test_nobody_gets_the_answer_of_a_call_that_was_cancelled(
    folder: Path,
) -> None:
    await cancel_storm(folder, 1_000)


async def test_a_command_whose_reply_is_lost_is_not_sent_again(folder: Path) -> None:
    await lost_replies(folder, 60)
