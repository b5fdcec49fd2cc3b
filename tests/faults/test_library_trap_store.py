"""L01 and L02: what the driver of the store must not do with answers."""

from pathlib import Path

import pytest
from tests.faults.trap import cancel_storm, lost_replies

pytestmark = [pytest.mark.redis, pytest.mark.slow]


async def test_nobody_gets_the_answer_of_a_call_that_was_cancelled(
    folder: Path,
) -> None:
    seen = await cancel_storm(folder, 1_000)

    assert seen["foreign"] == seen["unavailable"] == 0
    assert seen["own"] > 300
    assert seen["cancelled"] > 100


async def test_a_command_whose_reply_is_lost_is_not_sent_again(folder: Path) -> None:
    seen = await lost_replies(folder, 60)

    assert seen["told"] < seen["counted"] <= seen["sent"] == 60
    assert seen["applied"] + seen["known already"] == 60
    assert seen["entries"] == 61
    assert seen["known already"] > 0
