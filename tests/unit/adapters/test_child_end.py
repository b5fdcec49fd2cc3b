"""How processes that we have started are ended."""

import asyncio
import signal
import sys
from asyncio.subprocess import PIPE, Process

from ginref.adapters.child_end import end_children

STUBBORN = "signal.signal(signal.SIGTERM, signal.SIG_IGN)"


async def child(first: str = "") -> Process:
    """Start a process that would never end, and wait until it is there."""
    program = f"import signal, time\n{first}\nprint(flush=True)\ntime.sleep(600)"
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, stdout=PIPE
    )
    assert process.stdout is not None
    await process.stdout.readline()
    return process


async def test_one_that_does_not_end_when_it_is_asked_is_killed() -> None:
    polite, stubborn = await child(), await child(STUBBORN)

    await end_children(stubborn, polite, patience_s=1)

    assert polite.returncode == -signal.SIGTERM
    assert stubborn.returncode == -signal.SIGKILL


async def test_one_that_has_ended_is_left_alone() -> None:
    ended = await child()
    ended.kill()
    await ended.wait()

    await end_children(ended, patience_s=600)

    assert ended.returncode == -signal.SIGKILL
