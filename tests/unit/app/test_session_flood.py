"""Bots that say too much, or read too slowly, and what that may cost."""

import asyncio

from tests.unit.app.listener import Ear, World, version

from ginref.app.error import Reason, RefusedError
from ginref.app.message import Offer, Problem
from ginref.engine.seat import Seat
from ginref.record.setup import DealSource

CROWD = 600
"""Messages that wait for a bot: so many that news waits, too."""


async def _offers(ear: Ear) -> int:
    """How many matches the bot has been offered until now."""
    for _ in range(200):
        await asyncio.sleep(0)
    # With nothing under way, the answer to this comes after all that was told.
    ear.session.resign("m1", Seat.NORTH)
    await ear.until(Problem)
    return sum(isinstance(told, Offer) for told in ear.heard)


async def test_one_that_says_again_and_again_that_it_is_ready_is_answered_once(
    world: World,
) -> None:
    for _ in range(8):
        await world.create()
    ear = await world.attach("careful", capacity=1)
    assert await _offers(ear) == 1
    before = len(asyncio.all_tasks())

    for _ in range(50):
        ear.session.ready(0)

    assert len(asyncio.all_tasks()) - before <= 8
    assert await _offers(ear) == 8


async def test_one_that_reads_slowly_has_each_of_its_matches_wait_once(
    world: World,
) -> None:
    seeded = {"deal_source": DealSource.SEEDED, "seed": "slow"}
    matches = [await world.start(**seeded) for _ in range(3)]
    ear = await world.attach("careful", events=True)
    await _offers(ear)
    before = len(asyncio.all_tasks())

    for _ in range(CROWD):
        ear.session.complain(RefusedError(Reason.FIELD_MISSING, "something"))
    rounds = [[await world.move(facts) for facts in matches] for _ in range(8)]

    assert len(asyncio.all_tasks()) - before <= len(matches)
    told: list[int] = []
    while len(told) < len(matches):
        if at := version(await ear.next()):
            told.append(at)
    assert told == [made.version for made in rounds[-1]]
