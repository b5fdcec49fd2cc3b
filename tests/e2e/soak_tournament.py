"""Two large tournaments, run by processes that are killed at random.

It writes what it has measured to build/soak-tournament.json and
docs/soak-tournament.md. The page is written by this program alone, from a run that has
taken place.

    python -m tests.e2e.soak_tournament [ENTRANTS] [ENTRANTS] [MINUTES]
"""

import asyncio
import json
import logging
import os
import platform
import random
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.e2e.cups import Cup, created
from tests.e2e.referee_process import RefereeProcess
from tests.e2e.undisturbed import differences

from ginref.adapters.embedded_server import EmbeddedServer
from ginref.record.verify import Finding
from ginref.tournament.event import MatchEnded, Requeued
from ginref.tournament.export_verify import ExportVerdict
from ginref_client.bots.simple import Simple
from ginref_client.referee import Referee
from ginref_client.session import Session

ROOT = Path(__file__).parents[2]

WANTED = (64, 128, 180)
"""Entrants of the double elimination and of the Swiss; minutes at most."""

ROUNDS = 9
PROCESSES = 3
PAUSE_S = (2.0, 20.0)
"""Time from one kill to the next."""


@dataclass(kw_only=True)
class Soak:
    """What a soak comes to.

    Attributes:
        seed: What the kills follow from.
        cups: The tournaments.
        kills: How often each process was killed.
        verdicts: What the tournaments have come to, by name.
        problems: What was wrong.
    """

    seed: int
    cups: Sequence[Cup]
    kills: Counter[str] = field(default_factory=Counter)
    verdicts: dict[str, ExportVerdict] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    started_s: float = field(default_factory=time.monotonic)

    def facts(self) -> dict[str, Any]:
        """Return it as JSON values."""
        commit = subprocess.run(
            ("git", "rev-parse", "--short=12", "HEAD"),
            cwd=ROOT,
            check=True,
            capture_output=True,
            text=True,
        )
        return {
            "commit": commit.stdout.strip(),
            "machine": f"{os.cpu_count()} cores, Python {platform.python_version()}",
            "load": round(os.getloadavg()[1], 1),
            "minutes": round((time.monotonic() - self.started_s) / 60, 1),
            "seed": self.seed,
            "kills": dict(self.kills),
            "tournaments": {
                cup.name: _tournament_facts(cup, self.verdicts[cup.name])
                for cup in self.cups
                if cup.name in self.verdicts
            },
            "problems": self.problems,
        }


def _tournament_facts(cup: Cup, verdict: ExportVerdict) -> dict[str, Any]:
    assert verdict.export is not None
    events = [entry.event for entry in verdict.export.entries]
    endings = [e.outcome.ending for e in events if isinstance(e, MatchEnded)]
    ranking = verdict.export.document["ranking"]
    return {
        "format": cup.stage["format"],
        "entrants": cup.count,
        "ranked": sum(len(one["bots"]) for one in ranking),
        "entries": len(events),
        "matches": len(endings),
        "records": verdict.records,
        "endings": dict(Counter(map(str, endings))),
        "extra_attempts": sum(isinstance(event, Requeued) for event in events),
        "finding": str(verdict.finding),
        "problem": verdict.problem,
    }


async def soak(entrants: Sequence[int], minutes: float) -> Soak:
    """Run the tournaments to their end."""
    knockout, league = entrants
    swiss = {"format": "swiss", "rounds": min(ROUNDS, league - 1)}
    cups = (
        Cup(
            name="knockout",
            count=knockout,
            stage={"format": "double_elimination"},
            ruleset="hollywood",
        ),
        Cup(name="league", count=league, stage=swiss, ruleset="hollywood"),
    )
    done = Soak(seed=secrets.randbelow(10**6), cups=cups)
    folder = Path(tempfile.mkdtemp(prefix="gr"))
    try:
        async with asyncio.timeout(60 * minutes):
            await _run(done, folder)
    except TimeoutError:
        done.problems.append(f"not over after {minutes:g} minutes")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return done


