"""The API over HTTP in the words of OpenAPI 3.1, from its descriptors and comments.

Usage: python -m ginref.transport.openapi DESCRIPTORS, where DESCRIPTORS is a file of a
FileDescriptorSet with the comments in it.
"""

import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from google.protobuf.descriptor import (
    Descriptor,
    EnumDescriptor,
    FieldDescriptor,
    MethodDescriptor,
)
from google.protobuf.descriptor_pb2 import FileDescriptorSet

from ginref.transport.admission import is_open
from ginref.transport.exchange import JSON_TYPE
from ginref.transport.rest_check import inside, is_map, is_plain
from ginref.transport.rest_route import WHOLE, Route, Routes
from ginref.transport.rest_stream import EVENTS_TYPE, LINES_TYPE, goes_on
from ginref.transport.server import DESCRIBED
from ginref.transport.status import CODES

Schema = dict[str, Any]

_ROUTES: Final = Routes(DESCRIBED).all

_PLAIN: Final[Mapping[str, Schema]] = {
    "google.protobuf.Duration": {
        "type": "string",
        "pattern": r"^-?[0-9]{1,12}(\.[0-9]{1,9})?s$",
        "description": "Seconds with an s after them.",
    },
    "google.protobuf.Struct": {"type": "object"},
    "google.protobuf.Timestamp": {"type": "string", "format": "date-time"},
}
"""Messages that JSON has in another form."""

_WHOLE_NUMBERS: Final = {
    FieldDescriptor.CPPTYPE_INT32: (-(1 << 31), (1 << 31) - 1),
    FieldDescriptor.CPPTYPE_UINT32: (0, (1 << 32) - 1),
}

_STATUS: Final[Schema] = {
    "description": "Why a call was refused: a google.rpc.Status.",
    "type": "object",
    "properties": {
        "code": {"type": "integer", "description": "The code, as gRPC has it."},
        "message": {"type": "string", "description": "For people; it may change."},
        "details": {
            "type": "array",
            "description": "An ErrorInfo first, then what else there is to tell.",
            "items": {
                "type": "object",
                "properties": {
                    "@type": {"type": "string"},
                    "reason": {"$ref": "#/components/schemas/ErrorReason"},
                    "domain": {"type": "string"},
                    "metadata": {
                        "type": "object",
                        "additionalProperties": {"type": "string"},
                    },
                },
                "required": ["@type"],
            },
        },
    },
    "required": ["code", "message", "details"],
}


_REFUSED: Final[Schema] = {
    "description": "Refused, and nothing has changed.",
    "content": {JSON_TYPE: {"schema": {"$ref": "#/components/schemas/Status"}}},
}


def describe(comments: Mapping[str, str]) -> Schema:
    """Return the description of the API.

    Args:
        comments: What is said of each message, field, value and call, by full name.
    """
    return _Describing(comments).document()


def comments_of(described: FileDescriptorSet) -> dict[str, str]:
    """Return the comments in proto files, by the full name of what they are about."""
    return {
        name: _text(said)
        for file in described.file
        for name, said in _comments(file)
        if said
    }


def _comments(file: Any) -> Iterator[tuple[str, str]]:  # noqa: ANN401 - and its parts
    for location in file.source_code_info.location:
        # Pairs of a field of a descriptor, and which one of its values.
        steps, named, name = [*location.path], file, file.package
        while len(steps) > 1:
            field, place, *steps = steps
            part = named.DESCRIPTOR.fields_by_number[field]
            if not part.is_repeated or part.message_type is None:
                break
            named = getattr(named, part.name)[place]
            name = f"{name}.{getattr(named, 'name', '')}"
        if not steps:
            yield name, location.leading_comments


def _text(comment: str) -> str:
    lines = [line.removeprefix(" ").rstrip() for line in comment.splitlines()]
    return "\n".join(lines).strip()


