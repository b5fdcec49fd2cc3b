"""Requests over HTTP, read into the messages that they stand for.

Path, query and body are put together into one tree of JSON, which is checked against
the message before it is read as one: a refusal names the field by its path.
"""

import re
from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import unquote_to_bytes

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.json_format import ParseDict, ParseError
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from ginref.transport.field import invalid
from ginref.transport.rest_check import check_message, field_named, inside, is_plain
from ginref.transport.rest_json import read_json, unreadable
from ginref.transport.rest_route import WHOLE, Route

Tree = dict[str, Any]
"""A message as JSON has it, its fields by their names in the proto file."""

_ESCAPE: Final = re.compile("%(?![0-9A-Fa-f]{2})")
_SWITCH: Final = {"true": True, "false": False}
_NUMBER: Final = re.compile(r"-?[0-9]{1,20}")
_FIGURE: Final = re.compile(r"-?[0-9]{1,20}(\.[0-9]{1,20})?")


def read_request(
    route: Route, values: Sequence[str], query: str, body: bytes
) -> Message:
    """Read a request.

    Args:
        route: What it asks for.
        values: Of the fields in its path, escaped.
        query: Its query, escaped.
        body: Its body; empty for none.

    Raises:
        RefusedError: MESSAGE_UNREADABLE, FIELD_INVALID or ENUM_UNKNOWN.
    """
    asked = route.method.input_type
    if route.has_texts and not (query or body):
        # Most requests, in which nothing can be wrong but an escape.
        texts = {
            name: _unescape(value, name)
            for name, value in zip(route.fields, values, strict=True)
        }
        return GetMessageClass(asked)(**texts)
    tree = _read_body(route, body)
    for path, value in zip(route.fields, values, strict=True):
        _bind(tree, asked, path, _unescape(value, path))
    given = _read_query(query)
    if given and route.body == WHOLE:
        raise invalid(given[0][0], "a place in the body, not in the query,")
    taken = {route.body, *route.fields}
    for name, text in given:
        _add(tree, asked, name, text, taken)
    check_message(tree, asked, "")
    message: Message = GetMessageClass(asked)()
    try:
        ParseDict(tree, message)
    except (ParseError, ValueError, TypeError):
        raise unreadable("the request is not a message of this call") from None
    return message


def _read_body(route: Route, body: bytes) -> Tree:
    if not route.body:
        if body:
            raise unreadable("this call has no body")
        return {}
    if not body:
        return {}
    found = read_json(body)
    if route.body != WHOLE:
        return {route.body: found}
    if not isinstance(found, dict):
        raise unreadable("the body is no JSON object")
    return found


def _bind(tree: Tree, asked: Descriptor, path: str, text: str) -> None:
    """Put what the path says into the tree; the body may say the same once more."""
    *outer, name = path.split(".")
    at = ""
    for step in outer:
        field = asked.fields_by_name[step]
        at += f"{step}."
        tree = tree.setdefault(_spelled(tree, field), {})
        if not isinstance(tree, dict):
            raise invalid(at.removesuffix("."), "an object")
        asked = inside(field)
    field = asked.fields_by_name[name]
    value = _from_text(field, text, path)
    if tree.setdefault(_spelled(tree, field), value) != value:
        raise invalid(path, "what the path of the request says")


def _spelled(tree: Tree, field: FieldDescriptor) -> str:
    """Return how a tree names a field, if it does."""
    name: str = field.json_name if field.json_name in tree else field.name
    return name


def _read_query(query: str) -> list[tuple[str, str]]:
    """Read a query: names and values, in its order."""
    pairs = []
    for part in filter(None, query.split("&")):
        name, _, value = part.replace("+", " ").partition("=")
        name = _unescape(name, "query")
        pairs.append((name, _unescape(value, name)))
    return pairs


def _unescape(text: str, at: str) -> str:
    if _ESCAPE.search(text):
        raise invalid(at, "% and two hexadecimal digits")
    try:
        return unquote_to_bytes(text).decode()
    except ValueError:
        raise invalid(at, "UTF-8") from None


def _add(tree: Tree, asked: Descriptor, name: str, text: str, taken: set[str]) -> None:
    """Put one parameter of the query into the tree."""
    *outer, last = name.split(".")
    at = ""
    for step in outer:
        field = field_named(asked, step, at)
        at += f"{field.name}."
        if field.message_type is None or field.is_repeated or is_plain(field):
            raise invalid(name, "a field of this call")
        tree = tree.setdefault(field.name, {})
        asked = inside(field)
    field = field_named(asked, last, at)
    at += field.name
    if at in taken or at.partition(".")[0] in taken:
        raise invalid(at, "a place elsewhere in the request")
    value = _from_text(field, text, at)
    if field.is_repeated:
        tree.setdefault(field.name, []).append(value)
    elif field.name in tree:
        raise invalid(at, "one value")
    else:
        tree[field.name] = value


def _from_text(field: FieldDescriptor, text: str, at: str) -> object:
    """Read the text of a single value as JSON would have it.

    Raises:
        RefusedError: FIELD_INVALID.
    """
    kind = field.cpp_type
    if kind == FieldDescriptor.CPPTYPE_BOOL:
        if text not in _SWITCH:
            raise invalid(at, "true or false")
        return _SWITCH[text]
    if kind in {FieldDescriptor.CPPTYPE_DOUBLE, FieldDescriptor.CPPTYPE_FLOAT}:
        if not _FIGURE.fullmatch(text):
            raise invalid(at, "a number")
        return float(text)
    if kind == FieldDescriptor.CPPTYPE_ENUM:
        return int(text) if _NUMBER.fullmatch(text) else text
    if kind == FieldDescriptor.CPPTYPE_MESSAGE:
        if not is_plain(field):
            raise invalid(at, "fields of it, each by its name")
        return text
    if kind == FieldDescriptor.CPPTYPE_STRING:
        return text
    if not _NUMBER.fullmatch(text):
        raise invalid(at, "a whole number")
    return int(text)
