"""Does JSON say what a message can hold? If not, which field is at fault?

Stricter than the JSON of protobuf has to be: a number is no text, and what is not there
is not called null.
"""

import re
from collections.abc import Callable
from typing import Any, Final, cast

from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor
from google.protobuf.json_format import ParseDict, ParseError
from google.protobuf.message_factory import GetMessageClass

from ginref.app.error import Reason, RefusedError
from ginref.transport.field import invalid

_WELL_KNOWN: Final = "google.protobuf."

_BASE64: Final = re.compile(r"([A-Za-z0-9+/]*|[A-Za-z0-9_-]*)={0,2}")

_UNSIGNED: Final = {FieldDescriptor.CPPTYPE_UINT32, FieldDescriptor.CPPTYPE_UINT64}
_BITS: Final = {
    FieldDescriptor.CPPTYPE_INT32: 31,
    FieldDescriptor.CPPTYPE_INT64: 63,
    FieldDescriptor.CPPTYPE_UINT32: 32,
    FieldDescriptor.CPPTYPE_UINT64: 64,
}
_LONG: Final = re.compile(r"-?[0-9]{1,20}")


def is_plain(field: FieldDescriptor) -> bool:
    """Say whether JSON has a message in another form than as an object of its fields.

    Moments, lengths of time and the like; of those, most are texts.
    """
    kind = field.message_type
    return kind is not None and kind.full_name.startswith(_WELL_KNOWN)


def inside(field: FieldDescriptor) -> Descriptor:
    """Return the message that a field holds."""
    return cast("Descriptor", field.message_type)


def is_map(field: FieldDescriptor) -> bool:
    """Say whether JSON has a field as an object of any names."""
    kind: Descriptor | None = field.message_type
    return kind is not None and bool(kind.GetOptions().map_entry)


def field_named(message: Descriptor, name: str, at: str) -> FieldDescriptor:
    """Return a field by its name in the proto file or in JSON.

    Args:
        message: The message.
        name: Of the field.
        at: Path of the message, dot included.

    Raises:
        RefusedError: FIELD_INVALID: there is none.
    """
    spelled, called = message.fields_by_camelcase_name, message.fields_by_name
    field: FieldDescriptor | None = _called(called, name) or _called(spelled, name)
    if field is None:
        at += name
        raise RefusedError(
            Reason.FIELD_INVALID, f"{at}: there is no such field", field=at
        )
    return field


def _called(known: Any, name: str) -> Any:  # noqa: ANN401 - a map of descriptors
    """Return what is called so, if anything is.

    A map of descriptors fails at half a character, and reads a name up to a NUL alone.
    """
    return known.get(name) if _is_utf8(name) and "\0" not in name else None


def check_message(value: object, message: Descriptor, at: str) -> None:
    """Check an object against a message; `at` is its path, dot included.

    Raises:
        RefusedError: FIELD_INVALID or ENUM_UNKNOWN.
    """
    if not isinstance(value, dict):
        raise invalid(at.removesuffix("."), "an object")
    seen: set[str] = set()
    for name, one in value.items():
        field = field_named(message, name, at)
        path = at + field.name
        group = field.containing_oneof
        if not seen.isdisjoint({field.name, *_others(group)}):
            raise invalid(path, "one of its kind")
        seen.add(field.name)
        _check_field(one, field, path)


def _others(group: Any) -> list[str]:  # noqa: ANN401 - a oneof, which is not typed
    return [] if group is None else [field.name for field in group.fields]


def _check_field(value: object, field: FieldDescriptor, at: str) -> None:
    if is_map(field):
        if not isinstance(value, dict):
            raise invalid(at, "an object")
        for key, one in value.items():
            _check_one(one, inside(field).fields_by_name["value"], f"{at}.{key}")
    elif field.is_repeated:
        if not isinstance(value, list):
            raise invalid(at, "a list")
        for place, one in enumerate(value):
            _check_one(one, field, f"{at}[{place}]")
    else:
        _check_one(value, field, at)


def _check_one(value: object, field: FieldDescriptor, at: str) -> None:
    if field.cpp_type == FieldDescriptor.CPPTYPE_MESSAGE:
        if is_plain(field):
            _check_plain(value, inside(field), at)
        else:
            check_message(value, inside(field), f"{at}.")
    elif field.type == FieldDescriptor.TYPE_BYTES:
        _check_bytes(value, at)
    elif field.cpp_type == FieldDescriptor.CPPTYPE_ENUM:
        _check_enum(value, field, at)
    elif field.cpp_type in _BITS:
        _check_integer(value, field.cpp_type, at)
    else:
        is_one, expected = _SINGLE[field.cpp_type]
        if not is_one(value):
            raise invalid(at, expected)


def _check_plain(value: Any, message: Descriptor, at: str) -> None:  # noqa: ANN401 - whatever JSON can be
    try:
        ParseDict(value, GetMessageClass(message)())
    except (ParseError, ValueError, TypeError, AttributeError, OverflowError):
        raise invalid(at, f"a {message.name}") from None
    if value is None:
        raise invalid(at, "a value")


def _check_bytes(value: object, at: str) -> None:
    found = isinstance(value, str) and _BASE64.fullmatch(value)
    if not found or len(found[1]) % 4 == 1:
        raise invalid(at, "base64")


def _check_enum(value: object, field: FieldDescriptor, at: str) -> None:
    names = cast("EnumDescriptor", field.enum_type).values_by_name
    if isinstance(value, str) and _called(names, value) is None:
        raise RefusedError(
            Reason.ENUM_UNKNOWN, f"{at}: {value} is unknown", field=at, value=value
        )
    if not isinstance(value, str):
        _check_integer(value, FieldDescriptor.CPPTYPE_INT32, at)


def _check_integer(value: object, kind: int, at: str) -> None:
    bits = _BITS[kind]
    # JSON of protobuf has what a double cannot hold as text.
    if isinstance(value, str) and bits > 32 and _LONG.fullmatch(value):  # noqa: PLR2004 - bits
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise invalid(at, "a whole number")
    least = 0 if kind in _UNSIGNED else -(1 << bits)
    if not least <= value < 1 << bits:
        raise invalid(at, f"{least} to {(1 << bits) - 1}")


def _is_utf8(value: object) -> bool:
    try:
        return isinstance(value, str) and value.encode() is not None
    except UnicodeEncodeError:
        return False


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


_SINGLE: Final[dict[int, tuple[Callable[[object], bool], str]]] = {
    FieldDescriptor.CPPTYPE_BOOL: (lambda value: isinstance(value, bool), "a boolean"),
    FieldDescriptor.CPPTYPE_STRING: (_is_utf8, "a text"),
    FieldDescriptor.CPPTYPE_DOUBLE: (_is_number, "a number"),
    FieldDescriptor.CPPTYPE_FLOAT: (_is_number, "a number"),
}
"""What else a single value has to be, and what it is called."""
