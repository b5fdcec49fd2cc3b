"""A tournament from its file to its proof, run by commands and played by bots."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.referee_process import RefereeProcess
from tests.e2e.table import PATIENCE
from typer.testing import CliRunner, Result

from ginref.cli import app
from ginref_client.referee import Referee

NAME = "evening-cup"
BOTS = ("ada", "bob", "cat", "dan")

FILE = f"""\
name: {NAME}
title: An evening
match:
  ruleset: {{name: short, preset: gin, game_target: 10}}
  clock: standard
entry: {{by: codes, seeding: draw}}
stages:
  - name: main
    format: round_robin
"""


@dataclass
class Hall:
    """Where the tournament is: a referee, tokens for it alone, and folders of bots."""

    referee: RefereeProcess
    folder: Path

    def run(self, *words: str, by: str = "organizer") -> Result:
        """Run a command about tournaments, as an organizer or a bot."""
        reach = (
            *("--url", self.referee.address),
            *("--token-file", str(self.folder / f"{by}.token")),
        )
        return CliRunner().invoke(app, ["tournament", *words, *reach])

    def do(self, *words: str, by: str = "organizer") -> str:
        """Run a command that goes well, and return what it prints."""
        done = self.run(*words, by=by)
        assert done.exit_code == 0, done.output
        return done.output

    def look(self) -> Any:  # noqa: ANN401 - JSON
        """Return how the tournament stands."""
        return json.loads(self.do("status", NAME, "--json"))

    def state(self, bot: str) -> Path:
        """Return the folder of a bot."""
        return self.folder / f"{bot}-state"

    def connect(self, bot: str) -> "subprocess.Popen[str]":
        """Attach a bot to the referee."""
        command = [
            *(sys.executable, "-m", "ginref", "connect", self.referee.address),
            *("--bot", "simple", "--state", str(self.state(bot))),
            *("--token-file", str(self.folder / f"{bot}.token")),
        ]
        return subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
        )


async def _hand_out(hall: Hall) -> None:
    secret = hall.referee.token()
    async with Referee(hall.referee.address, secret) as referee:

        async def hand_out(name: str, role: str, bot: str | None = None) -> None:
            made = await referee.create_token(role, bot=bot, tournament_ids=[NAME])
            (hall.folder / f"{name}.token").write_text(made.secret)

        await hand_out("organizer", "organizer")
        await hand_out("other", "organizer")
        for bot in BOTS:
            await referee.create_owner(f"owner-of-{bot}")
            await referee.create_bot(bot, f"owner-of-{bot}")
            await hand_out(bot, "bot", bot)


@pytest.fixture
def hall(folder: Path) -> Iterator[Hall]:
    process = RefereeProcess(folder / "data").start()
    hall = Hall(process, folder)
    asyncio.run(_hand_out(hall))
    (folder / "cup.yaml").write_text(FILE)
    yield hall
    process.stop()


def _declare(hall: Hall) -> None:
    """Declare the tournament, which a trial and a repetition leave as it is."""
    file = str(hall.folder / "cup.yaml")
    hall.do("create", file, "--dry-run")
    assert hall.run("status", NAME).exit_code == 1
    hall.do("create", file)
    hall.do("create", file)
    hall.do("open", NAME, "--dry-run")
    assert hall.look()["version"] == 1
    hall.do("open", NAME)


def _let_in(hall: Hall) -> None:
    """Issue codes, once, and let each bot enter with one of them."""
    asked = ("codes", NAME, str(len(BOTS)), "--request-id", "codes", "--json")
    issued, again = json.loads(hall.do(*asked)), json.loads(hall.do(*asked))
    assert issued["codes"] == again["codes"]
    assert (issued["unchanged"], again["unchanged"]) == (False, True)
    for bot, code in zip(BOTS, issued["codes"], strict=True):
        hall.do("enter", NAME, "--code", code, by=bot)


def _contend(hall: Hall) -> None:
    """Let two organizers who have looked at the same version decide differently."""
    version = str(hall.look()["version"])
    hall.do("check-in", NAME, "--expect", version)
    late = hall.run("cancel", NAME, "--expect", version, by="other")
    assert late.exit_code == 1
    assert "TOURNAMENT_STALE" in late.output


def _refuse_to_trust(hall: Hall) -> None:
    """Show a log to a bot that has seen a longer one."""
    file = hall.state(BOTS[0]) / "tournaments.jsonl"
    file.parent.mkdir(mode=0o700)
    kept = {"digest": "ab" * 32, "kind": "head", "length": 10_000}
    server = f"http://{hall.referee.address}"
    line = {**kept, "server": server, "tournament_id": NAME}
    file.write_text(json.dumps(line) + "\n")
    with hall.connect(BOTS[0]) as doubting:
        said, _ = doubting.communicate(timeout=PATIENCE)
    assert doubting.returncode == 1
    assert "DO NOT TRUST THIS REFEREE: its log had 10000 entries" in said
    assert '"kind":"contradiction"' in file.read_text()
    file.unlink()


def _wait_for_check_in(hall: Hall) -> None:
    """Wait until every bot has checked in, by itself."""
    waiting = set(BOTS)

    async def wait() -> None:
        secret = hall.referee.token()
        async with (
            asyncio.timeout(PATIENCE),
            Referee(hall.referee.address, secret) as referee,
        ):
            async for entry in referee.watch_tournament(NAME):
                event = json.loads(entry.json)["event"]
                if event["kind"] == "checked_in":
                    assert event["commitment"], "it has given no share"
                    assert event["latency"] >= 0
                    waiting.discard(event["bot"])
                if not waiting:
                    return

    asyncio.run(wait())


def _verify(hall: Hall, export: Path, records: Path) -> None:
    """Prove the export by its records, and by what each bot has kept."""
    heads = [
        word
        for bot in BOTS
        for word in ("--evidence", str(hall.state(bot) / "tournaments.jsonl"))
    ]
    keys = str(hall.referee.data / "keys")
    proved = CliRunner().invoke(
        app,
        [
            *("verify", str(export), "--records", str(records)),
            *("--keys", keys, *heads),
        ],
    )
    assert proved.exit_code == 0, proved.output


def test_a_tournament_is_run_by_commands_and_proves_itself(hall: Hall) -> None:
    _declare(hall)
    _let_in(hall)
    _contend(hall)
    _refuse_to_trust(hall)
    with ExitStack() as stack:
        for bot in BOTS:
            player = stack.enter_context(hall.connect(bot))
            stack.callback(player.communicate, timeout=PATIENCE)
            stack.callback(player.terminate)
        _wait_for_check_in(hall)
        hall.do("start", NAME)
        told = hall.do("watch", NAME, "--json").splitlines()
    seen = hall.look()
    export, records = hall.folder / "cup.json", hall.folder / "records"
    hall.do("export", NAME, "--save", str(export), "--records", str(records))

    kinds = [json.loads(line)["event"]["kind"] for line in told]
    assert kinds.count("match_created") == kinds.count("match_ended") == 6
    assert kinds.count("share_revealed") == len(BOTS)
    assert kinds[-1] == "secret_opened"
    assert seen["state"] == "TOURNAMENT_STATE_FINISHED"
    (stage,) = seen["stages"]
    assert {one["state"] for one in stage["fixtures"]} == {"FIXTURE_STATE_FINAL"}
    (table,) = stage["rankings"]
    assert {line["bot"] for line in table["lines"]} == set(BOTS)
    assert sum(line["won"] for line in table["lines"]) == 6
    assert not seen["problems"]
    assert len(list(records.glob("*.json"))) == 6
    _verify(hall, export, records)
