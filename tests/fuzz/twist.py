"""JSON documents with something in them that is otherwise."""

import copy
import json
from typing import Any, Final

from tests.fuzz.draw import Draw

_STRANGE: Final[tuple[Any, ...]] = (
    *(None, True, False, 0, 1, -1, 2, 51, 52, 255, 2**31, 2**53 - 1, 1 - 2**53, 0.5),
    *("", "x", "As", "As As", "Ks Qs", "north", "three", "knock", "pass", "é", "\0"),
    *("gin", "shares", "seeded", "tournament", "completed", "00", "ab" * 32, "A" * 300),
    *([], {}, [[]], [None], [0] * 60, {"kind": "move"}, {"": ""}),
)
_DEPTH: Final = 9


def twisted(document: Any, draw: Draw) -> Any:  # noqa: ANN401 - JSON
    """Return a document of which some parts are changed, lost, doubled or swapped."""
    whole = [copy.deepcopy(document)]
    for _ in range(1 + draw.below(3)):
        _twist(whole, draw)
    return whole[0]


def _twist(whole: list[Any], draw: Draw) -> None:
    holder: Any = whole
    key: Any = 0
    for _ in range(_DEPTH):
        value = holder[key]
        if not isinstance(value, dict | list) or not value or draw.often(2):
            break
        holder = value
        key = (
            draw.pick(sorted(value))
            if isinstance(value, dict)
            else draw.below(len(value))
        )
    _change(holder, key, draw)


def _change(holder: Any, key: Any, draw: Draw) -> None:  # noqa: ANN401 - JSON
    value = holder[key]
    match draw.below(6):
        case 0 if holder is not None and len(holder) > 1:
            del holder[key]
        case 1 if isinstance(holder, list):
            holder.insert(draw.below(len(holder) + 1), copy.deepcopy(value))
        case 1 | 2 if isinstance(value, int):
            holder[key] = value + draw.pick((1, -1, 1000, -1000, value))
        case 2 | 3 if isinstance(value, str):
            at = draw.below(len(value) + 1)
            more = draw.pick(("", "0", "s", " ", "é", value))
            holder[key] = value[:at] + more + value[at + 1 :]
        case 4 if isinstance(holder, list):
            other = draw.below(len(holder))
            holder[key], holder[other] = holder[other], holder[key]
        case _:
            holder[key] = copy.deepcopy(draw.pick(_STRANGE))


def loaded(data: bytes) -> Any:  # noqa: ANN401 - JSON
    """Read a document that is sound."""
    return json.loads(data)
