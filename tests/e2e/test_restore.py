"""A store that is restored from a backup, with an archive that knows better."""

import asyncio
import json
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.contract.redis_fleet import until
from tests.e2e.referee_process import RefereeProcess
from tests.e2e.replicas import Calm
from tests.e2e.table import Table, play, verify

from ginref.record.lifecycle import EndingKind
from ginref.record.verify import Finding
from ginref_client.session import Session

ENDED_TWICE = "has ended another time: the record that is archived stays"

pytestmark = [pytest.mark.redis, pytest.mark.slow]


def back_up(data: Path, backup: Path) -> None:
    """Copy the store while it works, as docs/operations.md tells."""
    (socket,) = data.glob("store/*.sock")
    ask = ["redis-cli", "-s", str(socket)]
    subprocess.run(
        [*ask, "CONFIG", "SET", "auto-aof-rewrite-percentage", "0"], check=True
    )
    told = subprocess.run(
        [*ask, "INFO", "persistence"], check=True, capture_output=True
    )
    assert b"aof_rewrite_in_progress:0" in told.stdout
    shutil.copytree(data / "store" / "appendonlydir", backup / "appendonlydir")
    shutil.copytree(data / "keys", backup / "keys")
    shutil.copytree(data / "records", backup / "records")


def restore(data: Path, backup: Path) -> None:
    """Put the store and the keys back; records are only ever added to."""
    for name in ("store/appendonlydir", "keys"):
        shutil.rmtree(data / name)
        shutil.copytree(backup / Path(name).name, data / name)


async def test_what_ended_after_a_backup_keeps_the_record_that_it_has(
    folder: Path,
) -> None:
    Calm.over.clear()
    referee = RefereeProcess(folder / "data")
    try:
        await asyncio.to_thread(referee.start)
        table = Table(referee.address, referee.token())
        tokens = await table.bot_tokens()
        match_id = await table.create_match("gin")
        playing = asyncio.create_task(
            play([Session(referee.address, token, Calm) for token in tokens])
        )
        await table.reach(match_id, 12)
        await asyncio.to_thread(back_up, referee.data, folder / "backup")
        Calm.over.set()
        (first, _) = await playing
        record = await table.record(match_id)
        ended = await table.version(match_id)

        assert await asyncio.to_thread(referee.stop) == 0
        restore(referee.data, folder / "backup")
        await asyncio.to_thread(referee.start)
        resumed = await table.version(match_id)
        (again, _) = await play(
            [Session(referee.address, token, Calm) for token in tokens]
        )
        await asyncio.to_thread(until, lambda: ENDED_TWICE in referee.log())
        kept = await table.record(match_id)
        waiting = referee.metric("ginref_records_waiting")
    finally:
        Calm.over.set()
        referee.kill()

    assert 12 <= resumed < ended
    endings = [first[0].ending.kind, again[0].ending.kind]
    assert endings == [EndingKind.COMPLETED, EndingKind.COMPLETED]
    assert json.loads(kept) == json.loads(record)
    assert verify(kept, referee.data / "keys").finding is Finding.VALID
    assert waiting == 0
