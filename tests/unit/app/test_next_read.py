"""A read for everybody who asks before it begins."""

import asyncio

import pytest

from ginref.app.next_read import NextRead


class Source:
    """Something that is read slowly, and counts how often."""

    def __init__(self) -> None:
        self.value = 0
        self.reads = 0
        self.gate = asyncio.Event()
        self.fails = False

    async def read(self) -> int:
        self.reads += 1
        found = self.value
        await self.gate.wait()
        if self.fails:
            raise LookupError
        return found


async def test_a_crowd_is_served_by_two_reads() -> None:
    source = Source()
    reads = NextRead(source.read)
    early = [asyncio.create_task(reads.get()) for _ in range(100)]
    await asyncio.sleep(0.01)
    source.value = 1
    late = [asyncio.create_task(reads.get()) for _ in range(100)]
    await asyncio.sleep(0.01)

    source.gate.set()

    assert set(await asyncio.gather(*early)) == {0}
    assert set(await asyncio.gather(*late)) == {1}, "it must not begin before they ask"
    assert source.reads == 2


async def test_a_failure_is_told_to_those_who_wait_and_to_no_other() -> None:
    source = Source()
    reads = NextRead(source.read)
    source.fails = True
    source.gate.set()

    with pytest.raises(LookupError):
        await reads.get()
    source.fails = False

    assert await reads.get() == 0


async def test_one_who_leaves_takes_nothing_from_the_others() -> None:
    source = Source()
    reads = NextRead(source.read)
    one, other = (asyncio.create_task(reads.get()) for _ in range(2))
    await asyncio.sleep(0.01)
    one.cancel()
    source.gate.set()

    assert await other == 0
    assert source.reads == 1
