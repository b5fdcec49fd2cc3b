"""Bots that have to show against a real house bot that they can play."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from tests.e2e.cups import Cup
from tests.e2e.referee_process import RefereeProcess
from tests.e2e.table import PATIENCE
from tests.e2e.test_house import wait_until
from typer.testing import CliRunner

from ginref.cli import app
from ginref.engine.move import Move
from ginref.engine.view import SeatView
from ginref.record.verify import Finding
from ginref_client.bot import Bot
from ginref_client.bots.simple import Simple
from ginref_client.error import RefusedError
from ginref_client.referee import Referee
from ginref_client.session import Session

RULES = {"house": "simple", "rounds": 1, "attempts": 2}
CUP = Cup(
    name="cup",
    count=3,
    stage={"format": "single_elimination"},
    entry={"capacity": 2, "qualifying": RULES},
)


class Broken(Bot):
    """A bot that shows up, and cannot play."""

    def choose(self, view: SeatView) -> Move:  # noqa: ARG002 - whatever it sees
        raise RuntimeError("out of order")


async def test_a_bot_that_cannot_play_makes_room_for_one_that_can(
    folder: Path,
) -> None:
    process = RefereeProcess(folder, options=("--house", "simple")).start()
    try:
        wait_until(lambda: "house bots" in process.log(), process)
        await _play(process)
    finally:
        process.kill()


async def _play(process: RefereeProcess) -> None:
    async with (
        asyncio.timeout(PATIENCE),
        Referee(process.address, process.token()) as referee,
        asyncio.TaskGroup() as group,
    ):
        stranger = {**CUP.entry, "qualifying": {**RULES, "house": "clever"}}
        cup = replace(CUP, entry=stranger)
        for asking in (
            cup.declare(referee),
            referee.preview_tournament(cup.document, 2),
        ):
            with pytest.raises(RefusedError) as refused:
                await asking
            assert refused.value.reason == "CONFIGURATION_INVALID"
            said = "entry.qualifying.house: 'clever' is no house bot"
            assert said in str(refused.value)

        foretold = await referee.preview_tournament(CUP.document, 2)
        all_come = await referee.preview_tournament(CUP.document, CUP.count)
        tokens = await CUP.declare(referee)
        broken, *others = CUP.bots
        sessions = [
            Session(process.address, token, Broken if bot == broken else Simple)
            for bot, token in zip(CUP.bots, tokens, strict=True)
        ]
        playing = [group.create_task(session.run()) for session in sessions]
        await CUP.go_on(referee, "check_in")
        await CUP.until(referee, "match_ended", 4)
        await CUP.until(referee, "withdrawn")
        status = await asyncio.to_thread(_said, process, "status")
        problems = await asyncio.to_thread(_said, process, "problems")
        await CUP.go_on(referee, "seeding")
        await CUP.until(referee, "seeded")
        await CUP.go_on(referee, "running")
        await CUP.until(referee, "secret_opened")

        seen = await referee.get_tournament(CUP.name)
        verdict = await CUP.judge(referee, process.data)
        for session in sessions:
            session.stop()
        await asyncio.wait(playing)

    assert not foretold.cautions
    assert [one.field for one in all_come.cautions] == ["entry.capacity"]
    assert foretold.HasField("qualifying")
    assert foretold.stages[0].fixtures == len(seen.stages[0].fixtures) == 1
    assert "withdrawn (qualifying)" in status
    assert "failed: resigned, resigned" in status
    assert status.count("passed: ") == 2
    said = f"note: {broken}: not qualified: resigned, resigned"
    assert said in problems
    assert {one.bot for one in seen.entrants if one.HasField("seed")} == set(others)
    assert verdict.finding is Finding.VALID, verdict.problem
    assert verdict.audited is not None
    qualifying = [one.order for one in verdict.audited.matches if not one.stage]
    assert sorted(one.bots[0] for one in qualifying) == [broken, *CUP.bots]
    assert {one.bots[1] for one in qualifying} == {"house.simple"}
    assert verdict.records == len(verdict.audited.matches)


def _said(process: RefereeProcess, command: str) -> str:
    """Run a command about the tournament, and return what it prints."""
    token = process.data / "operator.token"
    reach = ("--url", process.address, "--token-file", str(token))
    done = CliRunner(env={"COLUMNS": "200"}).invoke(
        app, ["tournament", command, CUP.name, *reach]
    )
    assert done.exit_code == 0, done.output
    return done.output
