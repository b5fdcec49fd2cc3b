"""Two replicas are restarted in turn, while bots play and others watch."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
from tests.e2e.referee_process import RefereeProcess
from tests.e2e.replicas import Calm, two_replicas
from tests.e2e.table import PATIENCE, Table, verify

from ginref.record.lifecycle import EndingKind
from ginref.record.verify import Finding
from ginref_client.referee import Referee
from ginref_client.session import Session

MATCHES = 6
ROUNDS = 2


@pytest.fixture
async def replicas(folder: Path) -> AsyncIterator[list[RefereeProcess]]:
    async with two_replicas(folder) as both:
        yield both


async def versions(addresses: Sequence[str], token: str, match_id: str) -> list[int]:
    """Follow a match to its end; return the version at first, and of each event."""
    seen: list[int] = []
    async with Referee(addresses, token, attempts=20) as referee:
        async for step in referee.watch(match_id):
            if not seen:
                seen.append(step.match.version)
            else:
                # The end shares the version of the move that brought it about.
                seen += [
                    event.version
                    for event in step.events
                    if not event.HasField("ended")
                ]
    return seen


async def test_a_rolling_restart_costs_no_move_and_no_watcher_a_version(
    replicas: list[RefereeProcess], folder: Path
) -> None:
    one, two = replicas
    addresses = [one.address, two.address]
    table = Table(two.address, two.token())
    tokens = await table.bot_tokens()
    Calm.over.clear()
    ids = [await table.create_match("hollywood") for _ in range(MATCHES)]
    sessions = [
        Session(addresses, tokens[0], Calm),
        Session(addresses[::-1], tokens[1], Calm),
    ]
    async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as group:
        playing = [
            group.create_task(session.run(lambda over: len(over) == MATCHES))
            for session in sessions
        ]
        watching = [
            group.create_task(
                versions(addresses[:: 1 - 2 * (number % 2)], two.token(), match_id)
            )
            for number, match_id in enumerate(ids)
        ]
        for match_id in ids:
            await table.reach(match_id, 12)
        for replica in replicas * ROUNDS:
            assert await asyncio.to_thread(replica.stop) == 0
            await asyncio.to_thread(replica.start)
        under_way = [task for task in watching if not task.done()]
        Calm.over.set()

    assert len(under_way) == MATCHES
    for task in playing:
        endings = {match.match_id: match.ending.kind for match in task.result()}
        assert endings == dict.fromkeys(ids, EndingKind.COMPLETED)
    for match_id, follower in zip(ids, watching, strict=True):
        seen = follower.result()
        verdict = verify(await table.record(match_id), folder / "keys")
        assert verdict.finding is Finding.VALID, verdict.problem
        assert seen == list(range(seen[0], seen[-1] + 1))
        assert seen[-1] == await table.version(match_id)
