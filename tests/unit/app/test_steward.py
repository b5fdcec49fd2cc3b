"""Whole tournaments, run by processes that race and die."""

from collections.abc import Mapping
from typing import Any

import pytest
from tests.unit.app.cup import Cup
from tests.unit.app.world import World

from ginref.tournament.event import SecretOpened

DOUBLE = {"format": "double_elimination"}
SWISS = {"format": "swiss", "rounds": 4}


@pytest.mark.parametrize(
    ("stage", "count"), [(DOUBLE, 8), (SWISS, 11)], ids=["double", "swiss"]
)
async def test_a_tournament_is_run_to_its_end(
    world: World, stage: Mapping[str, Any], count: int
) -> None:
    cup = Cup(world=world)
    await cup.process()
    bots = await cup.start(count, stage)

    live = await cup.run()

    seen = await cup.check()
    assert seen.is_open
    assert isinstance(live.entries[-1].event, SecretOpened)
    assert set().union(*(who for _, who in await cup.places())) == set(bots)
