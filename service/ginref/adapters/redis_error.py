"""Ways in which servers say "not now", and the one way in which the store says it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from redis import exceptions

from ginref.app.packing import DamageError
from ginref.app.port import StoreUnavailableError

_SCRIPT: Final = "user_script:"
"""Stands in what a server says of a script that has failed, with the line of it."""

NOT_RUN: Final = (
    exceptions.AskError,
    exceptions.BusyLoadingError,
    exceptions.ClusterDownError,
    exceptions.ReadOnlyError,
    exceptions.TryAgainError,
)
"""Answers of a server that has not carried out the command, but another one may."""


class NobodyServesError(Exception):
    """No server is known that takes writes now."""


class NotReplicatedError(Exception):
    """Too few replicas have confirmed a write in time: it may get lost."""


_UNAVAILABLE: Final = (
    *NOT_RUN,
    exceptions.ConnectionError,
    exceptions.TimeoutError,
    exceptions.OutOfMemoryError,
    NobodyServesError,
    NotReplicatedError,
    OSError,
    TimeoutError,
)
_UNAVAILABLE_CODES: Final = (
    "BUSY",
    "MISCONF",
    "NOREPLICAS",
)


def as_unavailable(error: Exception) -> Exception:
    """Turn the driver's ways of saying "not now" into one error; keep any other."""
    if not isinstance(error, _UNAVAILABLE) and not (
        isinstance(error, exceptions.ResponseError)
        and str(error).startswith(_UNAVAILABLE_CODES)
    ):
        return error
    told = StoreUnavailableError(str(error))
    told.__cause__ = error
    return told


@contextmanager
def unavailable() -> Iterator[None]:
    """Turn the driver's ways of saying "not now" into one error.

    Raises:
        StoreUnavailableError: The server did not answer, or cannot serve now.
    """
    try:
        yield
    except Exception as error:
        told = as_unavailable(error)
        if told is error:
            raise
        raise told from error


@contextmanager
def sound(match_id: str) -> Iterator[None]:
    """Tell what the store keeps of a match from what no referee has written.

    Raises:
        DamageError: The store's script fails over it, or its answer cannot be read.
    """
    try:
        yield
    except (exceptions.ResponseError, ValueError) as error:
        if isinstance(error, exceptions.ResponseError) and _SCRIPT not in str(error):
            raise
        message = f"what is kept of match {match_id} cannot be read"
        raise DamageError(message) from error


def demand_answers(answers: Sequence[object]) -> None:
    """See that every answer came from the server, be it a refusal.

    Raises:
        RedisError: One did not come.
        OSError: Likewise.
    """
    for answer in answers:
        if isinstance(answer, BaseException) and not isinstance(
            answer, exceptions.ResponseError
        ):
            raise answer
