import asyncio
import sys
import threading

import pytest

from ginref_client.thinking import ThinkingPool


async def test_a_thought_comes_back() -> None:
    pool = ThinkingPool()

    assert await pool.run(lambda: threading.current_thread().name) == "bot-1"
    pool.close()


async def test_thoughts_go_on_side_by_side() -> None:
    pool = ThinkingPool(2)
    both = threading.Barrier(2, timeout=10)

    await asyncio.gather(pool.run(both.wait), pool.run(both.wait))
    pool.close()


async def test_there_are_no_more_threads_than_allowed() -> None:
    pool = ThinkingPool(2)

    names = await asyncio.gather(
        *(pool.run(lambda: threading.current_thread().name) for _ in range(20))
    )

    assert set(names) <= {"bot-1", "bot-2"}
    pool.close()


def end_iteration() -> None:
    raise StopIteration


def fail() -> None:
    raise LookupError("lost")


@pytest.mark.parametrize(
    ("thought", "error", "text"),
    [
        pytest.param(fail, LookupError, "lost", id="an exception"),
        pytest.param(end_iteration, RuntimeError, "StopIteration", id="an iteration"),
        pytest.param(sys.exit, RuntimeError, "SystemExit", id="an exit"),
    ],
)
async def test_what_a_thought_raises_comes_back(
    thought: object, error: type[Exception], text: str
) -> None:
    pool = ThinkingPool()

    with pytest.raises(error, match=text):
        await pool.run(thought)  # type: ignore[arg-type]

    assert await pool.run(lambda: 1) == 1
    pool.close()


def test_a_thought_without_end_does_not_hold_up_the_program() -> None:
    started, never = threading.Event(), threading.Event()

    def think() -> None:
        started.set()
        never.wait()

    async def leave() -> None:
        task = asyncio.create_task(ThinkingPool().run(think))
        await asyncio.to_thread(started.wait)
        task.cancel()

    asyncio.run(leave())

    assert any(t.daemon for t in threading.enumerate() if t.name.startswith("bot-"))
    never.set()