async def _run(done: Soak, folder: Path) -> None:
    shared = ("--keys", str(folder / "keys"), "--archive", str(folder / "records"))
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(EmbeddedServer(folder / "store"))
        crew = []
        for number in range(PROCESSES):
            one = RefereeProcess(folder / f"r{number}", store=url, options=shared)
            stack.callback(one.kill)
            await asyncio.to_thread(one.start)
            crew.append(one)
        addresses = [one.address for one in crew]
        token = crew[0].token()
        referee = await stack.enter_async_context(
            Referee(addresses, token, attempts=100)
        )
        group = await stack.enter_async_context(asyncio.TaskGroup())
        tokens = [token for cup in done.cups for token in await cup.declare(referee)]
        _tell(f"{len(tokens)} bots have entered")
        sessions = [
            Session(
                addresses[at % PROCESSES :] + addresses[: at % PROCESSES], one, Simple
            )
            for at, one in enumerate(tokens)
        ]
        playing = [group.create_task(session.run()) for session in sessions]
        await asyncio.gather(*(cup.start(referee) for cup in done.cups))
        _tell("all play")
        killing = group.create_task(_kill(done, crew))
        await asyncio.gather(
            *(cup.until(referee, "secret_opened") for cup in done.cups)
        )
        killing.cancel()
        await asyncio.wait([killing])
        for one in crew:
            if one.process is None:
                await asyncio.to_thread(one.start)
        for session in sessions:
            session.stop()
        await asyncio.wait(playing)
        await _judge(done, referee, folder)


async def _kill(done: Soak, crew: Sequence[RefereeProcess]) -> None:
    """Kill one process after the other, and start it again."""
    chance = random.Random(done.seed)
    while True:
        await asyncio.sleep(chance.uniform(*PAUSE_S))
        victim = chance.choice(crew)
        await asyncio.to_thread(victim.kill)
        done.kills[victim.data.name] += 1
        await asyncio.to_thread(victim.start)


async def _judge(done: Soak, referee: Referee, folder: Path) -> None:
    for cup in done.cups:
        verdict = await cup.judge(referee, folder)
        done.verdicts[cup.name] = verdict
        if verdict.finding is not Finding.VALID:
            done.problems.append(f"{cup.name}: {verdict.problem or verdict.finding}")
        elif verdict.export is not None:
            done.problems += await asyncio.to_thread(differences, verdict.export)
    records = {path.stem for path in (folder / "records").glob("*.json")}
    if records != created([*done.verdicts.values()]):
        done.problems.append("there are records of matches that no log names")


def page(facts: Mapping[str, Any]) -> str:
    """Return the page."""
    rows = "\n".join(
        f"| {one['format'].replace('_', ' ')} | {one['entrants']} | {one['matches']:,} "
        f"| {one['records']:,} | {one['extra_attempts']} | {one['entries']:,} "
        f"| {', '.join(f'{n} {kind}' for kind, n in sorted(one['endings'].items()))} "
        f"| {one['finding']} |"
        for one in facts["tournaments"].values()
    )
    problems = "\n".join(f"* {text}" for text in facts["problems"])
    kills = sum(facts["kills"].values())
    return f"""\
# A soak of tournaments

`make soak-tournament` wrote this page, from one run of {facts["minutes"]} minutes at
commit `{facts["commit"]}`, on {facts["machine"]} with a load of {facts["load"]}, seed
{facts["seed"]}.

Two tournaments of Hollywood matches between bots of the Python client were played at
once, on one Valkey. {PROCESSES} processes served and ran them. {kills} times one of
these was killed by SIGKILL, {PAUSE_S[0]:g} to {PAUSE_S[1]:g} seconds after the last
time, and started again. What must hold: every match that a log names has one valid
record that says the same, no fixture has a match twice, no record is of a match that
no log names, and the exports verify. Afterwards each tournament was played once more
from its draw on, with the same cards and bots and without any referee: every match
must have ended alike, and the standings must be equal.

| format | entrants | matches | records | attempts | entries | endings | export |
|---|---|---|---|---|---|---|---|
{rows}

## What was wrong

{problems or "Nothing."}
"""


def _tell(line: str) -> None:
    sys.stdout.write(f"{time.strftime('%H:%M:%S')} {line}\n")
    sys.stdout.flush()


def main() -> None:
    """Run, write, and fail if anything was wrong."""
    logging.getLogger("ginref_client").setLevel(logging.ERROR)
    given = [int(word) for word in sys.argv[1:]]
    *entrants, minutes = [*given, *WANTED[len(given) :]]
    done = asyncio.run(soak(entrants, minutes))
    facts = done.facts()
    (ROOT / "build").mkdir(exist_ok=True)
    (ROOT / "build" / "soak-tournament.json").write_text(
        json.dumps(facts, indent=2) + "\n"
    )
    (ROOT / "docs" / "soak-tournament.md").write_text(page(facts))
    _tell(f"{sum(done.kills.values())} kills, {len(done.problems)} problems")
    sys.exit(bool(done.problems))


if __name__ == "__main__":
    main()
