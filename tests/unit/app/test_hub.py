"""Waking whoever follows a match or a bot."""

import asyncio
from collections.abc import AsyncGenerator

from ginref.adapters.memory_store import MemoryStore
from ginref.app.hub import Hub
from ginref.app.match_store import EVERYTHING, EntryId, Wake


async def test_a_follower_is_woken_for_its_topics_only() -> None:
    hub = Hub(MemoryStore())
    with hub.subscribe() as mine, hub.subscribe() as other:
        mine.follow("m1")
        other.follow("m2")
        hub.notify(Wake("m2"))
        hub.notify(Wake("m1", EntryId(3)))

        assert await mine.changes() == (Wake("m1", EntryId(3)),)
        assert await other.changes() == (Wake("m2"),)


async def test_of_several_wakes_the_latest_place_counts() -> None:
    hub = Hub(MemoryStore())
    with hub.subscribe() as follower:
        for topic in ("m1", "m2", "m3"):
            follower.follow(topic)
        for place in (EntryId(2), EntryId(4, 1), EntryId(4)):
            hub.notify(Wake("m1", place))
        # Without a place there is nothing for it but to look.
        for wake in (Wake("m2", EntryId(9)), Wake("m2")):
            hub.notify(wake)
        for wake in (Wake("m3"), Wake("m3", EntryId(9))):
            hub.notify(wake)

        changes = await follower.changes()

    assert changes == (Wake("m1", EntryId(4, 1)), Wake("m2"), Wake("m3"))


async def test_nobody_is_woken_twice_for_the_same_step() -> None:
    hub = Hub(MemoryStore())
    with hub.subscribe() as follower:
        follower.follow("m1")
        hub.notify(Wake("m1", EntryId(5)))
        await follower.changes()

        for place in (EntryId(5), EntryId(4, 9), EntryId(5, 1)):
            hub.notify(Wake("m1", place))

        assert await follower.changes() == (Wake("m1", EntryId(5, 1)),)


class _News(MemoryStore):
    """A store that has something to say."""

    def __init__(self, *wakes: Wake) -> None:
        super().__init__()
        self._wakes = wakes

    async def wakes(self) -> AsyncGenerator[Wake, None]:
        for wake in self._wakes:
            yield wake


async def test_word_of_a_step_that_is_taken_here_waits_for_its_end() -> None:
    hub = Hub(_News(Wake("m1", EntryId(5)), Wake("m1", EntryId(4)), Wake("m2")))
    with hub.subscribe() as follower:
        for topic in ("m1", "m2"):
            follower.follow(topic)
        hub.hold("m1")
        hub.hold("m1")

        await hub.run()

        assert await follower.changes() == (Wake("m2"),)
        hub.release("m1")
        hub.notify(Wake("m2"))
        assert await follower.changes() == (Wake("m2"),)
        hub.release("m1")
        assert await follower.changes() == (Wake("m1", EntryId(5)),)


async def test_word_of_a_step_that_was_taken_here_is_not_passed_on_again() -> None:
    hub = Hub(_News(Wake("m1", EntryId(5)), Wake("m2")))
    with hub.subscribe() as follower:
        for topic in ("m1", "m2"):
            follower.follow(topic)
        hub.hold("m1")
        await hub.run()
        hub.notify(Wake("m1", EntryId(5)))
        await follower.changes()

        hub.release("m1")
        hub.notify(Wake("m2"))

        assert await follower.changes() == (Wake("m2"),)


async def test_word_from_before_a_gap_hides_nothing_that_follows() -> None:
    hub = Hub(_News(Wake("m1", EntryId(5)), EVERYTHING))
    with hub.subscribe() as follower:
        follower.follow("m1")
        hub.hold("m1")
        await hub.run()
        hub.release("m1")
        assert await follower.changes() == (EVERYTHING,)

        hub.notify(Wake("m1", EntryId(4)))

        assert await follower.changes() == (Wake("m1", EntryId(4)),)


async def test_a_gap_wakes_everyone() -> None:
    hub = Hub(MemoryStore())
    with hub.subscribe() as one, hub.subscribe() as other:
        hub.notify(EVERYTHING)

        assert await one.changes() == await other.changes() == (EVERYTHING,)


async def test_a_topic_that_was_left_wakes_nobody() -> None:
    hub = Hub(MemoryStore())
    with hub.subscribe() as follower:
        follower.follow("m1")
        follower.follow("m2")
        follower.leave("m1")
        hub.notify(Wake("m1"))
        hub.notify(Wake("m2"))

        assert await follower.changes() == (Wake("m2"),)
    assert hub.followers("m1") == hub.followers("m2") == 0


async def test_a_follower_that_is_gone_follows_nothing_any_more() -> None:
    hub = Hub(MemoryStore())
    with hub.subscribe() as follower:
        pass

    follower.follow("m1")

    assert hub.followers("m1") == 0


async def test_draining_ends_every_wait_now_and_later() -> None:
    hub = Hub(MemoryStore())
    with hub.subscribe() as follower:
        waiting = asyncio.create_task(follower.changes())
        await asyncio.sleep(0)

        hub.drain()

        assert await waiting == ()
        hub.notify(EVERYTHING)
        assert await follower.changes() == ()


async def test_wakes_of_the_store_reach_followers() -> None:
    store = MemoryStore()
    hub = Hub(store)
    running = asyncio.create_task(hub.run())
    with hub.subscribe() as follower:
        follower.follow("bot/careful")
        assert await follower.changes() == (EVERYTHING,)
        await store.attach("careful", "first")

        assert await follower.changes() == (Wake("bot/careful"),)
    running.cancel()
