"""What an attachment follows: matches of its bot that are not over, and no others."""

from typing import Any

import pytest

from ginref.app.error import Reason
from ginref.app.message import MatchOver, Problem, Welcome
from ginref.engine.seat import Seat

World = Any
"""The referee of `conftest`, whose class cannot be imported."""


@pytest.mark.parametrize(
    ("match_id", "reason"),
    [
        pytest.param("m1", Reason.MATCH_NOT_FOUND, id="nobody's"),
        pytest.param(None, Reason.SEAT_NOT_YOURS, id="of others"),
    ],
)
async def test_a_match_that_cannot_be_synced_is_not_followed(
    world: World, match_id: str | None, reason: Reason
) -> None:
    others = await world.start(bots=("greedy", "third"))
    asked = match_id or others.match_id
    ear = await world.attach("careful")
    await ear.until(Welcome)

    ear.session.sync(asked, Seat.NORTH)

    problem = await ear.until(Problem)
    assert problem.error.reason is reason
    assert world.one.hub.followers(asked) == 0


async def test_matches_in_cursors_that_are_not_told_are_not_followed(
    world: World,
) -> None:
    others = await world.start(bots=("greedy", "third"))
    mine = await world.start()
    over = await world.start()
    await world.play_out(over)
    cursors = {"m1": 1, others.match_id: 1, mine.match_id: 1, over.match_id: 10**9}

    ear = await world.attach("careful", cursors=cursors)
    await ear.until(Welcome)

    followed = {match_id for match_id in cursors if world.one.hub.followers(match_id)}
    assert followed == {mine.match_id}


async def test_a_match_is_followed_until_it_is_over(world: World) -> None:
    facts = await world.start()
    ear = await world.attach(facts.bots[Seat.NORTH])
    await ear.until(Welcome)
    assert world.one.hub.followers(facts.match_id) == 1

    await world.desk.abort_match(world.host, facts.match_id)

    await ear.until(MatchOver)
    ear.session.sync("m1", Seat.NORTH)
    await ear.until(Problem)
    assert world.one.hub.followers(facts.match_id) == 0
