"""Several workers of one command, which share nothing but the store."""

import asyncio
import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.referee_process import RefereeProcess
from tests.e2e.table import Table, play, verify

from ginref.record.lifecycle import EndingKind
from ginref.record.verify import Finding
from ginref_client.bots.careful import Careful
from ginref_client.bots.simple import Simple
from ginref_client.referee import Referee
from ginref_client.session import Session

PATIENCE = 120


@pytest.fixture
def two(folder: Path) -> Iterator[RefereeProcess]:
    """Return a referee with two workers."""
    process = RefereeProcess(folder / "data", options=("--workers", "2"))
    yield process.start()
    process.stop()


def workers(referee: RefereeProcess) -> list[dict[str, Any]]:
    """Return where the workers are, and which processes."""
    told: list[dict[str, Any]] = json.loads(
        (referee.data / "referee.json").read_text()
    )["workers"]
    return told


async def replaced(referee: RefereeProcess, number: int, pid: int) -> None:
    """Wait until a worker is another process than it was."""
    async with asyncio.timeout(PATIENCE):
        while workers(referee)[number]["pid"] in {pid, None}:  # noqa: ASYNC110 - it starts elsewhere
            await asyncio.sleep(0.05)


async def test_a_match_goes_on_while_one_worker_is_killed_and_comes_back(
    two: RefereeProcess,
) -> None:
    one, other = (worker["grpc"] for worker in workers(two))
    assert two.address == f"{one},{other}"
    table = Table(one, two.token())
    careful, simple = await table.bot_tokens()
    match_id = await table.create_match("hollywood")
    playing = asyncio.create_task(
        play(
            [
                Session([one, other], careful, Careful),
                Session([other, one], simple, Simple),
            ]
        )
    )
    await table.reach(match_id, 40)
    killed = workers(two)[1]["pid"]

    os.kill(killed, signal.SIGKILL)
    await replaced(two, 1, killed)

    assert [worker["grpc"] for worker in workers(two)] == [one, other]
    assert await Table(other, two.token()).version(match_id) >= 40
    heard, _ = await playing
    assert heard[0].ending.kind is EndingKind.COMPLETED
    verdict = verify(await table.record(match_id), two.data / "keys")
    assert verdict.finding is Finding.VALID, verdict.problem


async def test_clients_take_the_addresses_as_they_are_told(two: RefereeProcess) -> None:
    async with Referee(two.address, two.token()) as referee:
        await referee.create_owner("lab")
        killed = workers(two)[0]["pid"]
        os.kill(killed, signal.SIGKILL)

        # The other worker answers.
        await referee.create_bot("ada", "lab")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_workers_that_are_told_to_stop_leave_nothing_running(
    two: RefereeProcess, number: signal.Signals
) -> None:
    children = two.children()
    assert {worker["pid"] for worker in workers(two)} < set(children)

    code = two.end(number)

    assert code == 0
    assert not (two.data / "referee.json").exists()
    assert not [child for child in children if Path(f"/proc/{child}").exists()]


def test_workers_listen_at_ports_in_a_row_or_not_at_all(folder: Path) -> None:
    data = folder / "data"
    options = ("--workers", "2", "--admin", "127.0.0.1:65535")
    process = RefereeProcess(data, options=options)

    with pytest.raises(AssertionError, match="no 1 ports after this one"):
        process.start()
