"""What only the store in memory does."""

from contextlib import aclosing

from ginref.adapters.memory_store import MemoryStore
from ginref.app.match_store import EVERYTHING, Wake


async def test_a_listener_that_lags_is_told_that_everything_may_have_changed() -> None:
    store = MemoryStore()
    async with aclosing(store.wakes()) as topics:
        assert await anext(topics) == EVERYTHING
        for number in range(1025):
            await store.attach(str(number), "attachment")

        assert await anext(topics) == EVERYTHING
        assert await anext(topics) == Wake("bot/1024")


async def test_it_does_not_claim_to_keep_anything() -> None:
    promise = await MemoryStore().durability()

    assert promise.mode == "memory"
    assert promise.problems
