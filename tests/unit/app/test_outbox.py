"""Messages that wait for a bot."""

import asyncio

from ginref.app.message import Drain, Message
from ginref.app.outbox import Bell, Outbox

MESSAGES = tuple(Drain(number) for number in range(5))


async def _all_of(outbox: Outbox) -> list[Message]:
    found = []
    while (message := await outbox.get()) is not None:
        found.append(message)
    return found


async def test_messages_come_in_order_whenever_they_are_put() -> None:
    outbox = Outbox(crowded=10)
    outbox.put(MESSAGES[0])
    reading = asyncio.create_task(_all_of(outbox))
    for message in MESSAGES[1:]:
        await asyncio.sleep(0)
        outbox.put(message)
    outbox.put(None)

    assert await reading == [*MESSAGES]


async def test_a_reader_that_leaves_takes_no_message_with_it() -> None:
    outbox = Outbox(crowded=10)
    leaving = asyncio.create_task(outbox.get())
    await asyncio.sleep(0)
    leaving.cancel()
    outbox.put(MESSAGES[0])
    await asyncio.wait({leaving})

    assert leaving.cancelled()
    assert await outbox.get() is MESSAGES[0]


async def test_all_who_wait_for_room_go_on_once_there_is_some() -> None:
    outbox = Outbox(crowded=1)
    for message in MESSAGES[:3]:
        outbox.put(message)
    waiting = [asyncio.create_task(outbox.room()) for _ in range(3)]

    await outbox.get()
    await asyncio.sleep(0)
    assert not any(task.done() for task in waiting)

    await outbox.get()
    await asyncio.wait(waiting)
    assert not outbox.is_crowded


async def test_a_bell_that_was_rung_before_is_heard_at_once_until_it_is_still() -> None:
    bell = Bell()
    bell.ring()
    await bell.heard()
    bell.still()

    waiting = asyncio.create_task(bell.heard())
    await asyncio.sleep(0)
    assert not waiting.done()

    bell.ring()
    bell.ring()
    await waiting
