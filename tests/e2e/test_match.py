"""Whole matches between real processes: plain, interrupted, and spread out."""

import asyncio
import os
import signal
from pathlib import Path

import pytest
from tests.e2e.referee_process import RefereeProcess
from tests.e2e.table import BOTS, Table, play, verify

from ginref.adapters.embedded_server import EmbeddedServer
from ginref.engine.seat import Seat
from ginref.record.lifecycle import EndingKind
from ginref.record.verify import Finding, Verdict
from ginref_client.bot_key import BotKey
from ginref_client.bots.careful import Careful
from ginref_client.bots.simple import Simple
from ginref_client.referee import Referee
from ginref_client.session import Session


def check(verdict: Verdict, *, moves_min: int = 100) -> None:
    """Check that a record proves a whole match."""
    assert verdict.finding is Finding.VALID, verdict.problem
    assert verdict.move_count >= moves_min


async def test_two_bots_play_a_match_whose_record_verifies(
    referee: RefereeProcess,
) -> None:
    """The main job, end to end."""
    table = Table(referee.address, referee.token())
    careful, simple = await table.bot_tokens()
    match_id = await table.create_match("hollywood")

    heard, also_heard = await play(
        [
            Session(referee.address, careful, Careful),
            Session(referee.address, simple, Simple),
        ]
    )

    assert heard[0].match_id == match_id
    assert heard[0].ending == also_heard[0].ending
    assert heard[0].ending.kind is EndingKind.COMPLETED
    check(verify(await table.record(match_id), referee.data / "keys"))


async def test_a_record_proves_who_made_the_moves_of_bots_with_keys(
    referee: RefereeProcess, tmp_path: Path
) -> None:
    """One bot brings its key with its folder; the other one has neither."""
    table = Table(referee.address, referee.token())
    careful, simple = await table.bot_tokens()
    folder = tmp_path / "careful"
    folder.mkdir()
    async with Referee(referee.address, referee.token()) as host:
        await host.set_bot_key(BOTS[0], BotKey.keep(folder).public_key)
    match_id = await table.create_match("gin")

    await play(
        [
            Session(referee.address, careful, Careful, state=folder),
            Session(referee.address, simple, Simple),
        ]
    )

    verdict = verify(await table.record(match_id), referee.data / "keys")
    check(verdict, moves_min=20)
    assert verdict.signed_seats == (Seat.NORTH,)
    assert verdict.notes == ()
    assert verdict.record is not None
    moves = [one for one in verdict.record.document["entries"] if "turn_ms" in one]
    assert any(sent is not None for sent, _ in (one["turn_ms"] for one in moves))


async def test_a_killed_referee_goes_on_where_it_was(
    referee: RefereeProcess,
) -> None:
    """SIGKILL in the middle of a match, twice, on an embedded store."""
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

    for version in (40, 120):
        await table.reach(match_id, version)
        referee.kill()
        await asyncio.to_thread(referee.start)
        assert await table.version(match_id) >= version

    heard, _ = await playing
    assert heard[0].ending.kind is EndingKind.COMPLETED
    check(verify(await table.record(match_id), referee.data / "keys"))


@pytest.mark.parametrize("kill_one", [False, True], ids=["both stay", "one is killed"])
async def test_bots_on_different_replicas_play_one_match(
    folder: Path,
    kill_one: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    """Two referees share nothing but the store, the keys and the archive."""
    shared = ("--keys", str(folder / "keys"), "--archive", str(folder / "records"))
    async with EmbeddedServer(folder / "store") as url:
        # One of them does nothing but serve: deadlines and records are the other's.
        serving = (*shared, "--roles", "referee")
        one = RefereeProcess(folder / "one", store=url, options=serving)
        two = RefereeProcess(folder / "two", store=url, options=shared)
        try:
            await asyncio.to_thread(one.start)
            await asyncio.to_thread(two.start)
            table = Table(two.address, two.token())
            careful, simple = await table.bot_tokens()
            match_id = await table.create_match("hollywood")
            playing = asyncio.create_task(
                play(
                    [
                        Session([one.address, two.address], careful, Careful),
                        Session([two.address, one.address], simple, Simple),
                    ]
                )
            )
            await table.reach(match_id, 60)
            if kill_one:
                one.kill()

            heard, _ = await playing

            assert heard[0].ending.kind is EndingKind.COMPLETED
            check(verify(await table.record(match_id), folder / "keys"))
        finally:
            one.kill()
            two.kill()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_referee_that_is_told_to_stop_leaves_nothing_running(
    folder: Path, number: signal.Signals
) -> None:
    """SIGTERM and Ctrl-C end it with status 0, its store included."""
    referee = RefereeProcess(folder / "data").start()
    children = referee.children()
    assert children

    code = referee.end(number)

    assert code == 0
    assert not (referee.data / "referee.json").exists()
    assert not [child for child in children if Path(f"/proc/{child}").exists()]


def test_a_second_referee_on_the_same_folder_says_why_it_cannot_start(
    referee: RefereeProcess,
) -> None:
    """The first one's store is safe from the second one."""
    second = RefereeProcess(referee.data)

    with pytest.raises(AssertionError, match="another referee keeps its store in"):
        second.start()

    assert referee.process is not None
    assert referee.process.poll() is None
    os.kill(referee.process.pid, 0)
