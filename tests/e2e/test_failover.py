"""A server of the store that dies in the middle of a match, and is replaced."""

import asyncio
import json
from base64 import b64decode
from pathlib import Path

import pytest
from tests.contract.failover import kill_primary
from tests.contract.redis_fleet import guarded
from tests.e2e.referee_process import RefereeProcess
from tests.e2e.table import Table, play, verify

from ginref.record.lifecycle import EndingKind
from ginref.record.verify import Finding
from ginref_client.bots.careful import Careful
from ginref_client.bots.simple import Simple
from ginref_client.session import Session

AFTER_MOVES = 20

pytestmark = [pytest.mark.redis, pytest.mark.slow]


async def test_a_failover_of_the_store_delays_a_match_and_no_more(folder: Path) -> None:
    with guarded("redis") as fleet:
        referee = RefereeProcess(folder / "data", store=fleet.url)
        try:
            await asyncio.to_thread(referee.start)
            table = Table(referee.address, referee.token())
            careful, simple = await table.bot_tokens()
            match_id = await table.create_match("gin")
            playing = asyncio.create_task(
                play(
                    [
                        Session(referee.address, careful, Careful),
                        Session(referee.address, simple, Simple),
                    ]
                )
            )
            await table.reach(match_id, AFTER_MOVES)

            moved = playing.done()
            await asyncio.to_thread(kill_primary, fleet)
            heard, also_heard = await playing

            record = await table.record(match_id)
            verdict = verify(record, referee.data / "keys")
            log = referee.log()
        finally:
            referee.kill()
    assert not moved
    assert heard[0].ending == also_heard[0].ending
    assert heard[0].ending.kind is EndingKind.COMPLETED
    assert verdict.finding is Finding.VALID, verdict.problem
    payload = json.loads(b64decode(json.loads(record)["payload"]))
    assert payload["match"]["durability"] == "replicated/everysec"
    assert "Traceback" not in log
