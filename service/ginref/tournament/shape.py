"""Frozen values as JSON and back, by their types alone.

A dataclass is an object of its fields, a tuple a list. Where one of several classes
may stand, `kind` names it in small letters: `RoundPaired` is `round_paired`. Whatever
does not fit is refused with its path.
"""

import dataclasses
import enum
import functools
import re
import types
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

from ginref.tournament.option import Option

KIND: Final = "kind"
"""Name of the member that tells classes apart."""

_LARGEST: Final = 2**53 - 1
_TEXT_LENGTH: Final = 2000
_CAPITAL: Final = re.compile(r"(?<!^)(?=[A-Z])")


def word_of(kind: type) -> str:
    """Return the word that names a class, `round_paired` for `RoundPaired`."""
    return _CAPITAL.sub("_", kind.__name__).lower()


def to_json(value: object, *, is_named: bool = False) -> Any:  # noqa: ANN401
    """Return a frozen value as JSON values.

    Args:
        value: A dataclass, a tuple, text, a whole number, a boolean or None.
        is_named: Its class must be told from others.
    """
    if isinstance(value, enum.Enum):
        return str(value.value)
    if isinstance(value, tuple):
        return [to_json(item) for item in value]
    if not dataclasses.is_dataclass(value):
        return value
    kind: Any = type(value)
    facts = {KIND: word_of(kind)} if is_named else {}
    for name, hint in _fields(kind):
        facts[name] = to_json(getattr(value, name), is_named=_is_open(hint))
    return facts


def from_json(kind: Any, option: Option) -> Any:  # noqa: ANN401, PLR0911
    """Read a value of some type, written by `to_json`.

    Raises:
        FieldError: It is something else.
    """
    if get_origin(kind) is tuple:
        return _read_tuple(get_args(kind), option)
    if get_origin(kind) in (Union, types.UnionType):
        return _read_one_of(get_args(kind), option)
    if dataclasses.is_dataclass(kind):
        return _read_fields(kind, option, ())
    if isinstance(kind, type) and issubclass(kind, enum.StrEnum):
        return option.choice(kind)
    if kind is bool:
        return option.flag()
    if kind is int:
        return option.number(-_LARGEST, _LARGEST)
    if kind is str:
        return option.text(_TEXT_LENGTH)
    message = f"{kind} has no form in JSON"
    raise TypeError(message)


def _read_tuple(kinds: tuple[Any, ...], option: Option) -> tuple[Any, ...]:
    items = list(option.items())
    if kinds[-1] is Ellipsis:
        return tuple(from_json(kinds[0], item) for item in items)
    if len(items) != len(kinds):
        raise option.fail(f"{len(kinds)} items expected")
    return tuple(from_json(kind, item) for kind, item in zip(kinds, items, strict=True))


def _read_one_of(kinds: tuple[Any, ...], option: Option) -> Any:  # noqa: ANN401
    if option.value is None and types.NoneType in kinds:
        return None
    kinds = tuple(kind for kind in kinds if kind is not types.NoneType)
    if len(kinds) == 1:
        return from_json(kinds[0], option)
    word = option.value.get(KIND) if isinstance(option.value, dict) else None
    for kind in kinds:
        if word_of(kind) == word:
            return _read_fields(kind, option, (KIND,))
    raise option.at(KIND, word).fail("the kind of it is unknown")


def _read_fields(kind: Any, option: Option, others: tuple[str, ...]) -> Any:  # noqa: ANN401
    fields = _fields(kind)
    found = option.members(needed=(*others, *(name for name, _ in fields)))
    return kind(**{name: from_json(hint, found[name]) for name, hint in fields})


@functools.cache
def _fields(kind: Any) -> tuple[tuple[str, Any], ...]:  # noqa: ANN401
    """Return the fields of a dataclass with their types."""
    return tuple(get_type_hints(kind).items())


@functools.cache
def _is_open(kind: Any) -> bool:  # noqa: ANN401
    """Say whether a field may hold one of several classes."""
    args = [arg for arg in get_args(kind) if arg is not types.NoneType]
    return get_origin(kind) in (Union, types.UnionType) and len(args) > 1