class _Describing:
    """Describes what it is asked for, and all that is mentioned by it."""

    def __init__(self, comments: Mapping[str, str]) -> None:
        self._comments: Final = comments
        self._schemas: Final[dict[str, Schema]] = {"Status": _STATUS}

    def document(self) -> Schema:
        paths: dict[str, Schema] = {}
        served = {route.method.containing_service.full_name for route in _ROUTES}
        first = {route.path: route for route in reversed(_ROUTES)}
        for route in _ROUTES:
            path = paths.setdefault(route.template, {})
            operation = self._operation(route)
            if first[route.path] is not route:
                operation["operationId"] += "Own"
            path[route.verb.lower()] = operation
        self._schemas["ErrorReason"] = self._reasons()
        return {
            "openapi": "3.1.0",
            "info": {
                "title": "ginref",
                "version": "v1",
                "summary": "A referee for Gin Rummy matches between programs.",
                "description": _INTRODUCTION,
                "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
            },
            "servers": [{"url": "/"}],
            "security": [{"token": []}],
            "tags": [
                {
                    "name": _tag(service.full_name),
                    "description": self._said(service.full_name),
                }
                for service in DESCRIBED
                if service.full_name in served
            ],
            "paths": dict(sorted(paths.items())),
            "components": {
                "responses": {"Refused": _REFUSED},
                "schemas": dict(sorted(self._schemas.items())),
                "securitySchemes": {
                    "token": {
                        "type": "http",
                        "scheme": "bearer",
                        "description": "A token of this referee: gr_ and 52 letters.",
                    }
                },
            },
        }

    def _reasons(self) -> Schema:
        name = "ginref.v1.ErrorReason"
        told = []
        for reason, code in CODES.items():
            said = self._said(f"{name}.ERROR_REASON_{reason}").partition("\n\n")[0]
            told.append(f"- `{reason}` ({code.http}): {said}")
        return {
            "description": "\n".join([self._said(name), "", *told]),
            "type": "string",
            "enum": [str(reason) for reason in CODES],
        }

    def _said(self, name: str) -> str:
        return self._comments.get(name, "")

    def _operation(self, route: Route) -> Schema:
        method = route.method
        said = self._said(method.full_name)
        operation: Schema = {
            "operationId": method.name,
            "summary": re.split(r"(?<=[.:])\s", said, maxsplit=1)[0].rstrip(".:"),
            "description": said,
            "tags": [_tag(method.containing_service.full_name)],
            "parameters": [*self._parameters(route)],
            "responses": self._responses(method),
        }
        if is_open(route.path):
            operation["security"] = [{}]
        elif route.verb == "GET":
            # Whoever has no token may look on, unless the referee is told otherwise.
            operation["security"] = [{"token": []}, {}]
        if route.body:
            operation["requestBody"] = self._body(route)
        return operation

    def _parameters(self, route: Route) -> Iterator[Schema]:
        asked = route.method.input_type
        for name in route.fields:
            yield {
                **self._parameter(asked.fields_by_name[name]),
                "name": name,
                "in": "path",
                "required": True,
            }
        if route.body != WHOLE:
            for field in asked.fields:
                if field.name not in {route.body, *route.fields}:
                    yield {**self._parameter(field), "in": "query"}
        if goes_on(route.method) and route.method.server_streaming:
            yield {
                "name": "last-event-id",
                "in": "header",
                "description": "Where the last stream was left, before any cursor.",
                "schema": {"type": "string"},
            }

    def _parameter(self, field: FieldDescriptor) -> Schema:
        return {
            "name": field.json_name,
            "description": self._said(field.full_name),
            "schema": self._of_field(field),
        }

    def _body(self, route: Route) -> Schema:
        asked = route.method.input_type
        if route.body == WHOLE:
            schema = self._of_message(asked, without=route.fields)
        else:
            schema = self._of_field(asked.fields_by_name[route.body])
        # One that is not there is an empty object.
        return {"content": {JSON_TYPE: {"schema": schema}}, "required": False}

    def _responses(self, method: MethodDescriptor) -> Schema:
        answer = {"schema": self._refer(method.output_type)}
        said = self._said(method.output_type.full_name)
        if method.server_streaming:
            content = {
                LINES_TYPE: {
                    "schema": {
                        "type": "string",
                        "description": f"Lines of {method.output_type.name} as JSON;"
                        " an empty one says that the stream is alive, and one with"
                        " `error` ends it with a status.",
                    }
                },
                EVENTS_TYPE: {
                    "schema": {
                        "type": "string",
                        "description": f"Events whose data is a"
                        f" {method.output_type.name} as JSON and whose id is where to"
                        " go on; `end` says that nothing follows, `error` has a"
                        " status.",
                    }
                },
            }
            self._refer(method.output_type)
        else:
            content = {JSON_TYPE: answer}
        return {
            "200": {"description": said or "The answer.", "content": content},
            "4XX": {"$ref": "#/components/responses/Refused"},
            "5XX": {"$ref": "#/components/responses/Refused"},
        }

    def _refer(self, message: Descriptor) -> Schema:
        if message.full_name in _PLAIN:
            return dict(_PLAIN[message.full_name])
        if message.name not in self._schemas:
            # Before its fields: they may hold it again.
            self._schemas[message.name] = {}
            self._schemas[message.name] |= self._of_message(message)
        return {"$ref": f"#/components/schemas/{message.name}"}

    def _of_message(self, message: Descriptor, without: Any = ()) -> Schema:  # noqa: ANN401 - names
        return {
            "description": self._said(message.full_name),
            "type": "object",
            "properties": {
                field.json_name: self._described(field)
                for field in message.fields
                if field.name not in without
            },
            "additionalProperties": False,
        }

    def _described(self, field: FieldDescriptor) -> Schema:
        said = self._said(field.full_name)
        group = field.containing_oneof
        if group is not None and len(group.fields) > 1:
            names = ", ".join(one.json_name for one in group.fields)
            said += f"\n\nOne of {names} at most."
        schema = self._of_field(field)
        return {**schema, "description": said} if said else schema

    def _of_field(self, field: FieldDescriptor) -> Schema:
        if is_map(field):
            value = inside(field).fields_by_name["value"]
            return {"type": "object", "additionalProperties": self._of_one(value)}
        if field.is_repeated:
            return {"type": "array", "items": self._of_one(field)}
        return self._of_one(field)

    def _of_one(self, field: FieldDescriptor) -> Schema:
        kind = field.cpp_type
        if kind == FieldDescriptor.CPPTYPE_MESSAGE:
            assert not is_plain(field) or inside(field).full_name in _PLAIN  # noqa: S101 - when it is generated
            return self._refer(inside(field))
        if kind == FieldDescriptor.CPPTYPE_ENUM:
            return self._enum(field.enum_type)
        if field.type == FieldDescriptor.TYPE_BYTES:
            return {"type": "string", "contentEncoding": "base64"}
        if kind in _WHOLE_NUMBERS:
            least, most = _WHOLE_NUMBERS[kind]
            return {
                "type": "integer",
                "format": "int32",
                "minimum": least,
                "maximum": most,
            }
        return {"type": _SINGLE[kind]}

    def _enum(self, enum: EnumDescriptor | None) -> Schema:
        assert enum is not None  # noqa: S101 - only fields of enums come here
        if enum.name not in self._schemas:
            values = [
                f"- `{value.name}`: {self._said(f'{enum.full_name}.{value.name}')}"
                for value in enum.values
            ]
            said = self._said(enum.full_name)
            self._schemas[enum.name] = {
                "description": "\n".join([said, "", *values]),
                "type": "string",
                "enum": [value.name for value in enum.values],
            }
        return {"$ref": f"#/components/schemas/{enum.name}"}


_SINGLE: Final = {
    FieldDescriptor.CPPTYPE_BOOL: "boolean",
    FieldDescriptor.CPPTYPE_DOUBLE: "number",
    FieldDescriptor.CPPTYPE_FLOAT: "number",
    FieldDescriptor.CPPTYPE_INT64: "string",
    FieldDescriptor.CPPTYPE_STRING: "string",
    FieldDescriptor.CPPTYPE_UINT64: "string",
}

_INTRODUCTION: Final = """\
The same calls as over gRPC, with the same answers and refusals. A body is JSON of at
most 16 KiB, or 60 KiB about tournaments. Fields have the names below or those of the
proto files; one that is unknown, or holds what it cannot, is refused by its path. An
answer always has the fields that are not optional.

A stream is lines of JSON, or events for whoever accepts `text/event-stream`."""


def _tag(service: str) -> str:
    return service.rpartition(".")[2].removesuffix("Service")


def main() -> None:
    """Print the description of the API whose descriptors a file holds."""
    described = FileDescriptorSet.FromString(Path(sys.argv[1]).read_bytes())
    document = describe(comments_of(described))
    sys.stdout.write(json.dumps(document, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
