"""The runner: woken by word, never stopped by one tournament that cannot go on."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from tests.unit.app.cup import Cup
from tests.unit.app.world import SECONDS, World

from ginref.app.tournament_store import Addition
from ginref.tournament.fixture import FixtureState
from ginref.tournament.lifecycle import Lifecycle


@asynccontextmanager
async def at_work(cup: Cup) -> AsyncIterator[None]:
    """Let runners and signers of all processes do what they do."""
    async with asyncio.timeout(6 * SECONDS):
        tasks = [
            asyncio.create_task(work)
            for one in cup.processes
            for work in (one.runner.run(), one.signing.run())
        ]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            ended = await asyncio.gather(*tasks, return_exceptions=True)
            assert all(isinstance(one, asyncio.CancelledError) for one in ended)


async def play_whatever_comes(cup: Cup, bots: list[str]) -> None:
    """Answer and play as bots do that are woken."""
    async for wake in cup.world.store.wakes():
        if wake.topic.removeprefix("bot/") in bots:
            await cup.answer_summons(bots)
        await cup.play()


async def test_tournaments_run_by_themselves_beside_one_that_cannot(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.ERROR)
    cup = Cup(world=world)
    await cup.process()
    await cup.process()
    await cup.store.append(
        Addition(tournament="broken", expected=0, entries=(b"no entry",))
    )
    await cup.declare({"format": "single_elimination"}, schedule={"check_in": "15m"})
    await cup.to(Lifecycle.REGISTRATION)
    bots = await cup.enter(4)
    await cup.to(Lifecycle.CHECK_IN)
    await cup.answer_summons(bots)
    await cup.to(Lifecycle.SEEDING)

    async with at_work(cup), asyncio.TaskGroup() as tasks:
        player = tasks.create_task(play_whatever_comes(cup, bots))
        await cup.store.left.wait()
        player.cancel()

    assert (await cup.check()).is_open
    assert "tournament broken cannot go on" in caplog.text
    assert await cup.store.live() == ("broken",)
    assert world.tally.fixture_states[FixtureState.PLAYING] == 0


async def test_what_was_never_created_is_passed_over(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    cup = Cup(world=world)
    await cup.process()
    cup.store.announce("ghost")
    await cup.declare({"format": "single_elimination"})
    await cup.to(Lifecycle.CANCELLED)

    async with at_work(cup):
        await cup.store.left.wait()

    assert await cup.store.live() == ("ghost",)
    assert "ghost" not in caplog.text
