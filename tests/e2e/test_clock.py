"""Clocks of matches between real processes, while something is not there."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.e2e.referee_process import RefereeProcess
from tests.e2e.table import Table, play, verify

from ginref.adapters.embedded_server import EmbeddedServer
from ginref.record.lifecycle import EndingKind
from ginref.record.verify import Finding, Verdict
from ginref.v1 import clock_pb2
from ginref_client.bots.careful import Careful
from ginref_client.bots.simple import Simple
from ginref_client.fact import FinishedMatch
from ginref_client.session import Session

BRIEF = clock_pb2.ClockPolicy(
    name="custom", start_ms=6_000, free_ms=100, bank_ms=60_000, cap_ms=5_000, grace_ms=0
)

OUTAGE = 7.0
"""Seconds: longer than every deadline of such a match."""


@dataclass
class Hall:
    """A store, and two referees that share it and nothing else."""

    store: EmbeddedServer
    one: RefereeProcess
    two: RefereeProcess
    keys: Path

    async def start(self) -> tuple[Table, str, "asyncio.Task[list[FinishedMatch]]"]:
        """Start both, and a match of two bots that know both, until it is in play."""
        for referee in (self.one, self.two):
            await asyncio.to_thread(referee.start)
        table = Table(self.two.address, self.two.token())
        careful, simple = await table.bot_tokens()
        match_id = await table.create_match("gin", clock=BRIEF)
        where = [self.one.address, self.two.address]

        async def both() -> list[FinishedMatch]:
            heard = await play(
                [Session(where, careful, Careful), Session(where[::-1], simple, Simple)]
            )
            return [one for (one,) in heard]

        playing = asyncio.create_task(both())
        await table.reach(match_id, 20)
        return table, match_id, playing

    async def verdict(self, table: Table, match_id: str) -> Verdict:
        """Verify the record of a match."""
        return verify(await table.record(match_id), self.keys)


@asynccontextmanager
async def hall(folder: Path) -> AsyncIterator[Hall]:
    keys = folder / "keys"
    shared = ("--keys", str(keys), "--archive", str(folder / "records"))
    store = EmbeddedServer(folder / "store")
    url = await store.start()
    one, two = (
        RefereeProcess(folder / name, store=url, options=shared)
        for name in ("one", "two")
    )
    try:
        yield Hall(store, one, two, keys)
    finally:
        one.kill()
        two.kill()
        await store.stop()


def _check(heard: list[FinishedMatch], verdict: Verdict, credit_ms: float) -> None:
    """Check that nobody lost by time, and what was given back."""
    assert [one.ending.kind for one in heard] == [EndingKind.COMPLETED] * 2
    assert verdict.finding is Finding.VALID, verdict.problem
    assert verdict.replayed is not None
    assert verdict.replayed.credit_ms >= credit_ms
    assert bool(verdict.notes) == bool(credit_ms)


async def test_nobody_loses_by_an_outage_of_the_store(folder: Path) -> None:
    async with hall(folder) as place:
        table, match_id, playing = await place.start()

        await place.store.stop()
        await asyncio.sleep(OUTAGE)
        await place.store.start()

        heard = await playing
        verdict = await place.verdict(table, match_id)
    _check(heard, verdict, OUTAGE * 1000)


async def test_nobody_loses_while_all_referees_are_gone(folder: Path) -> None:
    async with hall(folder) as place:
        table, match_id, playing = await place.start()

        place.one.kill()
        place.two.kill()
        await asyncio.sleep(OUTAGE)
        await asyncio.to_thread(place.two.start)

        heard = await playing
        verdict = await place.verdict(table, match_id)
    _check(heard, verdict, OUTAGE * 1000)


async def _lose_one(
    folder: Path,
) -> tuple[list[FinishedMatch], Verdict, bool]:
    """Kill one of two referees in a match; return how it went, and if both swept."""
    async with hall(folder) as place:
        table, match_id, playing = await place.start()

        place.one.kill()

        heard = await playing
        verdict = await place.verdict(table, match_id)
        return heard, verdict, "nobody swept" not in place.two.log()


async def test_a_referee_that_is_killed_while_another_sweeps_stops_no_clock(
    folder: Path,
) -> None:
    heard, verdict, swept = await _lose_one(folder / "first")
    if not swept:
        # One that gets no processor for two seconds sweeps no better than a dead one.
        heard, verdict, swept = await _lose_one(folder / "again")

    _check(heard, verdict, 0)
    assert swept
