"""Messages that are written once and sent many times."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Final, Generic, TypeVar

_Value = TypeVar("_Value")
_Message = TypeVar("_Message")

_MOST: Final = 1024


class Kept(Generic[_Value, _Message]):
    """The messages of the values that were written last.

    A value is known by its identity: to compare what is in it would cost as much as
    to write it again. It must not change, and nobody may change its message.
    """

    def __init__(self, write: Callable[[_Value], _Message], most: int = _MOST) -> None:
        """Write with a function; keep so many messages at most."""
        self._write = write
        self._most = most
        # The value is kept, too, so that its identity is not given to another.
        self._kept: OrderedDict[int, tuple[_Value, _Message]] = OrderedDict()

    def __call__(self, value: _Value) -> _Message:
        """Return the message of a value."""
        key = id(value)
        found = self._kept.get(key)
        if found is None:
            found = value, self._write(value)
            self._kept[key] = found
            if len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return found[1]
