"""Cursors over matches, newest first: the place of the last match of a page."""

import re
from typing import Final

_CURSOR: Final = re.compile(r"([0-9]{1,15})\.(.+)", re.DOTALL)


def format_cursor(time_ms: int, match_id: str) -> str:
    """Write the place of a match in a list ordered by time, then id."""
    return f"{time_ms}.{match_id}"


def parse_cursor(cursor: str) -> tuple[int, str]:
    """Read the time and id that a page ended with.

    Raises:
        ValueError: The text is not a cursor.
    """
    found = _CURSOR.fullmatch(cursor)
    if found is None:
        raise ValueError("not a cursor of this list")
    return int(found[1]), found[2]
