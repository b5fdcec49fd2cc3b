"""The description of the API: that of the code, valid, and complete."""

import json
from importlib.resources import files
from typing import Any

import httpx
import pytest
from google.protobuf.descriptor import Descriptor
from openapi_spec_validator import validate
from tests.unit.transport import over_http

from ginref import v1
from ginref.app.error import Reason
from ginref.transport.openapi import describe
from ginref.transport.rest_route import Routes
from ginref.transport.server import DESCRIBED

Served = Any
"""The running referee of `conftest`, whose class cannot be imported."""


@pytest.fixture(scope="module")
def description() -> dict[str, Any]:
    """What is served."""
    described: dict[str, Any] = json.loads((files(v1) / "openapi.json").read_text())
    return described


def bare(value: object) -> object:
    """A description without what comments say."""
    if isinstance(value, dict):
        return {
            name: bare(one)
            for name, one in value.items()
            if name not in {"description", "summary"} or not isinstance(one, str)
        }
    return [bare(one) for one in value] if isinstance(value, list) else value


def test_it_is_openapi(description: dict[str, Any]) -> None:
    validate(description)


def test_it_is_that_of_the_code(description: dict[str, Any]) -> None:
    assert bare(describe({})) == bare(description), "make proto"


def test_every_call_is_in_it(description: dict[str, Any]) -> None:
    told = {
        (path, verb.upper())
        for path, calls in description["paths"].items()
        for verb in calls
    }

    assert told == {(one.template, one.verb) for one in Routes(DESCRIBED).all}


def test_everything_in_it_is_explained(description: dict[str, Any]) -> None:
    schemas = description["components"]["schemas"]
    silent = [
        f"{name}.{field}"
        for name, schema in schemas.items()
        for field, told in {"": schema, **schema.get("properties", {})}.items()
        if not told.get("description")
    ]

    assert silent == []
    for reason in Reason:
        assert f"`{reason}`" in schemas["ErrorReason"]["description"]


def test_an_answer_has_the_fields_of_its_message(description: dict[str, Any]) -> None:
    schemas = description["components"]["schemas"]

    def fields(message: Descriptor) -> set[str]:
        return {field.json_name for field in message.fields}

    for method in over_http.METHODS.values():
        answer = method.output_type
        assert set(schemas[answer.name]["properties"]) == fields(answer)


async def test_it_is_served_to_everybody(
    served: Served, description: dict[str, Any]
) -> None:
    async with httpx.AsyncClient(verify=False, timeout=60) as client:
        answer = await client.get(f"http://{served.rest}/openapi.json")
        other = await client.post(f"http://{served.rest}/openapi.json")

    assert answer.json() == description
    assert (other.status_code, other.headers["allow"]) == (405, "GET, HEAD")
    assert other.json()["details"][0]["reason"] == "VERB_NOT_ALLOWED"
