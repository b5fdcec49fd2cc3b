"""One process serves, one sweeps and one signs."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

from tests.e2e.referee_process import RefereeProcess
from tests.e2e.table import BOTS, PATIENT, Table, verify

from ginref.adapters.embedded_server import EmbeddedServer
from ginref.record.verify import Finding
from ginref.v1 import clock_pb2

ROLES = ("referee", "sweeper", "signer")


async def test_each_process_does_its_own_part_of_the_work(folder: Path) -> None:
    shared = ("--keys", str(folder / "keys"), "--archive", str(folder / "records"))
    hasty = clock_pb2.ClockPolicy()
    hasty.CopyFrom(PATIENT)
    hasty.start_ms = 500
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(EmbeddedServer(folder / "store"))
        crew = {
            role: RefereeProcess(
                folder / role, store=url, options=(*shared, "--roles", role)
            )
            for role in ROLES
        }
        for process in crew.values():
            stack.callback(process.kill)
            await asyncio.to_thread(process.start)
        serving = crew["referee"]
        table = Table(serving.address, serving.token())
        await table.bot_tokens()

        # Nobody comes, so the sweeper ends it, and the signer writes the record.
        match_id = await table.create_match("gin", bots=BOTS, clock=hasty)
        verdict = verify(await table.record(match_id), folder / "keys")

        timeouts = [crew[role].metric("ginref_timeouts_total") for role in ROLES]
        records = [crew[role].metric("ginref_records_signed_total") for role in ROLES]
    assert verdict.finding is Finding.VALID, verdict.problem
    assert timeouts == [0, 1, 0]
    assert records == [0, 0, 1]
    assert [bool(crew[role].address) for role in ROLES] == [True, False, False]
