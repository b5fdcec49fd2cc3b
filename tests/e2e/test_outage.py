"""A store that goes away in the middle of a match, and comes back."""

import asyncio
from pathlib import Path

import grpc
import grpc.aio
import httpx
import pytest
from tests.e2e.answer import Answer, of_error
from tests.e2e.referee_process import RefereeProcess
from tests.e2e.table import PATIENCE, Table, play, verify

from ginref.adapters.embedded_server import EmbeddedServer
from ginref.record.lifecycle import EndingKind
from ginref.record.verify import Finding
from ginref_client.bots.careful import Careful
from ginref_client.bots.simple import Simple
from ginref_client.session import Session

AFTER_MOVES = 40


async def _probe(referee: RefereeProcess, path: str) -> tuple[int, str]:
    async with httpx.AsyncClient(trust_env=False) as client:
        answer = await client.get(f"http://{referee.admin}{path}")
    return answer.status_code, answer.text


async def _until_ready(referee: RefereeProcess) -> None:
    async with asyncio.timeout(PATIENCE):
        while (await _probe(referee, "/readyz"))[0] != httpx.codes.OK:  # noqa: ASYNC110 - it is elsewhere
            await asyncio.sleep(0.02)


async def _refusals(table: Table, match_id: str) -> list[Answer]:
    """Return what calls that need the store are answered."""
    answers = []
    for call in (table.version(match_id), table.create_match("gin")):
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await call
        answers.append(of_error(refused.value))
    return answers


async def test_an_outage_of_the_store_delays_a_match_and_no_more(folder: Path) -> None:
    store = EmbeddedServer(folder / "store")
    referee = RefereeProcess(folder / "data", store=await store.start())
    try:
        await asyncio.to_thread(referee.start)
        table = Table(referee.address, referee.token())
        careful, simple = await table.bot_tokens()
        match_id = await table.create_match("hollywood")
        playing = asyncio.create_task(
            play(
                [
                    Session(referee.address, careful, Careful),
                    Session(referee.address, simple, Simple),
                ]
            )
        )
        await table.reach(match_id, AFTER_MOVES)

        await store.stop()
        answers = await _refusals(table, match_id)
        ready, alive = await _probe(referee, "/readyz"), await _probe(referee, "/livez")
        moved = playing.done()
        await store.start()
        await _until_ready(referee)
        version = await table.version(match_id)
        heard, also_heard = await playing

        verdict = verify(await table.record(match_id), referee.data / "keys")
        log = referee.log()
    finally:
        referee.kill()
        await store.stop()
    for answer in answers:
        assert (answer.reason, answer.code) == ("STORE_UNAVAILABLE", "UNAVAILABLE")
        assert answer.facts == {}
        assert not answer.leaks
    assert ready == (503, "the store does not answer\n")
    assert alive == (200, "ok\n")
    assert not moved
    assert version >= AFTER_MOVES
    assert heard[0].ending == also_heard[0].ending
    assert heard[0].ending.kind is EndingKind.COMPLETED
    assert verdict.finding is Finding.VALID, verdict.problem
    assert "Traceback" not in log
