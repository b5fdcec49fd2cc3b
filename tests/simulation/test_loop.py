"""The loop under the simulation: time, order, death and sleep."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

import pytest
from tests.simulation.dice import Dice
from tests.simulation.loop import Process, SimulatedLoop, StuckError

_T = TypeVar("_T")


def loop(*, seed: int = 1, width: int = 1) -> SimulatedLoop:
    return SimulatedLoop(  # type: ignore[abstract] # what it leaves out raises
        Dice(seed, "order"), width, step_limit=10_000
    )


def run(work: Coroutine[Any, Any, _T]) -> _T:
    made = loop()
    try:
        return made.run(work)
    finally:
        made.close()


def test_time_jumps_to_the_next_timer() -> None:
    async def sleep() -> list[float]:
        times = []
        for seconds in (3600, 0.25):
            await asyncio.sleep(seconds)
            times.append(asyncio.get_running_loop().time())
        return times

    assert run(sleep()) == [3600, 3600.25]


def test_a_timeout_comes_when_it_is_due() -> None:
    async def wait() -> float:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(2):
                await asyncio.get_running_loop().create_future()
        return asyncio.get_running_loop().time()

    assert run(wait()) == 2


def test_work_of_a_thread_is_done_later_in_one_go() -> None:
    async def work() -> tuple[int, bool]:
        result = await asyncio.to_thread(sum, (1, 2, 3))
        return result, asyncio.get_running_loop().time() > 0

    assert run(work()) == (6, True)


def test_the_order_follows_from_the_seed() -> None:
    async def tasks() -> str:
        order: list[str] = []

        async def add(name: str) -> None:
            order.append(name)

        await asyncio.gather(*(add(name) for name in "abcdefgh"))
        return "".join(order)

    orders = {seed: loop(seed=seed, width=8).run(tasks()) for seed in range(20)}

    assert loop(width=1).run(tasks()) == "abcdefgh"
    assert len(set(orders.values())) > 10
    assert all(loop(seed=s, width=8).run(tasks()) == o for s, o in orders.items())


def test_a_process_that_is_killed_tidies_nothing_up() -> None:
    async def kill() -> list[str]:
        told: list[str] = []
        process = Process("victim")

        async def work() -> None:
            try:
                await asyncio.sleep(1)
                told.append("went on")
            finally:
                told.append("tidied up")

        process.spawn(work())
        await asyncio.sleep(0.5)
        process.kill()
        await asyncio.sleep(5)
        return list(told)

    assert run(kill()) == []


def test_a_process_that_is_paused_goes_on_where_it_was() -> None:
    async def pause(made: SimulatedLoop) -> list[float]:
        times: list[float] = []
        process = Process("sleeper")

        async def work() -> None:
            for _ in range(2):
                await asyncio.sleep(1)
                times.append(made.time())

        process.spawn(work())
        await asyncio.sleep(0.5)
        process.is_paused = True
        await asyncio.sleep(6.5)
        made.resume(process)
        await asyncio.sleep(5)
        return times

    made = loop()
    assert made.run(pause(made)) == [7, 8]


def test_a_run_that_waits_for_nothing_is_stuck() -> None:
    async def wait() -> None:
        await asyncio.get_running_loop().create_future()

    with pytest.raises(StuckError):
        run(wait())


def test_a_run_without_an_end_is_stuck() -> None:
    async def spin() -> None:
        while True:  # noqa: ASYNC110 - that it waits for nothing is the point
            await asyncio.sleep(0)

    with pytest.raises(StuckError):
        run(spin())


def test_an_error_that_nobody_looks_at_is_kept() -> None:
    async def fail() -> None:
        raise ValueError("unseen")

    async def start() -> None:
        task = asyncio.create_task(fail())
        await asyncio.sleep(1)
        assert task.done()

    made = loop()
    made.run(start())

    assert [str(error) for error in made.unseen()] == ["unseen"]
