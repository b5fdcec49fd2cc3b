"""Calls as a client of HTTP makes them, and what is answered to them."""

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlencode

import httpx
from google.api import annotations_pb2, http_pb2
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.rpc import error_details_pb2, status_pb2

from ginref.transport.server import DESCRIBED

# What a status holds is read only where its type is known.
assert error_details_pb2.DESCRIPTOR

METHODS: dict[str, MethodDescriptor] = {
    method.input_type.full_name: method
    for service in DESCRIBED
    for method in service.methods
    if method.GetOptions().HasExtension(annotations_pb2.http)
}
"""Every call that is served over HTTP, by its request."""


def method_of(request: Message) -> MethodDescriptor:
    """The call that a request is for."""
    return METHODS[request.DESCRIPTOR.full_name]


def path_of(request: Message) -> str:
    """Path of the call in gRPC."""
    method = method_of(request)
    return f"/{method.containing_service.full_name}/{method.name}"


async def send(client: httpx.AsyncClient, request: Message) -> httpx.Response:
    """The answer to a request."""
    rule = method_of(request).GetOptions().Extensions[annotations_pb2.http]
    said = MessageToDict(request)
    names = {field.name: field.json_name for field in request.DESCRIPTOR.fields}
    bindings = [_binding(one, names) for one in (rule, *rule.additional_bindings)]
    verb, template, bound = next(
        (one for one in bindings if all(said.get(name) for name in one[2])),
        bindings[-1],
    )
    for name in bound:
        value = quote(said.pop(name, ""), safe="")
        template = re.sub(r"\{\w+\}", value, template, count=1)
    if rule.body:
        return await client.request(verb, template, json=said)
    return await client.request(verb, f"{template}?{urlencode(said, doseq=True)}")


def _binding(
    rule: http_pb2.HttpRule, names: dict[str, str]
) -> tuple[str, str, list[str]]:
    verb = rule.WhichOneof("pattern")
    template: str = getattr(rule, verb)
    return verb, template, [names[name] for name in re.findall(r"\{(\w+)\}", template)]


def read(request: Message, answer: httpx.Response) -> Message:
    """The message that was answered, or the status of a refusal."""
    if answer.is_error:
        status: Message = status_pb2.Status()
        ParseDict(answer.json(), status)
        return status
    return _message(request, answer.json())


def read_all(request: Message, answer: httpx.Response) -> Iterator[Message]:
    """The messages of a stream of lines."""
    for line in filter(None, answer.text.split("\n")):
        yield _message(request, json.loads(line))


def _message(request: Message, said: dict[str, Any]) -> Message:
    made: Message = GetMessageClass(method_of(request).output_type)()
    ParseDict(said, made)
    return made
