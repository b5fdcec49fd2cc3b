"""What callers hear of an exception: a fault is known outside by its id alone."""

import asyncio
import logging
import secrets
from collections.abc import Coroutine
from typing import Any, Final, TypeVar

from ginref.app.error import Reason, RefusedError
from ginref.app.port import StoreUnavailableError

_ID_BYTES: Final = 8

_T = TypeVar("_T")

_LOG: Final = logging.getLogger(__name__)


def refusal_of(exception: Exception) -> RefusedError:
    """Return what a caller hears of an exception.

    An exception that is none of the referee's answers is logged here, under the
    id that the caller gets instead.
    """
    if isinstance(exception, RefusedError):
        return exception
    if isinstance(exception, StoreUnavailableError):
        return RefusedError(
            Reason.STORE_UNAVAILABLE,
            "the store cannot answer; send the same request id again",
        )
    fault_id = secrets.token_hex(_ID_BYTES)
    _LOG.error("fault %s: %s", fault_id, type(exception).__name__, exc_info=exception)
    return RefusedError(
        Reason.INTERNAL_FAULT, "something is wrong with the referee", fault_id=fault_id
    )


async def to_its_end(work: Coroutine[Any, Any, _T]) -> _T:
    """Wait for work that runs to its end, whatever becomes of the caller."""
    task = asyncio.create_task(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        task.add_done_callback(_overhear)
        raise


def _overhear(task: asyncio.Task[Any]) -> None:
    """Take note of how a task has ended that nobody waits for any more."""
    error = None if task.cancelled() else task.exception()
    if isinstance(error, Exception):
        refusal_of(error)
