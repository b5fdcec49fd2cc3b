"""JSON as it comes from anywhere: read strictly, and never deeper than it may be."""

import json
import re
from collections import Counter
from typing import Any, Final, NoReturn

from ginref.app.error import Reason, RefusedError

DEPTH: Final = 16
"""Most objects and lists within each other."""

# A text is passed over whole; one that never ends, up to the end.
_SIGN: Final = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)


class _Twice(dict[str, Any]):
    """An object in which a name stands twice.

    Attributes:
        name: That name.
    """

    name: str = ""


def read_json(body: bytes) -> Any:  # noqa: ANN401 - whatever JSON can be
    """Read JSON.

    Raises:
        RefusedError: MESSAGE_UNREADABLE, or FIELD_INVALID for a name that stands
            twice in an object.
    """
    try:
        text = body.decode()
    except ValueError:
        raise unreadable("the body is not UTF-8") from None
    if _depth(text) > DEPTH:
        raise unreadable(f"the body is deeper than {DEPTH}")
    doubled: list[_Twice] = []

    def take(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) == len(pairs):
            return made
        twice = _Twice(made)
        counts = Counter(name for name, _ in pairs)
        twice.name = next(name for name, count in counts.items() if count > 1)
        doubled.append(twice)
        return twice

    try:
        found = json.loads(text, object_pairs_hook=take, parse_constant=_no_number)
    except ValueError:
        raise unreadable("the body is not JSON") from None
    if doubled:
        at = _path_to(found, doubled[0], "")
        raise RefusedError(Reason.FIELD_INVALID, f"{at} stands twice", field=at)
    return found


def _depth(text: str) -> int:
    """Return how many objects and lists are within each other at most."""
    deepest = depth = 0
    for sign in _SIGN.findall(text):
        if sign in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif sign in "]}":
            depth -= 1
    return deepest


def _path_to(value: object, twice: _Twice, at: str) -> str:
    """Return the path of a name that stands twice; empty where it is not."""
    if value is twice:
        return f"{at}.{twice.name}".removeprefix(".")
    inside: list[tuple[str, object]] = []
    if isinstance(value, dict):
        inside = [(f"{at}.{name}", one) for name, one in value.items()]
    elif isinstance(value, list):
        inside = [(f"{at}[{place}]", one) for place, one in enumerate(value)]
    paths = (_path_to(one, twice, path) for path, one in inside)
    # A value that was given twice is no more in what was read.
    return next(filter(None, paths), "" if at else twice.name)


def _no_number(word: str) -> NoReturn:
    raise ValueError(word)


def unreadable(message: str) -> RefusedError:
    """Return the refusal of what cannot be read at all."""
    return RefusedError(Reason.MESSAGE_UNREADABLE, message)
