"""Messages of the API that are made up of what could be meant."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from google.protobuf.descriptor import Descriptor, FieldDescriptor, MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from tests.fuzz.draw import Draw

from ginref.v1 import (
    bot_service_pb2,
    referee_service_pb2,
    registry_service_pb2,
    tournament_service_pb2,
)

_MODULES: Final[tuple[Any, ...]] = (
    referee_service_pb2,
    registry_service_pb2,
    tournament_service_pb2,
    bot_service_pb2,
)

DESCRIBED: Final[Mapping[str, MethodDescriptor]] = {
    f"{service.name}/{method.name}": method
    for module in _MODULES
    for service in module.DESCRIPTOR.services_by_name.values()
    for method in service.methods
}
"""Every method of the API."""

Words = Mapping[str, Sequence[Any]]
"""What may stand in a field, by its name; first what is meant most often."""

_BOTS: Final = ("ada", "bob", "eve", "cyd", "nobody", "")
_CARDS: Final = ("As", "Kd", "7c", "Th", "2s", "XX", "")
_MOVES: Final = ("draw_stock", "pass", "draw_upcard", "discard As", "knock 7c", "gin")

WORDS: Final[Words] = {
    "bot": _BOTS,
    "bots": _BOTS,
    "opponent": _BOTS,
    "name": ("newcomer", "x", "lab", "A" * 40, "é", ""),
    "owner": ("lab", "me", ""),
    "request_id": ("r1", "r2", "r3", "x" * 65, ""),
    "preset": ("gin", "hollywood", "oklahoma", "three_handed", "no such", ""),
    "ruleset_preset": ("gin", "hollywood", "no such", ""),
    "clock_preset": ("fast", "standard", "no such", ""),
    "clock": ("fast", "standard"),
    "text": _MOVES,
    "card": _CARDS,
    "cards": _CARDS,
    "client": ("fuzz", "A" * 300),
    "features": ("events", "x"),
    "cursor": ("", "2-0", "9-9", "1-0-1", "x", "9" * 40),
    "page_token": ("", "1-m", "x", "9" * 40),
    "tournament_id": ("cup", "no", ""),
    "protocol": (1, 0, 2),
    "signature": (b"", b"s" * 64),
    "seed": ("seed", ""),
}
"""What may stand in any request."""

_STRANGE_TEXT: Final = ("", "x", "é\0", "A" * 1000, "-", "0", "../x", "\U0001f0a1")
_NUMBERS: Final = (0, 1, 2, 3, 60, 1000, 60_000, 2**31 - 1, 2**32 - 1, 2**63 - 1, -1)
_DEPTH: Final = 5
_LISTED: Final = 4

_WIDTH: Final = {
    FieldDescriptor.TYPE_INT32: (-(2**31), 2**31 - 1),
    FieldDescriptor.TYPE_SINT32: (-(2**31), 2**31 - 1),
    FieldDescriptor.TYPE_UINT32: (0, 2**32 - 1),
    FieldDescriptor.TYPE_INT64: (-(2**63), 2**63 - 1),
    FieldDescriptor.TYPE_SINT64: (-(2**63), 2**63 - 1),
    FieldDescriptor.TYPE_UINT64: (0, 2**64 - 1),
}


def shaped(described: Descriptor, draw: Draw, words: Words, depth: int = 0) -> Message:
    """Make up a message of a kind."""
    message: Any = GetMessageClass(described)()
    chosen = {
        group.name: draw.pick(list(group.fields))
        for group in described.oneofs
        if len(group.fields) > 1
    }
    for field in described.fields:
        group = field.containing_oneof
        if group is not None and len(group.fields) > 1:
            if chosen[group.name] is not field:
                continue
        elif draw.often(_absent(field)):
            continue
        _fill(message, field, draw, words, depth)
    made: Message = message
    return made


def _absent(field: FieldDescriptor) -> int:
    """Say in how many of sixteen messages a field is left out."""
    if field.message_type is not None:
        return 3
    # A field of its own group is one that may be absent.
    return 8 if field.containing_oneof is not None else 1


def _fill(
    message: Any,  # noqa: ANN401 - of any kind
    field: FieldDescriptor,
    draw: Draw,
    words: Words,
    depth: int,
) -> None:
    part = getattr(message, field.name)
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        _fill_map(part, field, draw)
        return
    if field.is_repeated:
        for _ in range(draw.below(_LISTED)):
            if field.message_type is not None:
                if depth < _DEPTH:
                    part.append(shaped(field.message_type, draw, words, depth + 1))
            else:
                part.append(_value(field, draw, words))
        return
    if field.message_type is not None:
        if depth < _DEPTH:
            part.CopyFrom(shaped(field.message_type, draw, words, depth + 1))
            part.SetInParent()
        return
    setattr(message, field.name, _value(field, draw, words))


def _fill_map(part: Any, field: FieldDescriptor, draw: Draw) -> None:  # noqa: ANN401
    """Fill a map, which in this API is a part of a Struct, or of texts."""
    assert field.message_type is not None
    of_texts = field.message_type.fields_by_name["value"].message_type is None
    for _ in range(draw.below(_LISTED)):
        name = draw.pick(("name", "stages", "format", "match", "entry", "é"))
        text = draw.pick(("cup", "swiss", "gin", ""))
        if of_texts:
            part[name] = text
        else:
            part[name].string_value = text


def _value(  # noqa: PLR0911 - one for each type
    field: FieldDescriptor, draw: Draw, words: Words
) -> Any:  # noqa: ANN401
    meant = words.get(field.name)
    if meant and not draw.often(1):
        value = meant[0] if draw.often(12) else draw.pick(meant)
        if _fits(field, value):
            return value
    match field.type:
        case FieldDescriptor.TYPE_STRING:
            return draw.pick(_STRANGE_TEXT)
        case FieldDescriptor.TYPE_BYTES:
            return draw.take(draw.pick((32, 0, 1, 64, 31)))
        case FieldDescriptor.TYPE_BOOL:
            return bool(draw.below(2))
        case FieldDescriptor.TYPE_ENUM:
            kind: Any = field.enum_type
            known = [one.number for one in kind.values]
            return draw.pick([*known[1:], *known, 99])
        case FieldDescriptor.TYPE_DOUBLE | FieldDescriptor.TYPE_FLOAT:
            return draw.pick((0.0, 1.5, -1.0, 1e300, float("inf"), float("nan")))
        case _:
            low, high = _WIDTH[field.type]
            return max(low, min(high, draw.pick(_NUMBERS)))


def _fits(field: FieldDescriptor, value: object) -> bool:
    if isinstance(value, str):
        return field.type == FieldDescriptor.TYPE_STRING
    if isinstance(value, bytes):
        return field.type == FieldDescriptor.TYPE_BYTES
    return isinstance(value, int) and (
        field.type in _WIDTH or field.type == FieldDescriptor.TYPE_ENUM
    )
