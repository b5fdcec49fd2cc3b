"""What tests of the judge share: refusals and positions."""

from dataclasses import replace
from typing import Any

import pytest

from ginref.adapters.memory_store import MemoryStore
from ginref.app.error import RefusedError
from ginref.app.report import SeatReport
from ginref.record.submission import Submission

World = Any
"""The referee of `conftest`, whose class cannot be imported."""


async def refusal(world: World, submission: Submission, **how: Any) -> RefusedError:  # noqa: ANN401
    facts = how.pop("facts")
    with pytest.raises(RefusedError) as refused:
        await world.submit(submission, facts, **how)
    error: RefusedError = refused.value
    return error


async def stored(world: World, match_id: str) -> object:
    """All that the store holds of a match, the time of reading aside."""
    stored = await MemoryStore.read(world.store, match_id)
    assert stored is not None
    return replace(stored, now_ms=0), await world.store.log(match_id)


async def throwing(world: World, facts: Any) -> SeatReport:  # noqa: ANN401
    """Play until somebody has drawn from the stock, and is to throw a card."""
    while True:
        turn: SeatReport = await world.turn(facts)
        if turn.view.drawn:
            return turn
        await world.move(facts)
