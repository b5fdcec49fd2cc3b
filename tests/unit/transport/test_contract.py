"""Whatever is asked over HTTP, the answer is one that the description names."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import quote

import httpx
from hypothesis import example, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from tests.e2e.host import new_tournament
from tests.unit.transport import over_http
from tests.unit.transport.call import new_match

from ginref import v1

Served = Any
"""The running referee of `conftest`, whose class cannot be imported."""

Values = st.SearchStrategy[Any]

DESCRIPTION = json.loads((files(v1) / "openapi.json").read_text())
EXAMPLES = 10
"""Of each call, beside one for everything that the referee knows."""

JSON = "application/json"
BOTS = ("ada", "bob")

ANYTHING = st.none() | st.booleans() | st.text(max_size=9) | st.lists(st.just("x"))
"""No whole numbers: an enum is read from one too, which generators need not know."""

SAID = {
    "date-time": st.sampled_from(["2026-11-30T12:00:00Z", "9999-12-31T23:59:59Z", "x"]),
    "duration": st.sampled_from(["0s", "90s", "-1.5s", "999999999999s", "1h"]),
}


@dataclass(frozen=True)
class Operation:
    """A call as it is described."""

    verb: str
    template: str
    described: dict[str, Any]

    @property
    def name(self) -> str:
        name: str = self.described["operationId"]
        return name

    def parameters(self, place: str) -> dict[str, Any]:
        told = self.described["parameters"]
        return {one["name"]: one["schema"] for one in told if one["in"] == place}

    @property
    def body(self) -> dict[str, Any] | None:
        told = self.described.get("requestBody")
        return told and told["content"][JSON]["schema"]

    def response(self, status: int) -> dict[str, Any]:
        """What is said of answers with a status.

        Raises:
            KeyError: Nothing is.
        """
        told = self.described["responses"]
        found = told[str(status) if str(status) in told else f"{status // 100}XX"]
        if "$ref" in found:
            found = DESCRIPTION["components"]["responses"][_last(found["$ref"])]
        response: dict[str, Any] = found
        return response


def operations() -> Iterator[Operation]:
    """All calls that are answered with JSON: streams have tests of their own."""
    for template, verbs in DESCRIPTION["paths"].items():
        for verb, described in verbs.items():
            found = Operation(verb.upper(), template, described)
            if JSON in found.response(200)["content"]:
                yield found


def _last(reference: str) -> str:
    return reference.rpartition("/")[2]


def fits(value: object, schema: dict[str, Any]) -> bool:
    """Say whether a value is one that a schema of the description allows."""
    return not [*_validator(json.dumps(schema)).iter_errors(value)]


@cache
def _validator(schema: str) -> Draft202012Validator:
    whole = {**json.loads(schema), "components": DESCRIPTION["components"]}
    return Draft202012Validator(whole)


@dataclass
class Asker:
    """Asks for what is described, and now and then for something else."""

    url: str
    tokens: tuple[str, ...]
    names: tuple[str, ...]
    accepted: set[str] = field(default_factory=set)
    seen: dict[str, Values] = field(default_factory=dict)

    def ask_all(self) -> None:
        with httpx.Client(base_url=self.url, verify=False, timeout=60) as client:
            for operation in operations():
                self.ask(client, operation)

    def ask(self, client: httpx.Client, operation: Operation) -> None:
        """Ask for one call in many ways."""
        path = {name: self.text() for name in operation.parameters("path")}
        asked = operation.parameters("query")
        query = {name: self.values(schema) for name, schema in asked.items()}
        body = st.none() if operation.body is None else self.values(operation.body)

        @settings(max_examples=EXAMPLES)
        @given(
            st.sampled_from(self.tokens),
            st.fixed_dictionaries(path),
            st.fixed_dictionaries({}, optional=query),
            body,
        )
        def judge(
            token: str, path: dict[str, str], query: dict[str, Any], body: object
        ) -> None:
            where = operation.template
            for name, value in path.items():
                where = where.replace(f"{{{name}}}", quote(value, safe=""))
            headers = {"authorization": f"Bearer {token}"} if token else {}
            sent = {} if operation.body is None else {"content": json.dumps(body)}
            answer = client.request(
                operation.verb,
                where,
                params={name: _written(value) for name, value in query.items()},
                headers={**headers, "content-type": JSON},
                **sent,  # type: ignore[arg-type] # its content
            )
            self.check(operation, answer, body)

        for known in self.names:
            judge = example(self.tokens[0], dict.fromkeys(path, known), {}, {})(judge)
        judge()

    def check(self, operation: Operation, answer: httpx.Response, body: object) -> None:
        """Hold an answer against the description."""
        assert answer.status_code < 500, answer.text
        told = operation.response(answer.status_code)["content"]
        assert fits(answer.json(), told[answer.headers["content-type"]]["schema"])
        if answer.is_success:
            self.accepted.add(operation.name)
            assert operation.body is None or fits(body, operation.body)

    def text(self) -> Values:
        return st.sampled_from(self.names) | st.text(min_size=1, max_size=12)

    def values(self, schema: dict[str, Any]) -> Values:
        """Values that a schema allows, and some that it does not."""
        right = self._right(schema)
        # One of eight is wrong.
        return st.integers(0, 7).flatmap(lambda one: right if one else ANYTHING)

    def _right(self, schema: dict[str, Any]) -> Values:
        if "$ref" in schema:
            name = _last(schema["$ref"])
            if name not in self.seen:
                found = DESCRIPTION["components"]["schemas"][name]
                self.seen[name] = st.deferred(lambda: self.values(found))
            return self.seen[name]
        kind = schema["type"]
        if kind == "object":
            return self._objects(schema)
        if kind == "array":
            return st.lists(self.values(schema["items"]), max_size=3)
        if kind == "integer":
            return st.integers(0, 9) | st.integers(schema["minimum"], schema["maximum"])
        if kind == "number":
            return st.floats(allow_nan=False, allow_infinity=False)
        return st.booleans() if kind == "boolean" else self._texts(schema)

    def _objects(self, schema: dict[str, Any]) -> Values:
        if "properties" not in schema:
            other = schema.get("additionalProperties", {"type": "string"})
            return st.dictionaries(st.text(max_size=9), self.values(other), max_size=2)
        told = schema["properties"]
        known = {name: self.values(one) for name, one in told.items()}
        return st.fixed_dictionaries({}, optional=known)

    def _texts(self, schema: dict[str, Any]) -> Values:
        if "enum" in schema:
            return st.sampled_from(schema["enum"])
        if "contentEncoding" in schema:
            return st.sampled_from(["", "AAAA", "A" * 43 + "=", "A"])
        if "pattern" in schema:
            return SAID["duration"]
        return SAID.get(schema.get("format", ""), self.text())


def _written(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


async def test_every_answer_is_one_that_is_described(served: Served) -> None:
    tokens = [served.operator, *[await served.token("bot", bot) for bot in BOTS]]
    headers = {"authorization": f"Bearer {served.operator}"}
    async with httpx.AsyncClient(
        base_url=f"http://{served.rest}", headers=headers, verify=False, timeout=60
    ) as client:
        match = (await over_http.send(client, new_match(bots=BOTS))).json()["match"]
        cup = (await over_http.send(client, new_tournament("cup"))).json()
    names = (*BOTS, match["matchId"], cup["tournament"]["tournamentId"])

    asker = Asker(f"http://{served.rest}", (*tokens, ""), names)
    await asyncio.to_thread(asker.ask_all)

    assert asker.accepted >= {
        *("GetMatch", "GetTournament", "ListBots", "AbortMatch", "CreateInvitation")
    }
