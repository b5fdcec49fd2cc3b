"""How a process that we have started ends."""

import asyncio
import contextlib
from asyncio.subprocess import Process


async def end_children(*processes: Process, patience_s: float) -> None:
    """Ask processes to end, all at once, and kill those that do not.

    Args:
        processes: Those that have ended already do no harm.
        patience_s: Seconds that each one has.
    """
    running = [process for process in processes if process.returncode is None]
    for process in running:
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
    for process in running:
        try:
            async with asyncio.timeout(patience_s):
                await process.wait()
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
