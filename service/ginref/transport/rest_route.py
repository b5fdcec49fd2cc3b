"""Which call a path stands for, as the annotations of the API say it.

Source: `google/api/http.proto`, whose path templates these are.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from google.api import annotations_pb2
from google.api.http_pb2 import HttpRule
from google.protobuf.descriptor import (
    FieldDescriptor,
    MethodDescriptor,
    ServiceDescriptor,
)

_PARTS: Final = re.compile(r"\{([a-z0-9_.]+)(?:=([^}]*))?\}|(\*\*|\*)|([^{}*]+)")

# As it is sent, so that no escaped slash makes another segment. A colon begins a verb.
_SEGMENT: Final = "[^/:]+"
_SEGMENTS: Final = f"{_SEGMENT}(?:/{_SEGMENT})*"

WHOLE: Final = "*"
"""The body of a route whose body is the message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """One way to make a call over HTTP.

    Attributes:
        verb: Method of HTTP, in capitals.
        template: Path, with the names of fields in braces.
        fields: Fields that are read from the path, in its order.
        body: Field that is read from the body; `*` for all, empty for none.
        method: The call.
        has_texts: All that is read from the path is text, of the message itself.
    """

    verb: str
    template: str
    fields: tuple[str, ...]
    body: str
    method: MethodDescriptor
    has_texts: bool

    @property
    def path(self) -> str:
        """Path of the method in gRPC."""
        service = self.method.containing_service.full_name
        return f"/{service}/{self.method.name}"


@dataclass(frozen=True, slots=True)
class Found:
    """What stands at a path.

    Attributes:
        routes: By method of HTTP.
        values: Of the path, in its order, escaped as they were sent.
    """

    routes: Mapping[str, Route]
    values: tuple[str, ...]


class Routes:
    """All routes of the annotated methods of some services."""

    def __init__(self, services: Iterable[ServiceDescriptor]) -> None:
        """Read the annotations.

        Raises:
            ValueError: Two calls have the same path and method.
        """
        self.all: Final = tuple(
            route for service in services for route in routes_of(service)
        )
        known: dict[str, dict[str, Route]] = {}
        for route in self.all:
            if (
                known.setdefault(_pattern(route.template), {}).setdefault(
                    route.verb, route
                )
                is not route
            ):
                message = f"{route.verb} {route.template} stands for two calls"
                raise ValueError(message)
        # What is spelled out is found before what any word may stand for.
        ordered = sorted(known, key=lambda pattern: (pattern.count("("), pattern))
        self._known: Final = [
            (re.compile(pattern), known[pattern]) for pattern in ordered
        ]

    def find(self, path: str) -> Found | None:
        """Return what stands at a path, which is escaped as it was sent."""
        for pattern, routes in self._known:
            if found := pattern.fullmatch(path):
                return Found(routes, found.groups())
        return None


def routes_of(service: ServiceDescriptor) -> Iterator[Route]:
    """Yield the routes of a service's annotated methods."""
    for method in service.methods:
        options = method.GetOptions()
        if not options.HasExtension(annotations_pb2.http):
            continue
        rule = options.Extensions[annotations_pb2.http]
        for binding in (rule, *rule.additional_bindings):
            yield _route(method, binding)


def _route(method: MethodDescriptor, rule: HttpRule) -> Route:
    kind = rule.WhichOneof("pattern")
    if kind == "custom":
        verb, template = rule.custom.kind, rule.custom.path
    else:
        verb, template = kind.upper(), getattr(rule, kind)
    fields = tuple(found[1] for found in _PARTS.finditer(template) if found[1])
    known = method.input_type.fields_by_name
    return Route(
        verb=verb,
        template=template,
        fields=fields,
        body=rule.body,
        method=method,
        has_texts=all(
            name in known and known[name].type == FieldDescriptor.TYPE_STRING
            for name in fields
        ),
    )


def _pattern(template: str) -> str:
    """Return the regular expression of a path, with a group for each field."""
    written = ""
    for name, inner, wild, literal in _PARTS.findall(template):
        if name:
            written += f"({_pattern(inner) if inner else _SEGMENT})"
        elif wild:
            written += _SEGMENTS if wild == "**" else _SEGMENT
        else:
            written += re.escape(literal)
    return written
