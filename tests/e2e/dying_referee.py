"""A referee that dies at a point that its environment names, as if it were killed.

It is started with `python -m tests.e2e.dying_referee` in place of `ginref`, with the
point in `DIE_AT`.
"""

import os
import signal
from collections.abc import Callable
from typing import Any, Final

from ginref.adapters.folder_archive import FolderArchive
from ginref.adapters.redis_store import RedisStore
from ginref.adapters.redis_tournament import RedisTournaments
from ginref.cli import main

POINTS: Final = (
    "before append",
    "after append",
    "before creation",
    "after creation",
    "before archiving",
    "before acknowledging",
    "before wake",
    "before leaving",
)
"""Before and after an entry of a log is stored, and a match is made; before a record is
kept, and taken off the list; before others hear of it, and before a tournament is done
with."""

LAST_WORDS: Final = "this referee dies"

_PLACES: Final[tuple[tuple[type, str, str], ...]] = (
    (RedisTournaments, "append", "append"),
    (RedisStore, "create", "creation"),
    (FolderArchive, "put", "archiving"),
    (RedisStore, "acknowledge", "acknowledging"),
    (RedisTournaments, "wake", "wake"),
    (RedisTournaments, "leave_live", "leaving"),
)


def _meet(point: str) -> None:
    if os.environ.get("DIE_AT") == point:
        os.write(2, f"{LAST_WORDS} {point}\n".encode())
        os.kill(os.getpid(), signal.SIGKILL)


def _mortal(method: Callable[..., Any], name: str) -> Callable[..., Any]:
    async def dies(*args: object, **names: object) -> object:
        _meet(f"before {name}")
        done = await method(*args, **names)
        _meet(f"after {name}")
        return done

    return dies


if __name__ == "__main__":
    for owner, called, word in _PLACES:
        setattr(owner, called, _mortal(getattr(owner, called), word))
    main()
