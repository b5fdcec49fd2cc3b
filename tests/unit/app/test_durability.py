"""What records say of the store."""

from typing import Any

import pytest

from ginref.app.match_store import Durability

World = Any
"""The referee of `conftest`, whose class cannot be imported."""


async def test_a_match_says_what_the_store_promised_when_it_was_created(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def weaker() -> Durability:
        return Durability(mode="local/everysec", problems=())

    before = await world.create()
    monkeypatch.setattr(world.store, "durability", weaker)
    after = await world.create()

    for facts, mode in ((before, "memory"), (after, "local/everysec")):
        live = await world.one.keeper.load(facts.match_id)
        assert live.state.setup.durability == mode
