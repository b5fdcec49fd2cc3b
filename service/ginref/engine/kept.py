"""What was written once and is needed many times."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Final, Generic, TypeVar, TypeVarTuple

_Values = TypeVarTuple("_Values")
_Written = TypeVar("_Written")

_MOST: Final = 1024


class Kept(Generic[*_Values, _Written]):
    """What was written last, by the values that it was written of.

    A value is known by its identity: to compare what is in it would cost as much as
    to write it again. It must not change, and nobody may change what was written.
    """

    def __init__(
        self, write: Callable[[*_Values], _Written], most: int = _MOST
    ) -> None:
        """Write with a function; keep so many results at most."""
        self._write = write
        self._most = most
        # The values are kept, too, so that no identity is given to another.
        self._kept: OrderedDict[tuple[int, ...], tuple[tuple[*_Values], _Written]] = (
            OrderedDict()
        )

    def __call__(self, *values: *_Values) -> _Written:
        """Return what the function writes of some values."""
        key = tuple(map(id, values))
        found = self._kept.get(key)
        if found is None:
            found = values, self._write(*values)
            self._kept[key] = found
            if len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return found[1]
