"""Two tournaments at once, while the processes that run them are killed."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from tests.e2e.cups import Cup, created
from tests.e2e.dying_referee import LAST_WORDS, POINTS
from tests.e2e.referee_process import RefereeProcess
from tests.e2e.table import PATIENCE
from tests.e2e.undisturbed import differences

from ginref.adapters.embedded_server import EmbeddedServer
from ginref.record.verify import Finding
from ginref_client.bots.simple import Simple
from ginref_client.referee import Referee
from ginref_client.session import Session

CUPS = (
    Cup(name="cup", count=8, stage={"format": "double_elimination"}),
    Cup(name="league", count=11, stage={"format": "swiss", "rounds": 4}),
)


@asynccontextmanager
async def two_referees(folder: Path) -> AsyncIterator[tuple[RefereeProcess, ...]]:
    """Run one that only serves, and one that does everything and may die of it."""
    shared = ("--keys", str(folder / "keys"), "--archive", str(folder / "records"))
    async with EmbeddedServer(folder / "store") as url:
        serving = RefereeProcess(
            folder / "one",
            store=url,
            options=(*shared, "--roles", "referee,sweeper"),
        )
        dying = RefereeProcess(
            folder / "two",
            store=url,
            options=shared,
            program="tests.e2e.dying_referee",
        )
        try:
            await asyncio.to_thread(serving.start)
            await asyncio.to_thread(dying.start)
            yield serving, dying
        finally:
            serving.kill()
            dying.kill()


async def die(referee: RefereeProcess, point: str) -> None:
    """Have a referee killed and started again, until it dies at a point by itself."""
    await asyncio.to_thread(referee.kill)
    referee.environment = {"DIE_AT": point}
    # There may be so much to do that it dies before it is ready.
    with suppress(AssertionError):
        await asyncio.to_thread(referee.start)
    if referee.process is not None:
        await asyncio.to_thread(referee.process.wait, PATIENCE)
    assert referee.log().endswith(f"{LAST_WORDS} {point}\n")


async def test_tournaments_go_on_wherever_their_processes_die(folder: Path) -> None:
    async with two_referees(folder) as (serving, dying):
        addresses = [serving.address, dying.address]
        async with (
            asyncio.timeout(3 * PATIENCE),
            Referee(addresses, serving.token(), attempts=20) as referee,
            asyncio.TaskGroup() as group,
        ):
            tokens = [token for cup in CUPS for token in await cup.declare(referee)]
            sessions = [Session(addresses, token, Simple) for token in tokens]
            playing = [group.create_task(session.run()) for session in sessions]
            await asyncio.gather(*(cup.start(referee) for cup in CUPS))

            for point in POINTS:
                await die(dying, point)
                if point == "before archiving":
                    # In the middle of boards, and with everybody attached.
                    await asyncio.to_thread(serving.kill)
                    await asyncio.to_thread(serving.start)
            dying.environment = {}
            await asyncio.to_thread(dying.start)
            await asyncio.gather(*(cup.until(referee, "secret_opened") for cup in CUPS))

            verdicts = [await cup.judge(referee, folder) for cup in CUPS]
            for session in sessions:
                session.stop()
            await asyncio.wait(playing)

    for cup, verdict in zip(CUPS, verdicts, strict=True):
        assert verdict.finding is Finding.VALID, verdict.problem
        assert verdict.export is not None
        ranking = verdict.export.document["ranking"]
        assert sorted(bot for one in ranking for bot in one["bots"]) == cup.bots
        assert not differences(verdict.export)
    # No match was played that no log names.
    records = {path.stem for path in (folder / "records").glob("*.json")}
    assert records == created(verdicts)
