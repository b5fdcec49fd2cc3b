"""What was written once and is needed many times."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Final, TypeVar, TypeVarTuple

_Values = TypeVarTuple("_Values")
_Written = TypeVar("_Written")

_MOST: Final = 1024


def kept(
    write: Callable[[*_Values], _Written], most: int = _MOST
) -> Callable[[*_Values], _Written]:
    """Return a function that writes the same values once, and keeps what it wrote.

    A value is known by its identity: to compare what is in it would cost as much as
    to write it again. It must not change, and nobody may change what was written.

    Args:
        write: Writes some values.
        most: How many results are kept; the oldest one is forgotten first.
    """
    # The values are kept, too, so that no identity is given to another.
    known: OrderedDict[tuple[int, ...], tuple[tuple[*_Values], _Written]]
    known = OrderedDict()
    look_up = known.get

    def find(*values: *_Values) -> _Written:
        key = tuple(map(id, values))
        found = look_up(key)
        if found is None:
            found = values, write(*values)
            known[key] = found
            if len(known) > most:
                known.popitem(last=False)
        return found[1]

    return find
